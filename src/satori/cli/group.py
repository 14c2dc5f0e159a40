"""The command group: commands are imported when they are called, and every error is told in plain sentences."""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from satori.cli.main import COMMANDS


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One line a command, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name the nearest command for a misspelt one."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            import difflib

            near = difflib.get_close_matches(args[0], COMMANDS, n=1, cutoff=0.5)
            hint = f" Did you mean `satori {near[0]}`?" if near else " Run `satori --help` for the list."
            raise click.UsageError(f"There is no command '{args[0][:60]}'.{hint}", ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--version", is_flag=True, help="Show the version and exit.", expose_value=False)
def cli() -> None:
    """Satori answers questions about a repository with evidence: owner symbols, exact source, freshness.

    State is kept in SATORI_STATE_ROOT, or in ~/.satori; nothing is written in the repository.
    """


def run() -> int:
    """Run the command line; returns the exit code."""
    from satori.errors import CancelledError, SatoriError, UsageError
    from satori.remote.keys import use_environment

    if sys.argv[1:2] != ["serve"]:
        # A person typed this; a server's environment is some client's.
        use_environment(os.environ)
    try:
        result = cli.main(prog_name="satori", standalone_mode=False)
        code = result if isinstance(result, int) else 0
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 2
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "satori"
        click.echo(f"satori: {error.format_message()}\nTry: {where} --help", err=True)
        return 2
    except click.ClickException as error:
        click.echo(f"satori: {error.format_message()}", err=True)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("satori: stopped; what was published before is unchanged.", err=True)
        return 130
    except BrokenPipeError:
        # The reader of our output is gone (`satori search … | head`); that is its right.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except CancelledError:
        click.echo("satori: stopped; what was published before is unchanged.", err=True)
        return 130
    except SatoriError as error:
        click.echo(f"satori: {error.message}", err=True)
        if error.next_step:
            click.echo(error.next_step, err=True)
        return 2 if isinstance(error, UsageError) else 1
    return code
