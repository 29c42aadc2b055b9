"""A causal language model in this process: any checkpoint folder or hub name that transformers opens.

Can what no server can: beams, log-probabilities of whole texts, soft prompts, constraints over the graph. Callers in
many threads share batches. In half precision the low bits of a result depend on the batch it was part of; identical
text is promised for a batch of one.
"""

from __future__ import annotations

import hashlib
import logging
import queue
import random
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import Any

import numpy as np
import torch
from torch import Tensor

from clew.errors import ConfigError, InputError, UnavailableError, UnsupportedError
from clew.llm.ability import check_request
from clew.llm.checkpoint import device_of, ends_of, identity_of, open_checkpoint, template_of
from clew.llm.coalesce import Coalescer
from clew.llm.constraint import Grammar, TokenTrie, longest_complete, states_of
from clew.llm.decoding import DecodedText, Decoder, DecodingRow, Mask
from clew.llm.reply import parse_json
from clew.llm.settings import ModelSettings
from clew.protocols import Ability, LLMReply, LLMRequest, LLMText, Message
from clew.types import Usage

_PIECES_KEPT = 200_000  # pieces of grammars whose tokens are remembered
_ANCHORS = ("\n", ".", "a")  # texts before a piece, so that tokenizers which treat a beginning specially do not
_LOG = logging.getLogger(__name__)


@dataclass(slots=True)
class _Job:
    """A request with its prompt in tokens."""

    request: LLMRequest
    ids: list[int]
    soft_at: int = 0
    streamer: Any = None
    cancelled: threading.Event | None = None

    @property
    def rows(self) -> int:
        return max(self.request.n, self.request.beams, 1)

    @property
    def kind(self) -> object:
        """Jobs of one kind share a batch."""
        request = self.request
        if self.streamer is not None:
            return id(self)
        return (request.beams, request.n, request.max_tokens) if request.beams else 0


class LocalModel:
    """A model opened with transformers; `module` and `tokenizer` are theirs, for training code."""

    def __init__(self, settings: ModelSettings) -> None:
        if not settings.model:
            raise ConfigError("language_model.model is empty: name a checkpoint folder or a model of the hub")
        self.settings = settings
        self.device = torch.device(device_of(settings.device))
        self.tokenizer, self.module = open_checkpoint(settings, self.device)
        self._template = template_of(settings, self.tokenizer)
        self._ends = ends_of(self.module, self.tokenizer)
        pad = self.tokenizer.pad_token_id
        self._decoder = Decoder(
            self.module, self._ends, self._ends[0] if pad is None else pad, self._decode, self.device
        )
        self._name = identity_of(settings, self.module)
        able: set[Ability] = {"beams", "logprobs", "soft_prompt", "constrained", "stream"}
        if find_spec("llguidance") is not None:
            able.add("json_schema")
        self._abilities = frozenset(able)
        self._pieces: dict[str, list[int]] = {}
        self._batches: Coalescer[_Job, LLMReply] = Coalescer(
            self._work,
            limit=settings.batch_size,
            kind=lambda job: job.kind,
            length=lambda job: len(job.ids),
            rows=lambda job: job.rows,
        )

    @property
    def name(self) -> str:
        return self._name

    @property
    def abilities(self) -> frozenset[Ability]:
        return self._abilities

    @property
    def width(self) -> int:
        """Width of a token vector, and so of a soft prompt."""
        return int(self.module.get_input_embeddings().weight.shape[1])

    @cached_property
    def context(self) -> int:
        """How many tokens prompt and reply may have together."""
        config = self.module.config.get_text_config()
        return int(getattr(config, "max_position_embeddings", None) or self.tokenizer.model_max_length)

    def room(self, messages: Sequence[Message]) -> float:
        """How many tokens of the context a prompt leaves for the reply."""
        return float(self.context - len(self.prompt(messages)))

    def count_tokens(self, text: str) -> int:
        """How many tokens a text takes, for budgets of evidence."""
        return len(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def generate(self, requests: Sequence[LLMRequest]) -> list[LLMReply]:
        """One reply per request, in order; callers in other threads share the batches.

        A constrained reply holds only texts that its grammar allows, checked as text after decoding: so it may hold
        fewer than `n`. A text cut at `max_tokens` is shortened to its longest allowed beginning and not `finished`.

        Raises:
            InputError: a prompt leaves no room in the context, or a soft prompt has another width than the model.
            UnsupportedError: an ability is missing.
            UnavailableError: out of memory even with one request alone.
        """
        jobs = [self._job(request) for request in requests]
        return self._batches.run(jobs) if jobs else []

    def stream(self, request: LLMRequest) -> Iterator[str]:
        """The pieces of one text as they are written. Stops writing when the reader goes away."""
        from transformers import TextIteratorStreamer

        if request.beams or request.n > 1 or request.constraint is not None or request.json_schema is not None:
            raise UnsupportedError(f"{self.name} streams one plain text: no beams, n = 1, no constraint, no schema")
        job = self._job(request)
        job.streamer = TextIteratorStreamer(self.tokenizer, skip_prompt=True, skip_special_tokens=True, timeout=0.1)
        job.cancelled = threading.Event()
        failed: list[BaseException] = []

        def write() -> None:
            try:
                self._batches.run([job])
            except Exception as error:  # noqa: BLE001  raised again in the reader's thread
                failed.append(error)

        writer = threading.Thread(target=write, daemon=True)
        writer.start()
        try:
            while True:
                try:
                    piece = next(job.streamer)
                except StopIteration:
                    break
                except queue.Empty:
                    if not writer.is_alive():
                        break
                    continue
                if piece:
                    yield piece
        finally:
            job.cancelled.set()
            writer.join()
        if failed:
            raise failed[0]

    def close(self) -> None:
        """End the worker; what is waiting is still answered."""
        self._batches.close()

    def prompt(self, messages: Sequence[Message]) -> list[int]:
        """A conversation as token ids, ready for the reply; one that ends with the assistant is continued."""
        if not messages:
            raise InputError("a request without messages")
        if self._template is None:
            text = "\n".join(message.content for message in messages)
            return list(self.tokenizer(text)["input_ids"])
        turns = [{"role": message.role, "content": message.content} for message in messages]
        text = self._render(turns)
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def encode_pieces(self, pieces: Sequence[str]) -> list[list[int]]:
        """Pieces of a reply as tokens, each as it is tokenised inside a text; the same few relations come again."""
        new = [piece for piece in dict.fromkeys(pieces) if piece not in self._pieces]
        if new:
            if len(self._pieces) + len(new) > _PIECES_KEPT:
                self._pieces, new = {}, list(dict.fromkeys(pieces))
            self._pieces.update(zip(new, self._tokens_inside(new), strict=True))
        return [self._pieces[piece] for piece in pieces]

    def _tokens_inside(self, pieces: list[str]) -> list[list[int]]:
        """Tokens that decode to exactly the piece after some other text; none where the tokenizer cannot write it."""
        found: dict[str, list[int]] = {}
        for anchor in _ANCHORS:
            left = [piece for piece in pieces if piece not in found]
            if not left:
                break
            before = self.tokenizer(anchor, add_special_tokens=False)["input_ids"]
            shown = self._decode(before)
            both = self.tokenizer([anchor + piece for piece in left], add_special_tokens=False)["input_ids"]
            for piece, ids in zip(left, both, strict=True):
                if ids[: len(before)] == before and self._decode(ids) == shown + piece:
                    found[piece] = list(ids[len(before) :])
        lost = [piece for piece in pieces if piece not in found]
        if lost:
            _LOG.warning("%s cannot write %d pieces of a grammar, such as %r", self.name, len(lost), lost[0])
        return [found.get(piece, []) for piece in pieces]

    def _render(self, turns: list[dict[str, str]]) -> str:
        from jinja2 import TemplateError

        options: dict[str, Any] = dict(self.settings.template_options)
        if turns[-1]["role"] == "assistant":
            options["continue_final_message"] = True
        else:
            options["add_generation_prompt"] = True
        try:
            return str(
                self.tokenizer.apply_chat_template(turns, chat_template=self._template, tokenize=False, **options)
            )
        except TemplateError as error:
            if turns[0]["role"] == "system" and len(turns) > 1 and turns[1]["role"] == "user":
                # templates without a system turn (Gemma, early Mistral): what it says goes before the question
                merged = {"role": "user", "content": turns[0]["content"] + "\n\n" + turns[1]["content"]}
                return self._render([merged, *turns[2:]])
            raise InputError(f"{self.name}: the chat template refuses the messages: {error}") from None

    def _job(self, request: LLMRequest) -> _Job:
        check_request(self, request)
        if request.beams and request.n > request.beams:
            raise InputError(f"n = {request.n} texts from {request.beams} beams: n may not exceed beams")
        if request.beams and (request.json_schema is not None or request.temperature > 0):
            raise UnsupportedError("beams go neither with a JSON schema nor with a temperature")
        if request.constraint is not None and not isinstance(request.constraint, Grammar):
            raise InputError(f"a constraint of type {type(request.constraint).__name__}: expected a Grammar")
        if request.constraint is not None and (request.stop or request.json_schema is not None):
            raise UnsupportedError("a constraint goes neither with stop strings nor with a JSON schema")
        if request.json_schema is not None:
            from llguidance import LLMatcher

            wrong = LLMatcher.validate_grammar(self._json_grammar(request.json_schema), self._json_tokenizer)
            if wrong:
                raise InputError(f"the JSON schema cannot be decoded under: {' '.join(wrong.split())[:300]}")
        ids = self.prompt(request.messages)
        taken = len(ids)
        if request.soft_prompt is not None:
            soft = request.soft_prompt
            if soft.ndim != 2 or soft.shape[1] != self.width:
                raise InputError(f"soft prompt of shape {soft.shape}: {self.name} takes (tokens, {self.width})")
            taken += len(soft)
        if taken + request.max_tokens > self.context:
            raise InputError(
                f"{self.name}: the prompt has {taken} tokens and the reply may have {request.max_tokens}, "
                f"but the context holds {self.context}; show less evidence or lower max_tokens"
            )
        return _Job(request, ids, int(bool(ids) and ids[0] == self.tokenizer.bos_token_id))

    def _work(self, jobs: list[_Job]) -> list[LLMReply]:
        """Answer a batch; one that does not fit into memory is halved."""
        try:
            return self._answer(jobs)
        except torch.OutOfMemoryError:
            torch.cuda.empty_cache()
            if len(jobs) == 1:
                raise UnavailableError(
                    f"{self.name}: out of memory on {self.device} with one request; shorten the prompt, ask for fewer "
                    "beams, or use a smaller model"
                ) from None
        half = len(jobs) // 2
        return self._work(jobs[:half]) + self._work(jobs[half:])

    def _answer(self, jobs: list[_Job]) -> list[LLMReply]:
        tries: dict[int, TokenTrie] = {}
        beams, n = jobs[0].request.beams, jobs[0].request.n
        if beams:
            rows = [self._row(job, 0, tries) for job in jobs]
            found = self._decoder.write(rows, beams=beams, n=n)
        else:
            owners = [job for job in jobs for _ in range(job.request.n)]
            rows = [self._row(job, i, tries) for job in jobs for i in range(job.request.n)]
            written = self._decoder.write(rows, streamer=jobs[0].streamer)
            found = [[w for owner, (w,) in zip(owners, written, strict=True) if owner is job] for job in jobs]
        return [self._reply(job, texts) for job, texts in zip(jobs, found, strict=True)]

    def _row(self, job: _Job, copy: int, tries: dict[int, TokenTrie]) -> DecodingRow:
        request = job.request
        seed = self.settings.seed if request.seed is None else request.seed
        if seed is None:
            seed = random.SystemRandom().getrandbits(62)
        return DecodingRow(
            ids=job.ids,
            max_tokens=request.max_tokens,
            temperature=request.temperature,
            seed=int.from_bytes(hashlib.sha256(f"{seed}/{copy}".encode()).digest()[:7], "big"),
            stop=request.stop,
            mask=self._mask(request, tries),
            soft_prompt=request.soft_prompt,
            soft_at=job.soft_at,
            cancelled=job.cancelled,
        )

    def _mask(self, request: LLMRequest, tries: dict[int, TokenTrie]) -> Mask | None:
        if request.constraint is not None:
            trie = tries.get(id(request.constraint))
            if trie is None:
                trie = tries[id(request.constraint)] = TokenTrie(request.constraint, self.encode_pieces, self._ends)
            return _TrieMask(trie)
        if request.json_schema is not None:
            return _JsonMask(self._json_tokenizer, self._json_grammar(request.json_schema), self._ends)
        return None

    def _json_grammar(self, schema: Mapping[str, Any]) -> str:
        from llguidance import LLMatcher

        return str(LLMatcher.grammar_from_json_schema(dict(schema), defaults={"whitespace_flexible": False}))

    @cached_property
    def _json_tokenizer(self) -> Any:
        from llguidance.hf import from_tokenizer

        width = int(self.module.get_output_embeddings().weight.shape[0])
        try:
            return from_tokenizer(self.tokenizer, n_vocab=max(width, len(self.tokenizer)), eos_token=self._ends)
        except ValueError as error:  # llguidance reads byte-level and byte-fallback tokenizers only
            reason = " ".join(str(error).split())[:200]
            raise UnsupportedError(f"{self.name}: JSON by schema does not work with its tokenizer: {reason}") from None

    def _reply(self, job: _Job, written: Sequence[DecodedText]) -> LLMReply:
        if job.request.beams:  # a search that runs out of texts finds the same ones again
            written = list({one.ids: one for one in reversed(written) if one.usable}.values())[::-1]
        texts = [text for one in written if (text := self._read(job.request, one)) is not None]
        if job.request.constraint is not None:  # a text cut at the limit may be the beginning of itself
            whole = {text.text for text in texts if text.finished}
            texts = [text for text in texts if text.finished or text.text not in whole]
        prompt = len(job.ids) + (0 if job.request.soft_prompt is None else len(job.request.soft_prompt))
        return LLMReply(tuple(texts), Usage(1, 0, prompt, sum(one.tokens for one in written)))

    def _read(self, request: LLMRequest, written: DecodedText) -> LLMText | None:
        """One text, cut at a stop string; None for one that its constraint does not allow."""
        text, finished = self._decode(written.ids), written.ended
        cuts = [at for word in request.stop if (at := text.find(word)) >= 0]
        if cuts:
            text = text[: min(cuts)]
        if request.constraint is not None and not (finished and states_of(request.constraint, text)):
            text, finished = longest_complete(request.constraint, text), False
            if not text:
                return None
        if request.json_schema is not None:
            finished = finished and parse_json(text, request.json_schema).ok
        logprob = written.logprob if request.logprobs or request.beams else None
        return LLMText(text, logprob, written.tokens, finished)

    def _decode(self, ids: Sequence[int]) -> str:
        return str(self.tokenizer.decode(list(ids), skip_special_tokens=True, clean_up_tokenization_spaces=False))


class _TrieMask:
    """Lets through what a token trie allows, and nothing where the prefix has left it."""

    def __init__(self, trie: TokenTrie) -> None:
        self._trie = trie

    def apply(self, prefix: tuple[int, ...], scores: Tensor) -> None:
        allowed = torch.tensor(self._trie.allowed(prefix), device=scores.device)
        kept = scores[allowed]
        scores.fill_(-torch.inf)
        scores[allowed] = kept


class _JsonMask:
    """Lets through what continues a JSON text of a schema (llguidance); the end alone where nothing does."""

    def __init__(self, tokenizer: Any, grammar: str, ends: list[int]) -> None:
        from llguidance import LLMatcher

        self._matcher, self._ends, self._seen = LLMatcher(tokenizer, grammar, log_level=0), ends, 0

    def apply(self, prefix: tuple[int, ...], scores: Tensor) -> None:
        while self._seen < len(prefix) and not self._matcher.is_stopped():
            self._matcher.consume_token(prefix[self._seen])
            self._seen += 1
        allowed = np.zeros(scores.shape[0], bool)
        if not self._matcher.is_stopped():
            bits = np.frombuffer(self._matcher.compute_bitmask(), np.uint8)
            allowed = np.unpackbits(bits, bitorder="little")[: len(allowed)].astype(bool)
        if not allowed.any():
            allowed[self._ends] = True
        scores[~torch.from_numpy(allowed).to(scores.device)] = -torch.inf
