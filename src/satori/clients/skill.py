"""Installs the one skill that tells agents how to work with Satori's tools.

SKILL.md goes to ~/.agents/skills/satori, which most agents read; for the others a link is made. A directory or link
that Satori did not make is refused and left. Deliberately absent: AGENTS.md, CLAUDE.md, hooks, project files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from satori.clients.apply import make_directories, read_configuration, replace_file
from satori.clients.client import Client, Surroundings
from satori.clients.formats import RefusedError
from satori.clients.receipts import ReceiptBook, SkillReceipt, digest

SKILL_NAME = "satori"


def skill_text() -> bytes:
    """The skill as shipped."""
    return Path(__file__).with_name("skill").joinpath("SKILL.md").read_bytes()


def skill_file(surroundings: Surroundings) -> Path:
    """Where the skill is installed."""
    return surroundings.home / ".agents" / "skills" / SKILL_NAME / "SKILL.md"


def install_skill(surroundings: Surroundings, clients: Iterable[Client], book: ReceiptBook) -> tuple[str, ...]:
    """Write the skill and link it for the clients that read their own directory.

    Returns:
        What was refused, one sentence each; () when all went well.

    Raises:
        StateError: a directory or file cannot be written.
    """
    file = skill_file(surroundings)
    text = skill_text()
    try:
        receipt = _write(file, text, book)
        problems: list[str] = []
    except RefusedError as error:
        return (error.message,)
    links = list(receipt.links)
    for client in clients:
        if client.skill_link is None:
            continue
        try:
            link = _link(client.skill_link(surroundings) / SKILL_NAME, file.parent, book)
        except RefusedError as error:
            problems.append(error.message)
            continue
        if link not in links:
            links.append(link)
        book.put_skill(replace(receipt, links=tuple(links)))
    return tuple(problems)


def uninstall_skill(surroundings: Surroundings, book: ReceiptBook) -> tuple[str, ...]:
    """Remove the links and the skill, as far as they still are as they were made; returns what was left and why."""
    receipt = book.skill()
    if receipt is None:
        return ()
    file = Path(receipt.file)
    problems = []
    for name in receipt.links:
        link = Path(name)
        if link.is_symlink() and Path(os.path.realpath(link)) == Path(os.path.realpath(file.parent)):
            link.unlink()
        elif os.path.lexists(link):
            problems.append(f"{link} is not Satori's link any more and was left.")
    data = read_configuration(file)
    if data is not None and digest(data) == receipt.content:
        replace_file(file, data, None)
        with suppress(OSError):
            file.parent.rmdir()
    elif data is not None:
        problems.append(f"{file} was changed since it was installed and was left.")
    book.put_skill(None)
    book.release_directories()
    return tuple(problems)


def unlink_skill(surroundings: Surroundings, clients: Iterable[Client], book: ReceiptBook) -> None:
    """Remove the links of some clients only."""
    receipt = book.skill()
    if receipt is None:
        return
    gone = [str(client.skill_link(surroundings) / SKILL_NAME) for client in clients if client.skill_link is not None]
    for name in gone:
        if name in receipt.links and Path(name).is_symlink():
            Path(name).unlink()
    book.put_skill(replace(receipt, links=tuple(link for link in receipt.links if link not in gone)))
    book.release_directories()


def _write(file: Path, text: bytes, book: ReceiptBook) -> SkillReceipt:
    earlier = book.skill()
    data = read_configuration(file)
    mine = earlier is not None and data is not None and digest(data) == earlier.content
    if data not in (None, text) and not mine:
        raise RefusedError(f"{file} was not written by Satori and was left. Move it away, then run `satori install`.")
    book.note_directories(make_directories(file.parent))
    receipt = SkillReceipt(str(file), digest(text), earlier.links if earlier else ())
    book.put_skill(receipt)
    if data != text:
        replace_file(file, data, text)
    return receipt


def _link(link: Path, target: Path, book: ReceiptBook) -> str:
    if os.path.realpath(link) == os.path.realpath(target):
        return str(link)
    if os.path.lexists(link):
        what = "a link to something else" if link.is_symlink() else "a real directory or file"
        raise RefusedError(f"{link} is {what} and was left. Move it away, then run `satori install`.")
    book.note_directories(make_directories(link.parent))
    link.symlink_to(target, target_is_directory=True)
    return str(link)
