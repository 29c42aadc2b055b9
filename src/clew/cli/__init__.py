"""The command line: words in, objects from the workspace, tables or JSON out.

Separate from the workspace so that everything a command does can be done from Python as well. Command bodies import
what they need when they run: `clew --help` loads no numpy and no torch.
"""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any

ANSWERING = ("ask", "chat", "mcp", "predict", "serve")


def main() -> None:
    """Run the command line. Expected errors are one message on stderr and an exit code; bugs keep their traceback."""
    _wait_asleep()
    # To find plug-ins of pydantic, of which we use none, the files of every installed package would be read.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        from clew.cli.screen import Escaped

        sys.stdout, sys.stderr = Escaped(sys.stdout), Escaped(sys.stderr)
        warnings.showwarning = _warn
        _run()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        _flush()


def _wait_asleep() -> None:
    """Have the threads of the number libraries sleep while they wait, where the user says nothing else.

    Both settings are read when numpy and torch are loaded. The matrices of one question are small: numpy's second
    thread mostly spins, and on a busy machine of two cores a question then took 234 ms of processor time, not 84.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    if sys.argv[1:2] and sys.argv[1] in ANSWERING:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _run() -> None:
    from clew.cli.app import group
    from clew.errors import ClewError

    try:
        for number, argument in enumerate(sys.argv[1:], start=1):
            _check_argument(number, argument)
        group(sys.argv[1] if len(sys.argv) > 1 else "")(prog_name="clew")
    except ClewError as error:
        if os.environ.get("CLEW_DEBUG"):
            raise
        _end(str(error), error.exit_code)
    except BrokenPipeError:
        raise
    except OSError as error:  # a disk that is full, a folder that went away, a name that is too long
        if os.environ.get("CLEW_DEBUG"):
            raise
        name = "" if error.filename is None else f"{error.filename}: "
        _end(f"{name}{error.strerror or error}", 1)


def _end(message: str, code: int) -> None:
    _flush()
    sys.stderr.write(f"clew: {message}\n")
    sys.exit(code)


def _check_argument(number: int, argument: str) -> None:
    from clew.errors import InputError

    try:
        argument.encode()
    except UnicodeEncodeError:
        raise InputError(
            f"argument {number} is not UTF-8: {argument!r}; expected text, or a file under another name"
        ) from None


def _warn(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    """Our own warnings as one line; those of others are theirs to write about."""
    if category is UserWarning:
        sys.stderr.write(f"warning: {message}\n")


def _flush() -> None:
    """Write what is buffered now: that the reader is gone (`| head`) is no error, but would be one at exit."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
