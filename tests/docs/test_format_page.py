"""docs/format.md is true: its examples are what we write, its checksum is right, its fields are in order."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

import holdfast
from holdfast.config.table import BY_NAME
from holdfast.guard import content, fields
from holdfast.journal import FileJournal
from holdfast.journal.line import decoded
from holdfast.model.card import Card
from holdfast.model.entry import AMENDABLE, REASONS, STORED, TYPES, Draft, Tombstone
from holdfast.model.ids import ENTRY_ID, SESSION_ID
from holdfast.model.moment import millis
from holdfast.model.scope import Scope
from holdfast.model.value import FrozenDict, freeze
from holdfast.testing import FixedClock
from tests.docs.pages import blocks, read, rows, section

PAGE = read("docs/format.md")
HEADER, ENTRY, AMENDMENT, TOMBSTONE = (block.strip() for block in blocks(PAGE, "json"))
HASHED, DIGEST = (block.rstrip("\n") for block in blocks(section(PAGE, "Checksum"), ""))


def table(heading: str) -> list[list[str]]:
    """Rows of the table below a third-level heading."""
    found = re.search(rf"^### {heading}\n(.*?)(?=^##)", PAGE, re.MULTILINE | re.DOTALL)
    assert found
    return [row for row in rows(found[1]) if row[0] != "field"]


def draft_of(entry: dict[str, Any]) -> Draft:
    """The draft from which an entry like this is made."""
    given = {name: value for name, value in entry.items() if name not in ("schema_version", "seq", "checksum")}
    given.update(tags=tuple(entry["tags"]), references=(), content=freeze(entry["content"]), metadata=FrozenDict())
    return Draft(**{"session_id": None, "user_id": None, **given})


def flipped(line: str) -> bytes:
    """The line with one bit of its middle changed."""
    raw = bytearray(line.encode())
    raw[len(raw) // 2] ^= 1
    return bytes(raw)


@pytest.mark.parametrize("line", [HEADER, ENTRY, AMENDMENT, TOMBSTONE])
def test_the_checksum_of_each_example_is_over_the_bytes_before_it(line: str) -> None:
    before, _, after = line.encode().rpartition(b',"checksum":')
    assert after == b'"sha256:%b"}' % hashlib.sha256(before).hexdigest().encode()
    assert len(line.encode()) - len(before) == 86
    assert decoded(line.encode()) == json.loads(line)
    assert decoded(flipped(line)) is None


def test_the_worked_example_shows_the_bytes_and_the_digest_of_the_entry() -> None:
    assert ENTRY.startswith(HASHED)
    assert hashlib.sha256(HASHED.encode()).hexdigest() == DIGEST.removeprefix("sha256:")
    assert json.loads(ENTRY)["checksum"] == DIGEST
    assert f"the {len(HASHED.encode())} bytes that are hashed" in PAGE


def test_the_shell_recipe_gives_the_same_digest(tmp_path: Path) -> None:
    (recipe,) = blocks(PAGE, "sh")
    (tmp_path / "memory.jsonl").write_text(f"{HEADER}\n{ENTRY}\n", "utf-8")
    shown = subprocess.run(["sh", "-c", recipe], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert "sha256:" + shown.split()[0] == DIGEST


def test_the_examples_are_byte_for_byte_what_we_write(tmp_path: Path) -> None:
    header, entry, amendment, stone = map(json.loads, (HEADER, ENTRY, AMENDMENT, TOMBSTONE))
    card = Card(**{name: header[name] for name in ("id", "kind", "key", "user_id", "created_at")})
    clock = FixedClock(millis(amendment["timestamp"]))
    scope = Scope(agent="main", user="ana")
    journal = FileJournal(str(tmp_path), "main", clock)
    journal.create(scope, card)
    journal.append(scope, card.id, [draft_of(entry)])
    journal.amend(scope, card.id, entry["id"], amendment["by"], amendment["set"])
    journal.bury(scope, card.id, [Tombstone(id=entry["id"], timestamp=stone["timestamp"], reason=stone["reason"])])
    journal.close()
    folder = tmp_path / "sessions" / card.id
    assert (folder / "memory.jsonl").read_text("utf-8").splitlines() == [HEADER, ENTRY, AMENDMENT]
    assert (folder / "tombstones.jsonl").read_text("utf-8").splitlines() == [TOMBSTONE]


def test_the_example_ids_are_well_formed() -> None:
    entry = json.loads(ENTRY)
    assert ENTRY_ID.match(entry["id"])
    assert SESSION_ID.match(entry["session_id"])
    assert json.loads(HEADER)["id"] == entry["session_id"]
    assert json.loads(AMENDMENT)["amends"] == json.loads(TOMBSTONE)["id"] == entry["id"]
    assert millis(entry["timestamp"]) < millis(json.loads(AMENDMENT)["timestamp"])


def test_the_fields_of_an_entry_are_listed_in_the_order_of_the_line() -> None:
    assert [row[0] for row in table("Entry")] == [*STORED, "checksum"]
    names = list(json.loads(ENTRY))
    assert names == [name for name in (*STORED, "checksum") if name in names]


def test_the_fields_of_a_header_are_listed() -> None:
    told = [name for row in table("Header") for name in row[0].split(", ")]
    assert [name for name in told if name != "workspace"] == list(json.loads(HEADER))[:-1]


def test_a_real_home_holds_no_file_that_the_tree_does_not_name(tmp_path: Path) -> None:
    with holdfast.open(tmp_path / "home") as memory:
        session = memory.create_session("ana")
        kept, gone = session.add("kept words"), session.add("gone words")
        memory.user("ana").remember("editor", "vim")
        memory.add("for everybody", scope="global")
        memory.search("kept", user="ana")
        memory.pin(kept.id)
        memory.forget(gone.id)
        memory.reindex()
    (tree, *_others) = blocks(section(PAGE, "The tree"))
    named = set(re.findall(r"[\w.]+(?=/| |$)", tree)) | {f"{number:02x}" for number in range(256)}
    named_anew = re.compile(r"since-[0-9a-f]{16}\Z")
    files = [path for path in (tmp_path / "home").rglob("*") if path.is_file() and not named_anew.match(path.name)]
    assert {path.name for path in files} >= {"key", "ballast", "memory.jsonl", "metadata.json", "tombstones.jsonl"}
    assert {path.name for path in files} <= named


def test_types_amendable_fields_and_reasons_are_listed() -> None:
    told = dict(table("Entry"))
    assert re.findall(r"`(\w+)`", told["type"]) == list(TYPES)
    amendment = PAGE.split("### Amendment")[1].split("###")[0]
    assert set(AMENDABLE) <= set(re.findall(r"`(\w+)`", amendment))
    assert set(REASONS) <= set(re.findall(r"`(\w+)`", section(PAGE, "Tombstones")))


def test_every_field_of_the_card_is_listed() -> None:
    told = {name for row in rows(section(PAGE, "Card")) for name in re.findall(r"\w+", row[0])}
    assert set(Card._fields) - {"extra"} <= told


def test_the_limits_are_those_of_the_settings() -> None:
    told = dict(rows(section(PAGE, "Limits")))
    assert told["one entry"].startswith(f"{BY_NAME['journal.entry_bytes'].default >> 20} MiB")
    assert told["one journal with its tombstones"].startswith(f"{BY_NAME['journal.session_bytes'].default >> 20} MiB")
    assert told["keys of a user"] == f"{BY_NAME['quota.user_keys'].default:,}"
    assert told["tags of an entry"].startswith(f"{fields.MOST_TAGS},")
    assert told["references of an entry"] == str(fields.MOST_REFERENCES)
    assert told["metadata of an entry"] == f"{content.METADATA_BYTES >> 10} KiB, {content.DEPTH} deep"
    assert told["a user's memory"] == f"{fields.MEMORY_LENGTH:,} characters"
    assert told["a user id"] == f"{fields.USER_LENGTH} characters"
    assert told["a session key"] == f"{fields.SESSION_KEY_LENGTH:,} characters"


TOLD = ["torn tail", "quarantine", "cut between lines", "permission bits", "0600", "CRLF", "FormatTooNew", "in place"]


@pytest.mark.parametrize("words", TOLD)
def test_the_page_tells_about(words: str) -> None:
    assert words.lower() in PAGE.lower()
