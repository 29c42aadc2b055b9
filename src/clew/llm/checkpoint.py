"""A checkpoint folder or hub name, opened: tokenizer, weights, adapter, chat template, a name that follows the weights.

Kept apart from the local model because here everything can be wrong before a first token, and each wrong thing has its
own message.
"""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch

from clew.errors import ConfigError, InputError, MissingExtraError
from clew.llm.settings import ModelSettings

_TURN_ENDS = ("<|im_end|>", "<|eot_id|>", "<end_of_turn>", "<|end|>", "<|endoftext|>")


def device_of(wanted: str) -> str:
    if wanted != "auto":
        return wanted
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def open_checkpoint(settings: ModelSettings, device: torch.device) -> tuple[Any, Any]:
    """Tokenizer and model, in evaluation mode."""
    try:
        from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig
        from transformers.utils import logging
    except ImportError:
        raise MissingExtraError("a local language model", "models") from None
    folder = Path(settings.model)
    if folder.is_dir() and settings.model.count("/") < 2 and not settings.model.startswith((".", "/", "~")):
        raise InputError(
            f"language model {settings.model!r}: the name of a model, and a folder of that name lies here, perhaps "
            f"somebody else's; write ./{settings.model} for the folder, or ask elsewhere for the model"
        )
    if folder.is_dir() and not any((folder / name).is_file() for name in ("config.json", "adapter_config.json")):
        raise InputError(f"{folder}: no model folder, it has no config.json; expected what save_pretrained writes")
    if not folder.exists() and (folder.is_absolute() or settings.model.startswith(".")):
        raise InputError(f"{folder}: no such model folder")
    packed = _four_bit(device) if settings.four_bit else {}
    dtype = settings.dtype
    if dtype == "auto":
        dtype = "bfloat16" if device.type == "cuda" else "float32"
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        # A folder names neither code to run nor another model to fetch, whatever its files say.
        trust = {"trust_remote_code": False, "local_files_only": folder.is_dir()}
        tokenizer = AutoTokenizer.from_pretrained(settings.model, **trust)
        model = AutoModelForCausalLM.from_pretrained(settings.model, dtype=getattr(torch, dtype), **trust, **packed)
    except (OSError, ValueError, KeyError) as error:
        reason = " ".join(str(error).split())[:300]
        raise InputError(f"{settings.model}: not a causal language model that can be opened here: {reason}") from None
    finally:
        if shown:
            logging.enable_progress_bar()
    if settings.adapter is not None:
        model = _with_adapter(model, settings.adapter, merge=not packed)
    own = model.generation_config
    model.generation_config = GenerationConfig(eos_token_id=own.eos_token_id, pad_token_id=own.pad_token_id)
    return tokenizer, (model if packed else model.to(device)).eval()


def _four_bit(device: torch.device) -> dict[str, Any]:
    """What transformers is told to pack weights into 4 bits (NF4) while they are read."""
    if device.type != "cuda":
        raise ConfigError(
            f"language_model.four_bit = true needs an NVIDIA GPU, and the device here is {device.type!r}: leave it "
            "out, or serve the model elsewhere and name that server"
        )
    if find_spec("bitsandbytes") is None:
        raise ConfigError("language_model.four_bit = true needs the package bitsandbytes: pip install bitsandbytes")
    from transformers import BitsAndBytesConfig

    how = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)
    return {"quantization_config": how, "device_map": {"": device}}


def _with_adapter(model: Any, adapter: Path, *, merge: bool) -> Any:
    try:
        from peft import PeftModel
    except ImportError:
        raise MissingExtraError("an adapter", "train") from None
    if not (adapter / "adapter_config.json").is_file():
        raise InputError(f"{adapter}: no adapter folder, it has no adapter_config.json")
    try:
        adapted = PeftModel.from_pretrained(model, str(adapter))
        return adapted.merge_and_unload() if merge else adapted  # merging into packed weights would round them again
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError(
            f"{adapter}: the adapter does not fit the model: {' '.join(str(error).split())[:300]}"
        ) from None


def template_of(settings: ModelSettings, tokenizer: Any) -> str | None:
    """The chat template; None for "plain". Raises ConfigError when there is none and none was chosen."""
    if settings.chat_template == "plain":
        return None
    if isinstance(settings.chat_template, Path):
        try:
            return settings.chat_template.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"language_model.chat_template = {str(settings.chat_template)!r}: {error}") from None
    if tokenizer.chat_template is None:
        raise ConfigError(
            f"{settings.model}: its tokenizer has no chat template; set language_model.chat_template to a file, or to "
            "'plain' to show the messages as they are (right for a base model)"
        )
    return str(tokenizer.chat_template) if isinstance(tokenizer.chat_template, str) else tokenizer.get_chat_template()


def ends_of(model: Any, tokenizer: Any) -> list[int]:
    """The tokens that end a reply: of the generation settings, the tokenizer, and of known chat formats."""
    own = model.generation_config.eos_token_id
    ids = list(own) if isinstance(own, (list, tuple)) else [own]
    ids += [tokenizer.eos_token_id, *(tokenizer.get_added_vocab().get(text) for text in _TURN_ENDS)]
    found = list(dict.fromkeys(int(id) for id in ids if id is not None))
    if not found:
        raise InputError(f"{tokenizer.name_or_path}: neither model nor tokenizer names a token that ends a text")
    return found


def identity_of(settings: ModelSettings, model: Any) -> str:
    """A name that changes when the weights do: part of every cache key."""
    folder = Path(settings.model)
    if folder.is_dir():
        name = f"{folder.resolve().name}#{_fingerprint(folder)}"
    else:
        name = f"{settings.model}@{getattr(model.config, '_commit_hash', None) or 'unknown'}"
    if settings.adapter is not None:
        name += f"+{settings.adapter.resolve().name}#{_fingerprint(settings.adapter)}"
    options = {"template": str(settings.chat_template or ""), **settings.template_options}
    if settings.four_bit:
        options["four_bit"] = True
    marks = hashlib.sha256(repr(sorted(options.items())).encode()).hexdigest()[:8]
    return f"local:{name}:{str(model.dtype).removeprefix('torch.')}:{marks}"


def _fingerprint(folder: Path, blocks: int = 64, block: int = 65536) -> str:
    """Hash of the files of a checkpoint: whole where small, else blocks spread over each file."""
    digest = hashlib.sha256()
    for file in sorted(folder.iterdir()):
        if file.suffix not in (".safetensors", ".json", ".jinja", ".model", ".txt", ".bin"):
            continue
        size = file.stat().st_size
        digest.update(f"{file.name}:{size}".encode())
        with file.open("rb") as stream:
            for i in range(blocks):
                stream.seek(0 if size <= blocks * block else i * ((size - block) // (blocks - 1)))
                digest.update(stream.read(blocks * block if size <= blocks * block else block))
                if size <= blocks * block:
                    break
    return digest.hexdigest()[:12]
