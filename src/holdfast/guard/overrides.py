"""What a session may set for itself: title, channel, preferences, decay and compaction overrides (A130, A131).

Checked like settings. Whose a session is, where it belongs and what was counted in it is nobody's to set.
"""

from __future__ import annotations

from ..model.entry import TYPES
from ..model.value import FrozenDict
from .content import metadata
from .fields import broken, flag, hint, named, short, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

_LONGEST_HOURS = 876_000.0  # a hundred years


def decay(given: Mapping[str, Any] | None) -> FrozenDict:
    """enabled, half_life_hours, min_decay_factor, type_specific; None overrides nothing."""
    found: dict[str, Any] = {}
    for name, value in _none_or(given, "decay").items():
        field = f"decay.{shown(name)}"
        if name == "enabled":
            found[name] = flag(value, field)
        elif name == "half_life_hours":
            found[name] = _number(value, field, 0.1, _LONGEST_HOURS)
        elif name == "min_decay_factor":
            found[name] = _number(value, field, 0.0, 1.0)
        elif name == "type_specific":
            found[name] = _by_type(value)
        else:
            raise broken(
                field, "is not an override; there are enabled, half_life_hours, min_decay_factor, type_specific"
            )
    return FrozenDict(found)


def _by_type(given: Any) -> FrozenDict:
    if not isinstance(given, dict):
        raise broken("decay.type_specific", "must be an object of types")
    found: dict[str, Any] = {}
    for type, value in given.items():
        if type not in TYPES or not isinstance(value, dict):
            raise broken(f"decay.type_specific.{shown(type)}", f"must be an object under one of {', '.join(TYPES)}")
        inner: dict[str, Any] = {}
        if "decay_enabled" in value:
            inner["decay_enabled"] = flag(value["decay_enabled"], f"decay.type_specific.{type}.decay_enabled")
        if "half_life_hours" in value:
            hours = value["half_life_hours"]
            inner["half_life_hours"] = _number(
                hours, f"decay.type_specific.{type}.half_life_hours", 0.1, _LONGEST_HOURS
            )
        found[type] = FrozenDict(inner)
    return FrozenDict(found)


def compaction(given: Mapping[str, Any] | None) -> FrozenDict:
    """auto_compact, threshold; None overrides nothing."""
    found: dict[str, Any] = {}
    for name, value in _none_or(given, "compaction").items():
        if name == "auto_compact":
            found[name] = flag(value, "compaction.auto_compact")
        elif name == "threshold":
            found[name] = _number(value, "compaction.threshold", 0.1, 1.0)
        else:
            raise broken(f"compaction.{shown(name)}", "is not an override; there are auto_compact and threshold")
    return FrozenDict(found)


def preferences(given: Mapping[str, Any] | None) -> FrozenDict:
    """language, verbosity, custom, and whatever else a caller wants to keep; None keeps nothing."""
    found = metadata(_none_or(given, "preferences"), "preferences")
    if "custom" in found:
        named(found["custom"], "preferences.custom")
    return found


def card_changes(given: Mapping[str, Any]) -> dict[str, Any]:
    """New values for fields of a card, by the fields' names; `decay` and `compaction` may be called that."""
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name not in _SETTABLE:
            raise broken(name[:40], f"cannot be set{hint(name, _SETTABLE)}; there are {', '.join(_SETTABLE)}")
        field, rule = _SETTABLE[name]
        found[field] = rule(value)
    return found


_SETTABLE: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "title": ("title", lambda given: None if given is None else short(given, "title")),
    "channel": ("channel", lambda given: None if given is None else short(given, "channel")),
    "preferences": ("preferences", preferences),
    "decay": ("decay_config", decay),
    "decay_config": ("decay_config", decay),
    "compaction": ("compaction_config", compaction),
    "compaction_config": ("compaction_config", compaction),
}


def _none_or(given: Any, field: str) -> dict[str, Any]:
    return {} if given is None else named(given, field)


def _number(given: Any, field: str, least: float, most: float) -> float:
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not least <= given <= most:
        raise broken(field, f"must be a number from {least} to {most}")
    return float(given)
