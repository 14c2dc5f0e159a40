"""`satori install`, `satori uninstall`, `satori doctor`: terminal words around `satori.clients`.

Questions are asked in a terminal only; elsewhere --yes is required. It decides nothing about content.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from satori.cli.output import print_json
from satori.errors import UsageError

if TYPE_CHECKING:
    from satori.clients.installation import Installer, Outcome
    from satori.clients.plan import Plan

CLIENT_HELP = "auto (those found here), all, or client names; commas, blanks and repetition all work."


def _installer() -> Installer:
    from satori.clients.client import Surroundings
    from satori.clients.installation import Installer
    from satori.publication.state import default_state_root

    return Installer(default_state_root().absolute(), Surroundings.current())


def _names(options: Sequence[str], more: Sequence[str], default: str) -> list[str]:
    names = [name for item in (*options, *more) for name in item.replace(",", " ").split()]
    return names or [default]


@click.command()
@click.option("--client", "clients", multiple=True, metavar="NAME", help=CLIENT_HELP)
@click.argument("more", nargs=-1, metavar="[NAME]...")
@click.option("--embedder", default="", metavar="NAME", help="Choose what makes vectors: static, potion, ollama, ...")
@click.option("--embedder-model", default="", metavar="MODEL", help="Its model: a name, a folder, a hub's OWNER/NAME.")
@click.option("--reranker", default="", metavar="NAME", help="Choose a reranker: none, lateon, voyage, cohere.")
@click.option("--reranker-model", default="", metavar="MODEL", help="Its model: a name, a folder, a hub's OWNER/NAME.")
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="Another setting; repeatable.")
@click.option("--dry-run", is_flag=True, help="Print the exact changes and write nothing.")
@click.option("--yes", is_flag=True, help="Do not ask. Required without a terminal.")
def install(
    clients: tuple[str, ...],
    more: tuple[str, ...],
    embedder: str,
    embedder_model: str,
    reranker: str,
    reranker_model: str,
    assignments: tuple[str, ...],
    dry_run: bool,
    yes: bool,
) -> int:
    """Give agents Satori's tools: their configurations, the launcher, the skill.

    With --embedder, --reranker or --set provide what these need and write the user's settings instead
    (docs/providers.md); agents are then touched only when they are named too.
    """
    installer = _installer()
    wants_providers = bool(embedder or reranker or assignments)
    named = _names(clients, more, "" if wants_providers else "auto")
    chosen = installer.select(named) if named != [""] else ()
    providers = None
    if wants_providers:
        from satori.cli.providers import plan_providers

        providers = plan_providers(
            installer.state_root, embedder, embedder_model, reranker, reranker_model, assignments
        )
    elif embedder_model or reranker_model:
        raise UsageError("A model belongs to a provider.", next_step="Name it too: --embedder or --reranker")
    if not chosen and providers is None:
        raise UsageError("No supported agent was found here.", next_step="Name one: satori install --client codex")
    plans = installer.plan_installation(chosen)
    if providers is not None:
        providers.show()
    _show(plans)
    if dry_run:
        return 1 if any(plan.reason for plan in plans if plan.action.value == "refuse") else 0
    _confirm(plans, yes, "install", always=providers is not None)
    if providers is not None:
        from satori.cli.config import consequences
        from satori.cli.providers import carry_out

        carry_out(providers, installer.state_root)
        for line in consequences(*providers.values):
            click.echo(line)
        if not chosen:
            if installer.installed_clients():
                click.echo("Renewing the private environment of your agents ...", err=True)
                installer.provide_runtime()
            return 0
    from satori.runtime.payload import recorded_tools

    click.echo("Making the private environment ...", err=True)
    runtime = installer.provide_runtime()
    outcomes = installer.apply(plans)
    problems = list(installer.install_skill(outcome.client for outcome in outcomes if _is_good(outcome)))
    failures = installer.verify([outcome.client for outcome in outcomes if _is_good(outcome)], recorded_tools(runtime))
    _report(outcomes, failures)
    for problem in problems:
        click.echo(f"skill: {problem}", err=True)
    bad = [outcome for outcome in (*outcomes, *failures) if outcome.done in ("refused", "failed")]
    if not bad:
        click.echo("Restart running agents. Index a repository with: satori index PATH")
    return 1 if bad or problems else 0


@click.command()
@click.option("--client", "clients", multiple=True, metavar="NAME", help=CLIENT_HELP)
@click.argument("more", nargs=-1, metavar="[NAME]...")
@click.option("--dry-run", is_flag=True, help="Print the exact changes and write nothing.")
@click.option("--purge", is_flag=True, help="Also delete every index and all other state.")
@click.option("--yes", is_flag=True, help="Do not ask. Required without a terminal.")
def uninstall(clients: tuple[str, ...], more: tuple[str, ...], dry_run: bool, purge: bool, yes: bool) -> int:
    """Take Satori out of agents' configurations again; with the last one, the launcher and the skill."""
    installer = _installer()
    names = _names(clients, more, "")
    chosen = installer.select(names) if names != [""] else installer.installed_clients()
    plans = installer.plan_removal(chosen)
    _show(plans)
    if dry_run:
        return 0
    _confirm(plans, yes, "uninstall", destroys=purge)
    outcomes = installer.remove(plans)
    problems = installer.remove_skill(chosen)
    _report(outcomes, ())
    for problem in problems:
        click.echo(f"skill: {problem}", err=True)
    failed = any(outcome.done in ("refused", "failed") for outcome in outcomes)
    if not installer.installed_clients() and not failed:
        installer.remove_runtime()
        click.echo("Removed the launcher and its private environment.")
    if purge:
        installer.purge()
        click.echo(f"Removed all state under {installer.state_root}.")
    return 1 if failed or problems else 0


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.option("--full", is_flag=True, help="Also read every stored index from end to end.")
def doctor(as_json: bool, full: bool) -> int:
    """Check the installation, the agents, the runtimes and the stored indexes; each fault with its mending command."""
    from satori.clients.doctor import examine

    findings = examine(_installer(), full=full)
    if as_json:
        print_json({"findings": [finding.document() for finding in findings], "ok": not _failed(findings)})
    else:
        for finding in findings:
            mend = f"\n        {finding.mend}" if finding.mend else ""
            click.echo(f"{finding.level.value:>4}  {finding.subject}: {finding.reason}{mend}")
    return 1 if _failed(findings) else 0


def _failed(findings: Sequence[object]) -> bool:
    return any(getattr(finding, "level", "") == "fail" for finding in findings)


def _show(plans: Sequence[Plan]) -> None:
    for plan in plans:
        diff = plan.diff()
        if diff:
            click.echo(f"# {plan.client.title}")
            click.echo(diff, nl=False)
        elif plan.reason:
            click.echo(f"# {plan.client.title}: {plan.reason}", err=plan.action.value == "refuse")


def _confirm(plans: Sequence[Plan], yes: bool, verb: str, *, destroys: bool = False, always: bool = False) -> None:
    if yes or not (destroys or always or any(plan.diff() for plan in plans)):
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError("There is no terminal to ask in.", next_step=f"Repeat it with --yes: satori {verb} ... --yes")
    extra = " and delete every index" if destroys else ""
    click.confirm(f"Write these changes{extra}?", abort=True, err=True)


def _is_good(outcome: Outcome) -> bool:
    return outcome.done in ("created", "changed", "unchanged")


def _report(outcomes: Sequence[Outcome], failures: Sequence[Outcome]) -> None:
    failed = {outcome.client.name for outcome in failures}
    for outcome in (*outcomes, *failures):
        if outcome.done in ("refused", "failed"):
            click.echo(f"{outcome.client.title}: {outcome.done}. {outcome.file}: {outcome.problem}", err=True)
        elif outcome.client.name not in failed:
            note = f" ({outcome.problem})" if outcome.problem else ""
            click.echo(f"{outcome.client.title}: {outcome.done} {outcome.file}{note}")
