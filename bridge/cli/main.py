"""`pp`: one file a verb, loaded when it is called; errors become a sentence and an exit code."""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

VERBS: dict[str, str] = {
    "init": "Make a folder a memex: start its journal.",
    "sync": "Read what changed in the prose, the journal and the ontology.",
    "status": "Counts, the queue, and whether the foundation is sufficient.",
    "doctor": "Check the memex, the journal and the index.",
    "rebuild": "Throw the index away, build it again, compare the digests.",
    "propose": "Put candidates into the review queue.",
    "admit": "Review the queue: list it, let the machine decide, or decide.",
    "declare": "State a fact yourself.",
    "reject": "Refuse a proposal or a fact, for good.",
    "retract": "Withdraw a fact.",
    "supersede": "Replace a fact by another.",
    "settle": "Close a conflict.",
    "reconcile": "Decide between devices.",
    "undo": "Take a decision back.",
    "redact": "Blank what journal lines say, everywhere.",
    "query": "Ask for facts.",
    "search": "Find headings by words and nearness.",
    "ontology": "Classes, relations and policies.",
    "rules": "Rules: what runs, what is wrong, what may feed gates.",
    "audit": "Where a fact comes from, back to a heading.",
    "why": "Why a fact stands or falls, or a proposal was refused.",
    "why-not": "What single change would let a proposal in.",
    "contradictions": "Open conflicts, with both chains.",
    "timeline": "The history of an entity.",
    "backup": "Write the memex to one file.",
    "restore": "Put a backup into a folder, verified.",
    "models": "The models that may propose: list, check, serve a scripted one.",
}
"""Every verb with its one-line help; `pp VERB` lives in bridge/cli/VERB.py as `command`."""

_MODULES = {"init": "init_", "import": "import_", "why-not": "why_not"}


class Verbs(click.Group):
    """A group that imports a verb's module only when the verb is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in the order people use them."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a verb's command."""
        if cmd_name not in VERBS:
            return None
        module = import_module(f"bridge.cli.{_MODULES.get(cmd_name, cmd_name)}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of verbs without importing any."""
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name verbs that are near a mistyped one."""
        verb = args[0] if args else ""
        if verb and verb not in VERBS and not verb.startswith("-"):
            from difflib import get_close_matches  # only when somebody mistypes

            near = get_close_matches(verb, VERBS, n=3)
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            ctx.fail(f"there is no verb '{verb}'.{hint}")
        return super().resolve_command(ctx, args)


@click.command(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: pp init ~/notes && pp sync && pp query 'nabokov ? ?'",
)
@click.version_option(package_name="passepartout-memex", prog_name="pp")
@click.option("--memex", metavar="DIR", help="The folder of Org files (PP_MEMEX).")
@click.option("--state", metavar="DIR", help="Where the indices live (PP_STATE).")
@click.option("--now", metavar="T", help="The time instead of the clock's (PP_NOW).")
@click.option("--break-lock", is_flag=True, help="Take the lock from a host that is surely gone.")
@click.pass_context
def pp(
    ctx: click.Context, memex: str | None, state: str | None, now: str | None, break_lock: bool
) -> None:
    """Passepartout: reason over a folder of Org files, and see where every answer comes from."""
    ctx.obj = {"memex": memex, "state": state, "now": now, "break_lock": break_lock}


def main(argv: list[str] | None = None) -> None:
    """Run `pp` and exit with the code that DESIGN's table gives the outcome."""
    sys.exit(run(sys.argv[1:] if argv is None else argv))


def run(argv: list[str]) -> int:
    """Run `pp` with `argv` and return its exit code."""
    out = sys.stdout
    try:
        code = pp.main(args=argv, prog_name="pp", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.Abort:
        click.echo("stopped; what was decided before is kept", err=True)
        return 130
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except BrokenPipeError:
        return _reader_gone()
    except SystemExit as stop:
        # click turns a broken pipe into exit 1 and wraps stdout; for us it is no failure.
        if sys.stdout is not out:
            return _reader_gone()
        return stop.code if isinstance(stop.code, int) else 1
    except Exception as error:
        return _told(error)
    return code if isinstance(code, int) else 0


def _reader_gone() -> int:
    """Be quiet where the reader has gone (`| head`): nothing more can be said to it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _told(error: Exception) -> int:
    import sqlite3  # neither of these is needed for --help

    from symbolic.errors import PpError
    from symbolic.store.refusal import refused

    if isinstance(error, sqlite3.Error):
        error = refused(error, "the index") or error
    if isinstance(error, PpError):
        click.echo(f"pp: {error.message}", err=True)
        return error.exit_code
    raise error


if __name__ == "__main__":
    main()
