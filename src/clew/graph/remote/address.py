"""Where a server is, who asks, and where on this machine things about it are kept.

Apart from the stores so that one place decides what is safe to show: `Address.shown` holds no user, no password and no
query string, and is the only form that reaches a message, a log, a cache key or a manifest.
"""

from __future__ import annotations

import hashlib
import ipaddress
import netrc
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from clew.errors import ConfigError

SPARQL = ("http", "https")
BOLT = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")
FALKOR = ("falkor", "falkors", "redis", "rediss")
USER, PASSWORD, TOKEN = "CLEW_SERVER_USER", "CLEW_SERVER_PASSWORD", "CLEW_SERVER_TOKEN"

_URL = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)


def is_address(text: object) -> bool:
    """Whether what was given as a graph is a server's URL and not a folder."""
    return isinstance(text, str) and _URL.match(text) is not None


@dataclass(frozen=True, slots=True)
class Address:
    """A server's address, taken apart. `url` may hold a secret in its query string; `shown` never does."""

    scheme: str
    host: str
    port: int | None
    path: str
    url: str = field(repr=False)  # without user and password
    user: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)

    @property
    def shown(self) -> str:
        """The address as messages show it."""
        return f"{self.scheme}://{self._place}{self.path}"

    @property
    def _place(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port is None else f"{host}:{self.port}"

    @property
    def title(self) -> str:
        """A short name: host, port and path."""
        return f"{self._place}{self.path.rstrip('/')}"

    @property
    def local(self) -> bool:
        """Whether the server is on this machine."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def home(self) -> Path:
        """The folder on this machine for what belongs to this server."""
        cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
        readable = re.sub(r"[^A-Za-z0-9.-]+", "-", self.title).strip("-.")[:60]
        return Path(cache).expanduser() / "clew" / "servers" / f"{readable}-{digest(self.url)[:10]}"


def parse(url: str) -> Address:
    """Take a URL apart; user, password or token come from it, else from the environment, else from `~/.netrc`.

    Raises ConfigError for a scheme nobody serves graphs by, or a URL without a host.
    """
    parts = urlsplit(url.strip())
    scheme = parts.scheme.lower()
    try:
        port = parts.port
    except ValueError:
        raise ConfigError("the graph's URL has a port that is no number; expected http(s)://HOST[:PORT]/PATH") from None
    if scheme not in (*SPARQL, *BOLT, *FALKOR):
        raise ConfigError(
            f"graph {scheme}://…: unknown kind of address; expected http(s):// (SPARQL), bolt:// or neo4j:// "
            "(openCypher), falkor:// (FalkorDB), or a folder made by clew build"
        )
    host = (parts.hostname or "").lower()
    if not host or re.search(r"[\s\x00-\x1f\\]", url.strip()):
        raise ConfigError(f"graph {scheme}://…: no host in the URL; expected {scheme}://HOST[:PORT]/PATH")
    place = (f"[{host}]" if ":" in host else host) + ("" if port is None else f":{port}")
    bare = f"{scheme}://{place}{parts.path}" + (f"?{parts.query}" if parts.query else "")
    user = None if parts.username is None else unquote(parts.username)
    password = None if parts.password is None else unquote(parts.password)
    token = None
    if user is None:
        user, password, token = os.environ.get(USER), os.environ.get(PASSWORD), os.environ.get(TOKEN)
    if user is None and token is None:
        user, password = _from_netrc(host)
    return Address(scheme, host, port, parts.path, bare, user, password, token)


def _from_netrc(host: str) -> tuple[str | None, str | None]:
    path = Path(os.environ.get("NETRC") or "~/.netrc").expanduser()
    if not path.is_file():
        return None, None
    try:
        known = netrc.netrc(str(path)).hosts.get(host)
    except (netrc.NetrcParseError, OSError):
        raise ConfigError(f"{path}: not readable as a netrc file; correct it, or set {USER} and {PASSWORD}") from None
    return (None, None) if known is None else (known[0], known[2])


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
