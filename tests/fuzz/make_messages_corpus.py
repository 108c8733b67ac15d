#!/usr/bin/env python3
"""Writes the seeds of the chat requests' fuzz target: python3 make_messages_corpus.py FOLDER

Conversations of every shape that the renderer knows, and one of each that it refuses. The committed corpus
is what this writes into corpus/messages, and what fuzzing found beside it.
"""
import json
import pathlib
import sys


def user(content="go"):
    return {"role": "user", "content": content}


def answer(content, **members):
    return {"role": "assistant", "content": content, **members}


def call(arguments, name="f", call_id="c1"):
    function = {"name": name, "arguments": arguments}
    return {"id": call_id, "type": "function", "function": function}


def result(content="r", call_id="c1", **members):
    return {"role": "tool", "tool_call_id": call_id, "content": content, **members}


def tool(parameters, name="f", **members):
    return {"type": "function", "function": {"name": name, "parameters": parameters, **members}}


def properties(schemas, **members):
    return {"type": "object", "properties": schemas, **members}


ARGUMENTS = json.dumps({"Z": None, "a": [1, -2.5, 1e-7, True, {"k": "<|\"|>"}], "é": 12345678901234567890123})
SCHEMAS = properties(
    {
        "s": {"type": "string", "description": "text", "enum": ["a", "b c"]},
        "type": {"type": ["string", "null"]},
        "n": {"type": "number", "nullable": True, "minimum": 1},
        "l": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer"}},
                                         "required": ["id"], "default": [None, 1.5]}},
        "m": {"type": "array", "items": {"type": ["string", "null"]}},
        "o": {"type": "object", "additionalProperties": {"type": "integer"}},
        "p": properties({"q": {"type": "boolean"}}, required=["q"]),
        "r": {"$ref": "#/$defs/node"},
        "u": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "v": {"oneOf": [{"type": "string"}, {"$ref": "#/$defs/none"}]},
        "w": {"allOf": [{"type": "object"}, properties({"x": {"const": 7}}, required=["x"])]},
        "x": {"enum": [1, 2.5, None, True, "y"]},
        "y": True,
        "z{": False,
    },
    required=["s", "p"],
    **{"$defs": {"node": properties({"next": {"$ref": "#/$defs/node"}, "list": {"items": {"$ref": "#"}}})}},
)

SEEDS = {
    "plain": {"messages": [{"role": "system", "content": " s "}, user(), answer("a"), user("b<|turn>\n<turn|>")]},
    "parts": {"messages": [{"role": "developer", "content": [{"type": "text", "text": "x"},
                                                             {"type": "text", "text": "y"}]}, user([])]},
    "thoughts": {"messages": [user(), answer("a<|channel>thought\nx<channel|>b", reasoning="t"), user(),
                              answer(None, reasoning_content="plan", tool_calls=[call("{}")]), result()]},
    "calls": {"messages": [user(), answer("look", tool_calls=[call(ARGUMENTS), call({"b": 1}, "g", "c2")]),
                           result([{"type": "text", "text": "r"}]), result("s", "c2"), answer("done"), user()],
              "tools": [tool(SCHEMAS, description="d"), tool(None, "g"), tool({}, "h")]},
    "broken_calls": {"messages": [user(), answer("", tool_calls=[call(""), call("{\"a"), call("[1]")]), result(),
                                  user()]},
    "interrupted": {"messages": [user(), answer(None, tool_calls=[call("{}")]), user()]},
    "nameless": {"messages": [user(), {"role": "assistant", "tool_calls": [
        {"type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "content": {"k": [1]}, "name": "f"}]},
    "continued": {"messages": [user(), answer(" It is ", reasoning_content="hm")]},
    "continued_content": {"messages": [user(), answer([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])],
                          "continue_final_message": "content"},
    "continued_thought": {"messages": [user(), answer("", reasoning_content="hm")],
                          "continue_final_message": "reasoning_content", "add_generation_prompt": False},
    "history": {"messages": [user(), answer("a"), answer("b")], "add_generation_prompt": False},
    "switches": {"messages": [user()], "chat_template_kwargs": {"enable_thinking": True}, "reasoning_effort": "high",
                 "parallel_tool_calls": False, "tools": [tool(properties({"a": {"type": "integer"}}))],
                 "tool_choice": "required"},
    "named": {"messages": [user()], "tools": [tool(SCHEMAS), tool(SCHEMAS, "ff")],
              "tool_choice": {"type": "function", "function": {"name": "ff"}}},
    "none": {"messages": [user()], "tools": [tool(properties({"a": {}}))], "tool_choice": "none"},
    "auto": {"messages": [user()], "tools": [tool({"type": "object"})], "tool_choice": "auto"},
    "no_type": {"messages": [user()], "tools": [tool({"properties": {"a": {"enum": ["x"]}}, "required": ["a"]})]},
    "pointers": {"messages": [user()], "tools": [tool({"properties": {
        "a": {"$ref": "#/list/0"}, "b": {"$ref": "#/a~1b~0c"}, "c": {"$ref": "#x"}, "d": {"$ref": "#/list/9"},
        "e": {"$ref": 1}, "f": {"$ref": "#/loop"}}, "list": [{"type": "number"}], "a/b~c": {"const": "x"},
        "loop": {"$ref": "#/loop"}})]},
    "choices": {"messages": [user()], "tools": [tool(properties(
        {"a": {"enum": [1, 12, "1", None]}, "b": {"type": "number"}, "c": {"type": "boolean"}}, required=["a", "b"]))]},
    "free": {"messages": [user()], "tools": [tool(properties({"a": {}}, additionalProperties=True,
                                                             patternProperties={"x": {}}))]},
}

REFUSED = {
    "no_messages": {"messages": []},
    "no_member": {},
    "messages_object": {"messages": {}},
    "message_number": {"messages": [1]},
    "role": {"messages": [{"role": "banana", "content": "x"}]},
    "no_role": {"messages": [{"content": "x"}]},
    "no_content": {"messages": [{"role": "user"}]},
    "content_number": {"messages": [user(5)]},
    "image": {"messages": [user([{"type": "image_url"}])]},
    "part_type": {"messages": [user([{"text": "x"}])]},
    "part_text": {"messages": [user([{"type": "text"}])]},
    "empty_assistant": {"messages": [{"role": "assistant"}]},
    "calls_object": {"messages": [answer("", tool_calls={})]},
    "call_number": {"messages": [answer("", tool_calls=[1])]},
    "call_type": {"messages": [answer("", tool_calls=[{"function": {"name": "f"}}])]},
    "call_kind": {"messages": [answer("", tool_calls=[{"type": "x"}])]},
    "call_function": {"messages": [answer("", tool_calls=[{"type": "function"}])]},
    "call_name": {"messages": [answer("", tool_calls=[call("{}", "a b")])]},
    "call_arguments": {"messages": [answer("", tool_calls=[call(3)])]},
    "result_name": {"messages": [result(name="a b")]},
    "orphan": {"messages": [user(), result()]},
    "unknown_call": {"messages": [user(), answer("", tool_calls=[call("{}")]), result("r", "zz")]},
    "no_id": {"messages": [user(), answer("", tool_calls=[call("{}")]), {"role": "tool", "content": "r"}]},
    "pending": {"messages": [user(), answer("", tool_calls=[call("{}")])], "add_generation_prompt": True},
    "continued_user": {"messages": [user()], "continue_final_message": True},
    "continued_call": {"messages": [answer("", tool_calls=[call("{}")])]},
    "continued_twice": {"messages": [answer("a"), answer("b")]},
    "continue_word": {"messages": [user()], "continue_final_message": "x"},
    "both_ends": {"messages": [user()], "continue_final_message": True, "add_generation_prompt": True},
    "flag": {"messages": [user()], "parallel_tool_calls": "no"},
    "kwargs": {"messages": [user()], "chat_template_kwargs": 1},
    "effort": {"messages": [user()], "reasoning_effort": "much"},
    "contradiction": {"messages": [user()], "reasoning_effort": "none",
                      "chat_template_kwargs": {"enable_thinking": True}},
    "choice": {"messages": [user()], "tool_choice": "bogus"},
    "choice_without_tools": {"messages": [user()], "tool_choice": "required"},
    "choice_name": {"messages": [user()], "tool_choice": {"function": {"name": "x"}}},
    "tools_string": {"messages": [user()], "tools": "f"},
    "tool_parameters": {"messages": [user()], "tools": [tool([])]},
    "tool_description": {"messages": [user()], "tools": [tool({}, description=1)]},
    "reasoning": {"messages": [answer("", reasoning_content=1)]},
}


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, body in (SEEDS | REFUSED).items():
        (folder / f"{name}.json").write_bytes(json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode())
    (folder / "array.json").write_bytes(b"[]")
    (folder / "syntax.json").write_bytes(b'{"messages":[')
    (folder / "deep.json").write_bytes(b"[" * 70 + b"]" * 70)
    (folder / "huge_number.json").write_bytes(b"[1e999]")
    (folder / "bytes.json").write_bytes(b'{"messages":[{"role":"user","content":"\xff\xe2\x82 \xc3\xa9"}],"messages":'
                                        b'[{"role":"user","content":"\xe3\x80\x80x\xc2\xa0"}]}')


if __name__ == "__main__":
    main()
