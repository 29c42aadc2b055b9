"""A graph, a model or a configuration from somebody else is data: none of them may choose where a key goes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.config import reserved
from clew.encoding.local import find_weights
from clew.errors import ConfigError, FormatError, NotFoundError, UnavailableError
from clew.extras import load
from clew.graph import Graph
from clew.methods.decompose.config import Config as Decompose
from clew.methods.registry import cards
from clew.protocols import Example
from clew.secrecy import REDACTED
from clew.settings import Configuration, configure
from clew.testing.fake_llm import FakeServer, Fault
from clew.testing.graph_store import TOY
from clew.types import Gold, Question
from clew.workspace import Workspace

KEY = "sk-of-the-user-0123456789"


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("PRIVATE_VARIABLE", "another-secret-of-the-user")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def attacker() -> Iterator[FakeServer]:
    with FakeServer("x") as server:
        yield server
        assert server.bodies == [], "somebody talked to a server that the user never named"


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A graph folder from somebody else, with a model folder inside."""
    Graph.from_triples(TOY, name="shared").save(tmp_path / "shared.kg")
    return tmp_path / "shared.kg"


def trained(folder: Path, *, method: str = "walk", config: Any = None, encoder: Any = None) -> None:
    record = {"format": 1, "method": method, "config": config or {}, "encoder": encoder or {}}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "trained.json").write_text(json.dumps({**record, "graph": "g", "seed": 0, "metrics": {}}))


@pytest.mark.parametrize(
    ("encoder", "words"),
    [
        ({"name": "remote:x", "base_url": "URL"}, "encoder.base_url = 'http://127"),
        ({"name": "hash-64", "base_url": "URL"}, "encoder.base_url"),
        ({"name": "remote:x"}, "encoder.name = 'remote:x' .a server"),
        ({"name": "hash-64", "cache": "/tmp/elsewhere"}, "encoder.cache = '/tmp/elsewhere'"),
        ({"name": "hash-64", "models": "/tmp/elsewhere"}, "encoder.models"),
        ({"name": "/tmp/elsewhere/model"}, "a folder to load"),
        ({"name": "./model"}, "a folder to load"),
        ({"name": "somebody/model-never-seen"}, "a model to download"),
    ],
)
def test_a_model_folder_chooses_no_server_no_file_and_no_code(
    shared: Path, attacker: FakeServer, encoder: dict[str, str], words: str
) -> None:
    folder = shared / "models" / "scr"
    trained(folder, method="scr", encoder={k: attacker.url if v == "URL" else v for k, v in encoder.items()})
    for model in (None, folder):
        with pytest.raises(ConfigError, match=words) as caught:
            clew.ask(shared, "currency of France?", model=model)
        assert "trained.json wants to set" in str(caught.value)


def test_what_a_user_says_goes(shared: Path) -> None:
    foreign = {"name": "remote:x", "base_url": "http://127.0.0.1:9/v1"}
    trained(shared / "models" / "scr", method="scr", encoder=foreign)

    def name(**own: str) -> str:
        space = Workspace(configure(flags={"graph": {"path": shared}, "encoder": own}, environment={}))
        return space.encoder(space.model()).name

    assert name(name="hash-64").startswith("hash")
    assert name(base_url="http://127.0.0.1:8/v1") == "x@http://127.0.0.1:8/v1"
    trained(shared / "models" / "scr", method="scr", encoder={"name": "hash-64", "base_url": None, "timeout_s": 60.0})
    assert name().startswith("hash")


def test_the_settings_of_a_trained_method_choose_no_server_either(shared: Path, attacker: FakeServer) -> None:
    foreign = {"decomposer": {"model": "x", "base_url": attacker.url, "api_key_env": "PRIVATE_VARIABLE"}}
    trained(shared / "models" / "decompose", method="decompose", config=foreign, encoder={"name": "hash-64"})
    with pytest.raises(ConfigError, match=r"method\.decomposer\.model = 'x'; method\.decomposer\.base_url"):
        clew.ask(shared, "currency of France?", method="decompose")
    trained(
        shared / "models" / "decompose", method="decompose", config={"prompts": "/etc"}, encoder={"name": "hash-64"}
    )
    with pytest.raises(ConfigError, match=r"method\.prompts = '/etc'"):
        clew.ask(shared, "currency of France?", method="decompose")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[encoder]\nname="remote:x"\nbase_url="URL"', "encoder.base_url"),
        ('[encoder]\nname="remote:x"', "encoder.name"),
        ('[language_model]\nmodel="m"\nbase_url="URL"\napi_key_env="PRIVATE_VARIABLE"', "language_model.api_key_env"),
        ('[language_model]\nmodel="m"', "language_model.model"),
        ('[language_model]\ncache="/tmp/elsewhere"', "language_model.cache"),
        ('[run]\nray_address="URL"', "run.ray_address"),
        ('[method]\nname="decompose"\n[method.decomposer]\nmodel="m"\nbase_url="URL"', "method.decomposer.base_url"),
        ('[method]\nname="io"\nprompt="/etc/passwd"', "method.prompt"),
    ],
)
def test_a_clew_toml_that_nobody_named_may_only_tune(
    shared: Path, attacker: FakeServer, tmp_path: Path, text: str, words: str
) -> None:
    (tmp_path / "clew.toml").write_text(text.replace("URL", attacker.url))
    with pytest.raises(ConfigError, match=words) as caught:
        clew.ask(shared, "currency of France?", encoder=None)
    assert "--config clew.toml" in str(caught.value)
    assert KEY not in str(caught.value)


def test_a_file_that_somebody_named_may_choose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "clew.toml"
    file.write_text('[language_model]\nmodel = "m"\nbase_url = "http://127.0.0.1:9/v1"\n')
    assert configure(file, environment={}).language_model.model == "m"
    assert configure(environment={"CLEW_CONFIG": str(file)}).language_model.model == "m"
    file.write_text("[run]\nseed = 7\n[link]\nlimit = 2\n[method]\nname = 'walk'\n")
    assert configure(environment={}).run.seed == 7
    file.write_text('[encoder]\nbase_url = "http://evil.example/v1"\n')
    ours = {"CLEW_ENCODER__BASE_URL": "http://127.0.0.1:9/v1"}
    assert configure(environment=ours).encoder.base_url == "http://127.0.0.1:9/v1"


def test_every_setting_that_holds_a_path_or_a_server_is_reserved() -> None:
    """Of the whole configuration and of every room: a new setting is either reserved or said to be data."""
    allowed = {"graph.path", "data.folder"}
    kinds: dict[str, Any] = {"": Configuration}
    for name, card in cards().items():
        kinds[f"method {name} "] = load(card.config)
        if card.train_config is not None:
            kinds[f"train {name} "] = load(card.train_config)
    open_ = []
    for where, kind in kinds.items():
        for key, field in kind.model_fields.items():
            words = str(field.annotation)
            if "Path" in words or "url" in key or "address" in key or "env" in key:
                wanted = list(reserved(kind, {key: "/somewhere"}))
                if not wanted and f"{where}{key}" not in allowed:
                    open_.append(f"{where}{key}")
    assert open_ == []
    assert list(reserved(Configuration, {"graph": {"path": "/x"}, "data": {"folder": "/x"}})) == []
    assert list(reserved(Decompose, Decompose().model_dump(mode="json"))) == []


def test_derived_arrays_are_not_written_through_a_link(shared: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (shared / "cache").symlink_to(tmp_path / "mine")
    with pytest.raises(FormatError, match="a link"):
        clew.ask(shared, "currency of France?", encoder="hash-64")
    assert list((tmp_path / "mine").iterdir()) == []


def test_a_key_in_an_address_reaches_no_manifest_no_row_and_no_model_folder(tmp_path: Path) -> None:
    secret = "q-0123456789abcdef"
    with FakeServer("Euro") as server:
        url = f"{server.url}?api-key={secret}"
        flags = {"method": {"name": "io"}, "language_model": {"model": "fake", "base_url": url}}
        space = Workspace(configure(flags=flags, environment={}), graph=Graph.from_triples(TOY, name="toy"))
        run = clew.api.predict_run(space, [Example(Question("q1", "currency?"), Gold(("Euro",)))], tmp_path / "run")
        assert [answer.texts for answer in run.answers()] == [("Euro",)]
        assert f"?api-key={secret}" in server.paths[-1]
    assert all(secret.encode() not in file.read_bytes() for file in (tmp_path / "run").rglob("*") if file.is_file())


def test_a_key_that_a_server_echoes_is_redacted(tmp_path: Path) -> None:
    def echo(body: dict[str, Any]) -> str:
        return f"your key is {KEY}, Bearer {KEY}"

    with FakeServer(echo, key=KEY) as server:
        flags = {"method": {"name": "io"}, "language_model": {"model": "fake", "base_url": server.url}}
        flags["language_model"]["cache"] = str(tmp_path / "cache.db")
        space = Workspace(configure(flags=flags, environment={}), graph=Graph.from_triples(TOY, name="toy"))
        answer = space.ask("what is my key?")
    assert answer.reply == f"your key is {REDACTED}, Bearer {REDACTED}"
    assert KEY.encode() not in (tmp_path / "cache.db").read_bytes()
    with FakeServer([Fault(400, f"no model for {KEY}")], key=KEY) as server:
        flags["language_model"] = {"model": "fake", "base_url": server.url}
        space = Workspace(configure(flags=flags, environment={}), graph=Graph.from_triples(TOY, name="toy"))
        with pytest.raises(UnavailableError, match=r"\[key\]") as caught:
            space.ask("what is my key?")
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("made", ["link", "pipe"])
@pytest.mark.parametrize("place", ["models", "models/walk", "models/walk/trained.json", "models/default"])
def test_nothing_is_read_through_a_link_in_a_model_folder(shared: Path, tmp_path: Path, place: str, made: str) -> None:
    trained(tmp_path / "mine")
    target = tmp_path / "mine" / "trained.json" if "." in place or "default" in place else tmp_path / "mine"
    (shared / place).parent.mkdir(parents=True, exist_ok=True)
    if made == "link":
        (shared / place).symlink_to(target)
    else:
        os.mkfifo(shared / place)  # would be waited for without end
    with pytest.raises(FormatError, match=r"a link|a pipe"):
        clew.ask(shared, "currency of France?", encoder="hash-64")


@pytest.mark.parametrize("place", ["models", "models/scr", "models/scr/weights.safetensors"])
def test_training_writes_through_no_link(shared: Path, tmp_path: Path, place: str) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "precious").write_text("keep")
    (shared / place).parent.mkdir(parents=True, exist_ok=True)
    (shared / place).symlink_to(mine / "precious" if "." in place else mine)
    space = Workspace(
        configure(
            flags={"graph": {"path": shared}, "encoder": {"name": "hash-64"}, "method": {"name": "scr"}}, environment={}
        )
    )
    with pytest.raises(FormatError, match="a link"):
        space.train([Example(Question("q1", "currency?"), Gold(("Euro",)))], [], shared / "models" / "scr")
    assert [file.name for file in mine.iterdir()] == ["precious"] and (mine / "precious").read_text() == "keep"


def test_a_folder_in_the_working_directory_chooses_no_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests run in tmp_path: somebody's folder there, called like a model, is not that model."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for name in ("all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2", "bge-small", "BAAI/bge-small"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "config.json").write_text("{}")
        if "MiniLM" in name:
            assert tmp_path not in find_weights(name).parents
        else:
            with pytest.raises(NotFoundError, match=f"is meant by ./{name}"):
                find_weights(name, tmp_path / "no cache")
        assert find_weights(f"./{name}") == Path(name)
        assert find_weights(str(tmp_path / name)) == tmp_path / name
