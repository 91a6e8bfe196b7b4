"""Records as entries: nothing that a line says is lost, whichever version wrote it."""

import pytest

from holdfast.errors import FormatTooNew
from holdfast.model.record import entry_from

RECORD = {
    "schema_version": 1, "seq": 3, "id": "mem_1", "scope": "session", "session_id": "sess_1", "user_id": "ana",
    "timestamp": "2026-01-01T00:00:00.000Z", "type": "note", "content": {"text": "tea"}, "importance": 0.5,
    "provenance": "user", "sensitive": False, "pinned": False, "checksum": "sha256:0",
}  # fmt: skip


@pytest.mark.parametrize("labels", [{}, {"tags": ["a"], "references": ["mem_2"], "metadata": {"k": ["v"]}}])
@pytest.mark.parametrize("later", [{}, {"colour": "red"}, {"colour": "red", "depth": {"of": [1]}, "mood": None}])
def test_fields_of_a_later_version_are_kept_whether_there_are_labels_or_not(labels, later):
    entry = entry_from({**RECORD, **labels, **later})
    assert entry.extra == later
    assert (entry.tags, entry.metadata) == (tuple(labels.get("tags", ())), labels.get("metadata", {}))
    assert entry.checksum == "sha256:0"


def test_what_was_read_cannot_be_changed():
    entry = entry_from({**RECORD, "metadata": {"k": {"deep": 1}}})
    for held in (entry.content, entry.metadata, entry.metadata["k"], entry.extra):
        with pytest.raises(TypeError, match="frozen"):
            held["more"] = 1


def test_an_entry_that_lacks_what_every_entry_has_is_of_a_later_version():
    with pytest.raises(FormatTooNew, match="mem_1"):
        entry_from({name: value for name, value in RECORD.items() if name != "timestamp"})
