"""What people call somebody by."""

import pytest

from holdfast.text.names import called, called_plainly, is_handle, mentioned, plain, speaks_of


@pytest.mark.parametrize(
    ("author", "name", "handle"),
    [
        ("Caroline", "caroline", False),
        ("Ana Ruiz", "ana", False),
        ("Émile Zola", "émile", False),
        ("王小明", "王小明", False),
        ("अमित शाह", "अमित", False),
        ("สมศรี", "สมศรี", False),
        ("ana.ruiz@example.com", "ana", True),
        ("@ana_r", "ana", True),
        ("ana80", "ana", True),
        ("Jean-Luc Picard", "jean", True),
        ("user_42", "user_42", True),
        ("J. Ruiz", "j.", True),
        ("42", "42", True),
        ("", "", True),
        ("Dr. Ana Ruiz", "ana", False),
        ("Mrs Jones", "jones", False),
        ("The Dungeon Master", "dungeon", False),
        ("Ruiz, Ana", "ana", False),
        ("Ana, PhD", "ana", True),
        ("Ruiz,  ", "ruiz", True),
        ("🌻 Ana", "ana", False),
        ("~ Ana Ruiz", "ana", False),
        ("Speaker 3", "speaker 3", False),
        ("Customer #1042", "customer 1042", False),
        ("SPEAKER_03", "speaker_03", True),
        ("Mr.", "mr", True),
    ],
)
def test_a_name_is_cut_to_what_people_say(author, name, handle):
    assert (called(author), is_handle(author)) == (name, handle)


@pytest.mark.parametrize(
    ("author", "others"),
    [
        ("Ana", ()),
        ("Ana Ruiz", ("ruiz",)),
        ("Dr. María García López", ("garcia", "lopez")),
        ("Ruiz, Ana", ("ruiz",)),
        ("ana.ruiz@example.com", ("ruiz",)),
        ("Ana Ruiz <ana@example.com>", ("ruiz",)),
        ("Ludwig van der Berg", ("van", "berg")),
        ("Ana (she/her)", ()),
        ("Speaker 3", ()),
    ],
)
def test_somebody_may_be_named_by_the_rest_of_a_name(author, others):
    assert called_plainly(author)[2] == others


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Ana broke the lamp", True),
        ("It was ANA'S lamp", True),
        ("a note for Ana", True),
        ("Ben and Ana!", True),
        ("assigned to @ana", True),
        ("Thanks, Ana!", False),
        ("lgtm @Ana Ruiz", False),
        ("@Ana can you look?", False),
        ("hey Ana can you come?", False),
        ("Ana, are you there?", False),
        ("Banana bread", False),
        ("From: Ana Ruiz <ana@example.com>\nTo: Ben\n\nthe lamp broke", False),
        ("the lamp broke\n\nOn Monday, Ana Ruiz wrote:\n> by Ana again?", False),
        ("To: Ben\n\nAna broke the lamp", True),
        ("", False),
    ],
)
def test_to_speak_of_somebody_is_not_to_speak_to_them(said, told):
    assert speaks_of(["ana"])(said) is told
    assert speaks_of(["j.", "ana"])(said) is told
    assert speaks_of([])(said) is False


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("thanks Ana", True),
        ("Ana: thanks", False),
        ("Ana Ruiz: thanks", False),
        ("[10:32] Ana: thanks", False),
        ("Ben: thanks Ana", True),
        ("From: Ana Ruiz\nTo: Ben\n\nthanks", False),
        ("From: Ben\nTo: Ana\n\nthanks Ana", True),
        ("done\n\nOn Monday, Ben wrote:\n> thanks Ana", False),
        ("Ben: ask Zoë", True),
    ],
)
def test_a_name_that_tells_who_wrote_is_no_mention(text, said):
    assert mentioned(text, "Zoë" if "Zoë" in text else "Ana Ruiz") is said


@pytest.mark.parametrize(
    ("text", "author", "said"),
    [
        ("I finished my project", "Project Manager", False),
        ("Ask the Project Manager about it", "Project Manager", True),
        ("my project is late, Project said", "Project Manager", True),
        ("thanks project", "Project Manager", True),
        ("Thanks, ana", "ana", True),
        ("Thanks, ana", "Ana", True),
        ("I love it. Thanks ana", "Ana", True),
        ("Thanks from Rome, ana", "Ana", False),
        ("Danke, JOSÉ", "José", True),
        ("Ein Straßenname: Danke, José", "José", True),
    ],
)
def test_a_name_with_a_capital_is_no_word_without_one(text, author, said):
    assert mentioned(text, author) is said


def test_others_may_speak_of_somebody_without_accents():
    assert speaks_of(["zoë"])("Zoe broke the lamp")
    assert speaks_of(["zoë"])("Zoë broke the lamp")
    assert not speaks_of(["zoë"])("Zora broke the lamp")


@pytest.mark.parametrize(
    ("name", "plainly"), [("Ana", "ana"), ("ÉMILE", "emile"), ("Søren", "soren"), ("Łódź", "lodz"), ("Иван", "иван")]
)
def test_a_name_without_what_keyboards_lack(name, plainly):
    assert plain(name) == plainly
    assert called_plainly(f"{name} Zoë") == (plainly, f"{plainly} zoe", ("zoe",))
