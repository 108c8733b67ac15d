#!/usr/bin/env python3
"""Writes the seeds of the GGUF fuzz target: python3 make_gguf_corpus.py FOLDER

A right file of every shape, and one wrong file for every refusal, all small. The committed corpus is
what this writes into corpus/gguf.
"""
import pathlib
import struct
import sys

U8, I8, U16, I16, U32, I32, F32, BOOL, STRING, ARRAY, U64, I64, F64 = range(13)
CODES = {U8: "B", I8: "b", U16: "H", I16: "h", U32: "I", I32: "i", F32: "f", BOOL: "B", U64: "Q",
         I64: "q", F64: "d"}
T_F32, T_F16, T_Q4_0, T_Q8_0, T_Q4_K, T_Q6_K, T_BF16 = 0, 1, 2, 8, 12, 14, 30


def u32(number):
    return struct.pack("<I", number)


def u64(number):
    return struct.pack("<Q", number)


def text(content):
    content = content if isinstance(content, bytes) else content.encode()
    return u64(len(content)) + content


def encode(kind, content):
    return text(content) if kind == STRING else struct.pack("<" + CODES[kind], content)


def value(key, kind, content):
    return text(key) + u32(kind) + encode(kind, content)


def array(key, kind, items):
    payload = b"".join(encode(kind, item) for item in items)
    return text(key) + u32(ARRAY) + u32(kind) + u64(len(items)) + payload


def tensor(name, ne, number, offset):
    return text(name) + u32(len(ne)) + b"".join(u64(n) for n in ne) + u32(number) + u64(offset)


def gguf(metadata=(), tensors=(), data=b"", magic=b"GGUF", version=3, alignment=32, counts=None):
    tensor_count, metadata_count = counts or (len(tensors), len(metadata))
    out = magic + u32(version) + u64(tensor_count) + u64(metadata_count)
    out += b"".join(metadata) + b"".join(tensors)
    return out + bytes(-len(out) % alignment) + data


def all_types():
    """One tensor of every type that gem reads, with recognisable data."""
    sizes = [("f32", [3], T_F32, 12), ("f16", [2, 3], T_F16, 12), ("bf16", [2, 2, 2], T_BF16, 16),
             ("q4_0", [32, 1, 2, 1], T_Q4_0, 36), ("q8_0", [32], T_Q8_0, 34), ("q6_k", [256], T_Q6_K, 210)]
    tensors, data = [], b""
    for name, ne, number, size in sizes:
        data += bytes(-len(data) % 32)
        tensors.append(tensor(name, ne, number, len(data)))
        # 0x38 as a high byte makes every f16 and bf16 a number near 0.5, never NaN.
        data += bytes((7 * i) % 251 if i % 2 == 0 else 0x38 for i in range(size))
    return tensors, data


def seeds():
    every_kind = [value("u8", U8, 200), value("i8", I8, -100), value("u16", U16, 60000),
                  value("i16", I16, -30000), value("u32", U32, 7), value("i32", I32, -7),
                  value("f32", F32, 1.5), value("yes", BOOL, 1), value("s", STRING, "gemma"),
                  value("u64", U64, 1 << 40), value("big", U64, 1 << 63), value("i64", I64, -1),
                  value("f64", F64, 2.5)]
    every_array = [array("a.u8", U8, [1, 2]), array("a.u32", U32, [1]), array("a.i32", I32, [-1, 1]),
                   array("a.f32", F32, [0.5]), array("a.bool", BOOL, [1, 0]), array("a.f64", F64, [1.0]),
                   array("a.s", STRING, ["a", "", "bc"]), array("a.none", STRING, [])]
    tensors, data = all_types()
    one = tensor("t", [8], T_F32, 0)
    yield "complete", gguf(every_kind + every_array, tensors, data)
    yield "no-tensors", gguf([value("general.architecture", STRING, "gemma4")])
    yield "empty-gguf", gguf()
    yield "alignment-64", gguf([value("general.alignment", U32, 64)],
                               [one, tensor("u", [1], T_F32, 64)], bytes(68), alignment=64)
    yield "foreign-type", gguf([], [tensor("k", [256, 2], T_Q4_K, 0), tensor("i", [5], 26, 288)], bytes(308))
    nan = struct.pack("<Hh", 0x7E00, 0) + bytes(30)
    yield "scale-nan", gguf([], [tensor("q", [32], T_Q8_0, 0)], nan)
    yield "scale-tiny", gguf([], [tensor("q", [256], T_Q6_K, 0)], bytes(192) + b"\x01" * 16 + b"\x01\x00")

    yield "version-2", gguf(version=2)
    yield "version-9", gguf(version=9)
    yield "version-cut", b"GGUF\x03\x00"
    yield "counts-cut", b"GGUF\x03\x00\x00\x00\x01"
    yield "big-endian", b"GGUF" + struct.pack(">IQQ", 3, 0, 0)
    yield "counts-huge", gguf([], [one], bytes(32), counts=(1 << 63, 1 << 62))
    yield "key-cut", gguf([], [], counts=(0, 1)) + text("key")[:-1] + bytes(8)
    yield "key-past-end", gguf([u64(99) + bytes(20)])
    yield "key-empty", gguf([value("", U32, 1)])
    yield "key-twice", gguf([value("k", U8, 1), value("k", U8, 2)])
    yield "kind-13", gguf([text("k") + u32(13) + bytes(8)])
    yield "kind-cut", gguf([text("a longer key") + b"\x04\x00"], alignment=1)
    yield "string-past-end", gguf([text("k") + u32(STRING) + u64(1 << 63)])
    yield "strings-past-end", gguf([text("k") + u32(ARRAY) + u32(STRING) + u64(1000) + text("a")])
    yield "array-nested", gguf([text("k") + u32(ARRAY) + u32(ARRAY) + u64(1)])
    yield "array-count-cut", gguf([text("k") + u32(ARRAY) + u32(U8) + b"\x01"], alignment=1)
    yield "array-long", gguf([text("k") + u32(ARRAY) + u32(U8) + u64(1 << 40)])
    yield "bool-2", gguf([value("k", BOOL, 2)])
    yield "alignment-33", gguf([value("general.alignment", U32, 33)])
    yield "alignment-u64", gguf([value("general.alignment", U64, 32)])

    yield "name-past-end", gguf([], [u64(99) + bytes(30)])
    yield "name-long", gguf([], [tensor("n" * 64, [8], T_F32, 0)], bytes(32))
    yield "name-twice", gguf([], [one, tensor("t", [8], T_F32, 32)], bytes(64))
    yield "dimensions-cut", gguf([], [text("a name of some length, to fill it") + b"\x01"], alignment=1)
    yield "dimensions-5", gguf([], [tensor("t", [1] * 5, T_F32, 0)], bytes(4))
    yield "extents-cut", gguf([], [text("a long enough name") + u32(4) + u64(1)], alignment=1)
    yield "offset-cut", gguf([], [text("a long enough name") + u32(1) + u64(1) + u32(0)], alignment=1)
    yield "type-99", gguf([], [tensor("t", [8], 99, 0)], bytes(32))
    yield "rows-of-parts", gguf([], [tensor("t", [48], T_Q4_0, 0)], bytes(64))
    yield "shape-zero", gguf([], [tensor("t", [0, 8], T_F32, 0)])
    yield "shape-huge", gguf([], [tensor("t", [1 << 32, 1 << 32], T_F32, 0)])
    yield "sum-huge", gguf([], [tensor("t", [1 << 58], T_F32, 0), tensor("u", [1 << 58], T_F32, 1 << 60)])
    yield "gap", gguf([], [one, tensor("u", [8], T_F32, 64)], bytes(96))
    yield "data-cut", gguf([], [one], bytes(31))

    yield "not-empty", b""
    yield "not-short", b"GGU"
    yield "not-two-bytes", b"\xff\x00"
    yield "not-html", b"\xef\xbb\xbf\n<!DOCTYPE html><html>"
    yield "not-lfs", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 6975879296\n"
    yield "not-lfs-size", b"version https://git-lfs.github.com/spec/v1\n"
    yield "not-safetensors", u64(20) + b'{"t":{"dtype":"F32"}'
    yield "not-zip", b"PK\x03\x04"
    yield "not-gzip", b"\x1f\x8b\x08"
    yield "not-ggjt", b"tjgg\x03\x00\x00\x00"
    yield "not-json", b'{"error": "no"}'
    yield "not-text", "Zugriff verweigert für Sie\n".encode()
    yield "not-text-cut", b"a" * 511 + "ü".encode()
    yield "not-elf", b"\x7fELF\x02\x01\x01"


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in seeds():
        (folder / name).write_bytes(content)


main()
