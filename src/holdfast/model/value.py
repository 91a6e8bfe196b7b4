"""Base of our frozen values: declared like dataclasses, without their import cost.

`dataclasses` costs 18 to 26 ms of start-up, which a hook cannot pay. A class lists annotated
fields with optional defaults; the metaclass turns them into slots. Instances are built by
keyword, compare by value and cannot be changed; `replace` makes a changed copy. A class of which a
process makes many gets a constructor of its own, which takes half the time.
"""

from __future__ import annotations

from operator import attrgetter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, ClassVar, NoReturn, Self, dataclass_transform
else:

    def dataclass_transform(**_options: object):
        return lambda cls: cls


class FrozenDict(dict):  # type: ignore[type-arg]
    """A dict that cannot be changed, so that cached entries cannot be spoilt by a caller."""

    __slots__ = ()

    def _refuse(self, *_args: object, **_named: object) -> NoReturn:
        raise TypeError("remembered values are frozen; make a copy with dict(...)")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        return dict, (dict(self),)


def freeze(value: Any) -> Any:
    """The same JSON value with every object in it frozen."""
    if isinstance(value, dict):
        return FrozenDict({key: item if item.__class__ is str else freeze(item) for key, item in value.items()})
    if isinstance(value, (list, tuple)):
        return [freeze(item) for item in value]
    return value


class ValueType(type):
    """Turns annotated names into slots and remembers their defaults."""

    _fields: tuple[str, ...]
    _defaults: dict[str, Any]
    _setters: tuple[tuple[str, Callable[[Any, Any], None]], ...]  # of the slots: past `__setattr__`, and quicker
    _values: attrgetter[Any]

    def __new__(mcs, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> ValueType:
        own = tuple(field for field in space.get("__annotations__", {}) if field[0] != "_")
        defaults: dict[str, Any] = {}
        fields: tuple[str, ...] = ()
        for base in bases:
            defaults.update(getattr(base, "_defaults", {}))
            fields += getattr(base, "_fields", ())
        defaults.update({field: space.pop(field) for field in own if field in space})
        space["__slots__"] = own
        if bases:
            space.setdefault("__init__", Value.__init__)  # a constructor made for the class above knows fewer fields
        cls = super().__new__(mcs, name, bases, space)
        cls._fields = fields + own
        cls._defaults = defaults
        cls._setters = tuple((field, getattr(cls, field).__set__) for field in cls._fields)
        cls._values = attrgetter(*(cls._fields or ("__class__",)))
        return cls


@dataclass_transform(kw_only_default=True, frozen_default=True, eq_default=True)
class Value(metaclass=ValueType):
    """A frozen value; see the module."""

    if TYPE_CHECKING:
        _fields: ClassVar[tuple[str, ...]]
        _defaults: ClassVar[dict[str, Any]]
        _setters: ClassVar[tuple[tuple[str, Callable[[Any, Any], None]], ...]]
        _values: ClassVar[attrgetter[Any]]

    def __init__(self, **given: Any) -> None:
        cls = type(self)
        made = _made[cls] = _made.get(cls, 0) + 1
        if made == _MANY and cls._fields:
            type.__setattr__(cls, "__init__", _constructor(cls))
        values = {**self._defaults, **given}
        try:
            for field, assign in self._setters:
                assign(self, values[field])
        except KeyError:
            raise TypeError(f"{type(self).__name__} needs {field}") from None
        if len(values) > len(self._setters):
            unknown = next(name for name in given if name not in self._fields)
            raise TypeError(f"{type(self).__name__} has no field {unknown}")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen: use replace({name}=...)")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def _items(self) -> Iterator[tuple[str, Any]]:
        return ((field, getattr(self, field)) for field in self._fields)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and bool(self._values(self) == self._values(other))

    def __hash__(self) -> int:
        try:
            return hash(self._values(self))
        except TypeError:  # a dict or list among them
            return hash(repr(self))

    def __repr__(self) -> str:
        shown = ", ".join(f"{field}={value!r}" for field, value in self._items())
        return f"{type(self).__name__}({shown})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _revive, (type(self), dict(self._items()))

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed."""
        return type(self)(**{field: getattr(self, field) for field in self._fields} | changes)

    def to_dict(self) -> dict[str, Any]:
        """The fields by name, in order."""
        return dict(self._items())


_made: dict[type[Value], int] = {}
_MANY = 200  # compiling costs as much as making so many the general way; a hook never gets there


def _constructor(cls: type[Value]) -> Callable[..., None]:
    """An `__init__` with the fields as its parameters."""
    names: dict[str, Any] = {f"_set_{field}": assign for field, assign in cls._setters}
    names |= {f"_usual_{field}": value for field, value in cls._defaults.items()}
    takes = [f"{field}=_usual_{field}" if field in cls._defaults else field for field in cls._fields]
    does = [f"    _set_{field}(self, {field})" for field in cls._fields]
    exec("\n".join([f"def __init__(self, *, {', '.join(takes)}):", *does]), names)  # only names that stand in our code
    made: Callable[..., None] = names["__init__"]
    return made


def _revive(cls: type[Value], fields: dict[str, Any]) -> Value:
    return cls(**fields)
