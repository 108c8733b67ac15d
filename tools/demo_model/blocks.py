"""Q4_0 and Q8_0 blocks of 32 weights in numpy, rounded as ggml rounds them. Rows are contiguous."""
import numpy as np

BLOCK = 32


def _blocks(matrix):
    return np.ascontiguousarray(matrix, np.float32).reshape(-1, BLOCK)


def pack_q4_0(matrix):
    x = _blocks(matrix)
    extreme = x[np.arange(len(x)), np.abs(x).argmax(1)]  # with its sign; the first one of equals
    scale = extreme / np.float32(-8)
    inverse = np.zeros_like(scale)
    np.divide(np.float32(1), scale, out=inverse, where=scale != 0)
    q = np.minimum(15, (x * inverse[:, None] + np.float32(8.5)).astype(np.int8)).astype(np.uint8)
    out = np.empty((len(x), 18), np.uint8)
    out[:, :2] = scale.astype("<f2").view(np.uint8).reshape(-1, 2)
    out[:, 2:] = q[:, :16] | (q[:, 16:] << 4)
    return out.tobytes()


def pack_q8_0(matrix):
    x = _blocks(matrix)
    scale = np.abs(x).max(1) / np.float32(127)
    inverse = np.zeros_like(scale)
    np.divide(np.float32(1), scale, out=inverse, where=scale != 0)
    scaled = x * inverse[:, None]
    q = np.trunc(scaled + np.copysign(np.float32(0.5), scaled)).astype(np.int8)  # half away from zero
    out = np.empty((len(x), 34), np.uint8)
    out[:, :2] = scale.astype("<f2").view(np.uint8).reshape(-1, 2)
    out[:, 2:] = q.view(np.uint8)
    return out.tobytes()


def unpack_q4_0(data, shape):
    raw = np.frombuffer(data, np.uint8).reshape(-1, 18)
    scale = raw[:, :2].copy().view("<f2").astype(np.float32)
    q = np.concatenate([raw[:, 2:] & 15, raw[:, 2:] >> 4], axis=1).astype(np.float32) - 8
    return (scale * q).reshape(shape)


def unpack_q8_0(data, shape):
    raw = np.frombuffer(data, np.uint8).reshape(-1, 34)
    scale = raw[:, :2].copy().view("<f2").astype(np.float32)
    return (scale * raw[:, 2:].copy().view(np.int8).astype(np.float32)).reshape(shape)
