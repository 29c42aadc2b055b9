"""Where clew has code of its own and a library does the same: what each costs and how often it is right.

What is not installed is left out: `pip install scipy pydantic-settings inflect simplemma lemminflect torch_geometric
litellm` into a folder of its own and name it with --packages. Seconds are of the processor, each import in a process of
its own that has numpy and pydantic already; word lists come from the relation names and questions of the public sets
(CLEW_DATA). The decisions are docs/decisions/0008 to 0011.

    python benchmarks/bought.py [--packages FOLDER] [--repeats 3]
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from clew.datasets import load, question_sets
from clew.evaluation.statistics import estimates, mcnemar, paired_permutation
from clew.labels import label_to_text
from clew.synthesis.verbs import base_of, is_participle, plural_of, singular_of

MODULES = ("scipy.stats", "pydantic_settings", "inflect", "simplemma", "lemminflect", "torch_geometric.nn", "litellm")


def here(module: str) -> bool:
    return importlib.util.find_spec(module.partition(".")[0]) is not None


def imports(packages: Path | None, repeats: int) -> None:
    print("processor seconds of an import, after numpy and pydantic (torch for torch_geometric)")
    for module in MODULES:
        if not here(module):
            print(f"  {module:20s} not installed")
            continue
        before = "numpy, pydantic" + (", torch" if module.startswith("torch") else "")
        code = f"import {before}, time; t = time.process_time(); import {module}; print(time.process_time() - t)"
        taken = []
        for _ in range(repeats + 1):  # the first writes byte code
            path = [] if packages is None else [f"import sys; sys.path.append({str(packages)!r})"]
            program = [sys.executable, "-c", "; ".join([*path, code])]
            taken.append(float(subprocess.run(program, capture_output=True, text=True, check=True).stdout))
        print(f"  {module:20s} {statistics.median(taken[1:]):6.2f}")


def words() -> tuple[list[str], list[str]]:
    """Last words of relation names; participles of relation names and questions."""
    names = {t[1] for n in ("webqsp-pooled", "metaqa-r-2hop", "pq-2h") for t in question_sets()[n].triples(None)}
    texts = [label_to_text(name).lower() for name in names]
    asked = (e.question.text.lower() for s in ("cwq-pooled:train", "webqsp-pooled:train") for e in load(s))
    known = {word for text in (*texts, *asked) for word in re.findall(r"[a-z]+", text)}
    nouns = {text.split()[-1] for text in texts if text.split()[-1].isalpha() and not is_participle(text.split()[-1])}
    return sorted(nouns), sorted(word for word in known if word.endswith("ed") and is_participle(word))


def inflection() -> None:
    nouns, participles = words()
    print(f"\ninflection: {len(nouns)} nouns, {len(participles)} participles")
    if here("lemminflect"):
        from lemminflect import getAllLemmas

        judged = [(word, set(getAllLemmas(word)["VERB"])) for word in participles if "VERB" in getAllLemmas(word)]
        rivals: dict[str, Callable[[str], str]] = {"clew": base_of}
        if here("simplemma"):
            import simplemma

            rivals["simplemma"] = lambda word: simplemma.lemmatize(word, lang="en")
        for name, rival in rivals.items():
            wrong = [word for word, right in judged if rival(word) not in right]
            print(f"  base form, {name}: {len(wrong)} of {len(judged)} differ from lemminflect: {' '.join(wrong[:25])}")
    if here("inflect"):
        import inflect

        engine = inflect.engine()
        ones = [(word, singular_of(word), engine.singular_noun(word) or word) for word in nouns]
        many = [(word, plural_of(word), engine.plural_noun(word)) for word in sorted({singular_of(n) for n in nouns})]
        for name, rows in (("singular", ones), ("plural", many)):
            differ = [f"{word}: {ours}/{theirs}" for word, ours, theirs in rows if ours != theirs]
            print(f"  {name}, clew/inflect differ on {len(differ)} of {len(rows)}: {', '.join(differ)}")


def timed(work: Callable[[], object]) -> tuple[float, object]:
    started = time.process_time()
    result = work()
    return time.process_time() - started, result


def figures() -> None:
    """Intervals and tests as `clew score` and `clew compare` need them: 1,000 questions, 24 metrics."""
    if not here("scipy"):
        return
    from scipy import stats

    rng = np.random.default_rng(0)
    questions, metrics = 1000, 24
    bottom = rng.integers(1, 6, (questions, metrics)).astype(float)
    top = np.minimum(bottom, rng.integers(0, 6, (questions, metrics)))
    ours, found = timed(lambda: estimates(top, bottom, samples=2000))

    def ratio(a: np.ndarray, b: np.ndarray, axis: int = -1) -> np.ndarray:
        return a.sum(axis) / b.sum(axis)

    def bootstrap() -> list[tuple[float, float]]:
        pairs = ((top[:, m], bottom[:, m]) for m in range(metrics))
        made = (stats.bootstrap(p, ratio, paired=True, n_resamples=2000, batch=100, rng=rng) for p in pairs)
        return [(each.confidence_interval.low, each.confidence_interval.high) for each in made]

    theirs, other = timed(bootstrap)
    gap = max(abs(a.low - b[0]) for a, b in zip(found, other, strict=True))  # type: ignore[operator,union-attr]
    print("\nstatistics, processor seconds: clew, scipy, ratio")
    print(f"  BCa intervals of {metrics} ratios: {ours:.2f}  {theirs:.2f}  {theirs / ours:.1f}; largest gap {gap:.4f}")
    gaps = rng.normal(0.02, 0.3, questions)
    one, p = timed(lambda: paired_permutation(gaps, samples=10_000))
    kinds = {"permutation_type": "samples", "n_resamples": 10_000, "batch": 1000, "rng": rng}
    two, q = timed(lambda: stats.permutation_test((gaps,), np.sum, vectorized=True, **kinds).pvalue)
    print(f"  paired permutation test: {one:.2f}  {two:.2f}  {two / one:.1f}; p {p:.4f} and {q:.4f}")
    exact = stats.binomtest(12, 42).pvalue
    print(f"  McNemar, exact: p {mcnemar(12, 30):.6f} and {exact:.6f}")


def layers() -> None:
    """One relational layer with basis decomposition, forward and backward, on one thread."""
    if not here("torch_geometric"):
        return
    import torch
    from torch_geometric.nn import RGCNConv

    from clew.learning.layers import Edges, RelationalConvolution

    torch.manual_seed(0)
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    n, triples, relations, width = 20_000, 60_000, 60, 192
    heads, tails = rng.integers(0, n, triples), rng.integers(0, n, triples)
    rels = rng.integers(0, relations, triples)
    edges = Edges.from_triples(heads, rels, tails, n, relations)
    ours = RelationalConvolution(width, width, relations, bases=4)
    theirs = RGCNConv(width, width, 2 * relations, num_bases=4)
    index = torch.from_numpy(np.stack([np.r_[tails, heads], np.r_[heads, tails]]))
    kinds = torch.from_numpy(np.r_[rels, rels + relations])
    features = torch.randn(n, width)
    print(f"\nrelational layer, {n} entities, {2 * triples} messages, width {width}; seconds forward, backward")
    for name, run in (
        ("clew", lambda: ours(features, edges, features)),
        ("torch_geometric", lambda: theirs(features, index, kinds)),
    ):
        run()
        forward, out = timed(run)
        backward, _ = timed(lambda out=out: out.sum().backward())
        print(f"  {name:16s} {forward:.2f}  {backward:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--packages", type=Path, help="a folder with further packages")
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    if given.packages is not None:
        sys.path.append(str(given.packages))
    imports(given.packages, given.repeats)
    inflection()
    figures()
    layers()


if __name__ == "__main__":
    main()
