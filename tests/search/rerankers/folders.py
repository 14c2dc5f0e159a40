"""A real ColBERT folder of a few kilobytes, made in the test: a word table, unit vectors, a word-level tokenizer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[Q] ", "[D] ", ".", ",", "(", ")"]
WORDS += ["retry", "delay", "failed", "delivery", "parse", "json", "polygon", "clip", "socket", "close"]
DIMENSION = 8


def table() -> np.ndarray[Any, np.dtype[np.float32]]:
    """One direction a word; "delay" stands close to "retry"."""
    rows = np.random.default_rng(7).normal(size=(len(WORDS), DIMENSION)).astype(np.float32)
    rows[WORDS.index("delay")] = rows[WORDS.index("retry")] + 0.2 * rows[WORDS.index("delay")]
    return rows


def write_folder(directory: Path, *, model: str = "model.onnx", inputs: int = 2, **config: Any) -> Path:
    """The folder, in the layout of PyLate's ONNX exporters; `config` goes over the usual values."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    directory.mkdir(parents=True, exist_ok=True)
    names = ["input_ids", "attention_mask", "token_type_ids"][:inputs]
    shape = ["batch_size", "sequence_length"]
    graph = helper.make_graph(
        [
            helper.make_node("Gather", ["table", "input_ids"], ["gathered"]),
            helper.make_node("LpNormalization", ["gathered"], ["output"], axis=-1, p=2),
        ],
        "tiny",
        [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in names],
        [helper.make_tensor_value_info("output", TensorProto.FLOAT, [*shape, DIMENSION])],
        [numpy_helper.from_array(table(), "table")],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(made)
    onnx.save(made, directory / model)
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(directory / "tokenizer.json"))
    said = {"model_type": "ColBERT", "query_length": 8, "document_length": 12, "do_query_expansion": False, **config}
    (directory / "onnx_config.json").write_text(json.dumps(said), "utf-8")
    return directory
