import pytest

from holdfast.errors import Denied
from holdfast.guard.permissions import scope_for
from holdfast.model.scope import OWN, Caller, Scope

OWNER = Caller()
ANA = Caller(name="key-1", owner=False, user="ana", grants=OWN)
TRUSTED = ANA.replace(grants=OWN | {"read:global"})


def scope(caller, user=None, **more):
    return scope_for(caller, "main", user=user, default_user=more.pop("default", "ana"), **more)


def test_without_a_name_the_default_user_is_meant():
    assert scope(OWNER, default="local") == Scope(agent="main", user="local")


def test_the_owner_may_name_any_user_and_all_of_them():
    assert scope(OWNER, "bob").user == "bob"
    assert scope(OWNER, "*").everyone


def test_a_principal_is_its_own_user_only():
    assert scope(ANA).user == scope(ANA, "ana").user == "ana"
    with pytest.raises(Denied) as caught:
        scope(ANA, "bob")
    assert caught.value.details["grant"] == "read:global"
    assert "bob" not in str(caught.value)


@pytest.mark.parametrize("act", ["read", "write"])
def test_all_users_need_the_global_grant_of_the_act(act):
    with pytest.raises(Denied) as caught:
        scope(ANA, "*", act=act)
    assert caught.value.details["grant"] == f"{act}:global"
    assert scope(ANA.replace(grants=OWN | {f"{act}:global"}), "*", act=act).everyone


def test_reading_globally_does_not_allow_writing_globally():
    scope(TRUSTED, level="global")
    with pytest.raises(Denied):
        scope(TRUSTED, act="write", level="global")
    with pytest.raises(Denied):
        scope(TRUSTED, "*", act="write")


@pytest.mark.parametrize("grant", sorted(OWN))
def test_each_grant_is_needed_by_what_it_names(grant):
    act, level = grant.split(":")
    assert scope(ANA, act=act, level=level)
    with pytest.raises(Denied) as caught:
        scope(ANA.replace(grants=OWN - {grant}), act=act, level=level)
    assert caught.value.details["grant"] == grant


def test_global_entries_are_in_sight_only_with_the_grant_to_read_them():
    assert not scope(ANA).shared
    assert scope(TRUSTED).shared
    assert scope(OWNER).shared


def test_sessions_and_workspace_are_passed_on():
    found = scope(OWNER, sessions=("sess_20260101_abcdef",), workspace="/w", loose=True)
    assert (found.sessions, found.workspace, found.loose) == (("sess_20260101_abcdef",), "/w", True)
