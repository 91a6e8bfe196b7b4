"""A name such as "key" is looked at closely only where an assignment may begin soon after it."""

import pytest

from holdfast.guard.rules import RULES
from holdfast.guard.scan import spans

FAR = '_99\\\\\\\\"**        '  # all that a pattern lets stand between a name and its sign


@pytest.mark.parametrize("sign", [":", "=", ":=", "=>", "%3D", "\\u003d", ": SecretStr | None ="])
@pytest.mark.parametrize("name", ["passphrase", "credential", "token"])
def test_the_farthest_sign_is_near_enough(name: str, sign: str) -> None:
    said = f'{name}{FAR}{sign}        **  "f8Kq2Zp9Lw3x"'
    assert spans(said)


@pytest.mark.parametrize("verb", ["is", "was"])
def test_a_verb_is_a_sign_after_any_white_space(verb: str) -> None:
    assert spans(f"the password\t{verb}\nf8Kq2Zp9!Lw3x")


def test_prose_about_keys_compiles_no_pattern(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = [rule for rule in RULES if rule.signs]
    assert len(rules) == 3
    for rule in rules:
        monkeypatch.setattr(rule, "pattern", None)
    assert spans("The deploy key lives in the vault and only the release job may read that key") == []
