"""Which embedder a memory has, and what happens when it is another, damaged or gone (D17)."""

import json
import os
import time
from _thread import allocate_lock, get_ident
from threading import Thread

import pytest

import holdfast
from holdfast.disk import REAL
from holdfast.errors import BadConfig, MissingExtra, ProviderFailed
from holdfast.lock import had_at_once
from holdfast.model.query import Filter
from holdfast.providers import circuit, embedding, registry
from holdfast.providers import pin as pins
from holdfast.providers.pin import Pin
from holdfast.testing.embedder import HashingEmbedder


@pytest.fixture
def embedders(monkeypatch):
    """Two embedders behind the names builtin and minilm, and how often each was loaded."""
    loaded = []

    def factory(name, dimensions):
        def make(model):
            loaded.append(name)
            return HashingEmbedder(dimensions, name)

        return make

    for name, dimensions in (("builtin", 64), ("minilm", 32)):
        monkeypatch.setitem(registry.FACTORIES, name, factory(name, dimensions))
    monkeypatch.setattr("holdfast.providers.onnx.installed", lambda model="": False)
    return loaded


@pytest.fixture
def home(tmp_path):
    return str(tmp_path / "home")


def opened(home, **settings):
    return holdfast.open(home, user="ana", settings={f"embedder.{name}": value for name, value in settings.items()})


def filled(memory, *texts):
    for text in texts or ("alpha", "beta"):
        memory.add(text)
    memory.sync()
    return memory


def pinned(home):
    with open(os.path.join(home, "agents", "main", "embedder.json"), encoding="utf-8") as file:
        return json.load(file)


def near(memory, text="alpha"):
    vector = memory.store.embedding.query_vector(text, 5_000)
    if vector is None:
        return None
    return [row.id for row in memory.store.index.near(memory.scope(), Filter(), vector, 10)]


def test_nothing_is_loaded_by_opening_and_writing(home, embedders):
    with opened(home) as memory:
        memory.add("alpha")
        memory.reindex()
        assert embedders == []
    assert not os.path.exists(os.path.join(home, "agents", "main", "embedder.json"))


def test_the_first_use_pins_what_auto_means(home, embedders):
    with filled(opened(home)) as memory:
        assert pinned(home) == {"identity": "testing/builtin/64", "provider": "builtin", "model": ""}
        assert len(near(memory)) == 2
        assert memory.store.embedding.reason is None
        assert embedders == ["builtin"]


def test_auto_is_resolved_once(home, embedders, monkeypatch):
    filled(opened(home)).close()
    monkeypatch.setattr("holdfast.providers.onnx.installed", lambda model="": True)
    with opened(home) as memory:
        assert len(near(memory)) == 2
        assert set(embedders) == {"builtin"}


def test_of_two_processes_that_use_a_memory_first_the_one_that_pinned_its_embedder_is_right(
    home, embedders, monkeypatch
):
    first, real = opened(home, provider="minilm"), embedding.Embedding._write_first

    def overtaken(self, pin, wait_ms):
        monkeypatch.setattr(embedding.Embedding, "_write_first", real)
        filled(first)
        real(self, pin, wait_ms)

    with first, opened(home, provider="builtin") as second:
        monkeypatch.setattr(embedding.Embedding, "_write_first", overtaken)
        assert second.search("alpha").mode == "keyword"
        assert pinned(home)["identity"] == "testing/minilm/32"
        assert first.search("alpha").mode == "hybrid"


def test_a_process_without_the_pinned_embedder_has_none_and_says_so(home, embedders, monkeypatch):
    filled(opened(home, provider="minilm")).close()

    def missing(model):
        raise MissingExtra("run pip install it")

    monkeypatch.setitem(registry.FACTORIES, "minilm", missing)
    with opened(home) as memory:
        memory.add("gamma")
        assert near(memory) is None
        assert memory.store.embedding.reason == "run pip install it"
        assert memory.sync()["without_vector"] == 1
        assert memory.store.index.embedded_by(memory.scope()) == "testing/minilm/32"


def test_a_setting_that_names_another_embedder_uses_none(home, embedders):
    filled(opened(home)).close()
    with opened(home, provider="minilm") as memory:
        assert near(memory) is None
        assert "reindex --embedder minilm" in memory.store.embedding.reason
    assert pinned(home)["provider"] == "builtin"


@pytest.fixture
def by_directory(monkeypatch, tmp_path):
    """Models are told apart by the name of their directory, which must be there."""

    def make(model):
        if not os.path.isdir(model):
            raise ProviderFailed(f"there is no {model}")
        return HashingEmbedder(64, os.path.basename(model))

    monkeypatch.setitem(registry.FACTORIES, "onnx", make)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for name in ("models/one", "models/two", "elsewhere/one"):
        (tmp_path / name).mkdir(parents=True)


@pytest.mark.parametrize("named", ["models/one", "./models//one/", "~/models/one"])
def test_a_directory_is_pinned_as_it_is_seen_from_everywhere(home, embedders, by_directory, tmp_path, named):
    filled(opened(home, provider="onnx", model=named)).close()
    assert pinned(home)["model"] == str(tmp_path / "models" / "one")


@pytest.mark.parametrize("named", ["models/one", "../models/one", "~/models/one", "elsewhere/one"])
def test_the_pinned_model_may_be_named_in_any_way(home, embedders, by_directory, tmp_path, monkeypatch, named):
    filled(opened(home, provider="onnx", model="models/one")).close()
    if named.startswith(".."):
        monkeypatch.chdir(tmp_path / "elsewhere")
    with opened(home, provider="onnx", model=named) as memory:
        assert memory.search("alpha").mode == "hybrid"


def test_a_setting_that_names_another_model_uses_none(home, embedders, by_directory):
    filled(opened(home, provider="onnx", model="models/one")).close()
    with opened(home, provider="onnx", model="models/two") as memory:
        found = memory.search("alpha")
        assert found.mode == "keyword"
        assert "made by testing/one/64, and here is testing/two/64" in found.degraded
        assert "`holdfast reindex --embedder onnx`" in found.degraded


def test_another_model_under_the_pinned_name_is_refused(home, embedders, monkeypatch):
    filled(opened(home)).close()
    monkeypatch.setitem(registry.FACTORIES, "builtin", lambda model: HashingEmbedder(64, "newer"))
    with opened(home) as memory:
        memory.add("gamma")
        memory.store.index.refresh(memory.scope(), 2_000)
        assert near(memory) is None
        assert "testing/newer/64" in memory.store.embedding.reason
        assert memory.store.embedding.top_up(memory.scope()) == 1
        assert memory.store.index.embedded_by(memory.scope()) == "testing/builtin/64"


def test_the_right_model_is_taken_once_it_is_back(home, embedders, monkeypatch):
    filled(opened(home)).close()
    monkeypatch.setattr("holdfast.providers.circuit.OPEN_S", 0.0)
    right = registry.FACTORIES["builtin"]
    monkeypatch.setitem(registry.FACTORIES, "builtin", lambda model: HashingEmbedder(64, "newer"))
    with opened(home) as memory:
        assert near(memory) is None
        monkeypatch.setitem(registry.FACTORIES, "builtin", right)
        assert len(near(memory)) == 2


def test_vectors_without_a_pin_keep_their_embedder(home, embedders, monkeypatch):
    filled(opened(home)).close()
    os.unlink(os.path.join(home, "agents", "main", "embedder.json"))
    with opened(home, provider="minilm") as memory:
        assert near(memory) is None
        assert "testing/builtin/64" in memory.store.embedding.reason


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"[" * 100_000, b'{"identity":1,"strange":2}', b"\xff\xfe"])
def test_a_damaged_pin_uses_none_until_a_reindex_names_one(home, embedders, data):
    filled(opened(home)).close()
    with open(os.path.join(home, "agents", "main", "embedder.json"), "wb") as file:
        file.write(data)
    with opened(home) as memory:
        assert near(memory) is None
        assert "embedder.json" in memory.store.embedding.reason
        assert any("embedder.json" in told for told in memory.status()["degraded"])
        assert any("embedder.json" in problem["what"] for problem in memory.verify()["problems"])
        memory.reindex(embedder="builtin")
        assert len(near(memory)) == 2
        assert memory.status()["degraded"] == []


def test_none_is_a_choice_and_not_a_fault(home, embedders):
    with filled(opened(home, provider="none")) as memory:
        assert near(memory) is None
        assert memory.store.embedding.reason is None
        assert memory.store.embedding.missing(memory.scope()) == (0, 0)
        assert embedders == []


def test_a_search_tops_up_the_backlog_of_its_scope(home, embedders):
    with opened(home) as memory:
        for number in range(30):
            memory.add(f"entry {number}")
        memory.store.index.refresh(memory.scope(), 2_000)
        assert memory.store.embedding.missing(memory.scope()) == (30, 30)
        while memory.store.embedding.top_up(memory.scope()):
            continue
        assert memory.store.embedding.missing(memory.scope()) == (0, 0)
        assert len(near(memory, "entry 7")) == 10


def test_a_search_says_why_it_could_make_no_vectors_of_what_has_none(home, embedders, monkeypatch):
    real = HashingEmbedder.embed
    monkeypatch.setattr(
        HashingEmbedder,
        "embed",
        lambda self, texts, *, query=False: real(self, texts) * (1.0 if query else float("nan")),
    )
    with opened(home) as memory:
        memory.add_many([{"text": "alpha"}, {"text": "beta"}])
        found = memory.search("alpha")
        assert found.degraded == (
            "2 of 2 without vector: the embedder testing/builtin/64 gave numbers that are not finite"
        )
        assert [hit.text for hit in found] == ["alpha"]


def test_a_question_without_a_word_has_no_vector_and_no_fault(home, embedders):
    with filled(opened(home)) as memory:
        assert memory.store.embedding.query_vector("", 1_000) is None
        assert memory.store.embedding.reason is None


# -- texts that an embedder cannot take


@pytest.fixture
def choosy(monkeypatch, embedders):
    """The embedders behind both names fail where a text holds `poison`."""

    class Choosy(HashingEmbedder):
        def embed(self, texts, *, query=False):
            if any("poison" in text for text in texts):
                raise ValueError
            return super().embed(texts, query=query)

    for name, dimensions in (("builtin", 64), ("minilm", 32)):
        monkeypatch.setitem(
            registry.FACTORIES, name, lambda model, name=name, dimensions=dimensions: Choosy(dimensions, name)
        )


def test_one_text_that_cannot_be_taken_keeps_no_other_from_its_vector(home, choosy):
    with opened(home) as memory:
        memory.add_many([{"text": text, "type": "note"} for text in ("alpha", "poison", "beta", "gamma")])
        report = memory.sync()
        assert report["without_vector"] == 1
        assert "does not take every text (ValueError)" in report["reason"]
        assert len(near(memory)) == 3
        found = memory.search("alpha")
        assert (found.mode, found.degraded) == (
            "hybrid", "1 of 4 without vector, of which the embedder did not take 1"
        )  # fmt: skip
        assert memory.reindex(embedder="minilm")["vectors"] == 3
        assert len(near(memory)) == 3


def test_texts_that_cannot_be_taken_do_not_keep_what_was_written_before_them_waiting(home, choosy):
    with opened(home) as memory:
        memory.add_many([{"text": f"alpha {number}", "type": "note"} for number in range(8)])
        memory.add_many([{"text": f"poison {number}", "type": "note"} for number in range(40)])
        for _ in range(20):
            memory.store.embedding.top_up(memory.scope(), 1)
        assert memory.search("alpha").degraded == "40 of 48 without vector, of which the embedder did not take 40"
        assert len(near(memory)) == 8


def test_a_question_that_cannot_be_taken_is_answered_by_keyword_and_the_next_one_as_ever(home, choosy):
    with filled(opened(home)) as memory:
        found = memory.search("alpha poison")
        assert (found.mode, len(found)) == ("keyword", 1)
        assert "does not take every text" in found.degraded
        again = memory.search("alpha")
        assert (again.mode, again.degraded) == ("hybrid", None)


def test_a_question_is_told_why_it_has_no_vector_whatever_another_thread_asks_meanwhile(home, choosy):
    with filled(opened(home)) as memory:
        embedding = memory.store.embedding
        assert embedding.query_vector("poison", 5_000) is None
        other = Thread(target=lambda: embedding.query_vector("alpha", 5_000))
        other.start()
        other.join()
        assert "does not take every text" in embedding.reason


def test_a_change_to_an_embedder_that_takes_few_texts_changes_nothing(home, embedders, choosy, monkeypatch):
    monkeypatch.setitem(registry.FACTORIES, "builtin", lambda model: HashingEmbedder(64, "builtin"))
    with filled(opened(home), "alpha", "poison beta", "poison gamma") as memory:
        before = near(memory)
        with pytest.raises(ProviderFailed, match="less than half"):
            memory.reindex(embedder="minilm")
        assert pinned(home)["provider"] == "builtin"
        assert near(memory) == before


# -- slow models


@pytest.fixture
def slow(monkeypatch, embedders):
    """The model behind `builtin` is loaded when the gate is released; searches do not wait for long."""
    gate = allocate_lock()
    gate.acquire()
    loads = []

    def make(model):
        loads.append(model)
        with gate:
            return HashingEmbedder(64, "builtin")

    monkeypatch.setitem(registry.FACTORIES, "builtin", make)
    monkeypatch.setattr("holdfast.providers.embedding.LOAD_MS", 50)
    return gate, loads


def test_a_model_that_was_loaded_too_late_serves_the_next_question(home, slow):
    gate, loads = slow
    with opened(home) as memory:
        memory.add("alpha")
        first = memory.search("alpha")
        assert (first.mode, len(first)) == ("keyword", 1)
        assert "did not answer" in first.degraded
        gate.release()
        assert circuit.settle(5)
        again = memory.search("alpha")
        assert (again.mode, again.degraded) == ("hybrid", None)
    assert len(loads) == 1


def test_nobody_waits_for_long_while_another_thread_loads_the_model(home, slow, monkeypatch):
    gate, loads = slow
    with opened(home) as memory:
        memory.add("alpha")
        other = Thread(target=memory.sync)
        other.start()
        while not loads:
            time.sleep(0.001)
        found = memory.search("alpha")
        assert found.mode == "keyword"
        assert "busy" in found.degraded
        assert other.is_alive()
        gate.release()
        other.join()
        assert memory.search("alpha").mode == "hybrid"
    assert len(loads) == 1


def test_a_slow_embedder_gets_on_from_search_to_search(home, monkeypatch, embedders):
    class Slow(HashingEmbedder):
        def embed(self, texts, *, query=False):
            if not query:
                time.sleep(0.05 * len(texts))
            return super().embed(texts, query=query)

    monkeypatch.setitem(registry.FACTORIES, "builtin", lambda model: Slow(64, "builtin"))
    with opened(home) as memory:
        memory.add_many([{"text": f"entry {number}"} for number in range(8)])
        embedding, scope = memory.store.embedding, memory.scope()
        memory.store.index.refresh(scope, 2_000)
        left = []
        monkeypatch.setattr("holdfast.providers.embedding.LEAST_MS", 60)  # less than a first batch takes
        while not left or left[-1]:
            left.append(embedding.top_up(scope, 10))
            assert circuit.settle(5)
        assert left[0] == 8
        assert sorted(left, reverse=True) == left


# -- changing the embedder


class Failing(HashingEmbedder):
    """Works once."""

    def embed(self, texts, *, query=False):
        if self.calls:
            raise ValueError("half-way")
        return super().embed(texts, query=query)


def test_reindex_changes_the_embedder_of_all(home, embedders):
    with filled(opened(home)) as memory:
        report = memory.reindex(embedder="minilm")
        assert (report["embedder"], report["without_vector"]) == ("testing/minilm/32", 0)
        assert pinned(home) == {"identity": "testing/minilm/32", "provider": "minilm", "model": ""}
        assert len(near(memory)) == 2


def test_another_open_process_follows_the_change(home, embedders):
    memory = filled(opened(home))
    assert len(near(memory)) == 2
    with opened(home, local_timeout_ms=60_000) as other:
        other.reindex(embedder="minilm")
    assert len(near(memory)) == 2
    assert memory.store.embedding.ready().identity == "testing/minilm/32"
    memory.close()


def test_a_search_in_the_middle_of_which_the_embedder_is_changed_uses_the_new_one(home, embedders, monkeypatch):
    with filled(opened(home)) as memory, opened(home, cache=False) as other:
        index = other.store.index
        near = index.near

        def changed(*asked):
            monkeypatch.setattr(index, "near", near)
            memory.reindex(embedder="minilm")
            return near(*asked)

        monkeypatch.setattr(index, "near", changed)
        found = other.search("alpha")
        assert (found.mode, found.degraded) == ("hybrid", None)


def test_a_change_gets_rid_of_an_embedder_that_hangs(home, embedders, monkeypatch):
    gate = allocate_lock()

    class Hanging(HashingEmbedder):
        def embed(self, texts, *, query=False):
            with gate:
                return super().embed(texts, query=query)

    monkeypatch.setitem(registry.FACTORIES, "builtin", lambda model: Hanging(64, "builtin"))
    monkeypatch.setattr("holdfast.recall.candidates.VECTOR_MS", 50)
    with filled(opened(home)) as memory, gate:
        assert "did not answer" in memory.search("alpha").degraded
        memory.reindex(embedder="minilm")
        found = memory.search("alpha")
        assert (found.mode, found.degraded) == ("hybrid", None)


def test_reindex_refuses_what_the_settings_would_not_use(home, embedders):
    with filled(opened(home, provider="builtin")) as memory, pytest.raises(BadConfig, match=r"embedder\.provider"):
        memory.reindex(embedder="minilm")
    assert pinned(home)["provider"] == "builtin"


def test_a_change_to_an_embedder_that_fails_changes_nothing(home, embedders, monkeypatch):
    monkeypatch.setitem(registry.FACTORIES, "minilm", lambda model: Failing(32, "minilm"))
    with filled(opened(home)) as memory:
        before = near(memory)
        with pytest.raises(ProviderFailed):
            memory.reindex(embedder="minilm")
        assert pinned(home)["provider"] == "builtin"
        assert near(memory) == before


def test_a_memory_without_a_pin_gets_one_though_a_change_failed(home, embedders, monkeypatch):
    monkeypatch.setitem(registry.FACTORIES, "minilm", lambda model: Failing(32, "minilm"))
    with opened(home) as memory:
        memory.add_many([{"text": f"alpha {number}", "type": "note"} for number in range(10)])
        with pytest.raises(ProviderFailed):
            memory.reindex(embedder="minilm")
        assert memory.search("alpha").mode == "hybrid"
        assert pinned(home)["provider"] == "builtin"


def test_a_memory_without_a_pin_gets_one_though_a_change_was_killed(home, embedders, monkeypatch):
    with opened(home) as memory:
        memory.add("alpha")
        monkeypatch.setattr(memory.store.index, "rebuild", raise_killed)
        monkeypatch.setattr(pins, "write", killed_after(pins.write, 1))
        with pytest.raises(Killed):
            memory.reindex(embedder="minilm")
    assert set(pinned(home)) == {"next"}
    with opened(home) as memory:
        assert memory.search("alpha").mode == "hybrid"
        assert pinned(home) == {"identity": "testing/builtin/64", "provider": "builtin", "model": ""}


def test_a_search_does_not_wait_to_pin_an_embedder_while_another_change_is_under_way(home, embedders):
    with opened(home) as memory, opened(home) as other:
        memory.add("alpha")
        pins.write(REAL, os.path.join(home, "agents", "main", "embedder.json"), None, Pin(identity="x", provider="y"))
        with other.store.embedding._lock.hold(0, "change embedder"):
            started = time.monotonic()
            assert memory.search("alpha").mode == "hybrid"
            assert time.monotonic() - started < 0.9
        assert set(pinned(home)) == {"next"}


def test_a_change_killed_before_the_flip_changes_nothing(home, embedders, monkeypatch):
    memory = filled(opened(home))
    before = near(memory)
    monkeypatch.setattr(pins, "write", killed_after(pins.write, 1))
    monkeypatch.setattr(type(memory.store.index), "rebuild", raise_killed)
    with pytest.raises(Killed):
        memory.reindex(embedder="minilm")
    assert pinned(home)["next"]["provider"] == "minilm"
    memory.close()
    with opened(home) as again:
        assert near(again) == before
        assert again.store.embedding.ready().identity == "testing/builtin/64"


def test_what_a_killed_change_was_about_goes_with_the_next_reindex(home, embedders, monkeypatch):
    memory = filled(opened(home))
    before = pinned(home)
    with monkeypatch.context() as patch:
        patch.setattr(pins, "write", killed_after(pins.write, 1))
        patch.setattr(type(memory.store.index), "rebuild", raise_killed)
        with pytest.raises(Killed):
            memory.reindex(embedder="minilm")
    assert "next" in pinned(home)
    with memory.store.embedding._lock.hold(1_000, "change embedder"):
        memory.reindex()
    assert "next" in pinned(home), "somebody is at a change"
    memory.reindex()
    memory.close()
    assert pinned(home) == before


def test_a_change_killed_after_the_flip_is_complete(home, embedders, monkeypatch):
    memory = filled(opened(home))
    monkeypatch.setattr(pins, "write", killed_after(pins.write, 1))
    with pytest.raises(Killed):
        memory.reindex(embedder="minilm")
    assert pinned(home)["provider"] == "builtin"
    memory.close()
    with opened(home) as again:
        assert again.store.embedding.ready().identity == "testing/minilm/32"
        assert len(near(again)) == 2


def test_another_open_process_follows_a_change_killed_after_the_flip(home, embedders, monkeypatch):
    write = pins.write
    with filled(opened(home)) as memory, opened(home, cache=False) as other:

        def watched(disk, path, pin, coming=None):
            """Killed in place of the last write; what is open elsewhere has seen the first."""
            if coming is None:
                raise Killed
            write(disk, path, pin, coming)
            assert len(near(other)) == 2

        monkeypatch.setattr(pins, "write", watched)
        with pytest.raises(Killed):
            memory.reindex(embedder="minilm")
        other.status()
        found = other.search("alpha")
        assert (found.mode, found.degraded) == ("hybrid", None)
        assert other.store.embedding.ready().identity == "testing/minilm/32"


def test_reindex_to_none_stops_vectors(home, embedders):
    with filled(opened(home)) as memory:
        report = memory.reindex(embedder="none")
        assert near(memory) is None
        assert memory.store.embedding.reason is None
        for shown in (report, memory.status()["index"]):
            assert (shown["embedder"], shown["vectors"]) == (None, 0)
        assert memory.sync()["without_vector"] == 0
        assert memory.reindex(embedder="builtin")["vectors"] == 2


def test_a_change_to_none_killed_after_the_flip_makes_the_vectors_again(home, embedders, monkeypatch):
    memory = filled(opened(home))
    before = near(memory)
    with monkeypatch.context() as patch:
        patch.setattr(pins, "write", killed_after(pins.write, 1))
        with pytest.raises(Killed):
            memory.reindex(embedder="none")
    memory.close()
    with opened(home) as again:
        assert again.search("alpha").mode == "hybrid"
        assert again.sync()["without_vector"] == 0
        assert near(again) == before


def test_a_change_to_none_killed_before_the_flip_changes_nothing(home, embedders, monkeypatch):
    memory = filled(opened(home))
    before = near(memory)
    with monkeypatch.context() as patch:
        patch.setattr(type(memory.store.index), "rebuild", raise_killed)
        patch.setattr(pins, "write", killed_after(pins.write, 1))
        with pytest.raises(Killed):
            memory.reindex(embedder="none")
    memory.close()
    with opened(home) as again:
        assert near(again) == before
        found = again.search("alpha")
        assert (found.mode, found.degraded, again.status()["degraded"]) == ("hybrid", None, [])
        again.reindex(embedder="none")
        assert (again.search("alpha").mode, again.status()["degraded"]) == ("keyword", [])


def test_what_a_search_gives_a_new_index_without_vectors_does_not_stay(home, embedders, monkeypatch):
    write = pins.write
    with filled(opened(home)) as memory, opened(home) as other:

        def late(disk, path, pin, coming=None):
            """Somebody searches between the flip and the last write."""
            if coming is None:
                other.search("alpha")
                assert other.status()["index"]["vectors"] == 2
            write(disk, path, pin, coming)

        monkeypatch.setattr(pins, "write", late)
        assert memory.reindex(embedder="none")["vectors"] == 0
        assert near(other) is None
        assert other.status()["index"]["vectors"] == 0


def test_a_change_to_none_that_fails_changes_nothing(home, embedders, monkeypatch):
    memory = filled(opened(home))
    monkeypatch.setattr(type(memory.store.index), "rebuild", raise_killed)
    with pytest.raises(Killed):
        memory.reindex(embedder="none")
    monkeypatch.undo()
    assert pinned(home)["provider"] == "builtin"
    memory.close()


def test_a_change_interrupted_after_the_flip_is_complete(home, embedders, monkeypatch):
    memory = filled(opened(home))
    monkeypatch.setattr(type(memory.store.index), "_tidy_cache", raise_killed)
    with pytest.raises(Killed):
        memory.reindex(embedder="minilm")
    assert memory.store.embedding.ready().identity == "testing/minilm/32"
    assert len(near(memory)) == 2
    memory.close()


def test_a_change_that_fails_does_not_undo_one_that_was_made_meanwhile(home, embedders, waiting, monkeypatch):
    gate, building = allocate_lock(), []
    gate.acquire()

    class Waiting(HashingEmbedder):
        def embed(self, texts, *, query=False):
            if len(texts) > 1:
                building.append(texts)
                gate.acquire()
            return super().embed(texts, query=query)

    monkeypatch.setitem(registry.FACTORIES, "minilm", lambda model: Waiting(32, "minilm"))
    monkeypatch.setitem(registry.FACTORIES, "onnx", lambda model: Failing(16, "onnx"))
    memory, failed = filled(opened(home)), []

    def fail():
        with opened(home, local_timeout_ms=60_000) as other, pytest.raises(ProviderFailed) as caught:
            other.reindex(embedder="onnx")
        failed.append(caught.value.message)

    first, second = Thread(target=lambda: memory.reindex(embedder="minilm")), Thread(target=fail)
    first.start()
    until(lambda: building)
    second.start()
    until(lambda: second.ident in waiting)
    gate.release()
    first.join()
    second.join()
    assert "ValueError" in failed[0]
    assert pinned(home)["identity"] == "testing/minilm/32"
    assert len(near(memory)) == 2
    memory.close()


def until(what, seconds=10):
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.002)


@pytest.fixture
def waiting(monkeypatch):
    """The threads that wait for a lock which another thread has.

    Not told by `sys._current_frames`: CPython 3.11 stops for good where that sets off a garbage collection which finds
    something that is local to a thread, both taking one lock of the interpreter.
    """
    threads = set()

    def noted(had, mutex, seconds):
        me = get_ident()
        if mutex.locked():
            threads.add(me)
        had_at_once(had, mutex, seconds)
        threads.discard(me)

    monkeypatch.setattr("holdfast.lock.had_at_once", noted)
    return threads


def test_an_index_with_vectors_of_another_embedder_than_the_pin_says_so(home, embedders):
    with filled(opened(home)) as memory:
        path = os.path.join(home, "agents", "main", "embedder.json")
        with open(path, "rb") as file:
            old = file.read()
        memory.reindex(embedder="minilm")
        with open(path, "wb") as file:
            file.write(old)
        found = memory.search("alpha")
        assert (found.mode, len(found)) == ("keyword", 1)
        assert "the index holds those of testing/minilm/32; `holdfast reindex --embedder builtin`" in found.degraded
        assert any("testing/minilm/32" in told for told in memory.status()["degraded"])
        assert any("testing/minilm/32" in problem["what"] for problem in memory.verify()["problems"])
        memory.reindex(embedder="builtin")
        assert (memory.search("alpha").mode, memory.status()["degraded"]) == ("hybrid", [])


def test_what_a_kill_left_of_a_pin_goes_with_the_next(home, embedders):
    with filled(opened(home)) as memory:
        folder = os.path.join(home, "agents", "main")
        left = os.path.join(folder, "embedder.json.1-00.tmp")
        with open(left, "w", encoding="utf-8"):
            pass
        memory.reindex(embedder="minilm")
        assert [name for name in os.listdir(folder) if name.startswith("embedder.json")] == ["embedder.json"]


class Killed(BaseException):
    pass


def killed_after(write, times):
    """The first calls go through, then the process is gone."""
    left = [times]

    def acting(*arguments):
        if not left[0]:
            raise Killed
        left[0] -= 1
        write(*arguments)

    return acting


def raise_killed(*_arguments, **_named):
    raise Killed


def test_words_are_compared_by_the_embedder_that_is_loaded_and_never_fail_a_search(home, embedders, monkeypatch):
    with filled(opened(home), "alpha film", "beta") as memory:
        compared = memory.store.embedding.alike
        assert compared(["movie"], ["alpha film"]) == [[0.0]]  # this one knows nothing of words
        monkeypatch.setattr(HashingEmbedder, "alike", lambda *_: [[1.0]], raising=False)
        assert compared(["movie"], ["alpha film"]) == [[1.0]]
        monkeypatch.setattr(HashingEmbedder, "alike", lambda *_: [["?"]])
        assert compared(["movie"], ["alpha film"]) == [[0.0]]
        assert memory.search("alpha movie").hits


def test_whoever_knows_words_says_which_are_none_and_never_fails_a_search(home, embedders, monkeypatch):
    def fail(*_):
        raise OSError("no such file")

    with filled(opened(home), "alpha film", "beta") as memory:
        assert memory.store.embedding.no_words(["flim"]) == []  # this one knows none
        monkeypatch.setattr(HashingEmbedder, "is_word", lambda _, term: term == "film", raising=False)
        assert memory.store.embedding.no_words(["flim", "film"]) == ["flim"]
        assert memory.search("filmm").hits[0].snippet == "alpha film"
        monkeypatch.setattr(HashingEmbedder, "is_word", fail)
        assert memory.store.embedding.no_words(["flim"]) == []
        assert memory.search("alpha filmm").hits


def test_nothing_is_loaded_to_compare_words(home, embedders):
    with opened(home) as memory:
        assert memory.store.embedding.no_words(["flim"]) == []
        assert memory.store.embedding.alike(["movie"], ["a film"]) == [[0.0]]
        assert embedders == []


def told(memory):
    """What a status names, and why a search has no vectors."""
    return memory.status()["degraded"], memory.search("deploy").degraded


def test_a_provider_of_a_later_version_is_named_by_status_as_by_searches(tmp_path):
    with holdfast.open(tmp_path / "home", embedder="builtin") as memory:
        memory.add("deploy notes")
        assert told(memory) == ([], None)
    with holdfast.open(tmp_path / "home", embedder="openai") as memory:
        (named,), reason = told(memory)
        assert named == reason
        assert "the embedder openai is not part of this version" in named
        assert "`holdfast config set embedder.provider auto`" in named


def test_a_provider_other_than_the_pinned_one_is_named_by_status_too(tmp_path):
    with holdfast.open(tmp_path / "home", embedder="builtin") as memory:
        memory.add("deploy notes")
        memory.search("deploy")
    with holdfast.open(tmp_path / "home", embedder="minilm") as memory:
        (named,), reason = told(memory)
        assert named == reason
        assert "`holdfast reindex --embedder minilm`" in named
    with holdfast.open(tmp_path / "home", embedder="none") as memory:
        assert told(memory) == ([], None)


def test_nobody_is_advised_to_set_a_provider_that_there_is_not(tmp_path):
    said = "the embedder nosuch is not part of this version; there are builtin"
    with holdfast.open(tmp_path / "home", embedder="builtin") as memory, pytest.raises(MissingExtra, match=said):
        memory.reindex(embedder="nosuch")
