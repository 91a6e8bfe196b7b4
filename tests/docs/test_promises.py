"""The twelve promises stand in docs/promises.md, word for word, each with tests that exist."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import DOCS, links, read, rows, section

PROMISES = """
**Durable.** A write that returned survives kill -9 and loss of power.

**Files are the truth.** Delete the index: a rebuild answers every query as before.

**Corruption is local and loud.** A damaged byte costs at most its own record; `verify` names file and line;
damaged text is never returned as if it were good.

**Forgotten is gone.** After `forget` returns, no file below the home holds the text, its tokens or its vectors;
a receipt says what was checked; a later import or sync does not bring it back.

**Secrets stay out.** What looks like a credential is replaced before it reaches a file, the index, a log or a
provider.

**Local.** Nothing leaves the machine unless the user named a remote provider. No telemetry. No process that the
user did not start.

**Honest answers.** An empty result means that nothing matches. If the index is behind, the embedder is missing
or a source failed, the result says so, with the reason.

**Recalled text is data.** Every item carries its provenance; it is quoted, never given a system's authority;
what came from tools, the web or an untrusted import or file is never injected unasked (D21).

**Scoped.** Every query names whose memory it reads; nothing crosses agents, users or workspaces without a grant.

**Bounded.** Injected context never exceeds its token budget, can be switched off per session, workspace or user,
and is never captured again as memory.

**Shared.** Any number of processes may use one home at the same time.

**Never less than before.** A migration, reindex, compaction or import either completes or leaves everything as
it was.
"""
WORDS = [" ".join(promise.split()) for promise in PROMISES.strip().split("\n\n")]
PAGE = read("docs/promises.md")


def test_there_are_twelve_in_these_words_and_this_order() -> None:
    assert re.findall(r"^\d+\. (.+)$", PAGE, re.MULTILINE) == WORDS
    assert re.findall(r"^(\d+)\. ", PAGE, re.MULTILINE) == [str(number) for number in range(1, 13)]


@pytest.mark.parametrize("number", range(1, 13))
def test_each_promise_names_tests_that_exist(number: int) -> None:
    told = {row[0]: row for row in rows(section(PAGE, "Where they are tested"))}
    targets = [target for _label, target in links(told[str(number)][1])]
    assert targets
    for target in targets:
        path = (DOCS / target).resolve()
        assert path.name.startswith("test_"), f"{target} must be a file of tests: a folder proves nothing"
        assert path.is_file(), target


def test_the_readme_tells_its_share_in_the_same_words() -> None:
    told = re.findall(r"^\d+\. (\*\*.+?\*\*.*?\.)", read("README.md"), re.MULTILINE)
    assert told
    for promise in told:
        start = promise.rstrip(".")
        assert any(full.startswith(start) for full in WORDS), promise
