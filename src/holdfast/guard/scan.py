"""Finding secrets in one text: which spans the rules of `guard.rules` take.

One lower-cased copy is searched for anchors; a rule is matched only where one stands. Work is counted in
steps and characters, never in time, so that the same text always ends the same way; what needs more is
TooHard and is withheld by the caller.
"""

from __future__ import annotations

from .rules import FIELD, GATES, MARK, NAMES, REST, RULES, SIGN_WITHIN, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator

MOST_CHARACTERS = 64 * 1024 * 1024
# Work is 16 for each place looked at and 1 for each character that a pattern took there, whether it was a
# secret or not. Real text, even dense JSON of settings, stays below 3 a character; what is made to be slow does not.
_WORK_EACH = 16
_WORK_FREE = 250_000
_WORK_PER_CHARACTER = 8
SHORTEST = 6  # "://:x@"; roles, short names and most tags need no look
_FULL = 255  # a bounded pattern that took this much may have left the rest of the secret standing
_STOPS = ".,;:!?"


class TooHard(Exception):
    """The text needs more work than a text may."""


Span = tuple[int, int, str, int]  # start, end, name, number of the rule


def spans(text: str) -> list[Span]:
    """What to replace, in order, without overlap."""
    if len(text) < SHORTEST:
        return []
    if len(text) > MOST_CHARACTERS:
        raise TooHard
    low = _lower(text)
    anchored = [anchor for gate, anchors in GATES if gate in low for anchor in anchors if anchor[0] in low]
    found = list(_candidates(text, low, anchored)) if anchored else []
    if not found:
        return []
    marks = [match.span() for match in MARK.get().finditer(text)] if "[redacted:" in low else []
    return _united([span for span in found if not any(start < span[1] and span[0] < end for start, end in marks)])


def _lower(text: str) -> str:
    """Lower case with every character in its place (a capital dotted I becomes two)."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(x if len(x.lower()) != 1 else x.lower() for x in text)


def _candidates(text: str, low: str, anchored: list[tuple[str, tuple[int, ...]]]) -> Iterator[Span]:
    """What the rules take, wherever one of these anchors stands."""
    work = _Work(_WORK_FREE + _WORK_PER_CHARACTER * len(text))
    for anchor, numbers in anchored:
        bare: dict[tuple[str, ...], int] = {}  # the rules of one anchor wait for the same signs
        for number in numbers:
            rule = RULES[number]
            if not _needed(rule, low):
                continue
            if rule.signs not in bare:
                bare[rule.signs] = _bare_places(low, anchor, rule)
            if bare[rule.signs]:
                work.spend(_WORK_EACH * bare[rule.signs])
            else:
                yield from _by_rule(text, low, anchor, number, work)


def _bare_places(low: str, anchor: str, rule: Rule) -> int:
    """At how many places an anchor stands, if none of them is worth trying the rule at; otherwise 0."""
    count, place = 0, low.find(anchor)
    while place >= 0:
        if _may_match(low, place, rule):
            return 0
        count += 1
        place = low.find(anchor, place + len(anchor))
    return count


def _needed(rule: Rule, low: str) -> bool:
    """Whether what a rule needs besides its anchor stands anywhere: most texts have full stops, few have bots."""
    for needed in rule.needs:
        if needed in low:
            return True
    return not rule.needs


class _Work:
    """How much may still be done for this text."""

    __slots__ = ("left",)

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, amount: int) -> None:
        self.left -= amount
        if self.left < 0:
            raise TooHard


def _by_rule(text: str, low: str, anchor: str, number: int, work: _Work) -> Iterator[Span]:
    rule = RULES[number]
    place = low.find(anchor)
    while place >= 0:
        match = rule.pattern.get().match(text, place) if _may_match(low, place, rule) else None
        work.spend(_WORK_EACH + (match.end() - place if match else 0))
        taken = _taken(match, rule) if match else None
        if taken:
            yield (*taken, number)
        place = low.find(anchor, max(place + len(anchor), taken[1] if taken else 0))


def _may_match(low: str, place: int, rule: Rule) -> bool:
    """Whether it is worth trying, and compiling, the rule's pattern here."""
    if not rule.signs:
        return True
    near = low[place : place + SIGN_WITHIN]
    return any([sign in near for sign in rule.signs])  # noqa: C419 - six short looks cost less than a generator


def _taken(match: re.Match[str], rule: Rule) -> tuple[int, int, str] | None:
    """The secret in what a rule matched, if it is one."""
    text, named = match.string, match.groupdict()
    group = "bare" if named.get("bare") is not None else "secret" if named.get("secret") is not None else 0
    start, end = match.span(group)
    if group == "bare":
        end = start + len(text[start:end].rstrip(_STOPS))
    name = (named.get("name") or "").lower()
    if start >= end or not _check(rule)(text[start:end], name, _style(match)):
        return None
    rest = REST.get().match(text, end) if end - start >= _FULL else None
    return start, rest.end() if rest else end, _called(rule, name)


def _check(rule: Rule) -> Callable[[str, str, str], bool]:
    from .judge import CHECKS  # loaded where something was found: most texts are clean

    return CHECKS[rule.check]


def secret_name(field: str) -> str:
    """Which secret a field's name promises (`dbPassword`, `API_KEY_2`), or nothing."""
    promised = _promised.get(field)
    if promised is None:
        low = field.lower()
        found = FIELD.get().search(field) if any(name in low for name in NAMES) else None
        promised = found["name"].lower() if found else ""
        if len(_promised) < _MOST_PROMISED and len(field) <= _LONGEST_NAME:
            _promised[field] = promised
    return promised


_promised: dict[str, str] = {}  # every entry has the same few names
_MOST_PROMISED, _LONGEST_NAME = 1024, 64


def is_secret(value: str, name: str) -> bool:
    """Whether the value of a field with such a name is the secret itself, rather than words about it."""
    from .judge import assigned

    return assigned(value, name, "quoted") and not any(letter.isspace() for letter in value)


def _style(match: re.Match[str]) -> str:
    """How a value was assigned: quoted, as in an environment file, by `=` or otherwise."""
    named = match.groupdict()
    if named.get("quote") is not None:
        return "quoted"
    sign = named.get("sign") or ""
    if sign == "=" and not match.string[match.end("sign")].isspace() and (named.get("name") or "").isupper():
        return "env"
    return "=" if sign in ("=", ":=", "=>", "%3D", "%3d") else ":"


def _called(rule: Rule, name: str) -> str:
    """The mark's name: passwords are told apart from other secrets."""
    return "password" if rule.name == "secret" and name.startswith(("pass", "pwd")) else rule.name


def _united(found: list[Span]) -> list[Span]:
    """Overlapping spans as one, named by the most specific rule."""
    united: list[Span] = []
    for span in sorted(found):
        if united and span[0] < united[-1][1]:
            before = united[-1]
            named = min(before, span, key=lambda one: one[3])
            united[-1] = (before[0], max(span[1], before[1]), named[2], named[3])
        else:
            united.append(span)
    return united
