"""A generation is built beside the live one: cut anywhere, CURRENT names one that is whole, the old or the new.

Before every call that changes a file the state of the disk is kept, once as a kill leaves it (everything that
was written) and once as a loss of power does (what was synced, under names that were synced), and opened again.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import apsw
import pytest

from holdfast.index import SqliteIndex
from holdfast.index.sqlite import IndexOptions
from holdfast.testing.disk import PowerLossDisk
from tests.unit.index.conftest import Embedded

pytestmark = pytest.mark.crash


class Cutting(PowerLossDisk):
    """Tells `cut` before every change; SQLite's files are followed too."""

    cut = staticmethod(lambda act: None)

    def synced(self, path):
        """SQLite has synced this file."""
        self._keep(path)
        self.sync(self._kept[-1])


def _telling(name):
    inherited = getattr(PowerLossDisk, name)

    def method(self, *arguments):
        self.cut(name)
        return inherited(self, *arguments)

    return method


for _name in ("open", "write", "sync", "sync_dir", "replace", "unlink", "mkdir", "rmdir"):
    setattr(Cutting, _name, _telling(_name))


class CutFile(apsw.VFSFile):
    def __init__(self, disk, name, flags):
        self._disk = disk
        self._path = name.filename() if isinstance(name, apsw.URIFilename) else name
        super().__init__("", name, flags)

    def xWrite(self, data, offset):  # noqa: N802
        self._disk.cut("xWrite")
        super().xWrite(data, offset)

    def xTruncate(self, size):  # noqa: N802
        self._disk.cut("xTruncate")
        super().xTruncate(size)

    def xSync(self, flags):  # noqa: N802
        self._disk.cut("xSync")
        super().xSync(flags)
        self._disk.synced(self._path)


class CutVFS(apsw.VFS):
    def __init__(self, disk):
        self._disk = disk
        super().__init__("cutting", "")

    def xOpen(self, name, flags):  # noqa: N802
        self._disk.cut("xOpen")
        return CutFile(self._disk, name, flags)

    def xDelete(self, path, sync):  # noqa: N802
        self._disk.cut("xDelete")
        super().xDelete(path, sync)


@pytest.fixture
def store(swift_path):
    """A live generation that has five of ten entries."""
    made = Embedded(Path(swift_path) / "home")
    session = made.session()
    made.ids = [made.add(session, f"number{place} " + "long " * 200).id for place in range(5)]
    made.index.close()
    shutil.rmtree(made.folder / "index")
    made.disk = Cutting(str(made.folder))
    made.vfs = CutVFS(made.disk)
    made.index = SqliteIndex(
        str(made.folder / "index"), "main", made.journal, made.clock, disk=made.disk,
        recalled=str(made.folder / "recalled.jsonl"), options=IndexOptions(vfs="cutting"),
    )  # fmt: skip
    made.index.refresh(made.all, 2_000)
    made.ids += [made.add(session, f"number{place} " + "long " * 200).id for place in range(5, 10)]
    yield made
    made.disk.cut = lambda act: None
    made.index.close()
    made.vfs.unregister()
    made.disk.close_all()


class Cuts:
    """Keeps the disk as it is at every change, and looks at what was kept."""

    def __init__(self, store, target, keep):
        self.store, self.target, self._keep = store, target, keep
        self.kept, self._busy = [], False

    def __call__(self, act):
        if not self._busy:
            self._busy = True
            place = os.path.join(self.target, str(len(self.kept)), "agents")
            os.makedirs(place)
            self._keep(self.store, os.path.join(place, "main"))
            self.kept.append((act, os.path.dirname(place)))
            self._busy = False

    def check(self):
        """Each is whole without being built again, and has everything; which generations were live, in order."""
        return list(dict.fromkeys(self._opened(act, home) for act, home in self.kept))

    def _opened(self, act, home):
        folder = os.path.join(home, "agents", "main", "index")
        with open(os.path.join(folder, "CURRENT")) as pointer:
            name = pointer.read().strip()
        again = Embedded(Path(home))
        assert {id for place in range(10) for id in again.find(f"number{place}")} == set(self.store.ids), act
        assert (again.index.live.name, again.index.live.rebuilt) == (name, 0), act
        check = again.index.live.ask(lambda c: c.execute("PRAGMA integrity_check").fetchall())
        assert check == [("ok",)], act
        again.index.close()
        return name


def killed(store, target):
    shutil.copytree(store.folder, target)


def without_power(store, target):
    """Journals are synced before they are acknowledged; of the index there is what the medium has."""
    store.disk.image(target)
    for name in os.listdir(store.folder):
        if name not in ("index", "locks") and os.path.isdir(store.folder / name):
            shutil.copytree(store.folder / name, os.path.join(target, name), dirs_exist_ok=True)


@pytest.mark.parametrize("keep", [killed, without_power])
def test_a_build_that_is_cut_anywhere_leaves_a_whole_generation(store, swift_path, keep):
    old = store.index.live.name
    store.disk.cut = cuts = Cuts(store, os.path.join(swift_path, "cuts"), keep)
    store.index.rebuild(store.all)
    store.disk.cut = lambda act: None
    assert len(cuts.kept) > 40
    assert cuts.check() == [old, store.index.generations.current()]


def test_no_file_of_a_build_is_ever_open_to_others(store):
    modes = set()

    def look(_act):
        for folder, folders, files in os.walk(store.folder / "index"):
            modes.update(("folder", os.lstat(os.path.join(folder, name)).st_mode & 0o777) for name in folders)
            modes.update((name, os.lstat(os.path.join(folder, name)).st_mode & 0o777) for name in files)

    before = os.umask(0)
    try:
        store.disk.cut = look
        store.index.rebuild(store.all)
        store.index.refresh(store.all, 2_000)
    finally:
        os.umask(before)
    assert {"index.db", "index.db-wal", "index.db-shm", "CURRENT"} <= {name for name, _ in modes}
    assert {mode for name, mode in modes if name != "folder"} == {0o600}
    assert {mode for name, mode in modes if name == "folder"} == {0o700}
