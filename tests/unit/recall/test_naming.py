"""Who is named in a question, and of whom it asks what they said."""

import time

import pytest

import holdfast
from holdfast.recall.asking import understand
from holdfast.recall.naming import asked_of, take_names

TEAM = ["Ana Ruiz", "Bob", "Émile", "Иван", "محمد"]


@pytest.mark.parametrize(
    ("question", "speakers"),
    [
        ("What did Bob say?", ("Bob",)),
        ("what does bob think about the launch", ("Bob",)),
        ("What did Ana Ruiz really want to say?", ("Ana Ruiz",)),
        ("What have Ana and Bob suggested?", ("Ana Ruiz", "Bob")),
        ("What did Ana say about Bob?", ("Ana Ruiz",)),
        ("What is Bob's opinion?", ("Bob",)),
        ("When is the launch, according to Emile?", ("Émile",)),
        ("Was hat Bob gesagt?", ("Bob",)),
        ("Was sagte Bob?", ("Bob",)),
        ("Wem sagte Ana das?", ("Ana Ruiz",)),
        ("¿Qué dijo Bob?", ("Bob",)),
        ("что сказал Иван?", ("Иван",)),
        ("ماذا قال محمد؟", ("محمد",)),
        ("Who told Bob?", ()),
        ("What was Bob told?", ()),
        ("What do people say about Bob?", ()),
        ("What did Bob order?", ()),
        ("Bob", ()),
    ],
)
def test_who_is_asked_for_their_own_words(question, speakers):
    named, _ = take_names(question, TEAM)
    assert asked_of(question, named) == speakers


@pytest.mark.parametrize(
    ("question", "author"),
    [
        ("What did Ana say about tea?", "ana80"),
        ("What did ana80 say about tea?", "ana80"),
        ("What did Bob say about tea?", "bob_smith"),
        ("What did O'Brien say about tea?", "O'Brien"),
        ("What did Ruiz say about tea?", "Ana Ruiz"),
        ("What did Dr. Smith say about tea?", "Dr. Smith"),
    ],
)
def test_who_has_a_handle_or_a_title_is_asked_for_their_own_words_too(question, author):
    assert asked_of(question, [author]) == (author,)


def test_a_very_long_prompt_full_of_names_is_read_in_no_time():
    prompt = "Bob and Ana Ruiz say Bob " * 4_000
    started = time.process_time()
    assert understand(prompt, TEAM).speakers == ("Ana Ruiz", "Bob")
    assert (
        time.process_time() - started < 5.0
    )  # in a tenth of a second; by the square of its length it would be minutes


@pytest.mark.parametrize(
    ("question", "anything"),
    [
        ("What did Bob say?", True),
        ("What did Bob propose?", True),
        ("What does Bob recommend?", True),
        ("What did Bob say about the launch?", False),
        ("Where is Bob's proposal?", False),
        ("Where is Bob?", False),
    ],
)
def test_whether_anything_that_somebody_said_will_do(question, anything):
    assert understand(question, TEAM).anything is anything


@pytest.mark.parametrize("question", ["Was sagte Bob?", "Was hat Bob gesagt?", "¿Qué dijo Bob?"])
def test_a_verb_of_saying_in_another_language_is_not_looked_for(tmp_path, question):
    with holdfast.open(tmp_path / "home") as memory:
        session = memory.create_session()
        for author, text in (("Bob", "Die Pumpe ist defekt"), ("Ana", "Morgen kommt Besuch"), ("Ana", "Alles neu")):
            session.add(text, author=author)
        assert [item.snippet for item in memory.context(question).items][:1] == ["Die Pumpe ist defekt"]


@pytest.fixture(scope="module", params=["builtin", "none"])
def channel(request, tmp_path_factory):
    """What a few people say, also of each other."""
    said = (("Ana", "the launch is on Friday"), ("Bob", "we need two more testers"), ("Bob", "I ordered pizza"),
            ("Ana", "Bob is wrong about the testers"), ("Ana", "somebody should call Bob"),
            ("Søren", "the boat leaks"), ("محمد", "الخادم توقف عن العمل"), ("李明", "发布会改到下周五举行"),
            ("지민", "서버가 멈췄어"))  # fmt: skip
    with holdfast.open(tmp_path_factory.mktemp("channel") / "home", embedder=request.param, user="team") as memory:
        session = memory.create_session("team", key="channel")
        for number in range(40):
            session.add(f"small talk number {number} about the weather", author=("Zed", "Yan")[number % 2])
        for author, text in said:
            session.add(text, author=author)
        memory.sync()
        yield memory


@pytest.mark.parametrize(
    "question", ["What did Bob say?", "What does Bob think?", "what did bob propose", "What does Bob want?"]
)
def test_somebodys_own_words_come_before_what_others_say_of_them(channel, question):
    hits = channel.search(question, limit=4).hits
    assert [hit.entry.author for hit in hits[:2]] == ["Bob", "Bob"]
    assert hits[2].text in ("Bob is wrong about the testers", "somebody should call Bob")


def test_what_is_asked_for_comes_first_among_somebodys_own_words(channel):
    assert channel.search("What did Bob say about the testers?").hits[0].text == "we need two more testers"


def test_what_others_tell_is_found_where_nobody_is_asked_for_their_own_words(channel):
    assert channel.search("Is Bob wrong?").hits[0].text == "Bob is wrong about the testers"


@pytest.mark.parametrize(
    ("question", "author"),
    [
        ("what did Soren say?", "Søren"),
        ("ماذا قال محمد؟", "محمد"),
        ("李明说了什么？", "李明"),
        ("what did 李明 say?", "李明"),
        ("지민이 뭐라고 했어?", "지민"),
    ],
)
def test_what_somebody_said_is_found_by_a_name_in_any_script(channel, question, author):
    assert channel.search(question).hits[0].entry.author == author


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What does Speaker 3 put in the tea?", "two sugars in my tea"),
        ("What does Shah put in the tea?", "tea only with milk for me"),
        ("What does Priya put in the tea?", "tea only with milk for me"),
    ],
)
def test_among_many_the_one_who_is_named_is_found(tmp_path, question, said):
    with holdfast.open(tmp_path / "home", embedder="none", user="team") as memory:
        session = memory.create_session("team", key="meeting")
        for number in range(30):
            session.add(f"the speaker has tea at {number} o'clock", author=f"Speaker {number % 2 + 1}")
        session.add("tea only with milk for me", author="Dr. Priya Shah")
        session.add("two sugars in my tea", author="Speaker 3")
        assert memory.search(question).hits[0].text == said


def test_an_accent_by_itself_is_part_of_the_name_before_it():
    assert take_names("What did Jose\u0301 say?", ["Jos\u00e9"])[0] == ("Jos\u00e9",)
