"""Writes the two GGUF files from checkpoints: python3 export.py --in CHECKPOINTS --out ../../models/demo

The same checkpoints give the same bytes. Keys and tensor names are those of the published files.
"""
import argparse
import hashlib
import pathlib

import checkpoint
import gguf
import network
import tokenizer

TARGET_FILE, DRAFTER_FILE = "gem-demo-q4_0.gguf", "mtp-gem-demo-q4_0.gguf"


def vocabulary_keys(vocabulary):
    tokens, types, merges = vocabulary.tokens, vocabulary.types, vocabulary.merges
    return [
        ("tokenizer.ggml.model", gguf.STRING, "gemma4"),
        ("tokenizer.ggml.tokens", (gguf.ARRAY, gguf.STRING), tokens),
        ("tokenizer.ggml.scores", (gguf.ARRAY, gguf.F32), [-1000.0] * len(tokens)),
        ("tokenizer.ggml.token_type", (gguf.ARRAY, gguf.I32), types),
        ("tokenizer.ggml.merges", (gguf.ARRAY, gguf.STRING), [f"{left} {right}" for left, right in merges]),
        ("tokenizer.ggml.bos_token_id", gguf.U32, 2),
        ("tokenizer.ggml.eos_token_id", gguf.U32, 1),
        ("tokenizer.ggml.unknown_token_id", gguf.U32, 3),
        ("tokenizer.ggml.padding_token_id", gguf.U32, 0),
        ("tokenizer.ggml.mask_token_id", gguf.U32, 4),
        ("tokenizer.ggml.add_space_prefix", gguf.BOOL, False),
        ("tokenizer.ggml.add_bos_token", gguf.BOOL, True),
    ]


def shape_keys(prefix, shape, target=None):
    """`target` is the target's shape where `shape` is a drafter's."""
    kv_heads = [(target or shape).full_kv_heads if shape.is_full(layer) else (target or shape).swa_kv_heads for layer in range(shape.layers)]
    keys = [
        ("block_count", gguf.U32, shape.layers),
        ("context_length", gguf.U32, shape.context),
        ("embedding_length", gguf.U32, shape.width),
        ("feed_forward_length", gguf.U32, shape.ffn),
        ("attention.head_count", gguf.U32, shape.heads),
        ("attention.head_count_kv", (gguf.ARRAY, gguf.I32), kv_heads),
        ("rope.freq_base", gguf.F32, shape.full_base),
        ("rope.freq_base_swa", gguf.F32, shape.swa_base),
        ("attention.layer_norm_rms_epsilon", gguf.F32, 1e-6),
        ("attention.key_length", gguf.U32, shape.full_head),
        ("attention.value_length", gguf.U32, shape.full_head),
        ("attention.sliding_window", gguf.U32, shape.window),
        ("attention.shared_kv_layers", gguf.U32, shape.layers if target else 0),
        ("embedding_length_per_layer_input", gguf.U32, 0),
        ("attention.sliding_window_pattern", (gguf.ARRAY, gguf.BOOL), [not shape.is_full(layer) for layer in range(shape.layers)]),
        ("attention.key_length_swa", gguf.U32, shape.swa_head),
        ("attention.value_length_swa", gguf.U32, shape.swa_head),
        ("rope.dimension_count", gguf.U32, shape.full_head),
        ("rope.dimension_count_swa", gguf.U32, shape.swa_head),
    ]
    if target:
        keys += [("embedding_length_out", gguf.U32, target.width), ("nextn_predict_layers", gguf.U32, shape.layers)]
    else:
        keys += [("final_logit_softcapping", gguf.F32, shape.softcap)]
    return [(f"{prefix}.{key}", kind, value) for key, kind, value in keys]


def general_keys(architecture, name):
    return [
        ("general.architecture", gguf.STRING, architecture),
        ("general.type", gguf.STRING, "model"),
        ("general.name", gguf.STRING, name),
        ("general.size_label", gguf.STRING, "Demo"),
        ("general.license", gguf.STRING, "mit"),
        ("general.file_type", gguf.U32, 2),
        ("general.quantization_version", gguf.U32, 2),
    ]


def tensors_of(parameters, shape):
    yield "rope_freqs.weight", gguf.TENSOR_F32, network.rope_divisors(shape).numpy()
    for name in sorted(parameters):
        kind = gguf.TENSOR_F32
        if parameters[name].dim() == 2:
            kind = gguf.TENSOR_Q8_0 if name == "token_embd.weight" else gguf.TENSOR_Q4_0
        yield name, kind, parameters[name].numpy()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--in", dest="source", required=True)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    out = pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    vocabulary = vocabulary_keys(tokenizer.Tokenizer.load())
    target, drafter = network.TARGET, network.DRAFTER
    jobs = [("target", TARGET_FILE, "gemma4", "gem demo", shape_keys("gemma4", target), target),
            ("drafter", DRAFTER_FILE, "gemma4-assistant", "gem demo drafter", shape_keys("gemma4-assistant", drafter, target), drafter)]
    for name, file, architecture, title, keys, shape in jobs:
        found = checkpoint.load(options.source, name)
        if found is None:
            print(f"{file}: no checkpoint of the {name} under {options.source}")
            continue
        gguf.write(out / file, general_keys(architecture, title) + keys + vocabulary, list(tensors_of(found[0], shape)))
        data = (out / file).read_bytes()
        print(f"{file}: {len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}")


if __name__ == "__main__":
    main()
