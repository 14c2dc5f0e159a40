"""Files made to hang, mislead or escape: none is read, none stops the rest."""

from __future__ import annotations

import os
import socket
import stat
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from satori.errors import DeniedPathError, SourceError
from satori.source import reading, walk
from satori.source.reading import MissingFileError, SourceReader, UnstableFileError, open_root
from satori.source.scan import list_files, read_entry
from satori.source.skip import SkipReason
from tests.source.tree import paths, record, skips, write

pytestmark = pytest.mark.timeout(20)


def test_pipes_in_every_place_hang_nothing(tmp_path: Path) -> None:
    """A pipe named like source, a manifest, an ignore list or the settings is skipped, never opened for reading."""
    write(tmp_path, {"ok.py": "", "src/ok.py": ""})
    for name in ("src/pipe.py", "package.json", ".gitignore", ".satoriignore", "satori.toml", "src/.gitignore"):
        os.mkfifo(tmp_path / name)
    assert paths(tmp_path) == ["ok.py", "src/ok.py"]
    assert skips(tmp_path)["src/pipe.py"] == "not_regular"
    with SourceReader(tmp_path.resolve()) as reader:
        assert reader.read("src/pipe.py") is SkipReason.NOT_REGULAR
        assert reader.read("satori.toml") is SkipReason.NOT_REGULAR


def test_sockets_and_devices_are_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A socket and, where one can be made, a device node."""
    write(tmp_path, {"ok.py": ""})
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("s.py")
        expected = {"s.py": "not_regular"}
        try:
            os.mknod(tmp_path / "d.py", stat.S_IFCHR | 0o600, os.makedev(1, 5))
            expected["d.py"] = "not_regular"
        except OSError:
            pass
        assert skips(tmp_path) == expected
        with SourceReader(tmp_path.resolve()) as reader:
            for name in expected:
                assert reader.read(name) is SkipReason.NOT_REGULAR


def test_links_out_of_the_root_are_neither_listed_nor_read(tmp_path: Path) -> None:
    """A file link, a directory link, a dangling one and a loop; also through a linked directory's path."""
    outside = write(tmp_path / "outside", {"secret.py": "secret"})
    root = write(tmp_path / "root", {"ok.py": "", "d/ok.py": ""}).resolve()
    (root / "evil.py").symlink_to("/etc/passwd")
    (root / "out").symlink_to(outside)
    (root / "dangling.py").symlink_to("nowhere")
    (root / "loop").symlink_to(".")
    (root / "self.py").symlink_to("self.py")
    (root / "d/up").symlink_to("..")
    assert paths(root) == ["d/ok.py", "ok.py"]
    assert set(skips(root).values()) == {"symlink"}
    with SourceReader(root) as reader:
        for path in ("evil.py", "out/secret.py", "dangling.py", "loop/ok.py", "self.py", "d/up/ok.py"):
            assert reader.read(path) is SkipReason.SYMLINK


def test_two_hundred_links_to_one_file_count_once(tmp_path: Path) -> None:
    """Only the file itself is read."""
    write(tmp_path, {"one.py": ""})
    for index in range(200):
        (tmp_path / f"l{index}.py").symlink_to("one.py")
    assert paths(tmp_path) == ["one.py"]


def test_a_link_swapped_in_after_listing_is_not_read(tmp_path: Path) -> None:
    """The file, or a directory above it, becomes a link between listing and reading."""
    write(tmp_path / "outside", {"a.py": "secret", "b.py": "secret"})
    root = write(tmp_path / "root", {"a.py": "", "d/b.py": ""}).resolve()
    listing = list_files(root)
    (root / "a.py").unlink()
    (root / "a.py").symlink_to(tmp_path / "outside/a.py")
    (root / "d/b.py").unlink()
    (root / "d").rmdir()
    (root / "d").symlink_to(tmp_path / "outside")
    with SourceReader(root) as reader:
        for file in listing.files:
            entry, data = read_entry(reader, file, listing.profile)
            assert (entry.skip, data, entry.content_hash) == (SkipReason.SYMLINK, b"", "")


def test_a_directory_swapped_for_a_link_during_the_walk_is_not_entered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The walk sees a directory, and by the time it opens it there is a link."""
    write(tmp_path / "outside", {"a.py": "secret"})
    root = write(tmp_path / "root", {"d/b.py": "", "ok.py": ""}).resolve()
    real = reading.open_directory

    def swapped(parent: int, name: str) -> int:
        (root / "d/b.py").unlink()
        (root / "d").rmdir()
        (root / "d").symlink_to(tmp_path / "outside")
        return real(parent, name)

    monkeypatch.setattr(walk, "open_directory", swapped)
    assert paths(root) == ["ok.py"]


def test_a_root_below_a_replaced_directory_is_refused(tmp_path: Path) -> None:
    """A component above the root becomes a link after the root was resolved: nothing is opened."""
    root = write(tmp_path / "up/root", {"a.py": ""}).resolve()
    write(tmp_path / "evil/root", {"a.py": "other"})
    (tmp_path / "up").rename(tmp_path / "was")
    (tmp_path / "up").symlink_to("evil")
    with pytest.raises(SourceError, match="replaced"):
        open_root(root)
    with pytest.raises(SourceError, match="replaced"):
        list_files(root)


@pytest.mark.parametrize("path", ["../a", "a/../../b", "/etc/passwd", "", "a//b", "./a", "a/.", "a\0b", "a/"])
def test_paths_that_are_not_plainly_below_the_root_are_refused(tmp_path: Path, path: str) -> None:
    """Refused before any I/O, whatever lies there."""
    with SourceReader(tmp_path.resolve()) as reader, pytest.raises(DeniedPathError):
        reader.read(path)


def test_a_prefix_twin_is_another_directory(tmp_path: Path) -> None:
    """`/repo-evil` beside `/repo` cannot be reached from `/repo`."""
    write(tmp_path / "repo-evil", {"a.py": "evil"})
    root = write(tmp_path / "repo", {"b.py": ""}).resolve()
    with SourceReader(root) as reader, pytest.raises(DeniedPathError):
        reader.read("../repo-evil/a.py")


def test_secrets_are_refused_by_the_reader_itself(tmp_path: Path) -> None:
    """Even asked for by name, and in denied directories."""
    write(tmp_path, {".env": "A=1", "deploy/id_rsa": "k", ".git/config": "", ".ssh/config": ""})
    with SourceReader(tmp_path.resolve()) as reader:
        assert reader.read(".env") is SkipReason.SECRET
        assert reader.read("deploy/id_rsa") is SkipReason.SECRET
        assert reader.read(".ssh/config") is SkipReason.SECRET
        assert reader.read(".git/config") is SkipReason.VCS_INTERNAL


def test_a_missing_file_and_a_missing_directory_are_missing(tmp_path: Path) -> None:
    """Not an unreadable file: the caller may drop what is missing."""
    write(tmp_path, {"d/x.py": ""})
    with SourceReader(tmp_path.resolve()) as reader:
        for path in ("a.py", "no/such.py"):
            with pytest.raises(MissingFileError):
                reader.read(path)
        assert reader.read("d") is SkipReason.NOT_REGULAR


def test_a_file_replaced_while_it_is_read_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Renaming another file over it between opening and the end of reading gives the new file, never a mix."""
    root = write(tmp_path, {"a.py": "old"}).resolve()
    real = reading._read_up_to
    calls: list[int] = []

    def racing(descriptor: int, most: int, expected: int) -> bytes:
        data = real(descriptor, most, expected)
        if not calls:
            calls.append(1)
            write(root, {"new": "new text"})
            (root / "new").rename(root / "a.py")
        return data

    monkeypatch.setattr(reading, "_read_up_to", racing)
    with SourceReader(root) as reader:
        result = reader.read("a.py")
    assert not isinstance(result, SkipReason)
    assert result.data == b"new text"
    assert result.size == 8


@pytest.mark.parametrize("grow", [True, False])
def test_a_file_that_never_holds_still_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, grow: bool) -> None:
    """Appended to or truncated at each attempt: bounded attempts, then an error that keeps the previous entry."""
    root = write(tmp_path, {"a.py": "0123456789" * 10}).resolve()
    real = reading._read_up_to
    attempts: list[int] = []

    def racing(descriptor: int, most: int, expected: int) -> bytes:
        attempts.append(1)
        with (root / "a.py").open("r+b") as stream:
            if grow:
                stream.seek(0, 2)
                stream.write(b"more")
            else:
                stream.truncate(50 - len(attempts))
        return real(descriptor, most, expected)

    monkeypatch.setattr(reading, "_read_up_to", racing)
    with SourceReader(root) as reader, pytest.raises(UnstableFileError):
        reader.read("a.py")
    assert len(attempts) == 3


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Path]:
    """A file that another thread replaces by whole states as fast as it can."""
    file = tmp_path / "a.py"
    file.write_bytes(b"a" * 5000)
    stop = threading.Event()

    def write_on() -> None:
        turn = 0
        while not stop.is_set():
            turn += 1
            fresh = tmp_path / f"fresh{turn % 2}"
            fresh.write_bytes((b"a" if turn % 2 else b"b") * (5000 + turn % 7))
            fresh.rename(file)
            time.sleep(0.0005)

    thread = threading.Thread(target=write_on)
    thread.start()
    yield file
    stop.set()
    thread.join()


def test_reading_against_a_busy_writer_gives_whole_states(tmp_path: Path, writer: Path) -> None:
    """Every read is one state of one file, with the stamp of that state, or an honest failure."""
    whole = 0
    with SourceReader(tmp_path.resolve()) as reader:
        for _ in range(200):
            try:
                result = reader.read("a.py")
            except UnstableFileError:
                continue
            assert not isinstance(result, SkipReason)
            assert len(set(result.data)) == 1
            assert len(result.data) == result.stamp.size
            whole += 1
    assert whole > 0


def test_large_files_are_not_read(tmp_path: Path) -> None:
    """A sparse file above the cap costs nothing; a lower cap holds too, and exactly the cap is read."""
    root = write(tmp_path, {"ok.py": "x" * 100}).resolve()
    with (root / "big.py").open("wb") as stream:
        stream.truncate(50 * 1024 * 1024)
    assert skips(root) == {"big.py": "too_large"}
    with SourceReader(root) as reader:
        assert reader.read("big.py") is SkipReason.TOO_LARGE
        assert reader.read("ok.py", limit=99) is SkipReason.TOO_LARGE
        assert not isinstance(reader.read("ok.py", limit=100), SkipReason)


def test_names_that_utf8_cannot_carry_are_skipped_and_shown_escaped(tmp_path: Path) -> None:
    """A Latin-1 file name and a Latin-1 directory name: skipped with a reason, under a name that can be stored."""
    root = os.fsencode(write(tmp_path, {"ok.py": ""}))
    Path(os.fsdecode(root + b"/caf\xe9.py")).write_bytes(b"")
    Path(os.fsdecode(root + b"/d\xff")).mkdir()
    Path(os.fsdecode(root + b"/d\xff/x.py")).write_bytes(b"")
    found = skips(tmp_path)
    assert found == {"caf\\xe9.py": "undecodable_name", "d\\xff/": "undecodable_name"}
    for path in found:
        path.encode()
    assert record(tmp_path).merkle_root()


ODD_NAMES = [
    "Проект (é) 1/файл.py",
    "中文/文件.py",
    "sp ace.py",
    "quo'te\".py",
    "tab\t.py",
    "new\nline.py",
    " b/x.py",
    "rtl\u202e.py",
    "zero\u200bwidth.py",
    "back\\slash.py",
    "-rf.py",
    "😀.py",
    "e\u0301.py",
]


def test_odd_names_survive_listing_reading_and_comparison(tmp_path: Path) -> None:
    """CJK, spaces, quotes, tabs, line ends, backslashes, marks of direction and no width: bytes in, bytes out."""
    root = write(tmp_path / "Проект (é) 1", {name: name for name in ODD_NAMES}).resolve()
    assert paths(root) == sorted(ODD_NAMES)
    with SourceReader(root) as reader:
        for name in ODD_NAMES:
            result = reader.read(name)
            assert not isinstance(result, SkipReason)
            assert result.data.decode() == name


def test_very_deep_directories_end_with_a_reason(tmp_path: Path) -> None:
    """Three hundred levels: the walk ends at its limit, without running out of descriptors or stack."""
    place = os.open(write(tmp_path, {"ok.py": ""}), os.O_RDONLY)
    for _ in range(300):
        os.mkdir("d", dir_fd=place)
        below = os.open("d", os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = below
    os.close(place)
    assert paths(tmp_path) == ["ok.py"]
    assert list(skips(tmp_path).values()) == ["too_deep"]


def test_a_directory_that_vanishes_during_the_walk_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Deleted between being seen and being opened: not an error, not unreadable."""
    root = write(tmp_path, {"d/x.py": "", "ok.py": ""}).resolve()
    real = reading.open_directory

    def gone(parent: int, name: str) -> int:
        (root / "d/x.py").unlink()
        (root / "d").rmdir()
        return real(parent, name)

    monkeypatch.setattr(walk, "open_directory", gone)
    listing = list_files(root)
    assert [file.path for file in listing.files] == ["ok.py"]
    assert not listing.partial


def test_without_permission_the_rest_is_still_listed(tmp_path: Path) -> None:
    """As a user who may not enter a directory: it is named as unreadable, its neighbours are listed."""
    if os.geteuid() != 0:
        pytest.skip("needs root to become somebody else")
    root = write(tmp_path / "r", {"ok.py": "", "closed/x.py": "", "closed.py": ""}).resolve()
    for above in (root, tmp_path, tmp_path.parent, tmp_path.parent.parent):
        above.chmod(0o755)
    (root / "closed").chmod(0o700)
    (root / "closed.py").chmod(0o600)
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            listing = list_files(root)
            outcome = repr(([file.path for file in listing.files], listing.unreadable))
            with SourceReader(root) as reader:
                try:
                    reader.read("closed.py")
                except SourceError as error:
                    outcome += error.code
        except BaseException as error:
            outcome = repr(error)
        os.write(write_end, outcome.encode())
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as stream:
        outcome = stream.read().decode()
    os.waitpid(child, 0)
    assert outcome == repr((["closed.py", "ok.py"], ("closed/",))) + "source_unreadable"
