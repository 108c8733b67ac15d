#!/usr/bin/env python3
"""Writes the seeds of the manifest fuzz target: one header for each kind of file and each refusal.

The headers describe a model of toy sizes; the fuzz target itself appends the bytes of the tensors.
Usage: make_manifest_corpus.py FOLDER
"""
import copy
import pathlib
import struct
import sys

U32, I32, F32, BOOL, STR, ARRAY = 4, 5, 6, 7, 8, 9
TYPES = {"F32": (0, 1, 4), "F16": (1, 1, 2), "Q4_0": (2, 32, 18), "Q8_0": (8, 32, 34),
         "Q4_K": (12, 256, 144), "Q6_K": (14, 256, 210), "BF16": (30, 1, 2)}
FORMATS = {U32: "<I", I32: "<i", F32: "<f", BOOL: "<?"}
LAYERS, WIDTH = 6, 32


def string(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def payload(kind, value):
    return string(value) if kind == STR else struct.pack(FORMATS[kind], value)


def encode(kind, value):
    if kind != ARRAY:
        return struct.pack("<I", kind) + payload(kind, value)
    element, values = value
    return struct.pack("<IIQ", ARRAY, element, len(values)) + b"".join(
        payload(element, v) for v in values)


def write(path, keys, tensors, data=b""):
    out = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys))
    for key, (kind, value) in keys.items():
        out += string(key) + encode(kind, value)
    offset = 0
    for name, (type_name, shape) in tensors.items():
        number, block, block_bytes = TYPES[type_name]
        out += string(name) + struct.pack("<I", len(shape))
        out += b"".join(struct.pack("<Q", n) for n in shape)
        out += struct.pack("<IQ", number, offset)
        values = 1
        for n in shape:
            values *= n
        offset += -(-(values // block * block_bytes) // 8) * 8
    # Smaller than the usual 32, to keep all tensors within what the fuzz target appends.
    out += b"\0" * (-len(out) % 8) + data
    path.write_bytes(out)


def model_keys(layers=LAYERS, width=WIDTH, heads=1, swa_kv=1, full_kv=1, head=32, swa_head=32,
               ffn=32):
    kv = [full_kv if (i + 1) % 6 == 0 else swa_kv for i in range(layers)]
    swa = [(i + 1) % 6 != 0 for i in range(layers)]
    keys = {"general.architecture": (STR, "gemma4"), "general.alignment": (U32, 8)}
    values = {
        "block_count": (U32, layers), "context_length": (U32, 262144),
        "embedding_length": (U32, width), "feed_forward_length": (U32, ffn),
        "attention.head_count": (U32, heads), "attention.head_count_kv": (ARRAY, (I32, kv)),
        "rope.freq_base": (F32, 1e6), "rope.freq_base_swa": (F32, 1e4),
        "attention.layer_norm_rms_epsilon": (F32, 1e-6),
        "attention.key_length": (U32, head), "attention.value_length": (U32, head),
        "final_logit_softcapping": (F32, 30.0), "attention.sliding_window": (U32, 1024),
        "embedding_length_per_layer_input": (U32, 0),
        "attention.sliding_window_pattern": (ARRAY, (BOOL, swa)),
        "attention.key_length_swa": (U32, swa_head),
        "attention.value_length_swa": (U32, swa_head),
        "rope.dimension_count": (U32, head), "rope.dimension_count_swa": (U32, swa_head),
    }
    keys.update({"gemma4." + key: value for key, value in values.items()})
    keys["tokenizer.ggml.model"] = (STR, "gemma4")
    keys["tokenizer.ggml.tokens"] = (ARRAY, (STR, ["<pad>", "a"]))
    return keys


def model_tensors():
    vector, matrix = ("F32", [WIDTH]), ("Q4_0", [WIDTH, WIDTH])
    tensors = {"rope_freqs.weight": ("F32", [16]), "output_norm.weight": vector,
               "token_embd.weight": ("Q8_0", [WIDTH, 2])}
    for layer in range(LAYERS):
        parts = {"attn_k": matrix, "attn_k_norm": vector, "attn_norm": vector,
                 "attn_output": matrix, "attn_q": matrix, "attn_q_norm": vector, "attn_v": matrix,
                 "ffn_down": matrix, "ffn_gate": matrix, "ffn_norm": vector, "ffn_up": matrix,
                 "layer_output_scale": ("F32", [1]), "post_attention_norm": vector,
                 "post_ffw_norm": vector}
        if (layer + 1) % 6 == 0:
            del parts["attn_v"]
        tensors.update({f"blk.{layer}.{part}.weight": spec for part, spec in parts.items()})
    return tensors


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.gguf"):
        old.unlink()
    keys, tensors = model_keys(), model_tensors()
    few = {name: tensors[name] for name in
           ("rope_freqs.weight", "token_embd.weight", "blk.0.attn_k.weight")}

    def seed(name, with_keys=None, without=(), with_tensors=few, data=b"", base=None):
        changed = copy.copy(keys if base is None else base)
        changed.update(with_keys or {})
        for key in without:
            del changed[key]
        write(folder / f"{name}.gguf", changed, with_tensors, data)

    # Whole models: accepted, and refused for a tensor.
    seed("accepted", with_tensors=tensors)
    seed("accepted-with-notes", {"gemma4.vision.block_count": (U32, 1)},
         with_tensors=tensors | {"v.a": ("Q4_K", [256, 1]), "mm.b": ("F16", [2])})
    seed("extra-tensor", with_tensors=tensors | {"output.weight": ("Q4_0", [32, 2])})
    seed("missing-tensor",
         with_tensors={n: t for n, t in tensors.items() if n != "blk.5.post_ffw_norm.weight"})
    ones = struct.pack("<f", 1)
    stopped = struct.pack("<f", 1e30)
    seed("stopped-pairs", with_tensors=few, data=ones * 4 + stopped * 12)
    seed("wrong-rope-factor", with_tensors=few, data=ones * 4 + stopped * 11 + ones)
    scale_first = {n: tensors[n] for n in
                   ("rope_freqs.weight", "output_norm.weight", "token_embd.weight")}
    scale_first |= {"blk.0.layer_output_scale.weight": ("F32", [1])}
    scale_first |= {n: t for n, t in tensors.items() if n.startswith("blk.0.")}
    seed("zero-scale", with_tensors=scale_first,
         data=ones * 16 + b"\0" * (128 + 72 + 8))
    # Refused at the first tensor of its kind.
    seed("k-quant", with_tensors=few | {"output_norm.weight": tensors["output_norm.weight"],
                                        "blk.0.attn_k.weight": ("BF16", [32, 32])})
    seed("table-type", with_tensors=few | {"output_norm.weight": tensors["output_norm.weight"],
                                           "token_embd.weight": ("F16", [32, 2])})
    seed("no-table", with_tensors={"blk.0.attn_k.weight": tensors["blk.0.attn_k.weight"]})
    seed("table-shape", with_tensors=few | {"token_embd.weight": ("Q8_0", [32])})
    seed("no-rope-factors", with_tensors={n: t for n, t in few.items() if "rope" not in n})
    seed("rope-factors-shape", with_tensors=few | {"rope_freqs.weight": ("F32", [15])})

    # Hyperparameters: missing, of another kind, out of range, inconsistent.
    for key in ("block_count", "rope.freq_base", "attention.head_count_kv",
                "attention.sliding_window_pattern", "embedding_length_per_layer_input"):
        seed("missing-" + key, without=("gemma4." + key,))
    wrong = {
        "block-count-text": ("block_count", (STR, "six")),
        "block-count-zero": ("block_count", (U32, 0)),
        "block-count-odd": ("block_count", (U32, 7)),
        "width-large": ("embedding_length", (U32, 1 << 31)),
        "rope-base-integer": ("rope.freq_base", (U32, 10000)),
        "rope-base-negative": ("rope.freq_base", (F32, -1.0)),
        "value-length": ("attention.value_length", (U32, 64)),
        "head-count-array": ("attention.head_count", (ARRAY, (U32, [1] * 6))),
        "head-count-mixed": ("attention.head_count", (ARRAY, (I32, [1, 1, 1, 1, 1, 2]))),
        "kv-heads-mixed": ("attention.head_count_kv", (ARRAY, (I32, [1, 2, 1, 1, 1, 1]))),
        "kv-heads-bool": ("attention.head_count_kv", (ARRAY, (BOOL, [True] * 6))),
        "kv-heads-short": ("attention.head_count_kv", (ARRAY, (I32, [1]))),
        "kv-heads-large": ("attention.head_count_kv", (ARRAY, (I32, [2] * 6))),
        "pattern-order": ("attention.sliding_window_pattern", (ARRAY, (BOOL, [False] * 6))),
        "pattern-kind": ("attention.sliding_window_pattern", (ARRAY, (I32, [1] * 6))),
        "softcap-attention": ("attn_logit_softcapping", (F32, 50.0)),
        "experts-used-text": ("expert_used_count", (STR, "x")),
        "rope-scaling": ("rope.scaling.type", (STR, "yarn")),
        "rope-scaling-none": ("rope.scaling.type", (STR, "none")),
    }
    for name, (key, value) in wrong.items():
        seed(name, {"gemma4." + key: value})
    seed("tokenizer-model", {"tokenizer.ggml.model": (STR, "gpt2")})
    seed("tokenizer-pre", {"tokenizer.ggml.pre": (STR, "llama-bpe")})
    seed("tokenizer-prefix", {"tokenizer.ggml.add_space_prefix": (BOOL, True)})
    seed("tokenizer-size", {"tokenizer.ggml.tokens": (ARRAY, (STR, ["a"]))})
    seed("quantization-version", {"general.quantization_version": (U32, 1)})
    seed("quantization-version-text", {"general.quantization_version": (STR, "2")})

    # Published sizes, without their data.
    size_12b = model_keys(48, 3840, 16, 8, 1, 512, 256, 15360)
    seed("12b-vocabulary", base=size_12b)
    seed("12b-window", {"gemma4.attention.sliding_window": (U32, 512)}, base=size_12b)
    seed("31b-heads", base=model_keys(60, 5376, 16, 16, 4, 512, 256, 21504))

    # Other kinds of file.
    kind = {"general.architecture": (STR, "gemma4")}
    bare = {"general.name": (STR, "Some model"), "general.alignment": (U32, 8)}
    layer = {"blk.0.attn_k.weight": ("F32", [2])}
    seed("kind-none", base=bare, with_tensors={})
    for name in ("gemma", "gemma3", "qwen3", "clip"):
        seed("kind-" + name, {"general.architecture": (STR, name)}, base=bare, with_tensors=layer)
    seed("kind-adapter", kind | {"general.type": (STR, "adapter")}, base=bare)
    seed("kind-split", {"split.no": (U32, 1), "split.count": (U32, 3)}, base=bare)
    seed("kind-vocabulary", kind, base=bare, with_tensors={})
    seed("kind-no-layers", kind, base=bare, with_tensors={"a": ("F32", [2])})
    for target in (3840, 128):
        seed(f"kind-assistant-{target}",
             {"general.architecture": (STR, "gemma4-assistant"),
              "gemma4-assistant.embedding_length_out": (U32, target)}, base=bare)
    for layers in (30, 6):
        seed(f"kind-experts-{layers}",
             kind | {"gemma4.block_count": (U32, layers), "gemma4.expert_count": (U32, 128)},
             base=bare, with_tensors=layer)
    for layers in (35, 42, 6):
        seed(f"kind-per-layer-{layers}",
             kind | {"gemma4.block_count": (U32, layers),
                     "gemma4.embedding_length_per_layer_input": (U32, 256)},
             base=bare, with_tensors=layer)


if __name__ == "__main__":
    main()
