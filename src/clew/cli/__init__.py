"""The command line: words in, objects from the workspace, tables or JSON out.

Separate from the workspace so that everything a command does can be done from Python as well. Command bodies import
what they need when they run: `clew --help` loads no numpy and no torch.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line. Expected errors are one message on stderr and an exit code; bugs keep their traceback."""
    from clew.cli.app import app
    from clew.errors import ClewError

    try:
        app(prog_name="clew")
    except ClewError as error:
        if os.environ.get("CLEW_DEBUG"):
            raise
        _flush()
        sys.stderr.write(f"clew: {error}\n")
        sys.exit(error.exit_code)
    finally:
        _flush()


def _flush() -> None:
    """Write what is buffered now: that the reader is gone (`| head`) is no error, but would be one at exit."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
