"""Reading an export back."""

import json
import os
from threading import Thread

import pytest

import holdfast
from holdfast.errors import Denied, FormatTooNew, NotFound
from holdfast.model.ids import entry_id, user_dir
from holdfast.model.moment import iso
from holdfast.model.query import Filter
from holdfast.model.scope import OWN, Caller, Scope
from holdfast.testing.workbench import AGENT, ALL, ANA, OTHER, SESSION
from holdfast.upkeep import load as loading
from holdfast.upkeep.choosing import choose
from holdfast.upkeep.export import export
from holdfast.upkeep.forget import forget
from holdfast.upkeep.load import load
from tests.unit.upkeep.desk import FileDesk

KEY = "AKIA" + "IOSFODNN7EXAMPLE"

SMALL = {"journal.session_bytes": 64 * 1024, "journal.entry_bytes": 16 * 1024}


@pytest.fixture
def empty(desk, tmp_path):
    """Another home with nothing in it, on the same backend."""
    made = type(desk)(tmp_path / "other")
    yield made
    made.close()


def exported(desk, scope=ALL, format="jsonl"):
    desk.level()
    return "".join(export(desk.store, scope, format))


def without_seq(line):
    """An exported line without the one thing that a store gives anew."""
    return json.dumps({name: value for name, value in json.loads(line).items() if name != "seq"})


def take(desk, text, **writer):
    return load(desk.store, desk.writer(**writer), text.splitlines(keepends=True) if isinstance(text, str) else text)


def lived_in(desk):
    """A store with a bit of everything."""
    own = desk.user()
    desk.session(OTHER, user="ben", key="ben's", title="Ben talks")
    first = desk.add("first words", tags=("a.b",), importance=0.9, workspace="/w", provenance="tool:grep", tool="grep")
    desk.add("second 日本", references=(first.id,), metadata={"n": [1, None]}, sensitive=True, path="/p")
    content = {"text": "Use OAuth", "decision": "Use OAuth", "rationale": "safest", "alternatives": ["no"]}
    desk.add(type="decision", content=content, pinned=True)
    desk.add("from ben", OTHER, user="ben")
    desk.add("vim", own, type="preference", key="editor")
    desk.add("emacs", own, type="preference", key="editor")
    desk.add("for everybody", desk.shared())
    desk.bury(desk.add("deleted"))


def essence(desk, scope=ALL):
    """Every visible entry without what a store gives it."""
    desk.level()
    found = desk.store.reader.all(scope, Filter(), {})
    return [entry.replace(seq=0, checksum=None) for entry in found]


@pytest.mark.parametrize("format", ["jsonl", "json"])
def test_a_round_trip_keeps_everything(desk, empty, format):
    lived_in(desk)
    report = take(empty, exported(desk, format=format))
    assert report["damaged"] == []
    assert report["added"] == 6
    assert report["sessions"] == 2
    assert report["complete"]
    assert essence(empty) == essence(desk)
    for journal in (SESSION, OTHER, user_dir("ana")):
        assert empty.journal.card(ALL, journal) == desk.journal.card(ALL, journal)


def test_an_export_of_what_was_loaded_is_the_same_export(desk, empty):
    lived_in(desk)
    take(empty, exported(desk))
    before, after = (sorted(map(without_seq, exported(one).splitlines()[1:])) for one in (desk, empty))
    assert before == after


def test_loading_twice_adds_nothing(desk, empty):
    lived_in(desk)
    text = exported(desk)
    take(empty, text)
    report = take(empty, text)
    assert (report["added"], report["skipped_existing"], report["conflicts"]) == (0, 6, [])
    assert essence(empty) == essence(desk)


def test_a_load_killed_half_way_can_be_repeated(desk, empty, monkeypatch):
    entries = [desk.add(str(number)) for number in range(30)]
    text = exported(desk)
    monkeypatch.setattr(loading, "BATCH", 10)
    flushed = []
    flush = loading.Loading.flush

    def killed(self):
        flushed.append(1)
        if len(flushed) == 2:
            raise KeyboardInterrupt
        flush(self)

    with monkeypatch.context() as patched:
        patched.setattr(loading.Loading, "flush", killed)
        with pytest.raises(KeyboardInterrupt):
            take(empty, text)
    report = take(empty, text)
    assert (report["added"], report["skipped_existing"]) == (20, 10)
    assert empty.ids() == [entry.id for entry in entries]


def test_an_older_export_does_not_bring_back_what_was_forgotten(desk):
    gone = desk.add("forget this")
    desk.add("keep this")
    text = exported(desk)
    forget(desk.store, ANA, choose(desk.store, ANA, ids=[gone.id]))
    report = take(desk, text)
    assert (report["added"], report["skipped_forgotten"], report["skipped_existing"]) == (0, 1, 1)
    assert gone.id not in desk.ids()


def test_a_forgotten_session_stays_forgotten_even_what_compaction_had_dropped(desk):
    desk.add("one")
    text = exported(desk)
    evicted = json.loads(text.splitlines()[2])
    evicted["id"] = entry_id(1)  # an entry of the session that left no tombstone
    text = "\n".join([*text.splitlines()[:3], json.dumps(evicted)])
    scope = Scope(agent=AGENT, user="ana", sessions=(SESSION,))
    forget(desk.store, scope, choose(desk.store, scope, session=SESSION))
    report = take(desk, text)
    assert (report["added"], report["skipped_forgotten"], report["sessions"]) == (0, 2, 0)
    assert desk.journal.card(ALL, SESSION) is None


def test_a_deleted_entry_is_not_brought_back(desk):
    entry = desk.add("hidden")
    text = exported(desk)
    desk.bury(entry)
    assert take(desk, text)["skipped_forgotten"] == 1
    assert desk.ids() == []


def test_what_differs_from_what_is_stored_is_named_and_left(desk):
    entry = desk.add("as it was")
    text = exported(desk)
    desk.journal.amend(ANA, SESSION, entry.id, "ana", {"text": "as it is"})
    report = take(desk, text)
    assert report["conflicts"] == [entry.id]
    assert desk.find("as it is was") == [entry.id]
    assert [one.text for one in essence(desk, ANA)] == ["as it is"]


def test_an_older_value_of_a_key_does_not_replace_a_later_one(desk, empty):
    old = desk.add("vim", desk.user(), type="preference", key="editor")
    text = exported(desk)
    empty.clock.advance(10_000)
    new = empty.add("emacs", empty.user(), type="preference", key="editor")
    report = take(empty, text)
    assert report["conflicts"] == [old.id]
    assert empty.ids() == [new.id]


def test_files_put_together_keep_the_later_value_of_a_key_whichever_comes_first(desk, empty):
    old = desk.add("vim", desk.user(), type="preference", key="editor")
    older = exported(desk)
    desk.clock.advance(10_000)
    new = desk.add("emacs", desk.user(), type="preference", key="editor")
    report = take(empty, exported(desk) + older)
    assert report["conflicts"] == [old.id]
    assert empty.ids() == [new.id]


def test_two_that_have_one_id_in_a_file_and_differ_are_a_conflict_and_the_first_stands(desk, empty):
    entry = desk.add("as it was")
    former = exported(desk)
    desk.journal.amend(ANA, SESSION, entry.id, "ana", {"text": "as it is"})
    report = take(empty, former + exported(desk) + former)
    assert (report["added"], report["skipped_existing"], report["conflicts"]) == (1, 1, [entry.id])
    assert [one.text for one in essence(empty, ANA)] == ["as it was"]


def test_a_superseded_value_is_not_added_again(desk):
    own = desk.user()
    desk.add("vim", own, type="preference", key="editor")
    text = exported(desk)
    desk.add("emacs", own, type="preference", key="editor")
    report = take(desk, text)
    assert (report["added"], report["skipped_existing"]) == (0, 1)


def test_secrets_in_a_file_are_redacted_before_they_are_stored(empty):
    line = json.dumps({"content": {"text": f"key {KEY}"}, "type": "note", "metadata": {"k": KEY}})
    report = take(empty, line)
    assert report["added"] == 1
    (entry,) = essence(empty)
    assert KEY not in json.dumps(entry.to_dict())


BAD = {
    "no json": "{broken",
    "no object": "[1, 2]",
    "no entry": '{"hello": 1}',
    "bad type": '{"content": {"text": "x"}, "type": "zzz"}',
    "bad importance": '{"content": {"text": "x"}, "importance": 7}',
    "bad id": '{"content": {"text": "x"}, "id": "../x"}',
    "no text": '{"content": {"text": "  "}}',
    "naive time": '{"content": {"text": "x"}, "timestamp": "2026-01-01T00:00:00"}',
    "bad tags": '{"content": {"text": "x"}, "tags": ["UPPER CASE!"]}',
    "bad scope": '{"content": {"text": "x"}, "scope": "galaxy"}',
    "bad card": '{"card": {"session_id": "../../x", "user_id": "ana", "created_at": "2026-01-01T00:00:00Z"}}',
    "card of nobody": '{"card": {"session_id": "sess_20260101_abcdef", "created_at": "2026-01-01T00:00:00Z"}}',
    "surrogate": '{"content": {"text": "\\ud800"}}',
    "later schema": '{"schema_version": 2, "content": {"text": "x"}}',
    "schema that is no number": '{"schema_version": "2", "content": {"text": "x"}}',
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
def test_a_bad_line_is_named_and_the_others_are_loaded(empty, bad):
    good = json.dumps({"content": {"text": "good"}, "type": "note"})
    report = take(empty, f"{good}\n{bad}\n{good}\n")
    assert report["added"] == 2
    assert [one["line"] for one in report["damaged"]] == [2]
    assert report["damaged"][0]["problem"]


def test_bytes_that_are_not_utf8_are_named_not_replaced(empty, tmp_path):
    path = tmp_path / "file.jsonl"
    path.write_bytes(b'{"content": {"text": "\xff\xfe"}}\n{"content": {"text": "fine"}}\n')
    report = load(empty.store, empty.writer(), str(path))
    assert (report["added"], [one["line"] for one in report["damaged"]]) == (1, [1])


def test_a_file_that_was_cut_short_is_recognised(desk, empty):
    for number in range(5):
        desk.add(str(number))
    text = exported(desk)
    assert take(empty, text)["complete"]
    lost = "".join(line for number, line in enumerate(text.splitlines(keepends=True)) if number != 3)
    assert not take(empty, lost)["complete"]


def test_paths_pathlib_and_iterators_are_read_alike(desk, empty, tmp_path):
    desk.add("words")
    path = tmp_path / "export.jsonl"
    path.write_text(exported(desk))
    assert load(empty.store, empty.writer(), str(path))["added"] == 1
    assert load(empty.store, empty.writer(), path)["skipped_existing"] == 1
    assert load(empty.store, empty.writer(), iter(exported(desk).splitlines()))["skipped_existing"] == 1
    assert load(empty.store, empty.writer(), export(desk.store, ALL, "json"))["skipped_existing"] == 1


@pytest.mark.parametrize("format", ["jsonl", "json"])
def test_a_byte_order_mark_before_a_file_is_skipped(desk, empty, tmp_path, format):
    desk.add("words")
    path = tmp_path / "export"
    path.write_text(exported(desk, format=format), encoding="utf-8-sig")
    report = load(empty.store, empty.writer(), path)
    assert (report["added"], report["damaged"], report["complete"]) == (1, [], True)


def test_a_plain_list_of_entries_is_a_document_too(empty):
    items = [{"content": {"text": "one"}, "type": "note"}, "no entry", {"content": "two"}]
    report = take(empty, json.dumps(items, indent=1))
    assert (report["added"], [one["line"] for one in report["damaged"]]) == (2, [2])


def test_lines_of_the_seeds_are_read(empty):
    line = {"id": entry_id(5), "timestamp": "2026-01-10T14:23:45.678Z", "type": "conversation", "importance": 0.8,
            "content": {"role": "user", "message": "How?"}, "tags": ["oauth2"], "references": []}  # fmt: skip
    assert take(empty, json.dumps(line))["added"] == 1
    (entry,) = essence(empty)
    assert (entry.text, entry.role, entry.timestamp) == ("How?", "user", "2026-01-10T14:23:45.678Z")


def test_an_entry_without_a_place_goes_to_the_default_session(empty):
    take(empty, json.dumps({"content": "words"}))
    (card,) = empty.level().cards(ANA)
    assert card.key == "default"


def test_a_foreign_session_name_becomes_a_key_and_never_a_path(empty):
    line = json.dumps({"content": "words", "session_id": "../../etc/passwd"})
    assert take(empty, f"{line}\n{line}")["sessions"] == 1
    (card,) = empty.level().cards(ANA)
    assert card.key == "../../etc/passwd"
    assert card.id.startswith("sess_")


def test_a_session_of_ours_without_a_card_is_made_with_its_id(empty):
    line = {"content": "words", "session_id": SESSION, "workspace": "/w", "timestamp": iso(5)}
    take(empty, json.dumps(line))
    assert empty.journal.card(ALL, SESSION).user_id == "ana"


def test_empty_sessions_come_back_too(desk, empty):
    report = take(empty, exported(desk))
    assert (report["added"], report["sessions"]) == (0, 1)
    assert empty.journal.card(ALL, SESSION) is not None


def test_an_entry_for_a_session_of_somebody_else_is_refused(desk, empty):
    desk.add("mine")
    text = exported(desk)
    empty.session(SESSION, user="ben")
    report = take(empty, text)
    assert report["added"] == 0
    assert "user_id" in report["damaged"][0]["problem"]


def test_a_caller_who_may_not_write_it_is_denied_before_anything_is_written(desk, empty):
    desk.session(OTHER, user="ben")
    desk.add("mine")
    desk.add("bens", OTHER, user="ben")
    caller = Caller(name="tool", owner=False, user="ana", grants=OWN)
    with pytest.raises(Denied):
        take(empty, exported(desk), caller=caller)
    assert empty.ids(ALL) == []


def test_an_export_of_a_later_version_is_refused_whole(empty):
    with pytest.raises(FormatTooNew):
        take(empty, '{"holdfast_export": 2}\n{"content": "x"}')
    assert empty.ids(ALL) == []


def test_a_file_that_is_not_there_is_not_found(empty, tmp_path):
    with pytest.raises(NotFound):
        load(empty.store, empty.writer(), str(tmp_path / "nowhere.jsonl"))


@pytest.mark.parametrize("nothing", ["", "\n\n", "[]"])
def test_nothing_is_an_empty_report_and_no_complete_export(empty, nothing):
    report = take(empty, nothing)
    assert (report["added"], report["damaged"], report["complete"]) == (0, [], False)


def test_a_pipe_is_read_once_and_loaded_whole(desk, empty):
    lived_in(desk)
    reader, writer = os.pipe()
    with os.fdopen(writer, "w") as pipe:
        pipe.write(exported(desk))
    try:
        report = load(empty.store, empty.writer(), f"/dev/fd/{reader}")
    finally:
        os.close(reader)
    assert (report["complete"], essence(empty)) == (True, essence(desk))


def test_progress_ends_at_its_total(desk, empty):
    for number in range(3):
        desk.add(str(number))
    seen = []
    load(empty.store, empty.writer(), exported(desk).splitlines(), progress=lambda *step: seen.append(step))
    assert seen[-1][0] == seen[-1][1] == 6


def test_a_full_session_goes_on_in_a_continuation(desk, tmp_path):
    drafts = [desk.draft(f"{number} " + "words " * 60, type="note") for number in range(120)]
    desk.journal.append(ANA, SESSION, drafts)
    small = FileDesk(tmp_path / "small", {"journal.session_bytes": 64 * 1024, "journal.entry_bytes": 16 * 1024})
    small.journal = small.limited(64 * 1024, 16 * 1024)
    small.index = type(small.index)(
        str(tmp_path / "small-index"), AGENT, small.journal, small.clock, recalled=str(tmp_path / "recalled")
    )
    small.store = small.make_store()
    report = take(small, exported(desk), continues=True)
    assert report["added"] == 120
    assert len(list(small.journal.journals(ALL))) >= 2
    small.close()


def test_what_a_full_journal_cannot_take_is_named_and_the_rest_is_loaded(tmp_path):
    """A user's own journal goes on nowhere else."""
    facts = [{"text": f"fact {n} " + "word " * 100, "type": "fact", "scope": "user"} for n in range(200)]
    with holdfast.open(tmp_path / "large") as large, holdfast.open(tmp_path / "small", settings=SMALL) as small:
        large.add_many(facts)
        large.add("said", role="user")
        lines = list(large.export())
        report = small.load(lines)
        assert report["added"] == len(small.query(every=True))
        assert report["added"] + len(report["damaged"]) == 201
        assert small.search("said").hits
        assert "over the limit" in report["damaged"][0]["problem"]
        again = small.load(lines)
        assert (again["added"], again["skipped_existing"]) == (0, report["added"])


def test_a_load_of_much_talk_keeps_all_of_it(tmp_path):
    with holdfast.open(tmp_path / "large") as large, holdfast.open(tmp_path / "small", settings=SMALL) as small:
        large.add_many(
            {"text": f"turn {n} " + "word " * 100, "role": "user", "session": "k", "timestamp": "2024-01-01T00:00:00Z"}
            for n in range(300)
        )
        lines = list(large.export())
        assert small.load(lines)["added"] == 300 == len(small.query(session="k", every=True))
        assert small.load(lines)["added"] == 0


def test_a_card_without_a_key_becomes_a_session_named_by_its_id(desk, empty):
    lines = [json.loads(line) for line in exported(desk).splitlines()]
    del lines[1]["card"]["key"]
    take(empty, [json.dumps(line) for line in lines])
    assert empty.journal.card(ALL, SESSION).key == SESSION


ODD_CARDS = [
    ("kind", 5), ("kind", "global"), ("id", ["x"]), ("user_id", 5), ("key", 5), ("title", "\ud800"), ("channel", [1]),
    ("version", "x"), ("version", 2), ("created_at", None), ("created_at", {}), ("last_accessed", "soon"),
    ("total_entries", -1), ("total_size_bytes", float("nan")), ("preferences", "x"), ("preferences", {"custom": 5}),
    ("statistics", [1]), ("statistics", {"a": float("nan")}), ("decay_config", {"half_life_hours": "x"}),
    ("compaction_config", {"threshold": 5}), ("of a later version", "\ud800"), ("of a later version", float("inf")),
]  # fmt: skip


@pytest.mark.parametrize(("field", "value"), ODD_CARDS)
def test_an_odd_card_is_named_and_everything_else_is_loaded(desk, empty, field, value):
    desk.add("words")
    lines = [json.loads(line) for line in exported(desk).splitlines()]
    lines[1]["card"][field] = value
    report = take(empty, [json.dumps(line) for line in lines])
    assert (report["added"], [record["line"] for record in report["damaged"]]) == (1, [2])
    assert [row.id for row in empty.level().rows(ALL, Filter())] == [lines[2]["id"]]


def test_times_of_a_card_are_stored_in_our_form(empty):
    card = {"id": SESSION, "user_id": "ana", "created_at": "2026-01-01T01:00:00+01:00", "ended_at": 1000}
    assert take(empty, [json.dumps({"card": card})])["damaged"] == []
    stored = empty.journal.card(ALL, SESSION)
    assert (stored.created_at, stored.ended_at) == ("2026-01-01T00:00:00.000Z", iso(1000))


@pytest.mark.parametrize("text", ['{"cards":5,"entries":[1]}', '{\n"entries":{"a":1}}', '{\n"cards":"x","entries":5}'])
def test_a_document_without_its_lists_is_named_as_damaged(empty, text):
    report = take(empty, text)
    assert report["added"] == 0
    assert report["damaged"]


def test_an_entry_that_no_journal_takes_is_named_and_the_others_are_loaded(desk, empty):
    desk.add("words")
    large = {"content": {"text": "x" * 1_100_000}, "timestamp": "2026-01-01T00:00:00Z"}
    report = take(empty, [*exported(desk).splitlines(), json.dumps(large)])
    assert (report["added"], len(report["damaged"])) == (1, 1)


@pytest.mark.parametrize("change", [{"tags": ["x"]}, {"importance": 0.9}, {"pinned": True}, {"sensitive": True}])
def test_what_was_amended_since_is_a_conflict_in_which_what_is_stored_stands(desk, empty, change):
    entry = desk.add("words")
    take(empty, exported(desk))
    desk.journal.amend(ANA, SESSION, entry.id, "ana", change)
    report = take(empty, exported(desk))
    assert (report["skipped_existing"], report["conflicts"]) == (0, [entry.id])
    name, value = next(iter(change.items()))
    assert json.loads(exported(empty).splitlines()[2])[name] != value


def summed_up(desk):
    """Four turns, and a summary of the last two."""
    turns = [desk.add(f"turn {number}") for number in range(4)]
    content = {"text": "the last turns", "covers": [turns[2].seq, turns[3].seq]}
    return turns, desk.add(type="summary", content=content)


def derived(desk, entry):
    desk.level()
    return forget(desk.store, ALL, choose(desk.store, ALL, ids=[entry.id]), dry_run=True).derived


def test_a_summary_is_forgotten_with_what_it_sums_up_also_where_lines_have_other_numbers(desk, empty):
    desk.bury(desk.add("a gap, once it is exported"))
    turns, summary = summed_up(desk)
    empty.session()
    own = [empty.add(f"of its own {number}") for number in range(4)]
    take(empty, exported(desk))
    assert [derived(empty, turn) for turn in turns] == [(), (), (summary.id,), (summary.id,)]
    assert [derived(empty, entry) for entry in own] == [()] * 4


def test_a_summary_that_stands_before_what_it_sums_up_knows_it_too(desk, empty):
    turns, summary = summed_up(desk)
    lines = exported(desk).splitlines()
    lines.insert(2, lines.pop(-2))
    take(empty, lines)
    assert derived(empty, turns[3]) == (summary.id,)


def test_a_summary_loaded_again_here_or_where_it_came_from_is_the_same(desk, empty):
    summed_up(desk)
    text = exported(desk)
    take(empty, text)
    assert [take(where, text)["conflicts"] for where in (desk, empty)] == [[], []]
    assert take(desk, exported(empty))["conflicts"] == []


TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.mark.parametrize("field", ["title", "channel", "preferences", "statistics", "a field of a later version"])
def test_no_field_of_a_loaded_card_holds_a_credential(desk, empty, field):
    desk.add("words")
    lines = [json.loads(line) for line in exported(desk).splitlines()]
    lines[1]["card"][field] = {"custom": {"t": TOKEN}} if field in ("preferences", "statistics") else TOKEN
    report = take(empty, [json.dumps(line) for line in lines])
    assert (report["added"], report["damaged"], report["complete"]) == (1, [], True)
    assert TOKEN not in json.dumps(empty.journal.card(ALL, SESSION).to_dict())
    assert empty.files_with(TOKEN) == []


@pytest.mark.parametrize("field", ["user_id", "key", "workspace"])
def test_a_card_with_a_credential_in_a_name_is_refused_by_its_field(empty, field):
    card = {"id": SESSION, "kind": "session", "user_id": "ana", "created_at": "2026-01-01T00:00:00Z", field: TOKEN}
    report = take(empty, [json.dumps({"card": card})])
    assert [f"card.{field}" in record["problem"] for record in report["damaged"]] == [True]
    assert TOKEN not in json.dumps(report)
    assert empty.files_with(TOKEN) == []


@pytest.mark.parametrize("field", ["user_id", "session_id", "workspace"])
def test_an_entry_with_a_credential_in_a_name_is_refused_by_its_field(empty, field):
    entry = {"content": {"text": "words"}, "timestamp": "2026-01-01T00:00:00Z", "user_id": "ana", field: TOKEN}
    report = take(empty, [json.dumps(entry)])
    assert [field.removesuffix("_id") in record["problem"] for record in report["damaged"]] == [True]
    assert TOKEN not in json.dumps(report)
    assert empty.files_with(TOKEN) == []


def test_times_of_a_card_must_be_times(empty):
    card = {"id": SESSION, "user_id": "ana", "created_at": "2026-01-01T00:00:00Z", "ended_at": "soon"}
    assert "card.ended_at" in take(empty, [json.dumps({"card": card})])["damaged"][0]["problem"]


@pytest.mark.parametrize("format", ["jsonl", "json"])
def test_an_export_that_was_cut_anywhere_is_not_complete(desk, empty, format):
    lived_in(desk)
    lines = exported(desk, format=format).splitlines(keepends=True)
    for kept in range(1, len(lines)):
        assert not take(empty, lines[:kept])["complete"]
    for lost in range(1, len(lines)):
        assert not take(empty, lines[:lost] + lines[lost + 1 :])["complete"], lost


def test_an_export_that_ends_in_half_a_line_is_not_complete_and_names_the_line(desk, empty):
    lived_in(desk)
    lines = exported(desk).splitlines(keepends=True)
    for last in (len(lines) - 1, len(lines) - 2):
        report = take(empty, [*lines[:last], lines[last][:20]])
        assert not report["complete"]
        assert [record["line"] for record in report["damaged"]] == [last + 1]


def test_lines_of_ones_own_claim_nothing_but_may_not_end_in_half_a_line(empty):
    own = json.dumps({"content": {"text": "words"}, "timestamp": "2026-01-01T00:00:00Z"})
    assert take(empty, [own, own])["complete"]
    assert not take(empty, [own, own[:-9]])["complete"]


def test_two_exports_in_one_file_are_each_held_to_their_own_count(desk, empty):
    lived_in(desk)
    lines = exported(desk).splitlines()
    assert take(empty, lines + lines)["complete"]
    assert not take(empty, lines[:-1] + lines)["complete"]


def test_what_somebody_forgets_while_it_is_loaded_stays_forgotten(desk, monkeypatch):
    entry = desk.add("the heron stood in the reeds")
    text, buried, started = exported(desk), desk.store.index.buried, []

    def forgotten_meanwhile(scope, ids):
        found = buried(scope, ids)
        if not started:
            started.append(Thread(target=forget, args=(desk.store, ALL, choose(desk.store, ALL, ids=[entry.id]))))
            started[0].start()
            started[0].join(1)
        return found

    monkeypatch.setattr(desk.store.index, "buried", forgotten_meanwhile)
    take(desk, text)
    started[0].join()
    assert "heron" not in desk.said()
    assert desk.files_with("heron") == []
