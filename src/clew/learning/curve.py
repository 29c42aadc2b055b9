"""A training's curve as files that need no program to look at: CSV, JSON and a small SVG."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from clew.learning.folders import write_json
from clew.learning.processes import is_main_process

WIDTH, HEIGHT, MARGIN = 640, 240, 36


def write_curve(folder: Path, rows: Sequence[Mapping[str, float]], metric: str, *, highest: float | None = 1.0) -> None:
    """Write `curve.csv`, `curve.json` and `curve.svg` (loss and `metric` over steps) into `folder`.

    Args:
        highest: value of `metric` at the top of the picture; None: the highest there is.
    """
    if not is_main_process():
        return
    columns = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns)
    writer.writeheader()
    writer.writerows(rows)
    (folder / "curve.csv").write_text(text.getvalue(), encoding="utf-8")
    write_json(folder / "curve.json", list(rows))
    (folder / "curve.svg").write_text(_svg(rows, metric, highest), encoding="utf-8")


def _svg(rows: Sequence[Mapping[str, float]], metric: str, highest: float | None) -> str:
    frame = f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="11"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {frame}>']
    parts.append(f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>')
    for name, colour, x in (("loss", "#b33", 40), (metric, "#36c", 140)):
        points = [(row["step"], row[name]) for row in rows if name in row]
        if not points:
            continue
        stride = max(1, len(points) // 500)
        points = points[::stride]
        last = max(1.0, max(step for step, _ in points))
        reached = max(1e-9, max(value for _, value in points))
        top = reached if name != metric or highest is None else highest
        line = " ".join(
            f"{MARGIN + step / last * (WIDTH - 2 * MARGIN):.1f},"
            f"{HEIGHT - MARGIN - min(max(value / top, 0.0), 1.0) * (HEIGHT - 2 * MARGIN):.1f}"
            for step, value in points
        )
        parts.append(f'<polyline fill="none" stroke="{colour}" points="{line}"/>')
        parts.append(f'<text x="{x}" y="20" fill="{colour}">{name} (top {top:.3g})</text>')
    parts.append(f'<text x="{WIDTH // 2}" y="{HEIGHT - 10}">step</text></svg>')
    return "\n".join(parts)
