"""What the layer around a local language model costs, against bare `transformers.generate` in the same run.

A decoder with random weights writes a fixed number of tokens for the same prompts: greedy and with beams through both,
then what only clew does (callers in threads, constraints over a graph, JSON by schema, the reply cache). Besides, how
many tokens a second supervised fine-tuning of the same decoder reads, prompts included, and generation writes.

    python benchmarks/language_model.py [--size 5m] [--prompts 64] [--tokens 32] [--repeats 3] [--json out.json]
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
from transformers import GenerationConfig

from clew.graph import Graph
from clew.learning.scratch import create_decoder
from clew.learning.tuning import Pair, TuneSettings, tune
from clew.llm import Budget, Meter, MeteredModel, ModelSettings, ReplyCache
from clew.llm.local import LocalModel
from clew.protocols import LLMRequest, Message
from clew.retrieval.grammar import PathGrammar

SCHEMA = {
    "type": "object",
    "properties": {"answers": {"type": "array", "items": {"type": "string", "maxLength": 12}, "maxItems": 2}},
    "required": ["answers"],
    "additionalProperties": False,
}


def graph_of(draw: random.Random) -> Graph:
    """Five thousand triples among a thousand named entities."""
    names = [f"{draw.choice(['North', 'Old', 'Lake', 'Saint'])} {draw.choice('ABCDEFGH')}{i}" for i in range(1000)]
    rows = [(draw.choice(names), f"relation {draw.randrange(20)}", draw.choice(names)) for _ in range(5000)]
    return Graph.from_triples(rows, name="benchmark")


def bare(model: LocalModel, prompts: list[str], tokens: int, beams: int, batch: int) -> int:
    """The peer: the same prompts through transformers alone; how many tokens were written."""
    tokenizer, written = model.tokenizer, 0
    tokenizer.padding_side = "left"
    config = GenerationConfig(
        max_new_tokens=tokens,
        num_beams=beams,
        do_sample=False,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    texts = [f"{prompt}\n<|answer|>" for prompt in prompts]
    for at in range(0, len(texts), batch):
        inputs = tokenizer(texts[at : at + batch], return_tensors="pt", padding=True).to(model.device)
        inputs.pop("token_type_ids", None)
        with torch.inference_mode():
            output = model.module.generate(**inputs, generation_config=config)
        written += output[:, inputs["input_ids"].shape[1] :].numel()
    return written


def training(folder: Path, prompts: list[str], batch: int, steps: int) -> float:
    """Tokens of prompts and completions read per second of the trainer's own clock, after its first ten steps."""
    from transformers import AutoTokenizer

    pairs = [Pair((Message("user", prompt),), prompt) for prompt in prompts]
    tokenizer = AutoTokenizer.from_pretrained(str(folder))
    each = float(np.mean([2 * len(tokenizer(prompt)["input_ids"]) for prompt in prompts]))
    settings = TuneSettings(max_steps=max(steps, 10) + 10, batch=batch, bf16=False, learning_rate=1e-3)
    curve = tune(folder, pairs, folder.parent / "tuned", settings).curve
    first, last = curve[0], curve[-1]
    return each * batch * (last["step"] - first["step"]) / (last["seconds"] - first["seconds"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="5m")
    parser.add_argument("--prompts", type=int, default=64)
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--steps", type=int, default=30, help="of fine-tuning, at --batch examples; 0 leaves it out")
    parser.add_argument("--dtype", default="float32", choices=["float32", "bfloat16"])
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    draw = random.Random(0)
    graph = graph_of(draw)
    labels = graph.labels_at(range(graph.num_entities))
    prompts = [
        f"Which {draw.choice(labels)} is related to " + " ".join(draw.choices(labels, k=draw.randint(4, 12))) + "?"
        for _ in range(options.prompts)
    ]
    folder = Path(tempfile.mkdtemp()) / options.size
    size = create_decoder(folder, [*labels, *prompts, '{"answers": ["a"]}'], size=options.size)
    trained = training(folder, prompts, options.batch, options.steps) if options.steps else None
    model = LocalModel(ModelSettings(backend="local", model=str(folder), batch_size=options.batch, dtype=options.dtype))
    rows = 4 * options.batch if model.device.type == "cuda" else options.batch
    print(
        f"{size / 1e6:.1f} M parameters on {model.device}, {options.prompts} prompts, {options.tokens} new tokens each"
    )

    if trained is not None:
        print(f"fine-tuning, batches of {options.batch}: {trained:,.0f} tokens/s in fp32")

    def request(i: int, **more: object) -> LLMRequest:
        return LLMRequest((Message("user", prompts[i]),), **{"max_tokens": options.tokens, **more})  # type: ignore[arg-type]

    def together(**more: object) -> Callable[[], object]:
        return lambda: model.generate([request(i, **more) for i in range(options.prompts)])

    def threads() -> None:
        with ThreadPoolExecutor(options.batch) as pool:
            list(pool.map(lambda i: model.generate([request(i)]), range(options.prompts)))

    def one_by_one() -> None:
        for i in range(options.prompts):
            model.generate([request(i)])

    def constrained() -> None:
        grammars = [PathGrammar(graph.whole, [i], hops=2, mark=True) for i in range(options.prompts)]
        model.generate([request(i, constraint=grammar, max_tokens=64) for i, grammar in enumerate(grammars)])

    replies = ReplyCache(folder / "replies.db")
    cached = MeteredModel(model, meter=Meter(Budget(), None), cache=replies, group=options.batch)
    tasks: dict[str, Callable[[], object]] = {
        "greedy, transformers": lambda: bare(model, prompts, options.tokens, 1, rows),
        "greedy": together(),
        "greedy with log-probabilities": together(logprobs=True),
        "sampled, temperature 1": together(temperature=1.0, seed=1),
        f"greedy, {options.batch} threads of one request": threads,
        "greedy, one after another": one_by_one,
        "4 beams, transformers": lambda: bare(model, prompts, options.tokens, 4, max(1, rows // 4)),
        "4 beams": together(beams=4, n=4),
        "greedy, exact 2-hop paths only": constrained,
        "greedy, JSON by schema": together(json_schema=SCHEMA),
        "from the reply cache": lambda: cached.generate([request(i) for i in range(options.prompts)]),
    }
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for repeat in range(options.repeats + 1):
        for name, task in tasks.items():
            begun = time.perf_counter()
            task()
            if repeat:  # the first round warms up
                times[name].append(time.perf_counter() - begun)
    medians = {name: float(np.median(each)) for name, each in times.items()}
    print(f"{'':44} {'questions/s':>12} {'seconds':>9} {'× transformers':>15}")
    for name, seconds in medians.items():
        peer = medians["4 beams, transformers" if "beams" in name else "greedy, transformers"]
        print(f"{name:44} {options.prompts / seconds:12.1f} {seconds:9.3f} {seconds / peer:15.2f}")
    replies = model.generate([request(i) for i in range(options.prompts)])
    written = sum(text.tokens for reply in replies for text in reply.texts) / medians["greedy"]
    print(f"greedy generation: {written:,.0f} tokens/s")
    if options.json:
        settings = {"parameters": size, "device": str(model.device), **vars(options), "json": None}
        found = {"settings": settings, "seconds": times, "training tokens/s": trained, "generated tokens/s": written}
        options.json.write_text(json.dumps(found, indent=1, default=str) + "\n")


if __name__ == "__main__":
    main()
