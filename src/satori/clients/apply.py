"""Carries plans out: one backup, one temporary file, one rename, and only if the file is still what was planned from.

Symbolic links are followed to the file they name, which is replaced in its own directory, so links stay links.
Deliberately absent: any decision about content.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

from satori.clients.formats import RefusedError
from satori.clients.plan import Action, Plan
from satori.clients.receipts import Receipt, ReceiptBook, digest
from satori.errors import StateError

SIZE_LIMIT = 16 << 20
"""Bytes; agents' own state files reach some megabytes, nothing hand-written does."""


def read_configuration(path: Path) -> bytes | None:
    """The file's bytes, None when nothing is there.

    Raises:
        RefusedError: not a regular file, a dangling link, larger than 16 MiB, or unreadable.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        if os.path.lexists(path):
            raise RefusedError(f"{path} is a link to a file that does not exist.") from None
        return None
    except OSError as error:
        raise RefusedError(f"{path} cannot be read: {os.strerror(error.errno or 0)}.") from error
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise RefusedError(f"{path} is not a regular file.")
    with os.fdopen(descriptor, "rb") as file:
        if status.st_size > SIZE_LIMIT:
            raise RefusedError(f"{path} is larger than {SIZE_LIMIT >> 20} MiB.")
        return file.read(SIZE_LIMIT + 1)


def apply_install(plan: Plan, book: ReceiptBook) -> None:
    """Write a planned installation and its receipt.

    Raises:
        RefusedError: the file changed since the plan.
        StateError: the file, its directory or the state root cannot be written; the configuration is then as before.
    """
    if plan.action not in (Action.CREATE, Action.CHANGE):
        return
    assert plan.after is not None
    earlier = book.clients().get(plan.client.name)
    book.note_directories(make_directories(plan.file.parent))
    if plan.base is not None:
        book.save_backup(plan.client.name, plan.base)
    unchanged_since = earlier is not None and plan.before is not None and digest(plan.before) == earlier.after
    if earlier is not None and unchanged_since:
        if earlier.before is not None and plan.base is not None and earlier.before != digest(plan.base):
            before: str | None = digest(plan.base)
        else:
            before = earlier.before
    else:
        before = None if plan.base is None else digest(plan.base)
    receipt = Receipt(
        file=str(plan.file),
        before=before,
        after=digest(plan.after),
        created_container=plan.created_container,
    )
    # The receipt goes first: after a crash in between, an uninstall finds either no entry or its receipt.
    book.put(plan.client.name, receipt)
    replace_file(plan.file, plan.before, plan.after)


def apply_uninstall(plan: Plan, book: ReceiptBook) -> None:
    """Write a planned removal, take back what was created for it, and forget the receipt.

    Raises:
        RefusedError, StateError: as `apply_install`; the receipt is then kept.
    """
    receipt = book.clients().get(plan.client.name)
    if plan.action is Action.REFUSE:
        return
    if plan.action in (Action.CHANGE, Action.DELETE):
        replace_file(plan.file, plan.before, plan.after)
    if receipt is not None:
        book.put(plan.client.name, None)
        if receipt.before is not None:
            book.drop_backup(plan.client.name, receipt.before)
        book.release_directories()


def replace_file(path: Path, before: bytes | None, after: bytes | None) -> None:
    """Replace the file's bytes in one step (None deletes it), if they are still `before`; mode and owner stay.

    Raises:
        RefusedError: the file changed meanwhile.
        StateError: it cannot be written.
    """
    target = Path(os.path.realpath(path))
    try:
        if after is None:
            _require_unchanged(path, before)
            target.unlink()
            return
        temporary = target.with_name(f".{target.name}.satori-{os.getpid()}-{os.urandom(4).hex()}")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                if before is not None:
                    status = target.stat()
                    if (status.st_uid, status.st_gid) != (os.geteuid(), os.getegid()):
                        with suppress(PermissionError):
                            os.fchown(file.fileno(), status.st_uid, status.st_gid)
                    os.fchmod(file.fileno(), stat.S_IMODE(status.st_mode))
                file.write(after)
                file.flush()
                os.fsync(file.fileno())
            _require_unchanged(path, before)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise StateError(
            f"{path} could not be written: {os.strerror(error.errno or errno.EIO)}.",
            next_step="Fix its permissions or free space, then run the same command again.",
            code="configuration_unwritable",
        ) from error


def _require_unchanged(path: Path, before: bytes | None) -> None:
    if read_configuration(path) != before:
        raise RefusedError(f"{path} changed while Satori was about to write it. Run the same command again.")


def make_directories(path: Path) -> tuple[str, ...]:
    """Make the directory and its parents; the ones that were missing, outermost first."""
    missing: list[Path] = []
    current = path
    while not current.is_dir():
        if os.path.lexists(current):
            raise RefusedError(f"{current} is not a directory.")
        missing.append(current)
        current = current.parent
    missing.reverse()
    try:
        for directory in missing:
            directory.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise StateError(
            f"{path} could not be made: {os.strerror(error.errno or errno.EIO)}.",
            next_step="Fix the permissions of its parent, then run the same command again.",
            code="configuration_unwritable",
        ) from error
    return tuple(str(directory) for directory in missing)
