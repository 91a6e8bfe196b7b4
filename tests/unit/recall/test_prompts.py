"""Prompts: the question among all that somebody says around it."""

import pytest

import holdfast
from holdfast.recall.prompts import (
    LONG,
    LONGEST,
    asked,
    asks_for_nothing,
    sentences,
    shortened,
    unframed,
    without_patterns,
)

FACTS = (
    "The staging database runs on port 5433.", "Deploys to production happen on Thursdays after standup.",
    "Invoices are numbered with the prefix ZK.", "The office in Tromso closes at four.",
    "Search results are cached for ninety seconds.",
)  # fmt: skip
QUESTION = "Which port does the staging database run on?"
STRANGE = "Which vaccine did the cat get in Lisbon?"
TRACE = (
    "Traceback (most recent call last): tasks.py, line 212, in run result = self.execute(job, retries) executor.py, "
    "line 88, in execute return handler(job.payload) report.py, line 41, in handle rows = fetch(query, params) "
    "rows.py, line 19, in fetch cursor.execute(query) QueryCanceled: canceling statement due to timeout."
)
AROUND = {
    "a greeting": "Hi there, one more thing before lunch with the team.",
    "an error": "Fix this: TypeError: cannot unpack non-iterable NoneType object in importer/rows.py line 88.",
    "a traceback": TRACE,
    "a system text": "You are a careful engineer who writes small commits with clear messages. " * 20 + TRACE,
}


@pytest.mark.parametrize(
    ("prompt", "meant"),
    [
        (
            "I need you to check what we know before I answer: where is the kite? Please look it up.",
            "where is the kite?",
        ),
        ("Hey, I have a quick question for you.\nWhere is the kite?", "Where is the kite?"),
        ("Where is the kite? Answer yes or no.", "Where is the kite?"),
        ("Where is the kite?", "Where is the kite?"),
        ("I lost it. Where is the kite?", "I lost it. Where is the kite?"),
        ("What is it? Tell me.", "What is it? Tell me."),
        ("How long is the session? It is about the login.", "How long is the session? It is about the login."),
        ("Who has the key? The basement I mean.", "Who has the key? The basement I mean."),
        ("Could you search your notes? Where is the kite?", "Where is the kite?"),
        ("Where is the kite? Thanks!", "Where is the kite?"),
        ("Good morning! Where is the kite? Thank you so much", "Where is the kite?"),
        ("Ok. Where is the kite?", "Where is the kite?"),
        ("Where is the kite\nthanks", "Where is the kite"),
        ("Quick question: where is the kite?", "where is the kite?"),
        ("Remind me: where is the kite?", "where is the kite?"),
        ("Bonjour ! Where is the kite? Merci beaucoup.", "Where is the kite?"),
        ("hey, where is the kite?", "where is the kite?"),
        ("Hi. Thanks, where is the kite, please?", "where is the kite?"),
        ("What is lost, the kite or the key, thanks", "What is lost, the kite or the key"),
        ("Hello, find the kite", "find the kite"),
        ("Hello, world", "Hello, world"),
        ("Please, thanks, sorry", "Please, thanks, sorry"),
        ("hey, what is it", "hey, what is it"),
        ("Good morning! Thanks!", "Good morning! Thanks!"),
        ("Hi! What is it?", "Hi! What is it?"),
        ("kite status: ok", "kite status: ok"),
        ("ok: the kite", "ok: the kite"),
        ("user: hi\nassistant: where is the kite", "user: hi\nassistant: where is the kite"),
        ("my notes: the kite", "my notes: the kite"),
        ("Is the kite there? Hello?", "Is the kite there? Hello?"),
        ("deploy: list", "deploy: list"),
        ("kafka?\nwhere", "kafka?\nwhere"),
        ("", ""),
    ],
)
def test_sentences_that_only_frame_a_question_are_left_out(prompt, meant):
    assert unframed(prompt) == meant


@pytest.fixture(scope="module", params=["builtin", "none"])
def memory(request, tmp_path_factory):
    with holdfast.open(tmp_path_factory.mktemp("prompts") / "home", embedder=request.param) as memory:
        reviews = [f"Reviewed pull request {number} about pagination and errors." for number in range(60)]
        memory.add_many({"text": text, "type": "fact", "session": f"s{n}"} for n, text in enumerate((*FACTS, *reviews)))
        memory.sync()
        yield memory


@pytest.mark.parametrize("around", AROUND)
def test_a_question_is_answered_whatever_is_said_before_or_after_it(memory, around):
    for prompt in (f"{AROUND[around]} {QUESTION}", f"{QUESTION} {AROUND[around]}"):
        assert memory.search(prompt)[0].text == FACTS[0]
        assert FACTS[0] in [item.text for item in memory.context(prompt).items]


@pytest.mark.parametrize("around", AROUND)
def test_a_question_that_nothing_here_answers_stays_without_one(memory, around):
    assert memory.context(f"{AROUND[around]} {STRANGE}").items == ()


def test_a_question_at_the_end_of_a_very_long_prompt_is_looked_up(memory):
    prompt = "".join(f"line{number} of a log without end\n" for number in range(LONGEST // 20)) + QUESTION
    assert len(prompt) > LONGEST
    assert shortened(prompt).endswith(QUESTION)
    assert len(shortened(prompt)) <= LONGEST
    assert [item.text for item in memory.context(prompt).items] == [FACTS[0]]
    assert memory.search(prompt)[0].text == FACTS[0]


def test_short_sentences_that_ask_are_no_question_by_themselves(memory):
    assert memory.context("My cat lost her collar in Lisbon. Any results?").items == ()


def test_a_prompt_of_one_sentence_has_no_parts():
    assert sentences("Where is the kite?") == ()
    assert [(one.terms, one.asks) for one in sentences("I lost it. Where is the red kite?")] == [
        (("lost",), False), (("red", "kite"), True),
    ]  # fmt: skip


def test_what_is_asked_stands_for_a_long_prompt_only_where_it_is_the_smaller_part():
    said = " ".join(f"word{number}" for number in range(LONG))
    text, terms = asked(sentences(f"{said}. Where is the kite now?"))
    assert (text, terms) == ("Where is the kite now?", ("kite", "now"))
    assert asked(sentences("It was windy. Where is the kite now?")) == ("", ())
    assert asked(sentences(f"Hello there friend. {said}?")) == ("", ())
    assert asked(sentences(f"{said}. Fly the kite now.")) == ("", ())


POLITE = ("{} Thanks!", "{} Thank you so much", "Ok. {}", "Hi! {}", "Good morning! {}", "Quick question: {}", "hey, {}")


@pytest.fixture(scope="module", params=["builtin", "none"])
def chat(request, tmp_path_factory):
    """A few facts among what people say all day."""
    said = ("My rent is 1,020 euros a month", "thanks!", "My cat is called Miso", "ok", "hi", "My shoe size is 38",
            "great, thank you so much", "good morning", "I have a quick question")  # fmt: skip
    with holdfast.open(tmp_path_factory.mktemp("chat") / "home", embedder=request.param, user="ana") as memory:
        session = memory.create_session("ana", key="chat")
        for text in said:
            session.add(text, role="user")
        memory.sync()
        yield memory


@pytest.mark.parametrize("around", POLITE)
def test_a_polite_question_is_answered_like_a_bare_one(chat, around):
    for question, answer in (("how much is my rent?", "1,020"), ("what is my shoe size?", "38")):
        bare, polite = chat.search(question), chat.search(around.format(question))
        assert answer in polite[0].text
        assert [(hit.text, hit.score) for hit in polite] == [(hit.text, hit.score) for hit in bare]
        assert any(answer in item.text for item in chat.context(around.format(question)).items)


@pytest.mark.parametrize("question", ["thanks", "good morning", "ok", "Hi!", "Good morning! Thanks!"])
def test_what_people_say_all_day_is_found_where_nothing_else_is_asked_for(chat, question):
    assert chat.search(question)[0].text.rstrip("!") in question.lower()


def test_a_long_run_of_spaces_is_read_once():
    assert unframed("when" + " " * 19_000 + "is it?").startswith("when")  # took seconds


@pytest.mark.parametrize(
    "prompt",
    [
        "ok",
        "Thanks!",
        "Good morning",
        "Yes, please. Go ahead!",
        "hello?",
        "lgtm 👍",
        "Vielen Dank!",
        "why?",
        "Thanks. What about it?",
        "warum nicht?",
    ],
)
def test_a_prompt_that_only_greets_or_has_small_words_only_asks_for_nothing(prompt):
    assert asks_for_nothing(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "!",
        "status: ok",
        "thanks Ana",
        "Hi! Which port?",
        "who am I?",
        "Was ist mein?",
        "What is IT?",
        "ok " * LONGEST,
    ],
)
def test_any_other_prompt_may_ask_for_something(prompt):
    assert not asks_for_nothing(prompt)


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        ("why is int *next null", "why is int  next null"), ("f(*args, **kwargs)", "f( args,  kwargs)"),
        ("when do we *not* deploy?", "when do we  not  deploy?"), ("did it work?yes", "did it work? yes"),
        ("see https://kites.example/a?b=c", "see https://kites.example/a? b=c"), ("deploy?", "deploy?"),
    ],
)  # fmt: skip
def test_a_prompt_has_no_patterns_in_it(prompt, said):
    assert without_patterns(prompt) == said


@pytest.mark.parametrize("prompt", ["What does the *art* cost?", "What does the art cost?it is old", "the *art cost?"])
def test_a_context_looks_for_what_is_stressed_as_for_any_other_word(tmp_path, prompt):
    with holdfast.open(tmp_path / "home", user="ana") as memory:
        memory.add_many([{"text": "The art on the wall cost ninety euros"}, {"text": "The party costs us a cartload"}])
        plain = memory.context(prompt.replace("*", "").replace("?it", "? it"))
        assert [(item.id, item.score) for item in memory.context(prompt).items] == [
            (item.id, item.score) for item in plain.items
        ]


def test_a_line_of_a_wrapped_prompt_does_not_ask_without_its_mark():
    prompt = (
        "Write the release notes. Mention the queue,\nwhen did the cloud migration of the team end\nand the new keys."
    )
    assert [sentence.asks for sentence in sentences(prompt)] == [False] * 4
    assert [sentence.asks for sentence in sentences(prompt.replace("end\n", "end?\n"))] == [False, False, True, False]
