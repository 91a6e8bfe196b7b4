import pytest

from holdfast.text.content import searchable_text


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"text": "Use PKCE"}, "Use PKCE"),
        ({"text": "Use PKCE", "role": "user", "author": "Ana", "kind": "k", "tool_call_id": "t1"}, "Use PKCE"),
        (
            {"text": "Use PKCE", "decision": "Use PKCE", "rationale": "Safest", "alternatives": ["Implicit", "Device"]},
            "Use PKCE\nSafest\nImplicit\nDevice",
        ),
        ({"text": "Slow", "impact": {"where": "login", "ms": 300, "since": ["May", None]}}, "Slow\nlogin\nMay"),
        ({"text": "leak in pool", "issue": "leak", "also": "pool"}, "leak in pool"),
        ({}, ""),
    ],
)
def test_an_entry_is_found_by_every_sentence_it_holds_and_not_by_its_labels(content, words):
    assert searchable_text(content) == words
