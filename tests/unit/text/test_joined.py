"""Joined: a version, an address or a path is one thing."""

import pytest

import holdfast
from holdfast.text.joined import MOST_PARTS, MOST_TOGETHER, is_joined, parts_of
from holdfast.text.words import words


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("What did release 1.2.3 change?", ("release", "1.2.3", "change")),
        ("What runs on 10.0.0.7?", ("runs", "10.0.0.7")),
        ("at 3:45pm", ("3:45pm", "45pm")),
        ("src/auth/login.py", ("src/auth/login.py", "src", "auth", "login", "py")),
        ("package.json", ("package.json", "package", "json")),
        ("ana@example.com", ("ana@example.com", "ana", "example", "com")),
        ("read/write and/or self-care", ("read", "write", "self", "care")),
        ("he/she/it lost", ("lost",)),
    ],
)
def test_what_is_written_in_one_is_looked_for_so_and_by_its_words(question, terms):
    assert words(question).terms == terms


def test_a_wildcard_within_is_still_one():
    found = words("foo.b*r src/dep*")
    assert (found.prefixes, found.globs) == (("dep",), ("b*r",))


@pytest.mark.parametrize("embedder", ["builtin", "none"])
def test_a_version_is_found_by_its_numbers_in_their_order(tmp_path, embedder):
    versions = ("1.2.3", "3.2.1", "2.1.3", "2.3.1", "1.3.2", "3.1.2", "1.12.3", "1.2.30")
    with holdfast.open(tmp_path / "home", embedder=embedder) as memory:
        memory.add_many({"text": f"Release {one} changes a thing", "session": one} for one in versions)
        for one in versions:
            assert memory.search(f"What did release {one} change?")[0].text == f"Release {one} changes a thing"
            assert memory.search(one)[0].marks == ((8, 8 + len(one)),)


def test_an_address_does_not_stand_for_a_longer_one(tmp_path):
    with holdfast.open(tmp_path / "home", embedder="none") as memory:
        memory.add("Host 10.0.0.20 runs redis")
        assert not memory.search("10.0.0.2").hits


def test_thousands_of_words_written_in_one_are_no_name_and_looked_for_one_by_one():
    assert words("/".join(["7"] * 40_000)).terms == ("7",)
    long = "/".join(f"part{number}" for number in range(MOST_PARTS))
    assert long in words(long).terms
    assert words(f"{long}/beyond").terms == (*long.split("/"), "beyond")


def test_names_are_looked_for_as_such_while_their_words_are_not_too_many_together():
    names = ["/".join(["1"] * count) for count in range(2, 32)]
    found = [term for term in words(" ".join(names)).terms if is_joined(term)]
    assert found == names[: len(found)]
    assert len(found) > 8
    assert sum(len(parts_of(name)) for name in found) <= MOST_TOGETHER
    assert words(" ".join([*names, "src/auth"])).terms[-2:] == ("src", "auth")


def test_a_name_that_is_said_again_takes_no_more_room():
    names = [f"/usr/lib/{name}.py" for name in "abcdefghijklmno"]
    assert [term for term in words(" ".join(names * 3)).terms if is_joined(term)] == [name[1:] for name in names]
