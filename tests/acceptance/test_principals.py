"""Principals: what is not theirs answers exactly like what never was, and numbers about everybody need a grant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import holdfast
from holdfast.model.scope import OWN

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

UNKNOWN = "mem_01KG2D5T7QH3V8ZJ4N6R9WXYAB"


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[holdfast.Memory]:
    with holdfast.open(tmp_path / "home", user="ana") as opened:
        yield opened


def principal(owner: holdfast.Memory, *grants: str) -> holdfast.Memory:
    caller = holdfast.Caller(name="a tool", owner=False, user="ben", grants=OWN | set(grants))
    return holdfast.open(owner.home, caller=caller)


def answer(memory: holdfast.Memory, id: str) -> tuple[type, str]:
    with pytest.raises(holdfast.HoldfastError) as refused:
        memory.forget(id)
    return type(refused.value), refused.value.message.replace(id, "ID")


def test_forgetting_a_foreign_entry_answers_like_an_unknown_one(owner: holdfast.Memory) -> None:
    kept, deleted, forgotten, shared = (
        owner.add(text, scope=scope).id
        for text, scope in (("a", "session"), ("b", "session"), ("c", "user"), ("d", "global"))
    )
    whole = owner.add("e", session="whole")
    for id in (deleted, shared):
        owner.delete(id)
    owner.forget(forgotten)
    owner.forget(session="whole")
    with principal(owner) as ben:
        answers = {answer(ben, id) for id in (kept, deleted, forgotten, shared, whole.id, UNKNOWN)}
    assert len(answers) == 1
    assert answers.pop()[0] is holdfast.NotFound


def test_what_was_ones_own_is_no_error_to_forget_again(owner: holdfast.Memory) -> None:
    with principal(owner) as ben:
        for scope in ("session", "user"):
            own = ben.add("mine", scope=scope).id
            assert ben.forget(own).count == 1
            assert ben.forget(own).clean


def test_the_state_of_the_whole_agent_needs_the_grant(owner: holdfast.Memory) -> None:
    owner.add("not for ben")
    with principal(owner) as ben, pytest.raises(holdfast.Denied) as refused:
        ben.status()
    assert refused.value.details["grant"] == "read:global"
    with principal(owner) as ben:
        assert ben.stats()["entries"] == 0
    with principal(owner, "read:global") as ben:
        assert ben.status()["counts"]["entries"] == 1
