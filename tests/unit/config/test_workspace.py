"""Which workspace a path belongs to, with real repositories and hostile ones."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from holdfast.config import alias_workspace, load
from holdfast.config.workspace import lies_at, renamed, root
from holdfast.errors import BadConfig, Invalid

if TYPE_CHECKING:
    from pathlib import Path

git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def run(directory: Path, *arguments: str) -> None:
    name = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always")
    subprocess.run(["git", *name, *arguments], cwd=directory, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    made = tmp_path / "shop"
    (made / "src" / "deep").mkdir(parents=True)
    run(made, "init", "-q")
    run(made, "commit", "-q", "--allow-empty", "-m", "first")
    return made


def test_a_directory_outside_any_repository_is_its_own_workspace(tmp_path: Path) -> None:
    assert root(str(tmp_path)) == str(tmp_path)


def test_a_file_belongs_to_its_directory(tmp_path: Path) -> None:
    (tmp_path / "notes.md").touch()
    assert root(str(tmp_path / "notes.md")) == str(tmp_path)


def test_a_directory_that_is_gone_keeps_its_name(tmp_path: Path) -> None:
    assert root(str(tmp_path / "gone")) == str(tmp_path / "gone")


def test_a_link_is_resolved(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert root(str(tmp_path / "link")) == str(tmp_path / "real")


@git
def test_every_directory_of_a_repository_is_one_workspace(repository: Path) -> None:
    assert root(str(repository / "src" / "deep")) == str(repository)


@git
def test_a_linked_worktree_is_the_main_one(repository: Path, tmp_path: Path) -> None:
    run(repository, "worktree", "add", "-q", str(tmp_path / "feature"))
    (tmp_path / "feature" / "sub").mkdir()
    assert root(str(tmp_path / "feature" / "sub")) == str(repository)


@git
def test_worktrees_of_a_bare_repository_share_it(repository: Path, tmp_path: Path) -> None:
    run(tmp_path, "clone", "-q", "--bare", str(repository), str(tmp_path / "shop.git"))
    run(tmp_path / "shop.git", "worktree", "add", "-q", str(tmp_path / "one"))
    assert root(str(tmp_path / "one")) == str(tmp_path / "shop.git")


@git
def test_a_submodule_is_a_workspace_of_its_own(repository: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    run(outer, "init", "-q")
    run(outer, "submodule", "add", "-q", str(repository), "inner")
    assert root(str(outer / "inner" / "src")) == str(outer / "inner")


@git
def test_an_unpacked_archive_cannot_claim_another_workspace(repository: Path, tmp_path: Path) -> None:
    run(repository, "worktree", "add", "-q", str(tmp_path / "feature"))
    claim = tmp_path / "archive"
    claim.mkdir()
    shutil.copy(tmp_path / "feature" / ".git", claim / ".git")
    assert root(str(claim)) == str(claim)


@git
def test_a_worktree_directory_brought_along_is_not_believed(repository: Path, tmp_path: Path) -> None:
    fake = tmp_path / "archive" / "fake"
    fake.mkdir(parents=True)
    (fake / "commondir").write_text(f"{repository}/.git\n")
    (fake / "gitdir").write_text("../.git\n")
    (tmp_path / "archive" / ".git").write_text("gitdir: fake\n")
    assert root(str(tmp_path / "archive")) == str(tmp_path / "archive")


@pytest.mark.parametrize("pointer", ["", "gitdir:", "gitdir: /nowhere", "nonsense", "gitdir: " + "x" * 9000, "\ud800"])
def test_a_broken_git_file_is_no_repository(tmp_path: Path, pointer: str) -> None:
    (tmp_path / ".git").write_bytes(pointer.encode(errors="surrogatepass"))
    assert root(str(tmp_path)) == str(tmp_path)


def test_an_empty_git_directory_is_no_repository(tmp_path: Path) -> None:
    (tmp_path / "inner" / ".git").mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").touch()
    assert root(str(tmp_path / "inner")) == str(tmp_path)


def test_a_moved_workspace_is_remembered_where_it_was() -> None:
    assert renamed("/new/shop", {"/old/shop": "/new/shop"}) == "/old/shop"
    assert renamed("/new/shopping", {"/old/shop": "/new/shop"}) == "/new/shopping"


def test_an_alias_covers_what_lies_below() -> None:
    assert renamed("/new/src/shop", {"/old": "/new"}) == "/old/src/shop"
    assert renamed("/new/src/shop", {"/old": "/new", "/first/shop": "/new/src/shop"}) == "/first/shop"


def test_a_workspace_that_moved_twice_is_remembered_where_it_first_was() -> None:
    assert renamed("/c", {"/a": "/b", "/b": "/c"}) == "/a"


def test_aliases_in_a_circle_end() -> None:
    assert renamed("/a", {"/a": "/b", "/b": "/a"}) in ("/a", "/b")
    assert lies_at("/a", {"/a": "/b", "/b": "/a"}) in ("/a", "/b")


@pytest.mark.parametrize("now", ["/c", "/c/sub", "/d/inner", "/elsewhere"])
def test_where_a_workspace_lies_is_the_way_back_from_its_name(now: str) -> None:
    aliases = {"/a": "/b", "/b": "/c", "/a/deep": "/d"}
    assert lies_at(renamed(now, aliases), aliases) == now


def test_settings_apply_the_aliases(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    written = alias_workspace(str(tmp_path / "home"), str(tmp_path / "old"), str(tmp_path / "new"))
    settings = load(str(tmp_path / "home"), environ={})
    assert written == (str(tmp_path / "old"), str(tmp_path / "new"))
    assert settings.workspace(str(tmp_path / "new" / "sub")) == str(tmp_path / "old" / "sub")
    assert settings.aliases == {str(tmp_path / "old"): str(tmp_path / "new")}


def test_two_workspaces_that_both_exist_cannot_be_made_one(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    with pytest.raises(Invalid, match="still exists"):
        alias_workspace(str(tmp_path / "home"), str(tmp_path / "one"), str(tmp_path / "two"))


def test_a_workspace_cannot_have_moved_to_nowhere(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="not a directory"):
        alias_workspace(str(tmp_path / "home"), str(tmp_path / "one"), str(tmp_path / "two"))


@pytest.mark.parametrize("line", ['"/old" = 3', '"/old" = "new"', 'old = "/new"'])
def test_an_alias_that_is_no_absolute_path_is_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "config.toml").write_text(f"[workspace_aliases]\n{line}\n")
    with pytest.raises(BadConfig, match="workspace_aliases"):
        load(str(tmp_path), environ={})
