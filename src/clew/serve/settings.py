"""What may be set about a serving process, with its limits.

Kept apart so that the command line can show and check it without loading a web framework.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from clew.config import Settings
from clew.errors import ConfigError

LOOPBACK = ("127.0.0.1", "::1", "localhost")


class ServiceLimits(Settings):
    """What one client, one question and the whole process may use."""

    body: int = Field(default=256_000, ge=1_000)  # bytes of a request
    question: int = Field(default=2_000, ge=10)  # characters
    seconds: float = Field(default=60.0, gt=0)  # from the last byte of a request to the last byte of its reply
    header_s: float = Field(default=10.0, gt=0)  # for a client to send its headers
    body_s: float = Field(default=15.0, gt=0)  # for a client to send its body
    waiting: int = Field(default=256, ge=1)  # requests under way at once; one more is refused
    connections: int = Field(default=1_000, ge=1)
    batch: int = Field(default=32, ge=1)  # questions answered together
    rate: float = Field(default=0.0, ge=0)  # requests a second of one client; 0: no limit
    burst: int = Field(default=40, ge=1)  # requests a client may be ahead of its rate


class ServeSettings(Settings):
    """Where and how to serve."""

    host: str = "127.0.0.1"
    port: int = Field(default=8420, ge=0, le=65535)
    token: str = ""  # what a client must present; empty: none is needed, which only loopback addresses allow
    names: tuple[str, ...] = ()  # host names this process answers to beside loopback ones
    log_questions: bool = False
    reload_s: float = Field(default=1.0, gt=0)  # between two looks at whether a graph changed on disk
    grace_s: float = Field(default=20.0, gt=0)  # for requests under way when the process is asked to stop
    limits: ServiceLimits = ServiceLimits()

    @property
    def loopback(self) -> bool:
        return self.host in LOOPBACK or self.host.startswith("127.")

    def checked(self) -> ServeSettings:
        """Itself. Raises ConfigError where an address beyond this machine has no token."""
        if not self.loopback and not self.token:
            raise ConfigError(
                f"host {self.host!r}: other machines could read the graphs; set a token in the environment variable "
                "CLEW_TOKEN or a file (--token-file), or leave out --host to serve this machine only"
            )
        if self.token and len(self.token) < 16:
            raise ConfigError(f"the token has {len(self.token)} characters, expected at least 16")
        return self


def read_token(file: Path) -> str:
    """The token in a file. Raises ConfigError where there is none."""
    try:
        token = file.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ConfigError(f"{file}: cannot read the token: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: not UTF-8 at byte {error.start}") from None
    if not token:
        raise ConfigError(f"{file}: is empty, expected a token")
    return token
