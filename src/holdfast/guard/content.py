"""An entry's content and metadata: JSON that can be stored, bounded in depth, size and number.

Accepts the shapes of the seeds (`message`, `decision`, an object without any text) and always gives
content a `text`. Values are copied and frozen here, so that a caller cannot change them afterwards.
"""

from __future__ import annotations

from ..errors import Invalid, SizeLimit
from ..model.value import FrozenDict
from ..text.content import searchable_text
from . import fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..errors import HoldfastError

DEPTH = 16
METADATA_BYTES = 64 * 1024
CONTENT_BYTES = 64 * 1024 * 1024  # a bound on the walk; the journal knows the configured size of an entry
MOST_VALUES = 1_000_000
ARTIFACT_LENGTH = 400
_FEW, _SHORT = 64, 64 * 1024  # values and letters: far from every limit
_TEXT_NAMES = ("text", "message", "decision", "finding", "preference", "fact", "summary", "note", "event")
CONTENT_FIELDS = ("text", "role", "author", "kind", "tool_call_id", "decision", "rationale", "alternatives")
_LINES = {"author": 256, "kind": 64, "tool_call_id": 256}


class _Copy:
    """Copies one JSON value, counting values and bytes (about as encoded): shared parts cannot explode."""

    __slots__ = ("error", "field", "left", "most", "values")

    def __init__(self, field: str, most: int, error: type[HoldfastError]) -> None:
        self.field, self.most, self.left, self.error = field, most, most, error
        self.values = MOST_VALUES

    def value(self, given: Any, where: str, depth: int) -> Any:
        if isinstance(given, str):
            return self._spend(given, (len(given) if given.isascii() else len(fields.text(given, where).encode())) + 2)
        if given is None or isinstance(given, bool):
            return self._spend(given, 4)
        if isinstance(given, (int, float)):
            return self._spend(_number(given, where), 8)
        if depth >= DEPTH:
            raise fields.broken(self.field, f"may be at most {DEPTH} levels deep")
        return self._several(given, where, depth + 1)

    def _several(self, given: Any, where: str, depth: int) -> Any:
        self._spend(None, 2)
        if isinstance(given, dict):
            return FrozenDict({
                self._name(name, where): self.value(item, f"{where}.{name}", depth) for name, item in given.items()
            })  # fmt: skip
        if isinstance(given, (list, tuple)):
            return [self.value(item, f"{where}[{place}]", depth) for place, item in enumerate(given)]
        rule = f"must be JSON (text, number, true, false, null, list or object), not {type(given).__name__}"
        raise fields.broken(where, rule)

    def _name(self, given: Any, where: str) -> str:
        if not isinstance(given, str):
            raise fields.broken(where, f"must have names that are text, not {type(given).__name__}")
        if not given.isascii():
            fields.text(given, f"{where} (a name in it)")
        return str(self._spend(given, len(given.encode()) + 4))

    def _spend(self, value: Any, size: int) -> Any:
        self.left -= size
        self.values -= 1
        if self.left < 0 or self.values < 0:
            message = f"{self.field} is too large: at most {self.most // 1024} KiB as JSON"
            raise self.error(message, field=self.field, most=self.most)
        return value


def _is_plain(given: Mapping[Any, Any]) -> bool:
    """Whether this is a few short texts and nothing else, which needs no walk: so are most contents."""
    if len(given) > _FEW:
        return False
    for name, item in given.items():
        if type(name) is not str or type(item) is not str or len(item) > _SHORT or not name.isascii():
            return False
        if not item.isascii():
            fields.text(item, f"content.{name}")
    return True


def _number(given: int | float, where: str) -> int | float:
    if isinstance(given, float) and not float("-inf") < given < float("inf"):
        raise fields.broken(where, "must be a finite number; NaN and infinity cannot be stored")
    if isinstance(given, int) and given.bit_length() > 64:
        raise fields.broken(where, "must be a whole number of at most 64 bits; write larger ones as text")
    return given


def metadata(given: Any, field: str = "metadata") -> FrozenDict:
    """Metadata: a JSON object of at most 64 KiB, 16 deep."""
    if not isinstance(given, dict):
        raise fields.broken(field, f"must be an object, not {type(given).__name__}")
    return FrozenDict(_Copy(field, METADATA_BYTES, Invalid).value(given, field, 0))


def content(given: Mapping[str, Any], type_: str) -> FrozenDict:
    """The content of an entry from its own fields and what `content=` gave."""
    return content_of(joined(given), type_)


def content_of(parts: dict[str, Any], type_: str) -> FrozenDict:
    """The content that is joined already (and is used up): `text` first, always there."""
    for name, most in _LINES.items():
        if name in parts:
            fields.line(parts[name], name, most)
    if "role" in parts:
        fields.role(parts["role"])
    said = _text(parts, type_)
    named = {"text": said, "decision": said} if type_ == "decision" else {"text": said}
    whole = {**named, **parts}
    if _is_plain(whole):
        return FrozenDict(whole)
    copied: FrozenDict = _Copy("content", CONTENT_BYTES, SizeLimit).value(whole, "content", 0)
    return copied


def _text(parts: dict[str, Any], type_: str) -> str:
    """The text, taken out of `parts` under whatever name it came; a flexible content gives all its words."""
    for words in ("text", "message"):
        if words in parts:
            fields.text(parts[words], words)
    name: str | None = "text"
    if "text" not in parts:
        names = ("message", type_, *_TEXT_NAMES)
        name = next((name for name in names if isinstance(parts.get(name), str)), None)
    given = parts.pop(name) if name else None
    for twin in ("message", "decision") if type_ == "decision" else ("message",):
        if twin in parts and parts.pop(twin) != given:
            raise fields.broken(f"content.{twin}", "differs from the text; give the words once")
    return spoken(given if given is not None else _derived(parts), type_)


def spoken(given: Any, type_: str) -> str:
    """The text of an entry of this type, when it is stored and when it is amended."""
    said = fields.text(given, "text")
    if not said or said.isspace():
        raise fields.broken("text", "must have at least one character that is not white space")
    if type_ == "artifact" and fields.length(said) > ARTIFACT_LENGTH:
        rule = f"of an artifact is a snippet of at most {ARTIFACT_LENGTH} characters, has {len(said)}"
        raise fields.broken("text", f"{rule}; give the file's path beside it")
    return said


def _derived(parts: dict[str, Any]) -> str:
    """Words for a content without text: what it says elsewhere, else what kind of thing it is."""
    _Copy("content", CONTENT_BYTES, SizeLimit).value(parts, "content", 0)  # before walking it: it may be endless
    return searchable_text(parts) or str(parts.get("kind", ""))


def joined(given: Mapping[str, Any]) -> dict[str, Any]:
    """`content=` and the fields beside it as one object; the same name twice must say the same."""
    inner = given.get("content")
    inner = {} if inner is None else {"text": inner} if isinstance(inner, str) else inner
    if not isinstance(inner, dict):
        raise fields.broken("content", f"must be text or an object, not {type(inner).__name__}")
    beside = {name: given[name] for name in CONTENT_FIELDS if name in given and given[name] is not None}
    if not inner:
        return beside
    for name, value in beside.items():
        if inner.get(name, value) != value:
            raise fields.broken(f"content.{name}", f"differs from {name}; give it once")
    return {name: value for name, value in {**inner, **beside}.items() if value is not None}
