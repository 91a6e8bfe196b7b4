"""The byte search, as the other process runs it."""

import base64
import json
import os
import random

import pytest

from holdfast.upkeep import scan

SECRET = "Übergrößenträger"


def search(root, *fragments, skip=()):
    return scan.scan([{"root": str(root), "skip": list(skip), "prefix": ""}], list(fragments))


@pytest.mark.parametrize(
    "hidden",
    [
        SECRET.encode(), SECRET.upper().encode(), SECRET.lower().encode(), SECRET.encode("utf-16-le"),
        SECRET.encode("utf-16-be"), json.dumps(SECRET).encode(), json.dumps(SECRET).upper().encode(),
        *(base64.b64encode(b"x" * n + SECRET.encode() + b"tail") for n in range(4)),
        *(base64.urlsafe_b64encode(b"\xff" * n + SECRET.encode()) for n in range(3)),
    ],
)  # fmt: skip
def test_a_fragment_is_found_in_every_encoding(tmp_path, hidden):
    (tmp_path / "file").write_bytes(b"\x00\xff before " + hidden + b" after")
    assert search(tmp_path, SECRET)["found"] == {"file": [0]}


def test_what_is_not_there_is_not_found(tmp_path):
    (tmp_path / "file").write_bytes(os.urandom(200_000))
    answer = search(tmp_path, "thentication", "some passage of a text")
    assert answer["found"] == {}
    assert (answer["files"], answer["bytes"]) == (1, 200_000)


@pytest.mark.parametrize("many", [0, scan.MANY], ids=["table", "single"])
def test_letters_of_which_another_case_leaves_next_to_nothing_are_found_as_they_are(tmp_path, monkeypatch, many):
    monkeypatch.setattr(scan, "MANY", many)
    for fragment in ("\u017f\u017f\u017f", "\u212a\u212a"):
        (tmp_path / "file").write_text(f"sss kk and others; {fragment}")
        (tmp_path / "other").write_text("sss kk and others")
        assert search(tmp_path, fragment)["found"] == {"file": [0]}


def test_each_file_says_which_fragments_it_holds(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one").write_text("first fragment")
    (tmp_path / "two").write_text("second fragment and first fragment")
    answer = search(tmp_path, "first fragment", "second fragment", "third fragment")
    assert answer["found"] == {os.path.join("a", "one"): [0], "two": [0, 1]}


def test_a_fragment_across_two_blocks_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(scan, "BLOCK", 64)
    for at in range(50, 70):
        (tmp_path / "file").write_bytes(b"." * at + b"the hidden words" + b"." * 100)
        assert search(tmp_path, "the hidden words")["found"] == {"file": [0]}, at


def test_many_patterns_are_found_by_table_as_by_single_search(tmp_path, monkeypatch):
    choose = random.Random(1)
    words = ["".join(choose.choices("abcdefgh", k=choose.randrange(6, 12))) for _ in range(300)]
    for number in range(5):
        noise = bytes(choose.choices(b"abcdefgh \x00", k=5000))
        (tmp_path / str(number)).write_bytes(noise + choose.choice(words).upper().encode() + noise)
    one_by_one = search(tmp_path, *words)["found"]
    monkeypatch.setattr(scan, "MANY", 0)
    assert search(tmp_path, *words)["found"] == one_by_one
    assert len(one_by_one) == 5


def test_files_and_folders_can_be_left_out_and_what_is_linked_has_its_own_name(tmp_path):
    for name in ("keep", "skip", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("the hidden words")
    (tmp_path / "link").symlink_to(tmp_path / "keep" / "file")
    (tmp_path / "back").symlink_to(tmp_path)
    (tmp_path / "around").symlink_to(tmp_path / "skip")
    (tmp_path / "nowhere").symlink_to(tmp_path / "nowhere")
    answer = search(tmp_path, "the hidden words", skip=["skip", os.path.join("other", "file")])
    assert list(answer["found"]) == [os.path.join("keep", "file")]


@pytest.mark.parametrize("link", ["file", "folder", "root"])
def test_what_a_link_leads_to_is_searched(tmp_path, link):
    target, root = tmp_path / "elsewhere", tmp_path / "root"
    target.mkdir()
    (target / "file").write_text("the hidden words")
    if link == "root":
        root.symlink_to(target)
    else:
        root.mkdir()
        (root / link).symlink_to(target / "file" if link == "file" else target)
    name = os.path.join("folder", "file") if link == "folder" else "file"
    assert list(search(root, "the hidden words")["found"]) == [name]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
def test_a_pipe_is_passed_by(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    answer = search(tmp_path, "the hidden words")
    assert (answer["files"], answer["unreadable"]) == (0, [])


def test_a_folder_that_cannot_be_listed_is_named(tmp_path, monkeypatch):
    (tmp_path / "closed").mkdir()
    listdir = os.listdir

    def refuse(path):
        if os.path.basename(path) == "closed":
            raise PermissionError(13, "no")
        return listdir(path)

    monkeypatch.setattr(os, "listdir", refuse)
    assert search(tmp_path, "the hidden words")["unreadable"] == ["closed"]


def test_a_file_that_cannot_be_read_is_named(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("x")

    def refuse(self, source, found):
        raise PermissionError(13, "no")

    monkeypatch.setattr(scan.Search, "_blocks", refuse)
    assert search(tmp_path, "the hidden words")["unreadable"] == ["file"]


def test_an_empty_search_reads_and_finds_nothing(tmp_path):
    (tmp_path / "file").write_text("x")
    assert search(tmp_path)["found"] == {}
