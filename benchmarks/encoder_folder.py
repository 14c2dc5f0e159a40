"""A folder in PyLate's ONNX layout from a BERT encoder in safetensors, without torch: to measure rerankers with.

    python benchmarks/encoder_folder.py ENCODER OUT [--pooled] [--query-length N] [--document-length N]

ENCODER holds config.json, model.safetensors and tokenizer.json, as sentence-transformers saves them. The graph's
output is the last layer's vectors, of unit length; with `--pooled` each token has the mean of all of them, so that
MaxSim orders as the cosine of sentence vectors does. Dynamic int8 quantisation as the exporter does it. Needs `onnx`
and `onnxruntime`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

OPSET = 18


class Graph:
    """ONNX nodes and constants under construction."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, value: Any, dtype: Any = np.float32) -> str:
        """A constant's name."""
        from onnx import numpy_helper

        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(np.asarray(value, dtype)), name))
        return name

    def add(self, kind: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        """A node's output."""
        from onnx import helper

        output = output or f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def linear(self, value: str, weights: dict[str, NDArray[Any]], name: str) -> str:
        """Torch's linear layer."""
        product = self.add("MatMul", value, self.constant(weights[f"{name}.weight"].T))
        return self.add("Add", product, self.constant(weights[f"{name}.bias"]))

    def norm(self, value: str, weights: dict[str, NDArray[Any]], name: str, epsilon: float) -> str:
        """Torch's layer normalisation."""
        scale, bias = self.constant(weights[f"{name}.weight"]), self.constant(weights[f"{name}.bias"])
        return self.add("LayerNormalization", value, scale, bias, axis=-1, epsilon=epsilon)


def read_safetensors(path: Path) -> dict[str, NDArray[Any]]:
    """Every float32 or int64 tensor of a file."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    tensors = {}
    for name, entry in json.loads(data[8 : 8 + length]).items():
        if name != "__metadata__":
            first, last = (8 + length + offset for offset in entry["data_offsets"])
            dtype = {"F32": np.float32, "I64": np.int64}[entry["dtype"]]
            tensors[name] = np.frombuffer(data[first:last], dtype).reshape(entry["shape"])
    return tensors


def bert(weights: dict[str, NDArray[Any]], config: dict[str, Any], *, pooled: bool) -> Any:
    """The encoder as an ONNX model: input_ids, attention_mask, token_type_ids -> output."""
    from onnx import TensorProto, helper

    graph = Graph()
    size, heads, epsilon = config["hidden_size"], config["num_attention_heads"], config["layer_norm_eps"]
    words = graph.add("Gather", graph.constant(weights["embeddings.word_embeddings.weight"]), "input_ids")
    tokens = graph.add("Gather", graph.add("Shape", "input_ids"), graph.constant([1], np.int64))
    first = graph.constant([0], np.int64)
    places = graph.add("Slice", graph.constant(weights["embeddings.position_embeddings.weight"]), first, tokens, first)
    types = graph.add("Gather", graph.constant(weights["embeddings.token_type_embeddings.weight"]), "token_type_ids")
    state = graph.add("Add", graph.add("Add", words, places), types)
    state = graph.norm(state, weights, "embeddings.LayerNorm", epsilon)
    mask = graph.add("Cast", "attention_mask", to=TensorProto.FLOAT)
    seen = graph.add("Unsqueeze", mask, graph.constant([1, 2], np.int64))
    bias = graph.add("Mul", graph.add("Sub", graph.constant(1.0), seen), graph.constant(-1e9))
    split = graph.constant([0, 0, heads, size // heads], np.int64)
    for layer in range(config["num_hidden_layers"]):
        name = f"encoder.layer.{layer}"
        query, key, value = (
            graph.add("Reshape", graph.linear(state, weights, f"{name}.attention.self.{part}"), split)
            for part in ("query", "key", "value")
        )
        similar = graph.add(
            "MatMul",
            graph.add("Transpose", query, perm=[0, 2, 1, 3]),
            graph.add("Transpose", key, perm=[0, 2, 3, 1]),
        )
        similar = graph.add("Mul", similar, graph.constant((size / heads) ** -0.5))
        share = graph.add("Softmax", graph.add("Add", similar, bias), axis=-1)
        seen_by = graph.add("MatMul", share, graph.add("Transpose", value, perm=[0, 2, 1, 3]))
        merged = graph.add(
            "Reshape", graph.add("Transpose", seen_by, perm=[0, 2, 1, 3]), graph.constant([0, 0, size], np.int64)
        )
        attended = graph.linear(merged, weights, f"{name}.attention.output.dense")
        state = graph.norm(graph.add("Add", state, attended), weights, f"{name}.attention.output.LayerNorm", epsilon)
        wide = graph.linear(state, weights, f"{name}.intermediate.dense")
        bell = graph.add("Erf", graph.add("Mul", wide, graph.constant(0.5**0.5)))
        wide = graph.add(
            "Mul",
            graph.add("Mul", wide, graph.constant(0.5)),
            graph.add("Add", graph.constant(1.0), bell),
        )
        narrow = graph.linear(wide, weights, f"{name}.output.dense")
        state = graph.norm(graph.add("Add", state, narrow), weights, f"{name}.output.LayerNorm", epsilon)
    if pooled:
        axis, last = graph.constant([1], np.int64), graph.constant([2], np.int64)
        present = graph.add("Unsqueeze", mask, last)
        total = graph.add("ReduceSum", graph.add("Mul", state, present), axis, keepdims=1)
        state = graph.add("Expand", total, graph.add("Shape", state))
    length = graph.add("ReduceL2", state, graph.constant([-1], np.int64), keepdims=1)
    graph.add("Div", state, graph.add("Clip", length, graph.constant(1e-12)), output="output")
    shape = ["batch_size", "sequence_length"]
    made = helper.make_graph(
        graph.nodes,
        "encoder",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, shape)
            for name in ("input_ids", "attention_mask", "token_type_ids")
        ],
        [helper.make_tensor_value_info("output", TensorProto.FLOAT, [*shape, size])],
        graph.constants,
    )
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)


def main() -> None:
    """Write the folder."""
    parser = argparse.ArgumentParser(description="A PyLate ONNX folder from a BERT encoder.")
    parser.add_argument("encoder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--pooled", action="store_true", help="sentence vectors instead of token vectors")
    parser.add_argument("--query-length", type=int, default=64)
    parser.add_argument("--document-length", type=int, default=128)
    args = parser.parse_args()
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    args.out.mkdir(parents=True, exist_ok=True)
    config = json.loads((args.encoder / "config.json").read_text())
    model = bert(read_safetensors(args.encoder / "model.safetensors"), config, pooled=args.pooled)
    onnx.checker.check_model(model)
    onnx.save(model, args.out / "model.onnx")
    quantize_dynamic(args.out / "model.onnx", args.out / "model_int8.onnx", weight_type=QuantType.QInt8)
    shutil.copyfile(args.encoder / "tokenizer.json", args.out / "tokenizer.json")
    said = {
        "model_type": "ColBERT",
        "query_prefix": "",
        "document_prefix": "",
        "query_length": args.query_length,
        "document_length": args.document_length,
        "do_query_expansion": False,
        "skiplist_words": [],
    }
    (args.out / "onnx_config.json").write_text(json.dumps(said, indent=1))


if __name__ == "__main__":
    main()
