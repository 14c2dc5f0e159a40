"""`satori terminate` and `satori upgrade`: terminal words around `satori.runtime`. They touch no index."""

from __future__ import annotations

import click


@click.command()
def terminate() -> int:
    """End every running runtime of this state root. Indexes stay; the next request starts a new one."""
    from satori.publication.state import default_state_root
    from satori.runtime.owners import terminate as end_all

    ended = end_all(default_state_root().absolute())
    if not ended:
        click.echo("No runtime is running.")
    for owner, gone in ended:
        click.echo(f"{'Ended' if gone else 'Could not end'} {owner}.", err=not gone)
    return 0 if all(gone for _, gone in ended) else 1


@click.command()
@click.argument("requirement", default="")
def upgrade(requirement: str) -> int:
    """Fetch, verify and switch to a newer version; REQUIREMENT is what pip installs.

    Without one it is satori-code with the extras that are installed now.

    On any failure the version in use stays.
    """
    from satori.publication.state import default_state_root
    from satori.runtime.environment import DISTRIBUTION, installed_extras
    from satori.runtime.upgrade import upgrade as fetch_and_switch

    if not requirement:
        extras = installed_extras()
        requirement = f"{DISTRIBUTION}[{','.join(extras)}]" if extras else DISTRIBUTION
    click.echo(f"Fetching {requirement} into an environment of its own ...", err=True)
    directory, changed = fetch_and_switch(default_state_root().absolute(), requirement)
    click.echo(f"Now in use: Satori {directory.name}." if changed else f"Satori {directory.name} was in use already.")
    return 0
