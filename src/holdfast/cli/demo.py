"""Demo: the story of one memory, played on a throw-away home and told in one screen.

Four days of a small project are remembered, found, handed to an agent, in part forgotten, and rebuilt
from the files. Every number and word that is shown comes out of the memory; a step that does not do
what it should ends the demo with exit code 1 and its name.
"""

from __future__ import annotations

import os
from tempfile import TemporaryDirectory
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click

from ..model.moment import DAY_MS, HOUR_MS
from . import figures, screen
from .everywhere import Call, Verb, pass_call
from .visible import in_one_line

if TYPE_CHECKING:
    from holdfast import Entry, Memory, SearchResult

USER = "ana"
KEY = "AKIA" + "Q3EGWYTB6HZ4N5RD"  # in the form of an access key, and nobody's
QUESTION = "Which login flow did we choose, and why?"
PROMPT = "Build the login page of the shop"
PRIVATE = "Linden Street"
BUDGET = 200
WIDTH = 100


class Failed(click.ClickException):
    """A step of the demo did not do what it should."""

    def __init__(self, step: str) -> None:
        super().__init__(f"the demo failed: {step}")


def _must(happened: bool, step: str) -> None:
    if not happened:
        raise Failed(step)


class StoryClock:
    """The clock on the wall of the story: it goes from day to day, and at last to now."""

    def __init__(self) -> None:
        from time import time

        self.today = int(time() * 1000)
        self._now = self.today

    def now(self) -> int:
        return self._now

    def set(self, days_ago: int, hour: int) -> None:
        self._now = (self.today // DAY_MS - days_ago) * DAY_MS + hour * HOUR_MS if days_ago else self.today


class Story:
    """Plays the steps in order on one home and keeps what came out of them."""

    def __init__(self, home: str) -> None:
        self._home = home
        self._clock = StoryClock()
        self.told: dict[str, Any] = {}

    def play(self) -> dict[str, Any]:
        """All steps; what each of them gave, by name."""
        with self._open() as memory:
            self.told["days"] = [self._login(memory), self._errand(memory), self._incident(memory)]
            self._clock.set(0, 0)
            self.told["stored"] = self._look_for_key()
            self.told["search"] = self._search(memory)
            self.told["context"] = self._context(memory)
            self.told["forget"] = self._forget(memory)
        self.told["rebuild"] = self._rebuild()
        return self.told

    def _open(self) -> Memory:
        import holdfast

        return holdfast.open(self._home, agent="main", user=USER, clock=self._clock)

    # -- what is remembered

    def _login(self, memory: Memory) -> dict[str, Any]:
        self._clock.set(6, 9)
        with memory.create_session(USER, key="login") as session:
            asked = session.add("How should people log in to the shop?", role="user", author="Ana")
            decided = session.add(
                "Use the authorization code flow with PKCE", type="decision", importance=0.9, tags=["shop.login"],
                rationale="no secret ever reaches the browser", references=[asked.id], provenance="agent",
            )  # fmt: skip
        return self._day("login", [asked, decided])

    def _errand(self, memory: Memory) -> dict[str, Any]:
        self._clock.set(5, 18)
        with memory.create_session(USER, key="errands") as session:
            private = session.add(
                f"Send the birthday cake to me, 7 {PRIVATE}", role="user", author="Ana", tags=["personal"]
            )
        style = memory.user(USER).remember("answer_style", "short, with the reason first")
        return self._day("errands", [private, style])

    def _incident(self, memory: Memory) -> dict[str, Any]:
        self._clock.set(2, 14)
        with memory.create_session(USER, key="incident") as session:
            said = session.add(f"The deploy failed: key {KEY} was refused", role="user", author="Ana")
            found = session.add("The deploy key had expired; renew it in March", type="finding", provenance="agent")
        _must(KEY not in said.text and "[redacted:" in said.text, "the key in a message was not replaced")
        return self._day("incident", [said, found])

    def _day(self, session: str, entries: list[Entry]) -> dict[str, Any]:
        return {"day": figures.day(entries[0].timestamp), "session": session, "entries": [e.to_dict() for e in entries]}

    def _look_for_key(self) -> dict[str, int]:
        """How many files there are, and in how many of them the key can be read."""
        files = [os.path.join(folder, name) for folder, _, names in os.walk(self._home) for name in names]
        holding = sum(KEY.encode() in _bytes(file) for file in files)
        _must(holding == 0, "the key is in a file")
        return {"files": len(files), "files_with_key": holding}

    # -- what is done with it

    def _search(self, memory: Memory) -> dict[str, Any]:
        found = memory.search(QUESTION, limit=3)
        _must(bool(found.hits) and found[0].type == "decision", "the search did not find the decision first")
        return {"question": QUESTION, **found.to_dict()}

    def _context(self, memory: Memory) -> dict[str, Any]:
        found = memory.context(PROMPT, budget=BUDGET)
        _must("PKCE" in found.text and "answer_style" in found.text, "the context lacks the decision or the preference")
        _must(found.tokens <= BUDGET, "the context is larger than its budget")
        return {"prompt": PROMPT, "budget": BUDGET, **found.to_dict()}

    def _forget(self, memory: Memory) -> dict[str, Any]:
        _must(bool(memory.search(PRIVATE).hits), "the search did not find what is to be forgotten")
        receipt = memory.forget(topic="personal")
        _must(receipt.clean and receipt.count == 1, "something of what was forgotten is left")
        _must(not memory.search(PRIVATE).hits, "what was forgotten was found again")
        return {"topic": "personal", "private": PRIVATE, **receipt.to_dict()}

    def _rebuild(self) -> dict[str, Any]:
        """Take the index away: the files alone must give the same answers."""
        from shutil import rmtree

        questions = (QUESTION, "Why did the deploy fail?", "shop", PRIVATE)
        with self._open() as memory:
            before = [_answer(memory.search(question)) for question in questions]
            index = os.path.dirname(os.path.dirname(memory.status()["index"]["path"]))
        rmtree(index)
        with self._open() as memory:
            after = [_answer(memory.search(question)) for question in questions]
            checked = memory.verify()
        _must(before == after, "the rebuilt index answers differently")
        _must(checked["ok"], "the rebuilt home does not verify")
        return {"questions": len(questions), "hits": sum(map(len, after)), "same": before == after, **checked}


def _bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _answer(found: SearchResult) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in found]


@click.command(cls=Verb)
@pass_call
def demo(call: Call) -> None:
    """Tell the story of one memory, on a throw-away home.

    Nothing of yours is read or changed, and nothing is left behind.

    \b
    holdfast demo
    holdfast demo --json | jq .forget
    """
    with TemporaryDirectory(prefix="holdfast-demo-") as folder:
        told = Story(os.path.join(folder, "home")).play()
    if call.as_json:
        screen.data(told)
    else:
        _tell(told)


# -- telling it


def _tell(told: dict[str, Any]) -> None:
    screen.line(("Holdfast, one memory in one screen", "bold"), " (on a throw-away home, already removed)")
    for day in told["days"]:
        _tell_day(day)
    stored = told["stored"]
    where = f"{stored['files_with_key']} of {stored['files']} files"
    screen.line(f"The key itself is in {where}: it was replaced before the first write.", indent=2)
    _tell_search(told["search"])
    _tell_context(told["context"])
    _tell_forget(told["forget"])
    _tell_rebuild(told["rebuild"])
    screen.line('\nNow yours: holdfast add "…", holdfast search "…", holdfast --help')


def _tell_day(told: dict[str, Any]) -> None:
    screen.line("\n", (told["day"], "bold"), f", session {told['session']}")
    for entry in told["entries"]:
        content = entry["content"]
        who = content.get("author") or entry["type"]
        said = f"{entry['key']} = {content['text']}" if "key" in entry else content["text"]
        tags = "".join(f"  #{tag}" for tag in entry["tags"])
        screen.line((f"{who:<11}", "cyan"), said, (tags, "dim"), indent=2)
        if "rationale" in content:
            screen.line(f"{'':<11}because {content['rationale']}", indent=2)


def _heading(word: str, rest: str) -> None:
    screen.line("\n", (f"{word}: ", "bold"), rest)


def _tell_search(told: dict[str, Any]) -> None:
    hits = figures.count(len(told["hits"]), "hit")
    _heading("Search", f'"{told["question"]}"  {hits}, {figures.took(told["took_ms"])}')
    best = told["hits"][0]
    where = f"{best['type']} of {figures.day(best['timestamp'])}, session {best['session_key']}"
    screen.line((f"{best['score']:.2f}  ", "green"), where, indent=2)
    screen.line((in_one_line(best["snippet"]), "yellow"), indent=8)


def _tell_context(told: dict[str, Any]) -> None:
    _heading("Context", f'for an agent asked "{told["prompt"]}"  {told["tokens"]} of {told["budget"]} tokens')
    for line in told["text"].splitlines():
        for part in wrap(line, WIDTH - 4, subsequent_indent="  "):
            screen.line(("| ", "dim"), part, indent=2)


def _tell_forget(told: dict[str, Any]) -> None:
    _heading("Forget", f"everything tagged {told['topic']}")
    checked = told["checked"]
    screen.line(f"receipt {told['id']}: {figures.count(told['count'], 'entry')} erased", indent=2)
    looked = f"{figures.count(checked['files'], 'file')}, {figures.size(checked['bytes'])}"
    found = figures.count(len(told["residue"]), "place")
    screen.line(f"searched {looked}, for its words: found in {found}", indent=2)
    screen.line(f'search "{told["private"]}": nothing matches any more', indent=2)


def _tell_rebuild(told: dict[str, Any]) -> None:
    _heading("Rebuild", "the index was deleted and built again from the files")
    asked = f"{figures.count(told['questions'], 'question')}, {figures.count(told['hits'], 'hit')}"
    kept = f"{figures.count(told['lines'], 'line')} in {figures.count(told['journals'], 'journal')} verified"
    screen.line(f"{asked}: same answers, same order, same scores; {kept}", indent=2)
