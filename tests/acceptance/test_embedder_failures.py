"""Whatever is wrong with the embedder, a search answers by keyword within its deadline and says why."""

import json
import os
import subprocess
import sys
import sysconfig
import time
from _thread import allocate_lock
from pathlib import Path

import numpy as np
import pytest

import holdfast
from holdfast.errors import MissingExtra
from holdfast.index.database import connect
from holdfast.providers import builtin, registry
from holdfast.testing.embedder import HashingEmbedder

SECRET = "the dentist appointment is on Thursday"


class Odd(HashingEmbedder):
    """An embedder with the right identity whose answers go through `answer`."""

    def __init__(self, answer):
        super().__init__()
        self.answer = answer

    def embed(self, texts, *, query=False):
        return self.answer(super().embed(texts, query=query))


GATES = []


def hanging(_vectors):
    gate = allocate_lock()
    gate.acquire()
    GATES.append(gate)
    gate.acquire()


@pytest.fixture(autouse=True)
def nothing_goes_on():
    """What hung in a test ends with it: other tests of this process wait for all calls that were given up."""
    yield
    while GATES:
        GATES.pop().release()


def failing(_vectors):
    raise RuntimeError(SECRET)


FAULTS = {
    "wrong sizes": lambda rows: rows[:, :7],
    "too few": lambda rows: rows[:0],
    "NaN": lambda rows: rows * np.float32("nan"),
    "not unit length": lambda rows: rows * 5,
    "nothing": lambda rows: None,
    "zeros": lambda rows: rows * 0,
    "an error": failing,
    "hanging": hanging,
}


@pytest.fixture
def home(tmp_path):
    return str(tmp_path / "home")


@pytest.fixture
def working(home, monkeypatch):
    """A memory whose embedder worked until now."""
    monkeypatch.setitem(registry.FACTORIES, "builtin", lambda model: HashingEmbedder())
    with holdfast.open(home, user="ana", embedder="builtin") as memory:
        memory.add(SECRET)
        memory.sync()
        found = memory.search("dentist")
        assert (found.mode, found.degraded, len(found)) == ("hybrid", None, 1)
    return home


def stored(home):
    """Identities of embedders, and how many vectors there are."""
    folder = os.path.join(home, "agents", "main", "index")
    with open(os.path.join(folder, "CURRENT"), encoding="utf-8") as file:
        name = file.read().split()[-1]
    connection = connect(os.path.join(folder, name, "index.db"))
    try:
        identities = [row[0] for row in connection.execute("SELECT identity FROM embedders")]
        return identities, connection.execute("SELECT count(*) FROM vectors").fetchone()[0]
    finally:
        connection.close()


def searched(home):
    started = time.monotonic()
    with holdfast.open(home, user="ana", embedder="builtin") as memory:
        memory.add("the dentist moved it to Friday")
        found = memory.search("dentist")
        again = memory.search("dentist")
    assert len(found) == len(again) == 2
    assert found.mode == again.mode == "keyword"
    assert time.monotonic() - started < 8.0
    assert "dentist" not in f"{found.degraded} {again.degraded}"
    assert found.degraded.startswith("by keyword only: ")
    assert again.degraded == found.degraded
    return found.degraded


@pytest.mark.parametrize("fault", FAULTS)
def test_an_embedder_that_goes_wrong_costs_vectors_and_nothing_else(working, monkeypatch, fault):
    before = stored(working)
    monkeypatch.setitem(registry.FACTORIES, "builtin", lambda model: Odd(FAULTS[fault]))
    reason = searched(working)
    assert "embedder" in reason
    assert stored(working) == before


def test_an_embedder_that_is_no_longer_installed_is_named(working, monkeypatch):
    def missing(model):
        raise MissingExtra("it is not installed; run pip install it")

    before = stored(working)
    monkeypatch.setitem(registry.FACTORIES, "builtin", missing)
    assert "pip install" in searched(working)
    assert stored(working) == before


def test_an_embedder_that_hangs_while_it_is_loaded_is_given_up(working, monkeypatch):
    monkeypatch.setitem(registry.FACTORIES, "builtin", lambda model: hanging(None))
    assert "did not answer" in searched(working)


def test_another_model_stores_nothing_under_the_old_name(working, monkeypatch):
    before = stored(working)
    monkeypatch.setitem(registry.FACTORIES, "builtin", lambda model: HashingEmbedder(model="newer"))
    assert "reindex --embedder" in searched(working)
    assert stored(working) == before


class Wider(HashingEmbedder):
    """The same name, and other dimensions than it had."""

    def __init__(self):
        super().__init__(96)
        self.identity = HashingEmbedder().identity


def test_other_dimensions_under_the_same_name_are_named_and_nothing_is_stored(working, monkeypatch):
    before = stored(working)
    monkeypatch.setitem(registry.FACTORIES, "builtin", lambda model: Wider())
    assert "makes vectors of 96 dimensions, and the index holds those of 64" in searched(working)
    assert stored(working) == before


def test_a_change_to_the_same_name_with_other_dimensions_makes_all_vectors_anew(working, monkeypatch):
    monkeypatch.setitem(registry.FACTORIES, "builtin", lambda model: Wider())
    with holdfast.open(working, user="ana", embedder="builtin") as memory:
        memory.reindex(embedder="builtin")
        found = memory.search("dentist")
        assert (found.mode, found.degraded) == ("hybrid", None)
        assert found[0].scores["cosine"] > 0


class Mute(HashingEmbedder):
    """Has a vector for every question and for what is short, and zeros for any other text."""

    def embed(self, texts, *, query=False):
        said = [query or len(text) < 10 for text in texts]
        return super().embed(texts, query=query) * np.array(said, np.float32)[:, None]


def test_an_embedder_with_nothing_to_say_of_any_entry_is_named(home, monkeypatch):
    monkeypatch.setitem(registry.FACTORIES, "builtin", lambda model: Mute())
    with holdfast.open(home, user="ana", embedder="builtin") as memory:
        memory.add(SECRET)
    assert "nothing that was found says anything to the embedder" in searched(home)


def test_a_few_texts_that_say_nothing_are_no_reason_to_say_so(home, monkeypatch):
    monkeypatch.setitem(registry.FACTORIES, "builtin", lambda model: Mute())
    with holdfast.open(home, user="ana", embedder="builtin") as memory:
        memory.add_many([{"text": text} for text in (SECRET, "dentist", "!?!", "...")])
        found = memory.search("dentist")
        assert (found.mode, found.degraded, len(found)) == ("hybrid", None, 2)


@pytest.mark.parametrize("damage", ["removed", "cut", "changed", "emptied"])
def test_the_vectors_in_the_wheel_may_be_damaged(home, tmp_path, monkeypatch, damage):
    with open(builtin.PATH, "rb") as file:
        whole = file.read()
    half = len(whole) // 2
    data = {"cut": whole[:half], "changed": whole[:half] + b"\0\1\2\3" + whole[half + 4 :], "emptied": b""}
    path = tmp_path / "damaged.table"
    if damage in data:
        path.write_bytes(data[damage])
    monkeypatch.setitem(registry.FACTORIES, "builtin", lambda model: builtin.BuiltinEmbedder(str(path)))
    with holdfast.open(home, user="ana", embedder="builtin") as memory:
        memory.add(SECRET)
    assert "reinstall holdfast" in searched(home)
    assert stored(home) == ([], 0)
    assert not os.path.exists(os.path.join(home, "agents", "main", "embedder.json"))


def test_it_recovers_by_itself(working, monkeypatch):
    monkeypatch.setitem(registry.FACTORIES, "builtin", lambda model: Odd(failing))
    searched(working)
    monkeypatch.setitem(registry.FACTORIES, "builtin", lambda model: HashingEmbedder())
    with holdfast.open(working, user="ana", embedder="builtin") as memory:
        found = memory.search("dentist")
        assert (found.mode, found.degraded) == ("hybrid", None)
        assert memory.sync()["without_vector"] == 0


def test_forgetting_leaves_no_vector_of_the_entry_nor_of_the_turn_that_saw_it(home):
    with holdfast.open(home, user="ana", embedder="builtin") as memory:
        session = memory.create_session("ana")
        for number in range(30):
            session.add(f"small talk number {number} about nothing at all", role="user")
        secret = session.add(SECRET, role="user", author="Ana")
        after = session.add("thank you, noted", role="assistant", author="Bot")
        session.add("and now to something else", role="user")
        memory.sync()
        connection = connect(memory.status()["index"]["path"])
        data = dict(
            connection.execute(
                "SELECT e.id, v.data FROM vectors v JOIN chunks c ON c.n=v.chunk JOIN entries e ON e.n=c.entry"
            ).fetchall()
        )
        connection.close()
        assert everywhere(home, data[secret.id])
        assert everywhere(home, data[after.id])
        receipt = memory.forget(secret.id)
        assert receipt.clean
    assert not everywhere(home, data[secret.id])
    assert not everywhere(home, data[after.id])
    with open(os.path.join(home, "agents", "main", "embedder.json"), encoding="utf-8") as file:
        assert json.load(file)["provider"] == "builtin"


def everywhere(home, needle):
    """Files below the home that hold these floats, or the first half of them."""
    found = []
    for folder, _, names in os.walk(home):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                data = file.read()
            if needle in data or needle[: len(needle) // 2] in data:
                found.append(name)
    return found


CHANGING = """
import sys, time
import holdfast
from holdfast.providers import registry
from holdfast.testing.embedder import HashingEmbedder

class Slow(HashingEmbedder):
    def embed(self, texts, *, query=False):
        if len(texts) > 1:
            print("embedding", flush=True)
            time.sleep(60)
        return super().embed(texts, query=query)

registry.FACTORIES["minilm"] = lambda model: Slow(32, "minilm")
holdfast.open(sys.argv[1], user="ana").reindex(embedder="minilm")
"""


def test_a_change_of_embedder_killed_half_way_changes_nothing(home, monkeypatch):
    monkeypatch.setitem(registry.FACTORIES, "builtin", lambda model: HashingEmbedder())
    monkeypatch.setattr("holdfast.providers.onnx.installed", lambda model="": False)
    with holdfast.open(home, user="ana") as memory:
        for number in range(20):
            memory.add(f"entry number {number}")
        memory.sync()
        before = [(hit.id, hit.score) for hit in memory.search("entry 7")]
        child = subprocess.Popen([sys.executable, "-c", CHANGING, home], stdout=subprocess.PIPE, text=True)
        try:
            assert child.stdout.readline() == "embedding\n"
            assert [(hit.id, hit.score) for hit in memory.search("entry 7")] == before  # the old one serves meanwhile
        finally:
            child.kill()
            child.communicate()
    kept = stored(home)
    with holdfast.open(home, user="ana") as memory:
        found = memory.search("entry 7")
        assert (found.mode, found.degraded) == ("hybrid", None)
        assert [(hit.id, hit.score) for hit in found] == before
    assert stored(home) == kept == (["testing/hashing/64"], 20)


LEAVING = """
import sys, time
from holdfast.cli import main
from holdfast.providers import circuit, embedding, registry

circuit.EXIT_S, embedding.LOAD_MS = 0.05, 50
registry.FACTORIES["builtin"] = lambda model: time.sleep(60)
sys.argv[1:] = ["search", "dentist", "--home", sys.argv[1]]
main()
"""


def test_the_command_line_ends_with_its_answer_though_a_model_is_still_at_work(home):
    with holdfast.open(home) as memory:
        memory.add(SECRET)
    done = subprocess.run([sys.executable, "-c", LEAVING, home], capture_output=True, text=True, timeout=30)
    assert (done.returncode, SECRET in done.stdout) == (0, True)
    assert "did not answer" in done.stderr


FIRST_TO_IMPORT_THREADING = """
import sys
sys.path += {paths!r}
import holdfast
from holdfast.providers import registry
from holdfast.testing.embedder import HashingEmbedder  # uses numpy.random, which imports threading
registry.FACTORIES["onnx"] = lambda model: HashingEmbedder()
with holdfast.open({home!r}, embedder="onnx") as memory:
    memory.create_session("ana").add("we deploy on friday")
    assert "threading" not in sys.modules
    print({act})
    assert "threading" in sys.modules
"""


@pytest.mark.parametrize(
    "act",
    ['memory.search("deploy", user="ana").mode', 'memory.reindex(embedder="onnx") and ""'],
    ids=["search", "reindex"],
)
def test_a_process_ends_though_its_embedder_was_the_first_to_use_threads(home, act):
    paths = [str(Path(holdfast.__file__).parents[1]), sysconfig.get_path("platlib"), sysconfig.get_path("purelib")]
    code = FIRST_TO_IMPORT_THREADING.format(paths=paths, home=home, act=act)
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr
