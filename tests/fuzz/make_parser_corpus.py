#!/usr/bin/env python3
"""Writes the seeds of the output parser's fuzz target: python3 make_parser_corpus.py FOLDER

Outputs of every form that the parser and the call reader know. The committed corpus is what this writes
into corpus/parser, and what fuzzing found beside it. The bits of the first byte are those of parser_fuzz.cc.
"""
import pathlib
import struct
import sys

IDS, TOOLS, ONE_CALL, CUT, PROMPT = 1, 2, 4, 8, 16
Q = '<|"|>'


def call(inner):
    return f"<|tool_call>{inner}<tool_call|>"


OUTPUTS = [
    "Hello.\n",
    "<|channel>thought\nplan\n\n<channel|>Hi",
    "<|channel><|channel>thought x<|channel>thought\ny<|channel>z<channel|>",
    "<|channel>final\nHi<channel|>x",
    "<|channel>Good day to you",
    "<|channel>" + "w" * 70,
    "<|channel>th<channel|>ought",
    "thought\nplan<channel|>done",
    "though",
    "<|turn>model\nHi",
    "<|turn>user\nHi",
    "Hi<|turn>model\n",
    "<|channel>thought\n<channel|>" * 9,
    "a<channel|>b<tool_call|>c<tool_response|>d<pad><unused0>",
    "<|channel>thought\nneed<|tool_call>call:f{}<tool_call|> x",
    "<|channel>na<|tool_call>call:f{}<tool_call|>",
    "<|channel>thought\na<|channel>thou<|tool_call>call:f{}<tool_call|>",
    call("call:f{}") + "\n" + call("call:f{a:1}") + " text " + call("f"),
    call(f"call:typed{{s:{Q}a<tool_call|><|channel>{Q},i:3,n:2.5e1,b:true,l:[1,{Q}2{Q}],o:{{i:{Q}7{Q}}},m:null}}"),
    call(f"call:typed{{s:42,i:{Q}30{Q},n:30.0,b:{Q}true{Q},l:{Q}[1]{Q},o:{Q}{{}}{Q},i:30.00}}"),
    call(f"call:f{{a:x{Q},b:Paris, France{Q},c:1}}"),
    call(f"call:f{{a:{Q}x }}],b : {Q}y{Q}}}"),
    call(f"call:f{{a:{Q}say {Q}hi{Q} now{Q}}}"),
    call("call:f{\"a\":\"x\\n\\u00e9\\ud83d\\ude00\\ud83d\\q\",'b':['c',`d{}`],e='f'}"),
    call(f"call:f{{{Q}a{Q}:1,a:2,b:01,c:+1,d:1.,e:1e999,g:None,h:True,}}}}"),
    call("call:f(a=\"1\", b='2')"),
    call("call:f(a=1)"),
    call("call:typed(i='3'"),
    call("call:f{a:[1,{b:[2"),
    call("call:f{{}}") + call("{\"name\":1}") + call("") + call("call:f{:1}") + call("call:f{a:}"),
    call("call:f{a:foo{b}}") + call("call:f{a:[1}") + call("call:f{a:1}x"),
    call("call:f{a:" + "[" * 70),
    "<|tool_call>call:f{a:1}<|tool_call>call:f{a:<|tool_call>call:f{}<tool_call|>",
    f"<|tool_call>call:typed{{s:{Q}src",
    "<|tool_call>call:f{a:1}<tool_c",
    "<|tool_call>call:f{a:1}",
    "a<eos>b",
    "a<|tool_response>",
]
IDS_SEEDS = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    list(range(0, 420, 3)),
    [275, 20 + 0xE3, 20 + 0x81, 275, 20 + 0xFF, 275, 20 + 0xF0],
]


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for number, output in enumerate(OUTPUTS):
        for options in (TOOLS, PROMPT * (number % 4), TOOLS | ONE_CALL | CUT | PROMPT * (number % 4)):
            (folder / f"output_{number:02}_{options:02}").write_bytes(bytes([options]) + output.encode())
    for number, ids in enumerate(IDS_SEEDS):
        (folder / f"ids_{number}").write_bytes(bytes([IDS | TOOLS]) + b"".join(struct.pack("<H", i) for i in ids))


if __name__ == "__main__":
    main()
