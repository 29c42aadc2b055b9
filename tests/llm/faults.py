"""A model server with many kinds of faults: what a call of a language model may meet, as bytes on a socket.

Each kind is a name and what is sent, in pieces, with a pause after each. Used by `test_faults.py`, and by hand:
`python tests/llm/faults.py KIND` serves one kind on a port that it prints.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

KEY = "sk-a-key-that-nobody-may-see-0123456789"
Pieces = list[bytes]


def http(body: bytes | str, status: str = "200 OK", **headers: str) -> Pieces:
    raw = body.encode() if isinstance(body, str) else body
    lines = {"content-type": "application/json", "content-length": str(len(raw)), **headers}
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in lines.items())
    return [f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + raw]


def chat(content: Any = "Paris", **more: Any) -> Pieces:
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 9, "completion_tokens": 1}
    return http(json.dumps({"choices": [{**choice, **more.pop("choice", {})}], "usage": usage, **more}))


def error(status: str, body: Any, **headers: str) -> Pieces:
    return http(body if isinstance(body, (str, bytes)) else json.dumps(body), status, **headers)


def slowly(pieces: Pieces, size: int = 1) -> Pieces:
    whole = b"".join(pieces)
    return [whole[at : at + size] for at in range(0, len(whole), size)]


GOOD = b"".join(chat())
HEAD, BODY = GOOD.split(b"\r\n\r\n", 1)
CHUNKED = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"

KINDS: dict[str, Pieces] = {
    # the connection
    "closed at once": [],
    "status line only": [b"HTTP/1.1 200 OK\r\n"],
    "half a status line": [b"HTTP/1."],
    "no header end": [HEAD],
    "cut in the body": [GOOD[:-10]],
    "another protocol": [b"220 mail ready\r\n"],
    "binary": [bytes(range(256)) * 8],
    "an empty line first": [b"\r\n" + GOOD],
    "version 9": [GOOD.replace(b"/1.1", b"/9.9", 1)],
    "status -1": [GOOD.replace(b"200", b"-01", 1)],
    "status 1000": [GOOD.replace(b"200", b"1000", 1)],
    # lengths
    "longer than announced": [GOOD + b"more"],
    "shorter than announced": [HEAD.replace(b": 1", b": 9", 1) + b"\r\n\r\n" + BODY],
    "negative length": http(BODY, content_length="-5"),
    "length of letters": http(BODY, content_length="many"),
    "two lengths": [HEAD + b"\r\ncontent-length: 3\r\n\r\n" + BODY],
    "length of 10^30": http(BODY, content_length="1" + "0" * 30),
    "no length": [b"HTTP/1.1 200 OK\r\n\r\n" + BODY],
    "chunks without end": [CHUNKED + b'5\r\n{"cho'],
    "chunk of letters": [CHUNKED + b"zz\r\nabc"],
    "chunk of -1": [CHUNKED + b"-1\r\nabc"],
    "chunk of 2^60": [CHUNKED + b"1" + b"0" * 15 + b"\r\nabc"],
    "endless header": [b"HTTP/1.1 200 OK\r\nx: " + b"y" * 80_000],
    "a thousand headers": [b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 1000 + b"\r\n"],
    "compressed": http(BODY, content_encoding="gzip"),
    "a header of escapes": http(BODY, x="\x1b[31m"),
    # time
    "headers that dribble": slowly([HEAD]),
    "a body that dribbles": slowly(chat("x" * 3000), 20),
    "continues without end": [b"HTTP/1.1 100 Continue\r\n\r\n"] * 400,
    "chunks that dribble": [CHUNKED, *[b"1\r\n \r\n"] * 400],
    # redirects
    "redirect elsewhere": error("307 T", "", location="http://127.0.0.1:9/"),
    "redirect in a circle": error("307 T", "", location="/v1/chat/completions"),
    "redirect to a file": error("302 F", "", location="file:///etc/passwd"),
    "redirect to nothing": error("308 P", "", location=""),
    "see other": error("303 S", "", location="/x"),
    "redirect without end": error("301 M", "", location="http://[::1"),
    # statuses
    "400": error("400 Bad", {"error": {"message": "bad"}}),
    "400 that is a text": error("400 Bad", "no"),
    "400 that is a list": error("400 Bad", [1]),
    "401 with the key": error("401 No", {"error": {"message": f"{KEY} is wrong"}}),
    "404": error("404 No", {"error": {"message": "no model"}}),
    "413": error("413 Large", ""),
    "418": error("418 Teapot", "short and stout"),
    "429": error("429 Many", {}),
    "204": [b"HTTP/1.1 204 None\r\n\r\n"],
    "206": error("206 Part", BODY),
    "429 for ever": error("429 Many", {}, retry_after="99999"),
    "429 until yesterday": error("429 Many", {}, retry_after="-5"),
    "429 until NaN": error("429 Many", {}, retry_after="nan"),
    "429 until 1e999": error("429 Many", {}, retry_after="1e999"),
    "429 until year 99999": error("429 Many", {}, retry_after="Fri, 31 Dec 99999 23:59:59 GMT"),
    "429 without quota": error("429 Many", {"error": {"message": "insufficient_quota"}}),
    "500": error("500 Oops", {}),
    "500 of a megabyte": error("500 Oops", "x" * 2**20),
    "503 nested": error("503 No", "[" * 50_000),
    "refuses what was not sent": error("400 Bad", {"error": {"message": "'frequency_penalty' is not supported"}}),
    "refuses everything": error("400 Bad", {"error": {"message": "'temperature' 'seed' 'stop' 'n' are not supported"}}),
    # bodies
    "no body": http(""),
    "a page": http("<html>"),
    "not UTF-8": http(b'{"choices": "\xff"}'),
    "nested": http("[" * 100_000),
    "5,000 digits": http("9" * 5000),
    "a number": http("3"),
    "null": http("null"),
    "a list": http("[]"),
    "no choices": http('{"choices": []}'),
    "choices of texts": http('{"choices": ["x"]}'),
    "choices null": http('{"choices": null}'),
    "no message": http('{"choices": [{}]}'),
    "message null": http('{"choices": [{"message": null}]}'),
    "content null": chat(None),
    "content a number": chat(3),
    "content a list": chat([{"type": "text", "text": "Paris"}]),
    "content odd parts": chat([3]),
    "content of 3 MB": chat("x" * 3 * 2**20),
    "a million choices": http('{"choices": [' + '{"message": {"content": "x"}},' * 20_000 + "{}]}"),
    "half a surrogate": http('{"choices": [{"message": {"content": "caf\\ud83d"}}]}'),
    "control characters": chat("\x1b]0;owned\x07\x00"),
    "the key": chat(f"your key is {KEY}"),
    "the key, escaped": http(
        '{"choices": [{"message": {"content": "' + "".join(f"\\u{ord(c):04x}" for c in KEY) + '"}}]}'
    ),
    "NaN": http('{"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": NaN}}'),
    "usage a text": chat(usage="much"),
    "usage negative": chat(usage={"prompt_tokens": -9, "completion_tokens": -9}),
    "usage enormous": chat(usage={"prompt_tokens": 10**30}),
    "logprobs a number": chat(choice={"logprobs": 3}),
    "logprobs infinite": chat(choice={"logprobs": {"content": [{"logprob": -1e999}]}}),
    "cut": chat("Par", choice={"finish_reason": "length"}),
    "filtered": chat("", choice={"finish_reason": "content_filter"}),
    "an error with 200": http('{"error": {"message": "overloaded"}}'),
    "two replies": [GOOD + GOOD],
}


class FaultServer:
    """Answers every request with one kind of fault, on a free local port; use as a context manager."""

    def __init__(self, kind: str, pause_s: float = 0.02) -> None:
        self.pieces, self.pause_s, self.requests = KINDS[kind], pause_s, 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self._thread = threading.Thread(target=self._serve, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"

    def __enter__(self) -> FaultServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()
        for connection in self._open:
            connection.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self._open.append(connection)
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        try:
            for _ in _requests(connection):
                self.requests += 1
                for piece in self.pieces:
                    connection.sendall(piece)
                    if len(self.pieces) > 1:
                        time.sleep(self.pause_s)
                connection.shutdown(socket.SHUT_WR)
                return
        except OSError:
            pass


def _requests(connection: socket.socket) -> Iterator[bytes]:
    data = b""
    while block := connection.recv(65536):
        data += block
        head, end, body = data.partition(b"\r\n\r\n")
        lengths = [int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
        if end and len(body) >= sum(lengths):
            yield data
            data = b""


if __name__ == "__main__":
    serve: Callable[[str], FaultServer] = FaultServer
    with serve(sys.argv[1]) as running:
        sys.stdout.write(running.url + "\n")
        sys.stdout.flush()
        time.sleep(3600)
