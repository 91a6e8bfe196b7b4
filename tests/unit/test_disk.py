import errno
import os
import socket

import pytest

from holdfast.disk import (
    REAL,
    Attempt,
    Disk,
    make_private_dir,
    read_file,
    refused,
    remove_tree,
    risky_filesystem,
    write_all,
    write_atomic,
)
from holdfast.errors import StorageFailed
from holdfast.testing.disk import FaultyDisk, PowerLossDisk


@pytest.fixture(params=[0o000, 0o022, 0o777])
def umask(request):
    before = os.umask(request.param)
    yield
    os.umask(before)


def mode(path):
    return os.stat(path).st_mode & 0o777


def test_files_and_directories_are_private_whatever_the_umask(tmp_path, umask):
    make_private_dir(REAL, str(tmp_path / "a" / "b"))
    write_atomic(REAL, str(tmp_path / "a" / "b" / "file"), b"x")
    os.close(REAL.open(str(tmp_path / "a" / "b" / "other"), os.O_WRONLY | os.O_CREAT))
    assert [mode(tmp_path / name) for name in ("a", "a/b", "a/b/file", "a/b/other")] == [0o700, 0o700, 0o600, 0o600]


def test_descriptors_are_not_inherited_by_programs(tmp_path):
    fd = REAL.open(str(tmp_path / "file"), os.O_RDWR | os.O_CREAT)
    assert not os.get_inheritable(fd)
    os.close(fd)


def test_short_writes_are_finished(tmp_path):
    class Short(Disk):
        def write(self, fd, data):
            return super().write(fd, data[:3])

    fd = REAL.open(str(tmp_path / "file"), os.O_WRONLY | os.O_CREAT)
    write_all(Short(), fd, b"0123456789")
    os.close(fd)
    assert (tmp_path / "file").read_bytes() == b"0123456789"


def test_a_write_without_progress_is_an_error_and_no_endless_loop():
    class Stuck(Disk):
        def write(self, fd, data):
            return 0

    with pytest.raises(OSError, match="no progress"):
        write_all(Stuck(), 0, b"x")


def test_a_file_of_any_size_is_read_whole(tmp_path):
    data = os.urandom(3_000_017)
    (tmp_path / "file").write_bytes(data)
    assert read_file(REAL, str(tmp_path / "file")) == data


def test_an_atomic_write_that_fails_anywhere_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "file"
    injected = 0
    for call in range(1, 20):
        path.write_bytes(b"old")
        disk = FaultyDisk(call, errno.ENOSPC)
        try:
            write_atomic(disk, str(path), b"new")
        except OSError:
            assert path.read_bytes() in (b"old", b"new")
            assert os.listdir(tmp_path) == ["file"]
        else:
            assert path.read_bytes() == b"new"
        injected += disk.injected
    assert injected >= 4


def test_an_atomic_write_survives_a_loss_of_power_as_a_whole(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    disk = PowerLossDisk(str(root))
    write_atomic(disk, str(root / "file"), b"first")
    disk.image(str(tmp_path / "after"))
    assert (tmp_path / "after" / "file").read_bytes() == b"first"
    disk.close_all()


def test_what_was_not_synced_does_not_survive(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    disk = PowerLossDisk(str(root))
    fd = disk.open(str(root / "file"), os.O_WRONLY | os.O_CREAT)
    disk.write(fd, b"data")
    disk.image(str(tmp_path / "no-name"))
    assert not os.listdir(tmp_path / "no-name")
    disk.sync_dir(str(root))
    disk.image(str(tmp_path / "no-data"))
    assert (tmp_path / "no-data" / "file").read_bytes() == b""
    disk.sync(fd)
    disk.image(str(tmp_path / "all"))
    assert (tmp_path / "all" / "file").read_bytes() == b"data"
    disk.close(fd)
    disk.close_all()


def test_private_directories_tolerate_what_exists_and_refuse_a_file_in_the_way(tmp_path):
    make_private_dir(REAL, str(tmp_path / "a"))
    make_private_dir(REAL, str(tmp_path / "a"))
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(NotADirectoryError):
        make_private_dir(REAL, str(tmp_path / "file"))


def test_a_tree_is_removed_without_following_links(tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "kept").write_bytes(b"")
    (tmp_path / "tree" / "deep").mkdir(parents=True)
    (tmp_path / "tree" / "deep" / "file").write_bytes(b"")
    os.symlink(tmp_path / "outside", tmp_path / "tree" / "link")
    remove_tree(REAL, str(tmp_path / "tree"))
    remove_tree(REAL, str(tmp_path / "tree"))
    assert os.listdir(tmp_path) == ["outside"]
    assert os.listdir(tmp_path / "outside") == ["kept"]


def test_locks_exclude_and_are_freed(tmp_path):
    path = str(tmp_path / "lock")
    first, second = (REAL.open(path, os.O_RDWR | os.O_CREAT) for _ in range(2))
    assert REAL.lock(first)
    assert not REAL.lock(second)
    REAL.unlock(first)
    assert REAL.lock(second, exclusive=False)
    assert REAL.lock(first, exclusive=False)
    os.close(first)
    os.close(second)


def test_an_error_says_what_failed_where_and_what_to_do():
    error = refused("write to", "/home/x", OSError(errno.ENOSPC, "full"))
    assert "write to /home/x" in str(error)
    assert "ENOSPC" in str(error)
    assert "free some space" in str(error)
    assert error.details == {"errno": "ENOSPC", "path": "/home/x", "act": "write to"}


def test_an_attempt_types_errors_of_the_system_only():
    with pytest.raises(StorageFailed), Attempt("read", "x"):
        raise PermissionError(errno.EACCES, "no")
    with pytest.raises(KeyError), Attempt("read", "x"):
        raise KeyError


MOUNTS = """\
/dev/sda1 / ext4 rw 0 0
server:/export /home/net nfs4 rw 0 0
//nas/share /mnt/my\\040nas cifs rw 0 0
user@host:/ /mnt/ssh fuse.sshfs rw 0 0
/dev/sdb1 /home/net/local xfs rw 0 0
"""


@pytest.mark.parametrize(
    ("path", "risk"),
    [
        ("/home/net/ana", "nfs4"), ("/mnt/my nas/x", "cifs"), ("/mnt/ssh", "sshfs"), ("/home/net/local/x", None),
        ("/home/network", None), ("/home/ana/Dropbox/memory", "Dropbox"), ("/x/OneDrive - Work/y", "OneDrive"),
        ("/Users/a/Library/Mobile Documents/z", "Mobile"), ("/a/Google Drive/b", "Google"), ("/home/ana", None),
    ],
)  # fmt: skip
def test_risky_places_are_recognised(path, risk, tmp_path, monkeypatch):
    mounts = tmp_path / "mounts"
    mounts.write_text(MOUNTS)
    real = open
    monkeypatch.setattr("builtins.open", lambda name, *rest, **named: real(
        mounts if name == "/proc/self/mounts" else name, *rest, **named))  # fmt: skip
    found = risky_filesystem(path)
    assert (risk in found) if risk else found is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("flags", [os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_RDWR | os.O_APPEND | os.O_CREAT])
@pytest.mark.parametrize("kind", ["pipe", "socket", "directory", "device"])
def test_what_is_no_file_is_told_at_once_and_never_waited_for(tmp_path, kind, flags):
    path = str(tmp_path / "it")
    with socket.socket(socket.AF_UNIX) as bound:
        if kind == "pipe":
            os.mkfifo(path)
        elif kind == "socket":
            bound.bind(path)
        elif kind == "directory":
            os.mkdir(path)
        else:
            os.symlink(os.devnull, path)
        with pytest.raises(StorageFailed, match="move it away") as failed, Attempt("read", path):
            REAL.open(path, flags)
    assert failed.value.details["errno"] == ("EISDIR" if kind == "directory" else "ENXIO")
    assert failed.value.unreadable


def test_whoever_reads_is_told_which_file_it_was(tmp_path):
    with pytest.raises(StorageFailed, match=r"could not read .*inner") as failed, Attempt("read", str(tmp_path)):
        REAL.open(str(tmp_path / "inner"), os.O_RDONLY)
    assert failed.value.details["path"] == str(tmp_path / "inner")


@pytest.mark.parametrize(("number", "unreadable"), [(errno.EIO, True), (errno.EACCES, True), (errno.EMFILE, False)])
def test_too_many_open_files_say_nothing_of_the_one_that_was_to_be_read(number, unreadable):
    assert refused("read", "/a", OSError(number, "")).unreadable is unreadable
    assert not refused("write to", "/a", OSError(number, "")).unreadable
