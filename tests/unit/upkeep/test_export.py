"""Lines that `load` reads back."""

import json

import pytest

import holdfast
from holdfast.errors import Invalid
from holdfast.model.scope import Scope
from holdfast.testing.workbench import AGENT, ALL, ANA, OTHER, SESSION
from holdfast.upkeep.export import export

KEY = "AKIA" + "IOSFODNN7EXAMPLE"


def lines(desk, scope=ANA, format="jsonl"):
    desk.level()
    return [json.loads(line) for line in export(desk.store, scope, format)]


def document(desk, scope=ANA):
    desk.level()
    return json.loads("".join(export(desk.store, scope, "json")))


def test_an_export_has_a_header_cards_entries_and_an_end(desk):
    entries = [desk.add("one"), desk.add("two", tags=("a",), pinned=True)]
    header, card, *shown, end = lines(desk)
    assert (header["holdfast_export"], header["agent"], header["user"]) == (1, AGENT, "ana")
    assert card["card"]["session_id"] == SESSION
    assert [one["id"] for one in shown] == [entry.id for entry in entries]
    assert (shown[1]["tags"], shown[1]["pinned"]) == (["a"], True)
    assert (end["entries"], end["cards"]) == (2, 1)
    assert "checksum" not in shown[0]


def test_entries_stand_as_they_are_now_oldest_first(desk):
    first, second = desk.add("first"), desk.add("second")
    desk.journal.amend(ANA, SESSION, first.id, "ana", {"text": "amended", "importance": 0.9})
    gone = desk.add("deleted")
    desk.bury(gone)
    shown = [line for line in lines(desk) if "content" in line]
    assert [one["content"]["text"] for one in shown] == ["amended", "second"]
    assert [one["id"] for one in shown] == [first.id, second.id]
    assert shown[0]["importance"] == 0.9


def test_a_scope_bounds_what_is_exported(desk):
    desk.session(OTHER, user="ben")
    own = desk.user()
    mine = desk.add("mine", workspace="/w")
    keyed = desk.add("vim", own, type="preference", key="editor")
    theirs = desk.add("theirs", OTHER, user="ben")
    found = {name: {line["id"] for line in lines(desk, scope) if "content" in line} for name, scope in {
        "user": ANA, "session": Scope(agent=AGENT, user="ana", sessions=(SESSION,)),
        "workspace": Scope(agent=AGENT, user="ana", workspace="/w"), "all": ALL,
    }.items()}  # fmt: skip
    assert found["user"] == {mine.id, keyed.id}
    assert found["session"] == found["workspace"] == {mine.id}
    assert found["all"] == {mine.id, keyed.id, theirs.id}
    cards = {line["card"]["id"] for line in lines(desk, ANA) if "card" in line}
    assert cards == {SESSION, own}


def test_json_is_one_document_with_the_message_of_the_seeds(desk):
    entry = desk.add("hello there")
    found = document(desk)
    assert found["holdfast_export"] == 1
    assert [card["id"] for card in found["cards"]] == [SESSION]
    assert found["entries"][0]["id"] == entry.id
    assert found["entries"][0]["content"]["message"] == found["entries"][0]["content"]["text"] == "hello there"
    assert found["holdfast_export_end"] == {"cards": 1, "entries": 1}


def test_an_empty_store_exports_a_valid_document(desk):
    nobody = Scope(agent=AGENT, user="nobody")
    assert document(desk, nobody)["entries"] == []
    assert len(lines(desk, nobody)) == 2


def test_any_text_survives(desk):
    text = '日本 🎉 \u2028 " \\ \n line\r\n\x7f'
    desk.add(text)
    desk.level()
    raw = "".join(export(desk.store, ANA))
    assert raw.count("\n") == 4
    assert [line["content"]["text"] for line in lines(desk) if "content" in line] == [text]


def test_secrets_that_were_stored_before_a_rule_existed_are_redacted(desk):
    desk.add(f"the key is {KEY}", metadata={"env": f"AWS_ACCESS_KEY_ID={KEY}"}, path=f"/tmp/{KEY}")
    card = desk.journal.card(ANA, SESSION)
    desk.journal.save_card(ANA, card.replace(title=f"about {KEY}"))
    desk.level()
    for format in ("jsonl", "json"):
        raw = "".join(export(desk.store, ANA, format))
        assert KEY not in raw
        assert "[redacted:aws-access-key" in raw


def test_an_unknown_format_is_refused_at_once(desk):
    with pytest.raises(Invalid):
        export(desk.store, ANA, "xml")


@pytest.mark.parametrize("format", ["jsonl", "json"])
def test_an_export_that_is_read_on_after_close_is_refused_and_opens_nothing_again(tmp_path, format):
    memory = holdfast.open(tmp_path / "home")
    memory.add("words")
    pieces = memory.export(format)
    next(pieces)
    memory.close()
    with pytest.raises(Invalid, match="this memory is closed"):
        next(pieces)
    assert memory._store.index.live.opened is None


def test_a_line_is_one_whoever_splits_it(desk):
    text = "one\x85two\u2028three\u2029four\x0bfive\x0csix\x1cseven\x1deight\x1enine\rten\neleven 日本"
    desk.add(text, metadata={"note": "a\u2028b"})
    desk.level()
    whole = "".join(export(desk.store, ALL))
    assert whole.splitlines() == whole.split("\n")[:-1]
    (entry,) = [json.loads(line) for line in whole.splitlines() if "content" in json.loads(line)]
    assert (entry["content"]["text"], entry["metadata"]) == (text, {"note": "a\u2028b"})
