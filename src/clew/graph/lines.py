# mypy: allow-untyped-defs
"""A compiled reader of N-Triples and N-Quads: blocks of lines become columns of terms, without an object per term.

Kept apart from `rdf`, which it gives every line back to that is not plainly well-formed: strange IRIs and language
tags, statements about statements, broken bytes, anything that a parser could have an opinion on. So the parser alone
decides what is an error, and both read the same. Terms stay where they stand in the block; escapes are resolved in
place, since what they stand for is never longer.

Shapes: B bytes of a block, n statements, m odd lines.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.graph.jit import njit

ODD, BLANK, DONE = -1, 0, 1  # what a line is: for the parser, nothing, a statement
HEAD, RELATION, TAIL, SOURCE = 0, 1, 2, 3
LONGEST = 1 << 17  # bytes of a line that is read here: longer ones are looked at more closely

compiled = njit(error_model="numpy", nogil=True)


def _classes() -> Any:
    """For each byte of an IRI behind its authority: 1 may stand anywhere, 2 "#", 3 "%", 4 begins a longer character."""
    table = np.zeros(256, np.uint8)
    for char in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/?":
        table[ord(char)] = 1
    table[ord("#")], table[ord("%")] = 2, 3
    table[0xC2:0xEE] = 4
    return table


CLASSES = _classes()


@compiled
def _letter(c):
    return 97 <= c <= 122 or 65 <= c <= 90


@compiled
def _digit(c):
    return 48 <= c <= 57


@compiled
def _hex(c):
    return 48 <= c <= 57 or 65 <= c <= 70 or 97 <= c <= 102


@compiled
def _blank(data, at, end):
    """The first byte from `at` on that is neither space nor tab."""
    while at < end and (data[at] == 32 or data[at] == 9):
        at += 1
    return at


@compiled
def _iri(data, at, end, classes):
    """The place behind the ">" of the plain absolute IRI that begins with "<" at `at`; -1 where it is none."""
    at += 1
    if at >= end or not _letter(data[at]):
        return -1
    while at < end and (_letter(data[at]) or _digit(data[at]) or data[at] == 43 or data[at] == 45 or data[at] == 46):
        at += 1
    if at >= end or data[at] != 58:
        return -1
    at += 1
    if at + 1 < end and data[at] == 47 and data[at + 1] == 47:
        at += 2
        begin = at
        while at < end and (
            _letter(data[at]) or _digit(data[at]) or data[at] == 45 or data[at] == 46 or data[at] == 95
        ):
            at += 1
        if at == begin:
            return -1
        if at < end and data[at] == 58:
            at += 1
            begin = at
            while at < end and _digit(data[at]) and at - begin < 4:
                at += 1
            if at == begin:
                return -1
        if at < end and data[at] not in (47, 63, 35, 62):
            return -1
    hashes = 0
    while at < end:
        c = data[at]
        kind = classes[c]
        if kind == 1:
            at += 1
        elif c == 62:
            return at + 1
        elif kind == 2 and hashes == 0:
            hashes = 1
            at += 1
        elif kind == 3:
            if at + 2 >= end or not _hex(data[at + 1]) or not _hex(data[at + 2]):
                return -1
            at += 3
        elif kind == 4:
            # Letters of two and three bytes, from U+00A0 to U+D7FF: all of them may stand in an IRI.
            if c <= 0xDF:
                if at + 1 >= end or data[at + 1] & 0xC0 != 0x80 or (c == 0xC2 and data[at + 1] < 0xA0):
                    return -1
                at += 2
            else:
                if at + 2 >= end or data[at + 1] & 0xC0 != 0x80 or data[at + 2] & 0xC0 != 0x80:
                    return -1
                if (c == 0xE0 and data[at + 1] < 0xA0) or (c == 0xED and data[at + 1] > 0x9F):
                    return -1
                at += 3
        else:
            return -1
    return -1


@compiled
def _node(data, at, end):
    """The place behind the plain name of the nameless node that begins with "_:" at `at`; -1 where it is none."""
    at += 2
    begin = at
    while at < end and (_letter(data[at]) or _digit(data[at]) or data[at] == 95 or (data[at] == 45 and at > begin)):
        at += 1
    if at == begin or at >= end or data[at] >= 128 or data[at] == 58:
        return -1
    if data[at] == 46 and at + 1 < end and data[at + 1] != 32 and data[at + 1] != 9:
        return -1
    return at


@compiled
def _utf8(data, at, end):
    """Whether these bytes are characters."""
    while at < end:
        c = data[at]
        if c < 0x80:
            at += 1
            continue
        need = 1 if 0xC2 <= c <= 0xDF else (2 if 0xE0 <= c <= 0xEF else (3 if 0xF0 <= c <= 0xF4 else 0))
        if need == 0 or at + need >= end:
            return False
        second = data[at + 1]
        if (c == 0xE0 and second < 0xA0) or (c == 0xED and second > 0x9F):
            return False
        if (c == 0xF0 and second < 0x90) or (c == 0xF4 and second > 0x8F):
            return False
        for k in range(1, need + 1):
            if data[at + k] & 0xC0 != 0x80:
                return False
        at += need + 1
    return True


@compiled
def _text(data, at, end):
    """The quote that ends the text that begins behind the one at `at`, and whether it has escapes; -1 for no text."""
    begin = at + 1
    at = begin
    escapes, high = False, False
    while at < end:
        c = data[at]
        if c == 34:
            return (at, escapes) if not high or _utf8(data, begin, at + 1) else (-1, False)
        if c == 92:
            escapes = True
            at += 1
            if at >= end:
                return -1, False
            c = data[at]
            if c == 117 or c == 85:
                digits = 4 if c == 117 else 8
                if at + digits >= end:
                    return -1, False
                code = _code(data, at + 1, digits)
                if code <= 0 or code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
                    return -1, False
                at += digits
            elif c not in (116, 98, 110, 114, 102, 34, 39, 92):
                return -1, False
        elif c == 13 or c == 0:
            return -1, False
        elif c >= 128:
            high = True
        at += 1
    return -1, False


@compiled
def _code(data, at, digits):
    """The number that hexadecimal digits stand for; -1 where one is none."""
    code = np.int64(0)
    for k in range(at, at + digits):
        c = np.int64(data[k])
        if not _hex(c):
            return np.int64(-1)
        code = code * 16 + (c - 48 if c <= 57 else (c | 32) - 87)
    return code


@compiled
def _unescape(data, at, end):
    """Put what a text between two places says in its place; where it ends then."""
    out = at
    while at < end:
        c = data[at]
        if c != 92:
            data[out] = c
            out += 1
            at += 1
            continue
        c = data[at + 1]
        at += 2
        if c == 117 or c == 85:
            digits = 4 if c == 117 else 8
            code = _code(data, at, digits)
            at += digits
            if code < 0x80:
                data[out] = code
                out += 1
            elif code < 0x800:
                data[out], data[out + 1] = 0xC0 | (code >> 6), 0x80 | (code & 63)
                out += 2
            elif code < 0x10000:
                data[out], data[out + 1], data[out + 2] = (
                    0xE0 | (code >> 12),
                    0x80 | ((code >> 6) & 63),
                    0x80 | (code & 63),
                )
                out += 3
            else:
                data[out], data[out + 1] = 0xF0 | (code >> 18), 0x80 | ((code >> 12) & 63)
                data[out + 2], data[out + 3] = 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)
                out += 4
            continue
        data[out] = 9 if c == 116 else 8 if c == 98 else 10 if c == 110 else 13 if c == 114 else 12 if c == 102 else c
        out += 1
    return out


@compiled
def _tag(data, at, end):
    """The place behind the plain language tag that begins with "@" at `at`, and its letters as a number; -1 for none.

    Plain is a language of two or three letters, a script of four, a region of two letters or three digits.
    """
    at += 1
    key, size, subtag = np.uint64(0), 0, 0
    while True:
        begin, letters, digits = at, 0, 0
        while at < end and (_letter(data[at]) or _digit(data[at])):
            if _letter(data[at]):
                letters += 1
            else:
                digits += 1
            if size == 8:
                return -1, key
            key = (key << np.uint64(8)) | np.uint64(data[at] | 32 if _letter(data[at]) else data[at])
            size += 1
            at += 1
        length = at - begin
        if subtag == 0:
            if digits or length < 2 or length > 3:
                return -1, key
            subtag = 1
        elif subtag == 1 and length == 4 and digits == 0:
            subtag = 2
        elif (length == 2 and digits == 0) or (length == 3 and letters == 0):
            subtag = 3
        else:
            return -1, key
        if at < end and data[at] == 45:
            if subtag == 3 or size == 8:
                return -1, key
            key = (key << np.uint64(8)) | np.uint64(45)
            size += 1
            at += 1
            continue
        return at, key


@compiled
def _same(data, at, length, other, start, other_length):
    """Whether two terms are the same; those of one source differ at their ends."""
    if length != other_length:
        return False
    k = length - 1
    while k >= 0 and data[at + k] == other[start + k]:
        k -= 1
    return k < 0


@compiled
def _edge(c):
    """Whether a byte can begin a blank of more than one byte."""
    return c == 0xC2 or c == 0xE1 or c == 0xE2 or c == 0xE3


@compiled
def read_lines(data, end, quads, nodes, known, known_at, classes, room):
    """Statements of the lines data[:end], the last of which may lack its line feed.

    Args:
        data: (B,) bytes, changed where escapes are resolved.
        quads: whether a statement may name its graph.
        nodes: whether nameless nodes are plain; else their lines are odd.
        known: bytes of relations to tell apart, (k+1,) places in `known_at`; the last but one is that of strings, the
            last that of texts with a language, which no datatype may be.
        room: lines to make room for.

    Returns:
        (starts (n, 4), lengths (n, 4) of head, relation, tail, source; whether the tail is a literal; number of the
        relation among the known ones, -1 for none; start and length of a literal's text; its language as a number, 0
        for none; line of each; lines read; number, start and end of odd lines (m, 3)).
    """
    starts, lengths = np.empty((4, room), np.int64), np.zeros((4, room), np.int64)
    literal, which = np.zeros(room, np.bool_), np.full(room, -1, np.int8)
    text_at, text_size = np.zeros(room, np.int64), np.zeros(room, np.int64)
    tags, lines = np.zeros(room, np.uint64), np.empty(room, np.int64)
    odd = np.empty((room, 3), np.int64)
    noted = len(known_at) - 3
    n, m, line, begin = 0, 0, 0, 0
    while begin < end:
        stop = begin
        while stop < end and data[stop] != 10:
            stop += 1
        following = stop + 1
        if stop > begin and data[stop - 1] == 13:
            stop -= 1
        line += 1
        state = ODD
        at = _blank(data, begin, stop)
        escapes = False
        tag = np.uint64(0)
        quote, close, suffix = -1, -1, -1
        if at == stop:
            state = BLANK
        elif stop - begin <= LONGEST:
            while True:  # left by `break` where the line is odd
                if data[at] == 60:
                    behind = _iri(data, at, stop, classes)
                    starts[HEAD, n], lengths[HEAD, n] = at + 1, behind - at - 2
                elif nodes and data[at] == 95 and at + 1 < stop and data[at + 1] == 58:
                    behind = _node(data, at, stop)
                    starts[HEAD, n], lengths[HEAD, n] = at, behind - at
                else:
                    break
                if behind < 0:
                    break
                at = _blank(data, behind, stop)
                if at >= stop or data[at] != 60:
                    break
                behind = _iri(data, at, stop, classes)
                if behind < 0:
                    break
                starts[RELATION, n], lengths[RELATION, n] = at + 1, behind - at - 2
                at = _blank(data, behind, stop)
                if at >= stop:
                    break
                if data[at] == 60:
                    behind = _iri(data, at, stop, classes)
                    starts[TAIL, n], lengths[TAIL, n] = at + 1, behind - at - 2
                elif nodes and data[at] == 95 and at + 1 < stop and data[at + 1] == 58:
                    behind = _node(data, at, stop)
                    starts[TAIL, n], lengths[TAIL, n] = at, behind - at
                elif data[at] == 34:
                    quote = at
                    close, escapes = _text(data, at, stop)
                    if close < 0:
                        break
                    behind = close + 1
                    suffix = behind
                    if behind < stop and data[behind] == 64:
                        behind, tag = _tag(data, behind, stop)
                    elif behind + 2 < stop and data[behind] == 94 and data[behind + 1] == 94 and data[behind + 2] == 60:
                        first = behind + 2
                        behind = _iri(data, first, stop, classes)
                        if behind >= 0:
                            size = behind - first - 2
                            k = noted
                            if _same(data, first + 1, size, known, known_at[k], known_at[k + 1] - known_at[k]):
                                suffix = behind  # that of a plain string is left out
                            k = noted + 1
                            if _same(data, first + 1, size, known, known_at[k], known_at[k + 1] - known_at[k]):
                                break
                    elif behind < stop and data[behind] != 32 and data[behind] != 9 and data[behind] != 46:
                        break
                    starts[TAIL, n] = quote
                else:
                    break
                if behind < 0:
                    break
                tail_end = behind
                at = _blank(data, behind, stop)
                if quads and at < stop and data[at] == 60:
                    behind = _iri(data, at, stop, classes)
                    if behind < 0:
                        break
                    starts[SOURCE, n], lengths[SOURCE, n] = at + 1, behind - at - 2
                    at = _blank(data, behind, stop)
                else:
                    starts[SOURCE, n], lengths[SOURCE, n] = 0, 0
                if at >= stop or data[at] != 46 or _blank(data, at + 1, stop) != stop:
                    break
                which[n] = -1
                for k in range(noted):
                    if _same(
                        data,
                        starts[RELATION, n],
                        lengths[RELATION, n],
                        known,
                        known_at[k],
                        known_at[k + 1] - known_at[k],
                    ):
                        which[n] = k
                literal[n] = quote >= 0
                if quote >= 0:
                    low, high = quote + 1, close
                    if which[n] >= 0:
                        # Blanks around a name are cut off; where they are not plain blanks, the parser does it.
                        if high > low and (_edge(data[low]) or data[low] == 92):
                            break
                        for k in range(max(low, high - 10), high):
                            if data[k] == 92 or (k >= high - 3 and _edge(data[k])):
                                low = -1
                                break
                        if low < 0:
                            break
                    if escapes:
                        high = _unescape(data, quote + 1, close)
                        data[high] = 34
                        moved = high + 1
                        for k in range(suffix, tail_end):
                            data[moved] = data[k]
                            moved += 1
                    else:
                        moved = close + 1 + (tail_end - suffix)
                    lengths[TAIL, n] = moved - quote
                    if tag:
                        for k in range(high + 2, moved):
                            if 65 <= data[k] <= 90:
                                data[k] |= 32
                    if which[n] >= 0:
                        while low < high and (9 <= data[low] <= 13 or 28 <= data[low] <= 32):
                            low += 1
                        while low < high and (9 <= data[high - 1] <= 13 or 28 <= data[high - 1] <= 32):
                            high -= 1
                    text_at[n], text_size[n] = low, high - low
                elif which[n] >= 0:
                    which[n] = -1  # a name that is no text is a triple
                tags[n] = tag
                state = DONE
                break
        if state == DONE:
            lines[n] = line
            n += 1
        elif state == ODD:
            odd[m, 0], odd[m, 1], odd[m, 2] = line, begin, min(following, end)
            m += 1
        begin = following
    return (
        starts[:, :n],
        lengths[:, :n],
        literal[:n],
        which[:n],
        text_at[:n],
        text_size[:n],
        tags[:n],
        lines[:n],
        line,
        odd[:m],
    )
