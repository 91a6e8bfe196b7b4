"""Every vector is looked at, and what is not what was stored is taken out and made again."""

import numpy as np
import pytest

from holdfast.index.database import ask_all
from holdfast.index.pages import OWNER
from holdfast.testing.embedder import HashingEmbedder
from tests.unit.index.test_vectors import filled, found, turn

TEXTS = ("alpha words", "beta words", "gamma words")


@pytest.fixture
def three(embedded):
    """Three entries with vectors; the second one is about to be damaged."""
    session = embedded.session()
    return [embedded.add(session, text, type="note").id for text in TEXTS]


def waiting(embedded):
    embedded.index.refresh(embedded.all, 2_000)
    return embedded.index.backlog(embedded.all)


def run(embedded, sql, *values):
    """As somebody does who is not us."""
    embedded.index.live.ask(lambda c: c.execute(sql, values).fetchall())


def changed(embedded, column, change):
    """The second vector with this column changed."""
    (n, data), *_ = embedded.index.live.ask(
        lambda c: ask_all(
            c,
            f"SELECT v.n, v.{column} FROM vectors v JOIN chunks c ON c.n=v.chunk WHERE c.text=?", (TEXTS[1],),
        )
    )  # fmt: skip
    run(embedded, f"UPDATE vectors SET {column}=? WHERE n=?", change(data), n)


def floats(change):
    def changed_floats(data):
        numbers = np.frombuffer(data, "<f4").copy()
        change(numbers)
        return numbers.tobytes()

    return lambda embedded: changed(embedded, "data", changed_floats)


def flipped_page(column, place):
    def flip(embedded):
        ((data,),) = embedded.index.live.ask(lambda c: ask_all(c, f"SELECT {column} FROM vector_pages"))
        spoilt = bytearray(data)
        spoilt[place(len(data))] ^= 1
        run(embedded, f"UPDATE vector_pages SET {column}=?", bytes(spoilt))

    return flip


DAMAGES = {
    "too short": (lambda e: changed(e, "data", lambda data: data[:-4]), "has 252 bytes in place of 256"),
    "too long": (lambda e: changed(e, "data", lambda data: data + bytes(4)), "has 260 bytes in place of 256"),
    "a text": (lambda e: changed(e, "data", lambda _: "x" * 256), "has no bytes in place of 256"),
    "not finite": (floats(lambda numbers: numbers.__setitem__(3, np.nan)), "length is not one"),
    "infinite": (floats(lambda numbers: numbers.__setitem__(3, np.inf)), "length is not one"),
    "longer than one": (floats(lambda numbers: numbers.__imul__(2)), "length is not one"),
    "nothing": (floats(lambda numbers: numbers.fill(0)), "length is not one"),
    "a sign": (floats(lambda numbers: numbers.__setitem__(3, -numbers[3])), "entered wrongly"),
    "of another embedder": (lambda e: changed(e, "embedder", lambda n: n + 6), "of another embedder"),
    "of other words": (lambda e: changed(e, "hash", lambda hash: hash[:-1]), "made of other words"),
    "bits": (flipped_page("bits", lambda size: size // 256 * 2 + 1), "entered wrongly"),
    "owner": (flipped_page("owners", lambda _: 2 * OWNER), "entered wrongly"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_vector_that_is_not_what_was_stored_is_named_and_made_again(embedded, three, damage):
    embedder = filled(embedded)
    before = found(embedded, embedder, "beta")
    spoil, what = DAMAGES[damage]
    spoil(embedded)
    ((entry, told),) = embedded.index.unsound(embedded.all)
    assert entry == three[1]
    assert what in told
    assert embedded.index.make_sound(embedded.all, 1_000)
    assert embedded.index.unsound(embedded.all) == []
    assert waiting(embedded) == (1, 3)
    embedder.calls.clear()
    filled(embedded, embedder)
    assert embedder.calls == [TEXTS[1]]
    assert found(embedded, embedder, "beta") == before
    assert embedded.index.live.rebuilt == 0


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_rebuild_takes_no_such_vector_over(embedded, three, damage):
    embedder = filled(embedded)
    DAMAGES[damage][0](embedded)
    embedded.index.rebuild(embedded.all)
    assert embedded.index.unsound(embedded.all) == []
    embedder.calls.clear()
    filled(embedded, embedder)
    assert embedder.calls == ([] if damage == "owner" else [TEXTS[1]])  # the owner is known from the entry
    assert found(embedded, embedder, "beta")[0] == three[1]


def test_a_vector_of_no_text_goes_and_the_text_that_it_was_of_gets_another(embedded, three):
    embedder = filled(embedded)
    changed(embedded, "chunk", lambda chunk: chunk + 1000)
    assert embedded.index.unsound(embedded.all) == [(None, "a vector is there of what is not shown")]
    assert embedded.index.make_sound(embedded.all, 1_000)
    assert waiting(embedded) == (1, 3)
    filled(embedded, embedder)
    assert found(embedded, embedder, "beta")[0] == three[1]
    assert embedded.index.unsound(embedded.all) == []


def test_a_place_without_its_vector_is_given_up(embedded, three):
    embedder = filled(embedded)
    run(embedded, "DELETE FROM vectors WHERE n=2")
    assert embedded.index.unsound(embedded.all) == [(None, "a vector is entered that is not there")]
    assert embedded.index.make_sound(embedded.all, 1_000)
    filled(embedded, embedder)
    assert embedded.index.unsound(embedded.all) == []
    assert len(found(embedded, embedder, "words")) == 3


@pytest.mark.parametrize("page", [b"", b"x" * 1000, "text"])
def test_a_page_that_is_none_is_made_again_with_all_its_vectors(embedded, three, page):
    embedder = filled(embedded)
    run(embedded, "UPDATE vector_pages SET owners=?", page)
    assert len(embedded.index.unsound(embedded.all)) == 4
    assert embedded.index.make_sound(embedded.all, 1_000)
    assert waiting(embedded) == (3, 3)
    filled(embedded, embedder)
    assert embedded.index.unsound(embedded.all) == []
    assert len(found(embedded, embedder, "words")) == 3


@pytest.mark.parametrize("sql", ["DELETE FROM embedders", "UPDATE embedders SET dimensions=65"])
def test_an_index_that_is_wrong_about_all_its_vectors_begins_anew(embedded, three, sql):
    embedder = filled(embedded)
    run(embedded, sql)
    assert len(embedded.index.unsound(embedded.all)) == 3
    assert embedded.index.make_sound(embedded.all, 1_000)
    filled(embedded, embedder)
    assert embedded.index.unsound(embedded.all) == []
    assert len(found(embedded, embedder, "words")) == 3


def test_what_was_made_sound_by_another_process_is_seen_by_this_one(embedded, three):
    embedder = filled(embedded)
    assert len(found(embedded, embedder, "words")) == 3
    DAMAGES["longer than one"][0](embedded)
    other = embedded.open_index()
    assert other.make_sound(embedded.all, 1_000)
    other.close()
    assert len(found(embedded, embedder, "words")) == 2


def test_who_cannot_write_is_told_so(embedded, three):
    filled(embedded)
    DAMAGES["too short"][0](embedded)
    other = embedded.open_index()
    with other.lock.hold(1_000, "be busy"):
        assert not embedded.index.make_sound(embedded.all, 50)
    other.close()
    assert len(embedded.index.unsound(embedded.all)) == 1


def test_vectors_of_turns_and_of_long_texts_over_many_pages_are_sound(embedded):
    session = embedded.session()
    for number in range(600):
        turn(embedded, session, f"is this turn {number}?")
    embedded.add(session, "a long text " * 2_000)
    filled(embedded, HashingEmbedder(16))
    assert embedded.index.unsound(embedded.all) == []


def test_an_index_without_vectors_is_sound(embedded, three):
    embedded.index.refresh(embedded.all, 2_000)
    assert embedded.index.unsound(embedded.all) == []
