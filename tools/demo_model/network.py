"""The demo model and its drafter in PyTorch: the equations of Gemma 4 dense and of its MTP assistant.

Parameters are a flat dict under the tensor names of the GGUF file, so that export needs no mapping. Matrices
are seen through the rounding of their block format at every step (quantization-aware training); gradients
pass the rounding unchanged.
"""
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F

BLOCK = 32
UNROTATED = 1e30  # divisor of the angle of pairs that do not rotate


@dataclass(frozen=True)
class Shape:
    layers: int = 12
    width: int = 256
    heads: int = 4
    swa_kv_heads: int = 2
    full_kv_heads: int = 1
    swa_head: int = 256
    full_head: int = 512
    ffn: int = 512
    window: int = 1024
    vocabulary: int = 4096
    softcap: float = 30.0
    period: int = 6
    rotated_pairs: int = 64
    swa_base: float = 1e4
    full_base: float = 1e6
    context: int = 8192

    def is_full(self, layer):
        return (layer + 1) % self.period == 0

    def head(self, layer):
        return self.full_head if self.is_full(layer) else self.swa_head

    def kv_heads(self, layer):
        return self.full_kv_heads if self.is_full(layer) else self.swa_kv_heads


TARGET = Shape()
# Period 4: three SWA layers, then the full one.
DRAFTER = Shape(layers=4, width=128, ffn=256, period=4, softcap=0.0)


# Rounding to block formats, as blocks.py packs them.

def round_q4_0(w):
    x = w.reshape(-1, BLOCK)
    extreme = x.gather(1, x.abs().argmax(1, keepdim=True))
    scale = extreme / -8
    inverse = torch.where(scale == 0, torch.zeros_like(scale), 1 / scale)
    q = torch.clamp(torch.floor(x * inverse + 8.5), 0, 15) - 8
    return (q * scale.half().float()).reshape(w.shape)


def round_q8_0(w):
    x = w.reshape(-1, BLOCK)
    scale = x.abs().amax(1, keepdim=True) / 127
    inverse = torch.where(scale == 0, torch.zeros_like(scale), 1 / scale)
    return (torch.round(x * inverse) * scale.half().float()).reshape(w.shape)


def seen_q4_0(w):
    return w + (round_q4_0(w) - w).detach()


def seen_q8_0(w):
    return w + (round_q8_0(w) - w).detach()


def rms(x):
    x = x.float()
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6)


# Rotary positions

def rope_divisors(shape):
    pairs = torch.full((shape.full_head // 2,), UNROTATED)
    pairs[:shape.rotated_pairs] = 1.0
    return pairs


def rope_tables(shape, positions):
    """{is_full: (cos, sin)} for positions of any shape; the pair comes last."""
    tables = {}
    for full in (False, True):
        head = shape.full_head if full else shape.swa_head
        base = shape.full_base if full else shape.swa_base
        step = torch.arange(head // 2, dtype=torch.float64)
        frequency = base ** (-2 * step / head)
        if full:
            frequency = frequency / rope_divisors(shape).double()
        angle = positions.double()[..., None] * frequency.to(positions.device)
        tables[full] = (angle.cos().float(), angle.sin().float())
    return tables


def rotate(x, cos, sin):
    """x: [batch, tokens, heads, head]; cos, sin: [batch, tokens, head / 2]."""
    a, b = x.chunk(2, dim=-1)
    cos, sin = cos[:, :, None], sin[:, :, None]
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


def attend(q, k, v, mask):
    """q: [batch, tokens, heads, head]; k, v: [batch, keys, kv heads, head]; mask: [batch, tokens, keys], true
    where visible. Returns [batch, tokens, heads * head]. The scale is 1."""
    batch, tokens, heads, head = q.shape
    kv_heads = k.shape[2]
    group = heads // kv_heads
    q = q.permute(0, 2, 1, 3).reshape(batch, kv_heads, group * tokens, head)
    k, v = k.permute(0, 2, 1, 3), v.permute(0, 2, 1, 3)
    scores = torch.matmul(q, k.transpose(2, 3)).reshape(batch, kv_heads, group, tokens, -1).float()
    scores = scores.masked_fill(~mask[:, None, None], -1e9)
    weights = torch.softmax(scores, -1).to(v.dtype).reshape(batch, kv_heads, group * tokens, -1)
    out = torch.matmul(weights, v).reshape(batch, heads, tokens, head)
    return out.permute(0, 2, 1, 3).reshape(batch, tokens, heads * head)


# One layer. `w` holds the layer's parameters without their prefix; `kind` is the type of matrix products.

def _linear(x, w, kind):
    return F.linear(x.to(kind), seen_q4_0(w).to(kind))


def _ffn_and_scale(x, w, kind):
    b = (rms(x) * w["ffn_norm.weight"]).to(kind)
    inner = F.gelu(_linear(b, w["ffn_gate.weight"], kind), approximate="tanh") * _linear(b, w["ffn_up.weight"], kind)
    down = _linear(inner, w["ffn_down.weight"], kind)
    return (x + rms(down) * w["post_ffw_norm.weight"]) * w["layer_output_scale.weight"]


def _queries(a, w, heads, cos, sin, kind):
    batch, tokens, _ = a.shape
    q = _linear(a, w["attn_q.weight"], kind).reshape(batch, tokens, heads, -1)
    return rotate(rms(q) * w["attn_q_norm.weight"], cos, sin).to(kind)


def keys_and_values(a, w, kv_heads, cos, sin, kind):
    batch, tokens, _ = a.shape
    k = _linear(a, w["attn_k.weight"], kind).reshape(batch, tokens, kv_heads, -1)
    v = _linear(a, w["attn_v.weight"], kind).reshape(batch, tokens, kv_heads, -1) if "attn_v.weight" in w else k
    return rotate(rms(k) * w["attn_k_norm.weight"], cos, sin).to(kind), rms(v).to(kind)


def target_layer(x, w, mask, cos, sin, heads, kv_heads, kind):
    """(residual stream, keys, values) after one layer."""
    a = (rms(x) * w["attn_norm.weight"]).to(kind)
    q = _queries(a, w, heads, cos, sin, kind)
    k, v = keys_and_values(a, w, kv_heads, cos, sin, kind)
    out = _linear(attend(q, k, v, mask), w["attn_output.weight"], kind)
    x = x + rms(out) * w["post_attention_norm.weight"]
    return _ffn_and_scale(x, w, kind), k, v


def drafter_layer(x, w, keys, values, mask, cos, sin, heads, kind):
    a = (rms(x) * w["attn_norm.weight"]).to(kind)
    q = _queries(a, w, heads, cos, sin, kind)
    out = _linear(attend(q, keys, values, mask), w["attn_output.weight"], kind)
    x = x + rms(out) * w["post_attention_norm.weight"]
    return _ffn_and_scale(x, w, kind)


def layer_weights(parameters, layer):
    prefix = f"blk.{layer}."
    return {name[len(prefix):]: value for name, value in parameters.items() if name.startswith(prefix)}


def target_forward(parameters, shape, tokens, masks, tables, kind=torch.bfloat16, layer_function=target_layer):
    """tokens [batch, n]; masks and tables by is_full. Returns (h after the final norm, keys and values of the
    last SWA and the last full layer as {is_full: (k, v)})."""
    table = seen_q8_0(parameters["token_embd.weight"])
    x = F.embedding(tokens, table) * math.sqrt(shape.width)
    last = {}
    for layer in range(shape.layers):
        full = shape.is_full(layer)
        x, k, v = layer_function(x, layer_weights(parameters, layer), masks[full], *tables[full], shape.heads, shape.kv_heads(layer), kind)
        last[full] = (k, v)
    return rms(x) * parameters["output_norm.weight"], last


def logits(h, table, softcap, kind=torch.bfloat16):
    z = F.linear(h.to(kind), seen_q8_0(table).to(kind)).float()
    return softcap * torch.tanh(z / softcap) if softcap else z


def drafter_step(parameters, shape, target_width, embedded, u, last, masks, tables, kind=torch.bfloat16, layer_function=drafter_layer):
    """One recurrent step: embedded = the target's sqrt(E) T[token], u = recurrent vector, both of the target's
    width. Returns (logits, next u)."""
    x = F.linear(torch.cat([embedded, u], -1).to(kind), seen_q4_0(parameters["nextn.pre_projection.weight"]).to(kind)).float()
    for layer in range(shape.layers):
        full = shape.is_full(layer)
        x = layer_function(x, layer_weights(parameters, layer), *last[full], masks[full], *tables[full], shape.heads, kind)
    y = rms(x) * parameters["output_norm.weight"]
    u = F.linear(y.to(kind), seen_q4_0(parameters["nextn.post_projection.weight"]).to(kind)).float()
    return logits(y, parameters["token_embd.weight"], 0.0, kind), u


# Initial values

def initial_parameters(shape, generator, target_width=None):
    """Of the target, or of a drafter for a target of that width."""
    parameters = {}

    def matrix(name, out, into):
        parameters[name] = torch.randn(out, into, generator=generator) / math.sqrt(into)

    def constant(name, size, value):
        parameters[name] = torch.full((size,), value)

    parameters["token_embd.weight"] = torch.randn(shape.vocabulary, shape.width, generator=generator) / math.sqrt(shape.width)
    constant("output_norm.weight", shape.width, 1.0)
    for layer in range(shape.layers):
        head, prefix = shape.head(layer), f"blk.{layer}."
        matrix(prefix + "attn_q.weight", shape.heads * head, shape.width)
        constant(prefix + "attn_q_norm.weight", head, head ** -0.25)  # so that scores begin with a deviation of 1
        if target_width is None:
            matrix(prefix + "attn_k.weight", shape.kv_heads(layer) * head, shape.width)
            constant(prefix + "attn_k_norm.weight", head, head ** -0.25)
            if not shape.is_full(layer):
                matrix(prefix + "attn_v.weight", shape.kv_heads(layer) * head, shape.width)
        matrix(prefix + "attn_output.weight", shape.width, shape.heads * head)
        matrix(prefix + "ffn_gate.weight", shape.ffn, shape.width)
        matrix(prefix + "ffn_up.weight", shape.ffn, shape.width)
        matrix(prefix + "ffn_down.weight", shape.width, shape.ffn)
        constant(prefix + "attn_norm.weight", shape.width, 1.0)
        constant(prefix + "ffn_norm.weight", shape.width, 1.0)
        constant(prefix + "post_attention_norm.weight", shape.width, 0.3)
        constant(prefix + "post_ffw_norm.weight", shape.width, 0.3)
        constant(prefix + "layer_output_scale.weight", 1, 1.0)
    if target_width is not None:
        matrix("nextn.pre_projection.weight", shape.width, 2 * target_width)
        matrix("nextn.post_projection.weight", target_width, shape.width)
    return parameters
