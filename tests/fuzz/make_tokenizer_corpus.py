#!/usr/bin/env python3
"""Writes the seeds of the tokenizer's fuzz target: python3 make_tokenizer_corpus.py FOLDER

Texts of every kind, and the small vocabulary changed to every refusal, all small. The committed corpus is
what this writes into corpus/tokenizer. The instructions are those of ChangedVocabulary in
tokenizer_fuzz.cc.
"""
import pathlib
import struct
import sys

NORMAL, UNKNOWN, CONTROL, USER, UNUSED, BYTE = range(1, 7)
MARK = "\u2581"
# Ids of the small vocabulary: 10 control, 7 visible and 1 unused entry, 256 bytes, the mark, then ASCII.
BOS, MASK, TURN, FIRST_BYTE, MARK_ID, BANG = 2, 4, 8, 18, 274, 275


def character(c):
    return BANG + ord(c) - ord("!")


def as_bytes(content):
    return content if isinstance(content, bytes) else content.encode()


def text(content):
    content = as_bytes(content)
    return bytes([len(content)]) + content


def number(value):
    return struct.pack("<H", value)


def add(content, kind=NORMAL):
    return b"\1" + bytes([kind]) + text(content)


def replace(entry, content):
    return b"\2" + number(entry) + text(content)


def retype(entry, kind):
    return b"\3" + number(entry) + bytes([kind & 0xFF])


def merge(content):
    return b"\4" + text(content)


def join(left, right):
    return b"\5" + number(left) + number(right)


def set_id(which, value):
    return b"\6" + bytes([["bos", "eos", "unknown", "padding", "suppressed"].index(which)]) + number(value + 1)


def model(name):
    return b"\7" + text(name)


def keep_tokens(count):
    return b"\10" + number(count)


def keep_merges(count):
    return b"\11" + number(count)


def plain(content, cuts=()):
    return b"\0" + text(bytes(cuts)) + as_bytes(content)


def changed(*instructions, then=""):
    return b"\1" + b"".join(instructions) + b"\0" + as_bytes(then)


def repeated_merges():
    """Over x and y, later merges before earlier ones."""
    x, y = character("x"), character("y")
    return [join(x, y), join(y, x), join(x, x), join(y, y)]


TEXTS = {
    "empty": plain(""),
    "words": plain("thought user model call:city{value:true}\n\n\nresponse  system"),
    "special": plain("<|turn>user\n<bos><turn|><|\"|>value<|\"|><<|turn>><|turn", (12, 1, 4, 3, 9, 0, 1)),
    "split-special": plain("<|turn><|turn>", (7, 6, 15)),
    "unused": plain("<unused0><0x41><mask>[multimodal]"),
    "utf8": plain("\u00e9\u4e2d\U0001f600" + MARK + " \r\t\x00", (3, 5, 1)),
    "ill-formed": plain(b"\xff\x80\xe2\x82a\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80\xf0\x9f\x98"),
    "newlines": plain("\n" * 70 + "a" + "\n" * 31 + "b" + "\n" * 32),
}
VOCABULARIES = {
    "unchanged": changed(then="thought of a value\n\n"),
    "characters": changed(add("\u4e2d"), add("\U0001f600"), add("\U0001f602"), add(" "), add("\ufffd"),
                          then="\u4e2d\U0001f600\U0001f601 \u00ff".encode() + b"\xff"),
    "special": changed(add("<new one>", CONTROL), add("<seen>", USER), add("spare", UNUSED),
                       then="<new one><seen>spare"),
    "ids": changed(set_id("bos", BOS), set_id("eos", 40), set_id("unknown", 3), set_id("padding", 0),
                   set_id("suppressed", 9), then="a"),
    "types": changed(retype(1, NORMAL), retype(3, UNKNOWN), then="<eos><unk>"),
    "merges": changed(*repeated_merges(), then="xyyxxxyxyyyxxyyxyx" * 6),
    "merge-runs": changed(join(character("x"), character("x")), then="x" * 150),
    "merge-spaces": changed(join(MARK_ID, MARK_ID), join(MARK_ID, character("x")), then="   x  x x" * 8),
    "merge-bytes": changed(join(FIRST_BYTE, FIRST_BYTE)),
    "no-merges": changed(keep_merges(0), then="thought"),
    "newline-runs": changed(add("\n" * 3), add("\n" * 31), add("\n" * 5, UNUSED),
                            then="\n" * 3 + "a" + "\n" * 31 + "a" + "\n" * 5),
    "bad-model": changed(model("llama")),
    "bad-model-bytes": changed(model(b"\x1b[2J\xff\n")),
    "bad-empty-model": changed(model("")),
    "bad-tokens-short": changed(keep_tokens(100)),
    "bad-no-tokens": changed(keep_tokens(0), keep_merges(0)),
    "bad-no-bytes": changed(keep_tokens(18), keep_merges(0)),
    "bad-no-turn": changed(replace(TURN, "<other>")),
    "bad-empty": changed(add("")),
    "bad-repeated": changed(add("thought")),
    "bad-repeated-long": changed(add("a long entry"), add("a long entry")),
    "bad-type": changed(retype(character("a"), 0)),
    "bad-type-negative": changed(retype(character("a"), -1)),
    "bad-type-unknown": changed(retype(character("a"), UNKNOWN)),
    "bad-type-special": changed(retype(TURN, NORMAL)),
    "bad-control": changed(replace(MASK, "<a<b>")),
    "bad-user": changed(add("a>", USER)),
    "bad-byte": changed(replace(FIRST_BYTE, "<0x0g>")),
    "bad-byte-form": changed(replace(FIRST_BYTE, "0x00")),
    "bad-byte-type": changed(retype(FIRST_BYTE, NORMAL)),
    "bad-bos": changed(set_id("bos", 5)),
    "bad-eos": changed(set_id("eos", 60000)),
    "bad-suppressed": changed(set_id("suppressed", 60000)),
    "bad-merge": changed(merge("ab")),
    "bad-merge-half": changed(merge("a ")),
    "bad-merge-space": changed(merge(" a")),
    "bad-merge-part": changed(merge("a nothing")),
    "bad-merge-repeated": changed(merge("t h")),
    "bad-merge-special": changed(add("turn|>"), merge("< turn|>")),
}


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for kind, inputs in (("text", TEXTS), ("vocabulary", VOCABULARIES)):
        for name, content in inputs.items():
            (folder / f"{kind}-{name}").write_bytes(content)


if __name__ == "__main__":
    main()
