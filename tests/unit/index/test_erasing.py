"""What is erased from the index leaves no byte in its files."""

import random

WORDS = [f"{a}{b}{c}" for a in "bcdfg" for b in ("antel", "orrin", "ulter") for c in ("ope", "gham", "wick", "stone")]


def bytes_of(embedded):
    return {path: path.read_bytes() for path in (embedded.folder / "index").rglob("*") if path.is_file()}


def test_no_word_of_an_erased_entry_is_left_in_any_file(embedded):
    pick = random.Random(3)
    session = embedded.session()
    for _ in range(300):
        embedded.add(session, " ".join(pick.choices(WORDS, k=12)))
    secret = embedded.add(session, "the xylophonist quarrelled with Zarathustrapolis", tags=["topsecretive"])
    assert embedded.find("xylophonist") == [secret.id]
    embedded.journal.rewrite(embedded.scope(), session, lambda entry: None if entry.id == secret.id else entry)
    embedded.index.erase(embedded.scope(), [], [secret.id])
    embedded.index.close()
    for path, data in bytes_of(embedded).items():
        for word in (b"xylophonist", b"lophon", b"rathustr", b"psecreti", secret.id.encode()):
            assert word not in data.lower(), (path, word)
            assert word not in data, (path, word)


def test_erasing_a_journal_removes_its_rows_and_its_card(embedded):
    session = embedded.session(1, title="a title with zanzibar")
    kept = embedded.session(2)
    embedded.add(session, "words to go")
    stays = embedded.add(kept, "words to stay")
    assert len(embedded.find("words")) == 2
    embedded.journal.remove(embedded.scope(), session)
    embedded.index.erase(embedded.scope(), [session], [])
    assert embedded.find("words") == [stays.id]
    assert [card.id for card in embedded.index.cards(embedded.scope())] == [kept]
    embedded.index.close()
    assert not any(b"zanzibar" in data for data in bytes_of(embedded).values())


def test_a_half_built_generation_is_removed_and_the_other_rows_stay(embedded):
    session = embedded.session()
    gone, stays = embedded.add(session, "alpha words"), embedded.add(session, "beta words")
    embedded.find("words")
    half = embedded.folder / "index" / "v7-000009"
    half.mkdir()
    (half / "index.db").write_bytes(b"alpha words")
    embedded.index.erase(embedded.scope(), [], [gone.id])
    assert not half.exists()
    assert embedded.find("words") == [stays.id]
