"""What must not be found once an entry is forgotten."""

from holdfast.upkeep.fragments import PASSAGE, STRIDE, Fragments


def of(**record):
    found = Fragments()
    found.take(record, lambda text: [])
    return found


def test_a_short_text_is_a_passage_of_its_own():
    assert list(of(content={"text": "Ana likes tea"}).passages) >= ["Ana likes tea"]


def test_a_long_text_gives_a_passage_in_every_stride():
    text = "".join(chr(ord("a") + n % 26) for n in range(STRIDE * 4))
    passages = [passage for passage in of(content={"text": text}).passages if passage != "text"]
    assert len(passages) == 4
    assert all(len(passage) == PASSAGE and passage in text for passage in passages)


def test_words_are_looked_for_from_their_third_letter():
    found = of(content={"text": "Authentication is Übergrößenträger"})
    assert "thentication" in found.tails
    assert "ergrößenträger" in found.tails
    assert "is" not in found.tails


def test_a_tail_has_at_least_six_bytes():
    found = of(content={"text": "eightlet sevenle 認証方式 認証方"})
    assert "ghtlet" in found.tails
    assert "venle" not in found.tails
    assert "方式" in found.tails
    assert "方" not in found.tails


def test_every_field_with_words_counts():
    found = of(
        content={"text": "a", "rationale": "rationale-word-one", "alternatives": ["alternative-two"]},
        tags=["tagged.thirdthing"], path="dir/fourthplace.py", tool="fifthhammer",
        metadata={"sixthname": {"deep": ["seventhvalue"]}},
    )  # fmt: skip
    for word in ("rationale", "thirdthing", "fourthplace", "fifthhammer", "sixthname", "seventhvalue"):
        assert any(tail in word for tail in found.tails), word


def test_new_words_of_an_amendment_count_too():
    assert "eviously" in of(amends="mem_x", set={"text": "previously unknown"}).tails


def test_stems_are_words_under_which_it_can_be_found():
    found = Fragments()
    found.take({"content": {"text": "secretaries"}}, lambda text: ["secretari"])
    assert {"cretaries", "cretari"} <= set(found.tails)
    assert found.tails["cretari"] == {"secretari"}


def test_ids_and_times_are_no_words():
    found = of(metadata={
        "session_id": "sess_20260101_abcdef", "entry": "mem_01KDVDNA01B0T2C7ZDY5KDCS7D",
        "at": "2026-01-01T00:00:00.000Z", "count": "12345678",
    })  # fmt: skip
    assert not [one for one in found.all if any(digit in one for digit in "0123456789") and one != "12345678"]


def test_what_is_too_short_to_be_searched_is_counted():
    found = of(content={"text": "ok"})
    assert "ok" not in found.all
    assert found.short >= 1
