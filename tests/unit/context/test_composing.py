import pytest

import holdfast


def test_a_context_says_who_spoke(tmp_path):
    with holdfast.open(tmp_path / "home") as memory:
        told = memory.add("I'm vegetarian now btw.", author="Erik", role="user")
        taken = memory.add("Noted: Erik is vegetarian", role="assistant")
        pinned = memory.add("Vegetarian dishes only on Fridays", author="Ana", pinned=True)
        text = memory.context("Who is vegetarian now?").text
    assert f"conversation by Erik (user), {told.id}] I'm vegetarian" in text
    assert f"conversation by assistant (agent), {taken.id}] Noted" in text
    assert f"conversation by Ana (user), {pinned.id}] Vegetarian dishes" in text


@pytest.fixture
def told(tmp_path):
    """A memory with a user's preferences of two workspaces and of none, and the path of each workspace."""
    places = [str(tmp_path / name) for name in ("one", "two")]
    with holdfast.open(tmp_path / "home") as memory:
        user = memory.user("ana")
        user.remember("rota", "the rota of workspace one", workspace=places[0])
        user.remember("spare", "the rota of workspace two", workspace=places[1])
        user.remember("tea", "green tea anywhere")
        yield memory, *places


def test_a_user_memory_of_another_workspace_is_not_handed_over(told):
    memory, one, _ = told
    session = memory.create_session("ana", workspace=one, key="here")
    for asked in ({"session": session.id}, {"session": "here", "user": "ana"}, {"user": "ana", "workspace": one}):
        for prompt in ("", "whose rota is it?"):
            assert "workspace two" not in memory.context(prompt, **asked).text


def test_user_memories_of_the_same_workspace_and_of_none_are_handed_over_in_any_session(told):
    memory, one, two = told
    memory.create_session("ana", workspace=one, key="here")
    for asked in ({"session": "here", "user": "ana"}, {"user": "ana", "workspace": one}):
        items = memory.context("", **asked).items
        assert sorted(item.snippet for item in items) == ["green tea anywhere", "the rota of workspace one"]
    assert "workspace two" in memory.context("", user="ana", workspace=two).text


def test_who_asks_in_no_workspace_is_handed_the_memories_of_all(told):
    memory, *_ = told
    assert len(memory.context("", user="ana").items) == 3


@pytest.mark.parametrize("prompt", ["ok", "Thanks!", "good morning", "Yes, please.", "hello", "what?"])
def test_a_greeting_or_an_answer_brings_no_old_one_back(tmp_path, prompt):
    with holdfast.open(tmp_path / "home") as memory:
        old = ("ok", "Thanks!", "Good morning all", "Yes, please", "Hi, what of my parcel?")
        memory.add_many([{"text": text, "role": role} for text in old for role in ("user", "assistant")])
        memory.add("Shoe size is 43", type="preference", key="shoes", scope="user")
        assert memory.search(prompt).hits
        assert [item.snippet for item in memory.context(prompt).items] == ["Shoe size is 43"]
