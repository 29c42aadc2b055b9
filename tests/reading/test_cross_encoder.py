"""The second look reads the same in training and in answering; what is no file of it is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from clew.encoding import DEFAULT, open_encoder
from clew.errors import FormatError, NotFoundError
from clew.graph import Graph
from clew.reading.cross_encoder import PathCrossEncoder
from clew.reading.growth import GrowthLimits
from clew.reading.pairs import BACKWARD, FORWARD, KIND, MENTION, PLAIN, TOPIC, PairSigns, StepWords, plan_part
from clew.reading.pairs import question_part as asked_part
from clew.reading.plantext import Sheet
from clew.reading.reader import Reader
from clew.reading.wording import QuestionWording, WordedStep, Wording

torch = pytest.importorskip("torch")

from tokenizers import Tokenizer  # noqa: E402

from clew.encoding.bert import bert_shape  # noqa: E402
from clew.encoding.local import find_weights  # noqa: E402
from clew.reading.cross_fitting import CrossNet, PairSource, padded_pairs  # noqa: E402
from clew.reading.packs import Pack  # noqa: E402
from clew.reading.records import TrainingRecord  # noqa: E402
from clew.reading.train_cross import mean, write  # noqa: E402

FOLDER = find_weights(DEFAULT)
SIGNS = PairSigns(1, 2, 3, 4, 5, 6, 7)


def page() -> Sheet:
    """Two plans: one of two steps, and two paths that meet with a step after."""
    return Sheet(
        [WordedStep("works for", "", 0), WordedStep("award", "winner", 3), WordedStep("located in", "", 1)],
        ["company", "", "city"],
        np.zeros((3, 2), np.float32),
        np.array(
            [
                [[1, 0, 0, 0], [2, 0, 1, 0], [2, 0, 2, 2], [4, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
                [[1, 0, 0, 0], [2, 0, 1, 0], [1, 1, 0, 1], [2, 1, 1, 1], [3, 0, 1, 2], [4, 0, 0, 0]],
            ],
            np.int32,
        ),
        np.zeros((2, 20), np.float32),
        ["city", "person"],
        ["person", ""],
    )


def question() -> QuestionWording:
    return QuestionWording.of("where does Ann Lee work with Bo Ek", ["Ann Lee", "Bo Ek"])


def net() -> CrossNet:
    shape = bert_shape(FOLDER)
    assert shape is not None
    torch.manual_seed(0)
    made = CrossNet(FOLDER, shape).eval()
    torch.nn.init.normal_(made.score.weight, std=0.1)
    return made


def test_a_plan_in_tokens_and_marks() -> None:
    steps = [StepWords([10, 11], [], 0, [20]), StepWords([12], [13], 3, [])]
    row = [(1, 0, 0, 0), (2, 0, 1, 0), (1, 1, 0, 1), (2, 1, 1, 1), (3, 0, 1, 0), (4, 0, 0, 0), (0, 0, 0, 0)]
    tokens, marks = plan_part(row, steps, [30], [[40], []], SIGNS)
    first, topics, second = [3, 10, 11, 3], [7, 40, 7], [3, 12, 3, 4, 13, 4]
    assert tokens == [*topics[:2], *first, 20, 5, topics[2], *second, 6, *first, 20, 2, 30, 2]
    assert marks == [
        TOPIC, KIND, *[FORWARD] * 4, KIND, PLAIN, TOPIC + 1, *[FORWARD] * 3, *[BACKWARD] * 3, PLAIN, *[FORWARD] * 4,
        KIND, PLAIN, KIND, PLAIN,
    ]  # fmt: skip


def test_mentions_beyond_the_third_share_a_mark() -> None:
    assert asked_part([8, 9, 10], [0, 2, 5], SIGNS) == (
        [1, 8, 9, 10, 2],
        [PLAIN, PLAIN, MENTION + 1, MENTION + 2, PLAIN],
    )


def test_training_reads_what_answering_reads_and_rates_it_the_same(tmp_path: Path) -> None:
    asked, sheet = question(), page()
    record = TrainingRecord("x", asked.text, asked.spans, sheet, [1, 0], [1, 0, 1])
    pack = Pack.of("x", [record], open_encoder(DEFAULT))
    pack.save(tmp_path / "x.npz")
    tokenizer = Tokenizer.from_file(str(FOLDER / "tokenizer.json"))
    tokenizer.no_padding()
    source = PairSource(Pack.load(tmp_path / "x.npz"), tokenizer)
    trained = [source.sequence(0, plan) for plan in (0, 1, None)]
    made = net()
    write(made, tmp_path / "cross.safetensors", {})
    cross = PathCrossEncoder(tmp_path / "cross.safetensors")
    rows = cross.sequences(asked, sheet, [0, 1])
    assert rows == trained
    with torch.no_grad():
        wanted = made(*padded_pairs(trained)).numpy()
    np.testing.assert_allclose(cross.rate(rows), wanted, atol=0.02)  # float16 weights
    assert abs(wanted[0] - wanted[1]) > 0.05


def test_the_mean_of_trainings_is_read(tmp_path: Path) -> None:
    made = net()
    write(made, tmp_path / "a.safetensors", {})
    with torch.no_grad():
        made.score.weight.mul_(3)
    write(made, tmp_path / "b.safetensors", {})
    mean([tmp_path / "a.safetensors", tmp_path / "b.safetensors"], tmp_path / "c.safetensors")
    crosses = [PathCrossEncoder(tmp_path / f"{name}.safetensors") for name in "ac"]
    one, both = (cross.rate(cross.sequences(question(), page(), [0, 1])) for cross in crosses)
    np.testing.assert_allclose(both, 2 * one, atol=0.05)


def test_files_of_another_make_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="train_cross"):
        PathCrossEncoder(tmp_path / "none.safetensors")
    (tmp_path / "bad.safetensors").write_bytes(b"no weights")
    with pytest.raises(FormatError, match="damaged"):
        PathCrossEncoder(tmp_path / "bad.safetensors")
    save_file({"x": np.zeros(1, np.float32)}, tmp_path / "old.safetensors", metadata={"clew": '{"format": 0}'})
    with pytest.raises(FormatError, match="another version"):
        PathCrossEncoder(tmp_path / "old.safetensors")


def test_only_a_reading_that_is_not_sure_is_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = Graph.from_triples(
        [("Ann", "works for", "Acme"), ("Acme", "located in", "Oslo"), ("Ann", "born in", "Bergen")]
    )
    whole = graph.whole
    reader = Reader()
    looked: list[int] = []

    def rate(self: PathCrossEncoder, rows: list[object]) -> np.ndarray:
        looked.append(len(rows))
        return np.array([-99.0, *[0.0] * (len(rows) - 1)], np.float32)

    monkeypatch.setattr(PathCrossEncoder, "rate", rate)
    monkeypatch.setattr("clew.reading.reader.POSSIBLE", 0.0)

    def best(sure: float) -> str:
        monkeypatch.setattr("clew.reading.reader.SURE", sure)
        start = whole.local("Ann")
        assert start is not None
        reading = reader.read("where was Ann born", whole, Wording(whole), [start], ["Ann"], GrowthLimits(hops=2))
        assert sum(each.share for each in reading.rated) + reading.none == pytest.approx(1, abs=1e-5)
        return str(whole.labels(reading.rated[0].plan.ends)[0])

    assert best(0.0) == "Bergen" and not looked
    assert best(1.0) != "Bergen" and looked
