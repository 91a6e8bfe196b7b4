"""Which words a question is looked up by, and how much its vector counts."""

from datetime import UTC, date, datetime, timedelta

import pytest

import holdfast
from holdfast.model.query import Words
from holdfast.recall import candidates
from holdfast.recall.candidates import parted, share, without_common
from holdfast.testing import FixedClock


@pytest.mark.parametrize(("known", "weight"), [(0.0, 0.05), (0.25, 0.05), (0.5, 0.5), (0.75, 1.0), (1.0, 1.0)])
def test_the_less_of_a_question_is_known_the_less_its_vector_counts(known, weight):
    assert share(known) == weight


def test_words_of_a_large_memory_that_stand_everywhere_are_left_out_where_rarer_ones_remain():
    asked = Words(terms=("rare", "some", "few", "common"), prefixes=("pre",))
    seen = {"rare": 1, "some": 50, "few": 90, "common": 9_000}
    assert without_common(asked, 100_000, seen).terms == ("rare", "some", "few")
    assert without_common(asked, 100_000, seen).prefixes == ("pre",)


@pytest.mark.parametrize(
    ("total", "seen"),
    [
        (100_000, {"rare": 1, "some": 2, "few": 3, "common": 6_000}),  # not that common
        (10_000, {"rare": 1, "some": 2, "few": 3, "common": 2_000}),  # too few texts to cost anything
        (0, {}),
    ],
)
def test_words_that_cost_little_stay(total, seen):
    asked = Words(terms=("rare", "some", "few", "common"))
    assert without_common(asked, total, seen) is asked


def test_the_rarest_words_stay_however_common():
    asked = Words(terms=("go", "like", "time", "good"))
    seen = {"go": 9_000, "like": 8_000, "time": 30_000, "good": 7_000}
    assert without_common(asked, 100_000, seen).terms == ("go", "like", "good")
    assert without_common(Words(terms=("go", "time")), 100_000, seen).terms == ("go", "time")


SEEN = {"rare": 10, "some": 50, "few": 90, "often": 9_000, "字": 200}


@pytest.mark.parametrize(
    ("enough", "terms", "letters", "beside"),
    [
        (10, ("rare",), (), ("some", "few", "字", "often")),
        (60, ("rare", "some"), (), ("few", "字", "often")),
        (300, ("rare", "some", "few"), ("字",), ("often",)),
    ],
)
def test_the_rarest_words_find_where_enough_texts_hold_one_and_the_others_count_beside_them(
    enough, terms, letters, beside
):
    asked = Words(terms=("often", "rare", "some", "few"), letters=("字",))
    assert parted(asked, SEEN, enough) == Words(terms=terms, letters=letters, beside=beside)


@pytest.mark.parametrize(
    "asked",
    [Words(terms=("rare", "often")), Words(), Words(terms=("often", "some"), prefixes=("pre",)),
     Words(terms=("often", "few"), globs=("d?p",))],
)  # fmt: skip
def test_where_few_texts_hold_a_rare_word_or_a_pattern_is_looked_for_all_words_find(asked):
    assert parted(asked, SEEN, 11) is asked


def named(number):
    """Another word for each: what differs in numbers alone is nearly the same."""
    return "no" + str(number).translate(str.maketrans("0123456789", "abcdefghij"))


@pytest.mark.parametrize(("others", "finding"), [(0, ("rare",)), (3_000, ("rare", "common"))])
def test_how_much_the_rarest_words_find_is_reckoned_by_ones_own_memory(tmp_path, monkeypatch, others, finding):
    """What others wrote makes a word common in the home, and brings nothing to this search."""
    monkeypatch.setattr(candidates, "PLENTY", 1)
    with holdfast.open(tmp_path / "home", embedder="none") as memory:
        memory.add_many([{"text": f"common{' rare' * (n % 2)} {named(n)}"} for n in range(300)])
        memory.add_many([{"text": f"rare {n}", "user": "ben"} for n in range(others // 20)])
        memory.add_many([{"text": f"plain {n}", "user": "ben"} for n in range(others)])
        asked = []
        real = memory.store.index.match
        monkeypatch.setattr(
            memory.store.index, "match", lambda *given: asked.append(given[2].terms) or real(*given)
        )  # fmt: skip
        hits = memory.search("rare common", limit=50).hits
    assert asked == [finding]
    assert all("rare" in hit.snippet and hit.scores["coverage"] == 1.0 for hit in hits)


@pytest.mark.parametrize(("mine", "others", "count"), [(60, 0, 64), (40, 0, 100), (40, 60, 100)])
def test_fewer_are_looked_for_by_word_in_a_memory_of_very_many(tmp_path, monkeypatch, mine, others, count):
    """In one's own: what others wrote does not make it larger."""
    monkeypatch.setattr(candidates, "MANY", 50)
    with holdfast.open(tmp_path / "home", embedder="none") as memory:
        memory.add_many([{"text": f"tea {n}"} for n in range(mine)])
        memory.add_many([{"text": f"tea {n}", "user": "ben"} for n in range(others)])
        asked = []
        real = memory.store.index.match
        monkeypatch.setattr(memory.store.index, "match", lambda *given: asked.append(given[3]) or real(*given))
        assert len(memory.search("tea", limit=mine).hits) == mine
    assert asked[0] == count


def test_what_holds_only_a_common_word_is_found_on_later_pages(tmp_path, monkeypatch):
    monkeypatch.setattr(candidates, "FEW", 10)
    monkeypatch.setattr(candidates, "LEAST", 1)
    with holdfast.open(tmp_path / "home", embedder="none") as memory:
        memory.add_many([{"text": f"common{' rare' * (n % 2)} {named(n)}"} for n in range(300)])
        asked = []
        real = memory.store.index.match
        monkeypatch.setattr(
            memory.store.index, "match", lambda *given: asked.append(given[2].terms) or real(*given)
        )  # fmt: skip
        first = [hit.snippet for hit in memory.search("rare common", limit=50)]
        assert asked == [("rare",)]
        assert all("rare" in text for text in first)
        pages = [memory.search("rare common", limit=50, offset=start) for start in range(0, 350, 50)]
    found = [hit.id for page in pages for hit in page]
    assert len(found) == len(set(found)) == 300


def test_no_vectors_are_made_that_could_not_be_kept(tmp_path, monkeypatch):
    with holdfast.open(tmp_path / "home") as memory:
        memory.add("We moved the staging database")
        monkeypatch.setattr(type(memory.store), "read_only", lambda store: True)
        assert memory.search("staging database").degraded == "1 of 1 without vector"
        monkeypatch.undo()
        assert memory.search("staging database").degraded is None


LATE = "In the evening I saw at last that the build had failed for one small file"


@pytest.fixture(params=["builtin", "none"])
def channel(request, tmp_path):
    """A channel of forty people who all speak of the build, each briefly but Yuki."""
    with holdfast.open(tmp_path / "home", embedder=request.param) as memory:
        said = [
            {"text": f"build {n} went through without a warning", "author": f"Person{n % 40}", "session": f"s{n}"}
            for n in range(150)
        ]
        said.insert(70, {"text": LATE, "author": "Yuki Tanaka", "session": "late"})
        memory.add_many(said)
        memory.sync()
        yield memory


def test_what_somebody_said_is_found_among_many_others(channel):
    assert LATE in [hit.snippet for hit in channel.search("What did Yuki say about the build?", limit=25)]


@pytest.mark.parametrize(("enough", "looked"), [(1000, [("Person3",)]), (0, [])])
def test_whoever_is_among_the_candidates_anyway_is_not_looked_for_again(channel, monkeypatch, enough, looked):
    index, asked = channel.store.index, []
    for name in ("match", "near"):
        real = getattr(index, name)
        monkeypatch.setattr(index, name, lambda *given, real=real: asked.append(given[1].authors) or real(*given))
    monkeypatch.setattr(candidates, "ENOUGH", enough)
    channel.search("What did Person3 say about the build?")
    assert [authors for authors in asked if authors] == looked


NOTES = (
    "ImageThumbnailCache never evicts, the worker grows by 40 MB an hour",
    "We take optimistic locking for the orders table",
    "The gift shop opens at nine", "Locking the door is enough", "An optimistic estimate", "Nobody was hurt",
)  # fmt: skip


@pytest.fixture(params=["builtin", "none"])
def notes(request, tmp_path):
    with holdfast.open(tmp_path / "home", embedder=request.param) as memory:
        memory.add_many({"text": text, "type": "note"} for text in NOTES)
        memory.sync()
        yield memory


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("does the thumbnail cache evict?", 0),
        ("thumbnailCache", 0),
        ("optimisticLocking", 1),
        ("OptimisticLocking?", 1),
    ],
)
def test_an_identifier_and_its_words_find_each_other(notes, question, answer):
    assert notes.search(question).hits[0].snippet == NOTES[answer]
    assert [item.snippet for item in notes.context(question, parts=["recall"]).items][:1] == [NOTES[answer]]


CODE = """
```python
def load(request):
    rows = query(request.user, limit=50)
    found = []
    for row in rows:
        stamp = parseISODate(row.get("created"))
        found.append((row.name, stamp, row.total, old_rates(row)))
    return sorted(found, key=lambda item: item[1])
```
"""
REQUESTS = ("Does it follow our conventions?", "Could you make this shorter and more readable?", "Review this.")


@pytest.mark.parametrize("embedder", ["auto", "none"])
@pytest.mark.parametrize("request_", REQUESTS)
def test_a_note_on_an_identifier_is_found_by_code_that_was_pasted(tmp_path, embedder, request_):
    dates, rates = "parseISODate returns null for what is no date", "The table old_rates is read by nobody since May"
    others = (
        "We squash, and name branches after tickets", "The user prefers short functions", "Old rates of the bank: 3 %",
        "Error E11000 means a duplicate key", "Queries have a limit of 500 rows", "Requests are sorted by the proxy",
    )  # fmt: skip
    with holdfast.open(tmp_path / "home", embedder=embedder) as memory:
        memory.add_many([{"text": text, "type": "note"} for text in (*others, dates, rates)])
        assert {hit.text for hit in memory.search(request_ + CODE, limit=3)} >= {dates, rates}
        assert {item.text for item in memory.context(request_ + CODE).items} >= {dates, rates}


def test_an_identifier_that_many_hold_means_none_of_them(tmp_path, monkeypatch):
    monkeypatch.setattr(candidates, "FEW_HOLD", 2)
    with holdfast.open(tmp_path / "home", embedder="none") as memory:
        memory.add_many([{"text": f"parseISODate is called by job {n}", "type": "note"} for n in range(3)])
        assert all(hit.scores["called"] == 0.0 for hit in memory.search("Review this." + CODE))


def test_an_identifier_of_which_a_word_is_strange_stays_strange(notes):
    assert not notes.context("optimisticZeppelin", parts=["recall"]).items


def test_an_identifier_that_is_known_is_looked_for_as_it_is(notes):
    notes.add("optimisticLocking is a flag", type="note")
    assert [hit.snippet for hit in notes.search("optimisticLocking")][:1] == ["optimisticLocking is a flag"]


@pytest.fixture
def spelled(tmp_path):
    """Notes of two users, with vectors: somebody must know which words there are."""
    with holdfast.open(tmp_path / "spelled", embedder="builtin", user="ana") as memory:
        memory.add("The address of the dentist is 7 Linden Street", type="note")
        memory.add("Ben has a separate keyboard", type="note", user="ben")
        memory.sync()
        yield memory


@pytest.mark.parametrize(
    "question", ["adress", "what was the lindne?", "stret", "Adress?", "ADRESS", "Where is it? Adress please?"]
)
def test_a_misspelt_word_finds_what_it_was_meant_to_be(spelled, question):
    (hit,) = spelled.search(question)
    assert hit.snippet.startswith("The address")
    assert hit.scores["coverage"] == 0.8
    assert spelled.context(question, parts=["recall"]).items


def test_what_stands_in_for_a_word_is_marked(spelled):
    (hit,) = spelled.search("adress of the dentist")
    assert [hit.snippet[start:end] for start, end in hit.marks] == ["address", "dentist"]


@pytest.mark.parametrize("question", ["Does Lindem teach?", "the ADRESS", "keybaord", "seperate", "Keybaord"])
def test_a_name_is_not_misspelt_and_another_users_word_is_none(spelled, question):
    assert not [hit for hit in spelled.search(question) if hit.scores["coverage"]]


@pytest.mark.parametrize("embedder", ["builtin", "none"])
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what takes 250 ms?", "The gateway gives up after 250ms"),
        ("5GB", "The nightly job needs 5 GB"),
        ("what is at 9:30 am?", "Standup is at 9:30am"),
        ("who is on-call?", "Ben is oncall"),
    ],
)
def test_amounts_and_names_find_those_that_are_written_in_the_other_way_first(tmp_path, embedder, question, answer):
    others = ("The pool has 250", "Ms word files go to the archive", "It runs at 9:30", "Call Ana", "Gb is a key", "5")
    with holdfast.open(tmp_path / "home", embedder=embedder) as memory:
        asked = (
            "The gateway gives up after 250ms",
            "The nightly job needs 5 GB",
            "Standup is at 9:30am",
            "Ben is oncall",
        )
        memory.add_many([{"text": text} for text in (*others, *asked)])
        hit, *_ = memory.search(question)
    assert hit.snippet == answer


@pytest.mark.parametrize(
    ("question", "finds"),
    [
        ("Warum halten eigentlich alle immer dort beim Rathaus?", False),
        ("Which of these people were halten by the weather there?", True),
        ("halten", True),  # too short to tell
    ],
)
def test_in_another_language_nothing_is_misspelt(tmp_path, question, finds):
    with holdfast.open(tmp_path / "home") as memory:
        memory.add("Gestern hatten sie Regen")
        found = memory.search(question).hits
    assert any(hit.scores["coverage"] for hit in found) is finds


def test_without_vectors_nobody_can_tell_what_is_misspelt(tmp_path):
    with holdfast.open(tmp_path / "plain", embedder="none") as memory:
        memory.add("The address of the dentist")
        assert not memory.search("adress").hits


def test_a_word_that_only_others_use_much_does_not_keep_the_other_words_from_finding(tmp_path, monkeypatch):
    monkeypatch.setattr(candidates, "PLENTY", 1)
    with holdfast.open(tmp_path / "home", embedder="none") as memory:
        memory.add_many([{"text": f"sturgeon soup{' with caviar' * (n < 60)} {named(n)}"} for n in range(300)])
        memory.add_many([{"text": f"caviar {n}", "user": "ben"} for n in range(210)])
        found = memory.search("caviar sturgeon", limit=100).hits
    assert len(found) == 100
    assert all(hit.scores["base"] for hit in found)  # ranked, not only listed behind those that are


WEDNESDAY = datetime(2026, 3, 18, 15, tzinfo=UTC)
DID = (
    "went running in the park", "cooked lasagna with Mia", "fixed the bike chain", "read a book about whales",
    "called mother", "bought new shoes", "painted the kitchen door",
)  # fmt: skip


def diary(home, embedder, days):
    """Somebody's notes, one for each of these days before a Wednesday."""
    clock = FixedClock(int(WEDNESDAY.timestamp() * 1000))
    memory = holdfast.open(home, embedder=embedder, clock=clock, settings={"time.zone": "UTC"})
    memory.add_many(
        {"text": DID[day % len(DID)], "type": "note", "timestamp": WEDNESDAY - timedelta(days=day)} for day in days
    )
    memory.sync()
    return memory


def days_of(hits):
    return [str(hit.timestamp)[:10] for hit in hits]


@pytest.fixture(params=["builtin", "none"], scope="module")
def daily(request, tmp_path_factory):
    with diary(tmp_path_factory.mktemp("daily") / "home", request.param, range(60)) as memory:
        yield memory


@pytest.mark.parametrize("spans", [{"since": "2w"}, {"until": "now"}, {"since": "2026-01-01", "until": "2026-03-18"}])
def test_a_date_is_looked_for_within_a_filter_by_time(daily, spans):
    for question, day in (("what did I do yesterday?", "2026-03-17"), ("what did I do on 10 March?", "2026-03-10")):
        assert day in days_of(daily.search(question, **spans))


def test_what_a_filter_by_time_leaves_out_no_date_brings_back(daily):
    for spans in ({"since": "2026-03-12"}, {"until": "2026-03-09"}):
        found = days_of(daily.search("what did I do on 10 March?", limit=50, **spans))
        assert "2026-03-10" not in found
        assert all("since" not in spans or day >= "2026-03-12" for day in found)


def test_a_date_without_a_year_is_of_the_last_that_passes(tmp_path):
    with diary(tmp_path / "home", "none", [0, 8, 6 * 365 + 9, 6 * 365 + 10]) as memory:
        assert days_of(memory.search("what did I do on 10 March?", until="2021-01-01")) == ["2020-03-10"]


def test_a_word_of_a_date_that_stands_in_another_year_does_not_hide_this_one(tmp_path):
    with diary(tmp_path / "home", "none", [8]) as memory:
        memory.add("Plans for the march", type="note", timestamp="2019-07-01T10:00:00Z")
        assert "2026-03-10" in days_of(memory.search("what did I do on 10 March?"))


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("what did I do this year?", "2026-01-01", "2026-03-18"),
        ("what did I do last year?", "2025-01-01", "2025-12-31"),
        ("what happened in 2025?", "2025-01-01", "2025-12-31"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("what did I do since 2025?", "2025-01-01", "2026-03-18"),
        ("what did I do a year ago?", "2025-03-12", "2025-03-24"),
        ("what did I do last summer?", "2025-06-01", "2025-08-31"),
        ("what did I do in the fall of 2025?", "2025-09-01", "2025-11-30"),
        ("what did I do over the winter?", "2025-12-01", "2026-02-28"),
        ("what did I do last quarter?", "2025-10-01", "2025-12-31"),
        ("what happened in Q2 2025?", "2025-04-01", "2025-06-30"),
        ("what did I do in late June?", "2025-06-21", "2025-06-30"),
        ("what did I do at the end of last year?", "2025-09-01", "2025-12-31"),
        ("what did I do between May and July 2025?", "2025-05-01", "2025-07-31"),
        ("what did I do from 3 to 14 June?", "2025-06-03", "2025-06-14"),
        ("what did I do before 2025?", "2024-11-01", "2024-12-31"),
        ("what did I do after February 2026?", "2026-03-01", "2026-03-18"),
        ("what did I do the month before last?", "2026-01-01", "2026-01-31"),
    ],
)
def test_a_year_or_a_stretch_of_it_brings_what_is_of_it(yearly, question, first, last):
    told = (date.fromisoformat(last) - date.fromisoformat(first)).days // 4  # there is one every four days
    found = days_of(yearly.search(question, limit=min(3, told)))
    assert len(found) == min(3, told)
    assert all(first <= day <= last for day in found)
    brought = yearly.context(question, parts=["recall"]).items
    assert first <= str(brought[0].timestamp)[:10] <= last


@pytest.fixture(params=["builtin", "none"], scope="module")
def yearly(request, tmp_path_factory):
    with diary(tmp_path_factory.mktemp("yearly") / "home", request.param, range(0, 500, 4)) as memory:
        yield memory


def test_who_asks_for_a_day_hears_of_that_day_first_and_then_of_those_after(daily):
    for back in range(4, 50):
        day = WEDNESDAY - timedelta(days=back)
        found = days_of(daily.search(f"what did I do on {day.day} {day:%B}?", limit=4))
        assert found == [f"{day + timedelta(days=after):%Y-%m-%d}" for after in range(4)]


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("what did I do yesterday?", "2026-03-17"), ("what did I do today?", "2026-03-18"),
        ("what did I do on Tuesday last week?", "2026-03-10"), ("what did I do two weeks ago?", "2026-03-04"),
    ],
)  # fmt: skip
def test_who_counts_days_from_today_hears_of_the_one_that_is_meant_first(daily, question, day):
    assert days_of(daily.search(question, limit=1)) == [day]


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("What did I do in the last 48 hours?", 16, 18), ("what did I do over the last couple of days?", 16, 18),
        ("what did I do the week before last?", 2, 8), ("what did I do the weekend before last?", 7, 8),
        ("what did I do two Tuesdays ago?", 10, 10), ("what did I do a week ago Friday?", 6, 6),
        ("what did I do yesterday evening?", 17, 17), ("what did I do in early March?", 1, 10),
    ],
)  # fmt: skip
def test_who_asks_for_some_days_hears_of_all_of_them_first(daily, question, first, last):
    days = [f"2026-03-{day:02}" for day in range(first, last + 1)]
    assert sorted(days_of(daily.search(question, limit=len(days)))) == days


@pytest.mark.parametrize("embedder", ["builtin", "none"])
def test_much_that_was_told_later_does_not_hide_the_day_itself(tmp_path, embedder):
    with diary(tmp_path / "home", embedder, [8]) as memory:
        memory.add_many(
            {"text": f"{DID[n % len(DID)]} {n}", "type": "note", "timestamp": "2026-03-11T10:00:00Z"} for n in range(80)
        )
        memory.sync()
        assert days_of(memory.search("what did I do on 10 March?", limit=2)) == ["2026-03-10", "2026-03-11"]


def test_a_word_of_the_date_that_stands_elsewhere_counts_less_than_the_day(tmp_path):
    with diary(tmp_path / "home", "none", [8]) as memory:
        memory.add("Plans for march", type="note", timestamp="2026-01-05T10:00:00Z")
        assert days_of(memory.search("what did I do on 10 March?")) == ["2026-03-10", "2026-01-05"]


@pytest.mark.parametrize("embedder", ["builtin", "none"])
@pytest.mark.parametrize(
    "said", ["The dentist has time on 20 March", "Dentist: March 20th, 2026", "On 20 March in 2026"]
)
def test_what_is_planned_for_a_day_is_found_by_it_too(tmp_path, embedder, said):
    with diary(tmp_path / "home", embedder, range(30)) as memory:
        memory.add(said, type="note", timestamp="2026-02-02T10:00:00Z")
        memory.add("The march of 20 people", type="note", timestamp="2026-02-02T11:00:00Z")
        memory.sync()
        assert memory.search("what is on 20 March?").hits[0].text == said
