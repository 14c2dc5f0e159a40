"""Installs Satori into agents and takes it out again: selection, plans, private environment, skill, verification.

Each step leaves a state that the next run understands. Deliberately absent: terminal output and questions, which are
`satori.cli.install`'s.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from satori.clients.apply import apply_install, apply_uninstall, read_configuration
from satori.clients.catalogue import CLIENT_NAMES, CLIENTS, client_named
from satori.clients.client import Client, Surroundings, launcher_of
from satori.clients.formats import RefusedError
from satori.clients.plan import Action, Plan, find_entry, is_managed, plan_install, plan_uninstall
from satori.clients.probe import Probe, probe
from satori.clients.receipts import ReceiptBook
from satori.clients.skill import install_skill, uninstall_skill, unlink_skill
from satori.errors import SatoriError, StateError, UsageError
from satori.runtime import environment
from satori.runtime.owners import terminate
from satori.runtime.paths import RuntimeDirectory, launcher_command


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one client."""

    client: Client
    file: Path
    done: str
    """created, changed, removed, deleted, unchanged, refused or failed."""
    problem: str = ""
    """Why it was refused or failed, with what to do."""


@dataclass(frozen=True, slots=True)
class Installer:
    """The clients around one home directory and the state root they shall be served from."""

    state_root: Path
    surroundings: Surroundings

    @property
    def launcher(self) -> str:
        """The absolute command that configurations name."""
        return str(launcher_command(self.state_root))

    @property
    def book(self) -> ReceiptBook:
        """What was installed."""
        return ReceiptBook(self.state_root)

    def select(self, names: Sequence[str]) -> tuple[Client, ...]:
        """The clients meant by `auto`, `all` or names.

        Raises:
            UsageError: an unknown name; the message names the nearest.
        """
        if "all" in names:
            return CLIENTS
        chosen: list[Client] = []
        for name in names or ("auto",):
            if name == "auto":
                chosen.extend(client for client in CLIENTS if client.detected(self.surroundings))
                continue
            client = client_named(name)
            if client is None:
                import difflib

                near = difflib.get_close_matches(name, CLIENT_NAMES, n=1)
                meant = f" Did you mean {near[0]}?" if near else ""
                raise UsageError(
                    f"There is no client '{name[:60]}'.{meant}",
                    next_step=f"Clients: auto, all, {', '.join(CLIENT_NAMES)}",
                )
            chosen.append(client)
        return tuple(client for client in CLIENTS if client in chosen)

    def installed_clients(self) -> tuple[Client, ...]:
        """The clients that have a receipt."""
        receipts = self.book.clients()
        return tuple(client for client in CLIENTS if client.name in receipts)

    def file(self, client: Client) -> Path:
        """The configuration that an earlier installation edited, else the one to edit now."""
        receipt = self.book.clients().get(client.name)
        return Path(receipt.file) if receipt is not None else client.file(self.surroundings)

    def plan_installation(self, clients: Iterable[Client]) -> tuple[Plan, ...]:
        """What installing would do; nothing is written."""
        receipts = self.book.clients()
        plans = []
        for client in clients:
            file = self.file(client)
            try:
                data = read_configuration(file)
            except RefusedError as error:
                plans.append(Plan(client, file, Action.REFUSE, None, None, reason=error.message))
                continue
            plans.append(plan_install(client, file, data, self.launcher, receipts.get(client.name)))
        return tuple(plans)

    def plan_removal(self, clients: Iterable[Client]) -> tuple[Plan, ...]:
        """What uninstalling would do; nothing is written."""
        receipts = self.book.clients()
        plans = []
        for client in clients:
            file = self.file(client)
            receipt = receipts.get(client.name)
            kept = receipt is not None and receipt.before is not None
            backup = self.book.load_backup(client.name, receipt.before) if kept and receipt and receipt.before else None
            try:
                data = read_configuration(file)
            except RefusedError as error:
                plans.append(Plan(client, file, Action.REFUSE, None, None, reason=error.message))
                continue
            plans.append(plan_uninstall(client, file, data, self.launcher, receipt, backup))
        return tuple(plans)

    def provide_runtime(self) -> RuntimeDirectory:
        """Make the private environment and point the launcher at it. Raises SatoriError."""
        directory = environment.provide(self.state_root)
        environment.switch(directory)
        environment.sweep(self.state_root)
        return directory

    def apply(self, plans: Iterable[Plan]) -> tuple[Outcome, ...]:
        """Carry out an installation's plans, each by itself: one that fails does not stop the others."""
        return tuple(self._apply(plan, removal=False) for plan in plans)

    def remove(self, plans: Iterable[Plan]) -> tuple[Outcome, ...]:
        """Carry out a removal's plans, each by itself."""
        return tuple(self._apply(plan, removal=True) for plan in plans)

    def _apply(self, plan: Plan, *, removal: bool) -> Outcome:
        if plan.action is Action.REFUSE:
            return Outcome(plan.client, plan.file, "refused", plan.reason)
        try:
            (apply_uninstall if removal else apply_install)(plan, self.book)
        except SatoriError as error:
            return Outcome(plan.client, plan.file, "failed", str(error))
        done = {
            Action.CREATE: "created",
            Action.CHANGE: "removed" if removal else "changed",
            Action.DELETE: "deleted",
            Action.NONE: "unchanged",
        }[plan.action]
        return Outcome(plan.client, plan.file, done, plan.reason if removal and plan.action is Action.NONE else "")

    def install_skill(self, clients: Iterable[Client]) -> tuple[str, ...]:
        """Install the skill for these clients; returns what was refused. Raises StateError."""
        return install_skill(self.surroundings, clients, self.book)

    def remove_skill(self, clients: Sequence[Client]) -> tuple[str, ...]:
        """Take the skill's links of these clients away, and the skill with the last client."""
        if self.installed_clients():
            unlink_skill(self.surroundings, clients, self.book)
            return ()
        return uninstall_skill(self.surroundings, self.book)

    def verify(self, clients: Iterable[Client], expected: Sequence[str]) -> tuple[Outcome, ...]:
        """Start what each client's configuration names and compare its tools; the clients that fail, with why."""
        failures = []
        probes: dict[str, Probe | str] = {}
        for client in clients:
            file = self.file(client)
            command = self.effective_command(client)
            if command is None:
                failures.append(Outcome(client, file, "failed", f"{file} holds no entry of Satori."))
                continue
            if command not in probes:
                try:
                    probes[command] = probe([command], environment=dict(self.surroundings.environment))
                except SatoriError as error:
                    probes[command] = str(error)
            found = probes[command]
            if isinstance(found, str):
                why = f"{command} does not work: {found} Run `satori doctor`."
                failures.append(Outcome(client, file, "failed", why))
            elif list(found.tools) != list(expected):
                why = f"{command} offers {', '.join(found.tools) or 'no tool'}. Run `satori install` again."
                failures.append(Outcome(client, file, "failed", why))
        return tuple(failures)

    def effective_command(self, client: Client) -> str | None:
        """The command that the client's configuration names for Satori's own entry."""
        try:
            entry = find_entry(client, read_configuration(self.file(client)))
        except RefusedError:
            return None
        return launcher_of(entry.value) if entry is not None and is_managed(entry, self.launcher) else None

    def remove_runtime(self) -> None:
        """End the runtimes and remove launcher and private environments; indexes stay."""
        terminate(self.state_root)
        for name in ("bin", "runtimes"):
            shutil.rmtree(self.state_root / name, ignore_errors=True)
        self.book.forget()
        with suppress(OSError):
            self.state_root.rmdir()

    def purge(self) -> None:
        """Remove everything under the state root, indexes too.

        Raises:
            UsageError: clients still name the launcher.
            StateError: something could not be removed.
        """
        left = self.installed_clients()
        if left:
            names = " ".join(client.name for client in left)
            raise UsageError(
                f"These clients still start Satori: {names}.", next_step="Run: satori uninstall --client all --purge"
            )
        if self.state_root.resolve() in (Path("/"), self.surroundings.home.resolve()):
            raise UsageError(f"{self.state_root} is no state root.", next_step="Set SATORI_STATE_ROOT.")
        self.remove_runtime()
        for name in STATE_NAMES:
            path = self.state_root / name
            try:
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                else:
                    path.unlink(missing_ok=True)
            except OSError as error:
                raise StateError(f"{path} could not be removed: {error.strerror}.", next_step="Remove it.") from error
        with suppress(OSError):
            self.state_root.rmdir()


STATE_NAMES = ("clients", "codebases", "cache", "models", "owners", "logs", "shell-codebases.json")
"""What Satori keeps under a state root beside bin/ and runtimes/; a purge removes these and nothing else."""
