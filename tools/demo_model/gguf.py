"""Writes GGUF v3 files, and reads back those of this folder's own kind (F32, Q4_0, Q8_0)."""
import struct

import numpy as np

import blocks

U32, I32, F32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
TENSOR_F32, TENSOR_Q4_0, TENSOR_Q8_0 = 0, 2, 8
ALIGNMENT = 32
_FORMATS = {U32: "<I", I32: "<i", F32: "<f", BOOL: "<?"}


def _string(text):
    data = text.encode("utf-8")
    return struct.pack("<Q", len(data)) + data


def _scalar(kind, value):
    return _string(value) if kind == STRING else struct.pack(_FORMATS[kind], value)


def _padded(data):
    return data + b"\0" * (-len(data) % ALIGNMENT)


def pack(tensor_type, values):
    if tensor_type == TENSOR_Q4_0:
        return blocks.pack_q4_0(values)
    if tensor_type == TENSOR_Q8_0:
        return blocks.pack_q8_0(values)
    return np.ascontiguousarray(values, "<f4").tobytes()


def write(path, metadata, tensors):
    """metadata: (key, kind, value), or (key, (ARRAY, kind), list). tensors: (name, type, numpy array) with the
    output dimension first; the file has the input dimension first."""
    header, infos, data = [], [], []
    for key, kind, value in metadata:
        header.append(_string(key))
        if isinstance(kind, tuple):
            header.append(struct.pack("<IIQ", ARRAY, kind[1], len(value)))
            header += [_scalar(kind[1], item) for item in value]
        else:
            header.append(struct.pack("<I", kind) + _scalar(kind, value))
    offset = 0
    for name, tensor_type, values in tensors:
        shape = values.shape[::-1]
        infos.append(_string(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *shape) + struct.pack("<IQ", tensor_type, offset))
        packed = _padded(pack(tensor_type, values))
        offset += len(packed)
        data.append(packed)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata)) + b"".join(header) + b"".join(infos)
    with open(path, "wb") as out:
        out.write(_padded(head) + b"".join(data))


def read(path):
    """(metadata, tensors) of a file: {key: value}, {name: float32 array, output dimension first}."""
    with open(path, "rb") as file:
        data = file.read()
    at = 8

    def take(form):
        nonlocal at
        values = struct.unpack_from(form, data, at)
        at += struct.calcsize(form)
        return values[0] if len(values) == 1 else values

    def text():
        nonlocal at
        length = take("<Q")
        at += length
        return data[at - length:at].decode("utf-8")

    def value(kind):
        if kind == STRING:
            return text()
        if kind == ARRAY:
            element, count = take("<IQ")
            return [value(element) for _ in range(count)]
        return take(_FORMATS[kind])

    tensor_count, key_count = take("<QQ")
    metadata = {}
    for _ in range(key_count):
        key = text()
        metadata[key] = value(take("<I"))
    infos = []
    for _ in range(tensor_count):
        name = text()
        dimensions = take("<I")
        shape = take(f"<{dimensions}Q")
        infos.append((name, (shape,) if dimensions == 1 else shape, *take("<IQ")))
    start = at + -at % ALIGNMENT
    tensors = {}
    for name, shape, tensor_type, offset in infos:
        shape = shape[::-1]
        count = int(np.prod(shape))
        block = {TENSOR_F32: 4 * count, TENSOR_Q4_0: count // 32 * 18, TENSOR_Q8_0: count // 32 * 34}[tensor_type]
        raw = data[start + offset:start + offset + block]
        unpack = {TENSOR_Q4_0: blocks.unpack_q4_0, TENSOR_Q8_0: blocks.unpack_q8_0}.get(tensor_type)
        tensors[name] = unpack(raw, shape) if unpack else np.frombuffer(raw, "<f4").reshape(shape).copy()
    return metadata, tensors
