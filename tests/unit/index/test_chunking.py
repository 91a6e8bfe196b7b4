"""Long entries are searched by their pieces and stay one entry: found once, told whole, gone whole."""

import pytest

import holdfast
from holdfast.index.cutting import Chunking, chunking_of
from holdfast.index.database import ask_all, ask_one
from holdfast.index.sqlite import IndexOptions, SqliteIndex
from holdfast.model.entry import Tombstone
from holdfast.model.moment import iso
from holdfast.model.query import Filter
from holdfast.model.vector import Vector
from holdfast.testing.embedder import HashingEmbedder
from holdfast.text.words import words

FILLER = "The meeting went on about nothing in particular for a while.\n"
LONG = FILLER * 40 + "The heliotrope was moved to the cellar.\n" + FILLER * 40


def asked(embedded, question, limit=20, wanted=None):
    embedded.index.refresh(embedded.all, 2_000)
    return embedded.index.match(embedded.scope(), wanted or Filter(), words(question), limit)


def sql(embedded, statement, *values):
    embedded.index.refresh(embedded.all, 2_000)
    return embedded.index.live.ask(lambda c: ask_all(c, statement, values))


def counters(embedded):
    """Entries that can be found, and the chunks by which they are."""
    found = dict(sql(embedded, "SELECT key, value FROM meta WHERE key IN ('searchable', 'searched')"))
    return int(found.get("searchable", 0)), int(found.get("searched", 0))


def pieces(embedded):
    return sql(embedded, "SELECT count(*) FROM chunks WHERE ordinal>0")[0][0]


def embed(embedded):
    embedder = HashingEmbedder()
    embedded.index.refresh(embedded.all, 2_000)
    assert embedded.index.embed(embedded.all, embedder, None) == 0
    return embedder


def near(embedded, embedder, text, limit=10):
    (vector,) = embedder.embed([text], query=True)
    return embedded.index.near(embedded.scope(), Filter(), Vector(embedder.identity, vector), limit)


@pytest.mark.parametrize("wanted", [Filter(), Filter(types=("conversation", "note"))], ids=["all", "filtered"])
def test_a_long_entry_is_found_once_by_the_span_that_matches(embedded, wanted):
    long = embedded.add(embedded.session(), LONG)
    (row,) = asked(embedded, "heliotrope meeting", wanted=wanted)
    assert row.id == long.id
    start, stop = row.span
    assert "heliotrope" in LONG[start:stop]
    assert stop - start < len(LONG) / 4


def test_a_turn_is_found_as_a_whole(embedded):
    embedded.add(embedded.session(), "The heliotrope was moved.")
    (row,) = asked(embedded, "heliotrope")
    assert row.span == (0, 25)
    assert pieces(embedded) == 0


def test_a_fact_in_a_long_entry_outranks_turns_that_share_a_common_word(embedded):
    session = embedded.session()
    for number in range(30):
        embedded.add(session, f"Something was moved to shelf {number}.")
    long = embedded.add(session, LONG)
    assert embedded.find("heliotrope moved cellar")[0] == long.id


@pytest.mark.parametrize("wanted", [Filter(), Filter(types=("conversation", "note"))], ids=["all", "filtered"])
def test_an_entry_whose_every_piece_matches_leaves_room_for_the_others(embedded, wanted):
    session = embedded.session()
    embedded.add(session, "heliotrope heliotrope heliotrope\n" * 2_000)
    said = [f"A heliotrope stood in room {number}, among many other things." for number in range(9)]
    others = {embedded.add(session, text).id for text in said}
    assert pieces(embedded) > 60
    assert others < {row.id for row in asked(embedded, "heliotrope", limit=10, wanted=wanted)}


def test_prefixes_and_globs_count_an_entry_once(embedded):
    session = embedded.session()
    long = embedded.add(session, "heliotropes grow\n" * 500)
    short = embedded.add(session, "A heliotropic plant")
    for question in ("heliotrop*", "h?liotrope*s", "hel*opes"):
        rows = asked(embedded, question)
        assert len(rows) == len({row.id for row in rows}), question
    assert {row.id for row in asked(embedded, "heliotrop*")} == {long.id, short.id}
    alone = asked(embedded, "heliotrop*", limit=1)[0].score
    assert alone < 10


def test_rarity_counts_chunks_on_both_sides(embedded):
    embedded.add(embedded.session(), LONG)
    total = pieces(embedded)
    holding = sql(embedded, "SELECT count(*) FROM chunks WHERE ordinal>0 AND instr(text, 'heliotrope')")[0][0]
    found = embedded.index.rarity(embedded.scope(), ["heliotrope", "meeting"])
    assert found == (total, {"heliotrope": holding, "meeting": total})
    assert holding < 3


def test_the_views_tell_an_entry_whole_and_once(embedded):
    session = embedded.session()
    long = embedded.add(session, LONG, role="user")
    embedded.add(session, "short", role="user")
    assert sql(embedded, "SELECT id, content FROM messages ORDER BY length(content) DESC LIMIT 1") == [(long.id, LONG)]
    assert sql(embedded, "SELECT count(*) FROM records") == [(2,)]


def test_what_a_cut_goes_through_is_still_contained(embedded):
    embedded.add(embedded.session(), "word " * 400)
    embedded.index.refresh(embedded.all, 2_000)
    assert embedded.index.contains(embedded.all, "word " * 300)


def test_a_piece_is_no_twin_of_an_entry_that_says_the_same(embedded):
    session = embedded.session()
    long = embedded.add(session, LONG)
    (piece,) = sql(embedded, "SELECT text FROM chunks WHERE ordinal=1")
    short = embedded.add(session, piece[0])
    twin = embedded.add(session, LONG)
    embedded.index.refresh(embedded.all, 2_000)
    assert embedded.index.same_text(embedded.scope(), [short.id]) == []
    assert embedded.index.same_text(embedded.scope(), [long.id]) == [twin.id]


def test_hiding_and_showing_takes_every_piece_along(embedded):
    session = embedded.session()
    long = embedded.add(session, LONG)
    before = counters(embedded)
    assert before == (1, pieces(embedded))
    embed(embedded)
    for reason, after, found in (("user", (0, 0), []), ("undelete", before, [long.id])):
        stone = Tombstone(id=long.id, timestamp=iso(embedded.clock.now()), reason=reason)
        embedded.journal.bury(embedded.all, session, [stone])
        assert embedded.find("heliotrope") == found
        assert counters(embedded) == after
        assert sql(embedded, "SELECT count(*) FROM vectors") == [(0,)]
    assert sql(embedded, "SELECT count(*) FROM backlog") == [(before[1],)]


def test_a_new_text_is_cut_anew(embedded):
    session = embedded.session()
    entry = embedded.add(session, LONG)
    embedded.find("heliotrope")
    embed(embedded)
    embedded.journal.amend(embedded.scope(), session, entry.id, "user", {"text": "Only a marigold is left."})
    assert embedded.find("heliotrope") == []
    assert [row.span for row in asked(embedded, "marigold")] == [(0, 24)]
    assert counters(embedded) == (1, 1)
    assert sql(embedded, "SELECT count(*) FROM vectors") == [(0,)]
    embedded.journal.amend(embedded.scope(), session, entry.id, "user", {"text": LONG, "pinned": True})
    assert embedded.find("heliotrope") == [entry.id]
    assert counters(embedded) == (1, pieces(embedded))
    embed(embedded)
    assert sql(embedded, "SELECT count(*) FROM vectors") == [(pieces(embedded),)]


def test_erasing_leaves_no_piece(embedded):
    session = embedded.session()
    long = embedded.add(session, LONG)
    kept = embedded.add(session, "kept")
    embed(embedded)
    embedded.index.erase(embedded.all, [], [long.id])
    assert sql(embedded, "SELECT c.text FROM chunks c") == [("kept",)]
    assert sql(embedded, "SELECT e.id FROM vectors v JOIN chunks c ON c.n=v.chunk JOIN entries e ON e.n=c.entry") in (
        [(kept.id,)],
        [],  # its view held the turn before it
    )
    assert counters(embedded) == (1, 1)
    assert embedded.find("heliotrope") == []


def test_the_nearest_piece_speaks_for_its_entry(embedded):
    session = embedded.session()
    long = embedded.add(session, LONG)
    embedded.add(session, "Somebody asked for tea.")
    embedder = embed(embedded)
    rows = near(embedded, embedder, "The heliotrope was moved to the cellar.")
    assert rows[0].id == long.id
    assert len(rows) == 2
    assert "heliotrope" in LONG[slice(*rows[0].span)]


def test_an_entry_of_many_near_pieces_leaves_room_for_the_others(embedded):
    session = embedded.session()
    others = {embedded.add(embedded.session(number + 2), f"heliotrope {number}").id for number in range(9)}
    long = embedded.add(session, "heliotrope heliotrope heliotrope\n" * 20_000)
    embedder = embed(embedded)
    assert pieces(embedded) > 500
    assert {row.id for row in near(embedded, embedder, "heliotrope")} == {long.id, *others}
    named = embedded.index.near(
        embedded.scope(),
        Filter(ids=(long.id, *others)),
        Vector(embedder.identity, embedder.embed(["heliotrope"])[0]),
        10,
    )
    assert {row.id for row in named} == {long.id, *others}


def test_a_rebuild_answers_as_before(embedded):
    session = embedded.session()
    for number in range(5):
        embedded.add(session, LONG.replace("cellar", f"room {number}"))
    embedder = embed(embedded)
    words_before = [(row.id, row.score, row.span) for row in asked(embedded, "heliotrope room 3")]
    near_before = [(row.id, row.cosine, row.span) for row in near(embedded, embedder, "heliotrope room 3")]
    embedded.index.rebuild(embedded.all)
    assert [(row.id, row.score, row.span) for row in asked(embedded, "heliotrope room 3")] == words_before
    assert [(row.id, row.cosine, row.span) for row in near(embedded, embedder, "heliotrope room 3")] == near_before


def test_a_generation_is_cut_by_one_rule_until_a_comparison_finds_another(embedded):
    session = embedded.session()
    embedded.add(session, LONG)
    first = pieces(embedded)
    embedded.index.close()
    coarse = Chunking(tokens=400, overlap=80)
    embedded.index = SqliteIndex(
        str(embedded.folder / "index"), "main", embedded.journal, embedded.clock,
        recalled=str(embedded.folder / "recalled.jsonl"), options=IndexOptions(chunking=coarse),
    )  # fmt: skip
    embedded.add(session, LONG)
    assert pieces(embedded) == 2 * first
    embedded.index.compare(embedded.all)
    assert pieces(embedded) < first
    assert embedded.index.live.ask(chunking_of) == coarse
    assert len(asked(embedded, "heliotrope")) == 2


def test_a_rule_that_is_garbage_is_damage_and_not_a_crash(embedded):
    embedded.add(embedded.session(), LONG)
    embedded.find("heliotrope")
    embedded.index.live.ask(lambda c: ask_one(c, "UPDATE meta SET value='garbage' WHERE key='chunking' RETURNING 1"))
    embedded.reopen()
    second = embedded.add(embedded.session(2), "Another heliotrope")
    assert second.id in embedded.find("heliotrope")


def test_a_hit_shows_the_piece_that_matched_and_scores_by_it(tmp_path):
    with holdfast.open(tmp_path, embedder="none") as memory:
        memory.add(LONG)
        memory.add(FILLER)
        hit = memory.search("heliotrope cellar", limit=1)[0]
        assert "heliotrope" in hit.snippet
        assert len(hit.snippet) <= 700
        assert hit.snippet.startswith("…")
        assert hit.text == LONG.rstrip() or hit.text == LONG


def test_words_scattered_over_a_long_text_do_not_make_an_answer(tmp_path):
    scattered = "\n".join([*[FILLER.strip()] * 40, "a violin", *[FILLER.strip()] * 40, "a submarine"])
    with holdfast.open(tmp_path, embedder="none") as memory:
        memory.add(scattered)
        memory.add("They played the violin in a submarine.")
        together, apart = memory.search("violin submarine", limit=2)
        assert (together.scores["coverage"], apart.scores["coverage"]) == (1.0, 0.5)
