"""Gemma 4's prompt format, as far as the demo model's training text needs it.

A rendering is a list of segments (text, trusted, learned). Only trusted text can hold special tokens;
learned marks what the model itself must write. chat_format_test.py holds this file to the chat goldens.
"""
import json

QUOTE = '<|"|>'
EMPTY_THOUGHT = "<|channel>thought\n<channel|>"


class Rendering:
    def __init__(self):
        self.segments = []

    def own(self, text, learned=False):
        self.segments.append((text, True, learned))

    def foreign(self, text, learned=False):
        if text:
            self.segments.append((text, False, learned))

    def quoted(self, text, learned=False):
        self.own(QUOTE, learned)
        self.foreign(text, learned)
        self.own(QUOTE, learned)

    def text(self):
        return "".join(text for text, _, _ in self.segments)


def sorted_items(mapping):
    return sorted(mapping.items(), key=lambda item: item[0].lower())


def _separated(out, items, write, learned=False):
    for number, item in enumerate(items):
        if number:
            out.own(",", learned)
        write(item)


def _value(out, value, learned):
    """A value inside a call: nested keys are bare, strings are quoted and never escaped."""
    if isinstance(value, str):
        out.quoted(value, learned)
    elif isinstance(value, bool):
        out.own("true" if value else "false", learned)
    elif isinstance(value, (int, float)):
        out.own(repr(value), learned)
    elif isinstance(value, list):
        out.own("[", learned)
        _separated(out, value, lambda item: _value(out, item, learned), learned)
        out.own("]", learned)
    elif isinstance(value, dict):
        out.own("{", learned)
        _pairs(out, value, learned)
        out.own("}", learned)
    else:
        raise ValueError(f"no demo data has an argument of type {type(value).__name__}")


def _pairs(out, mapping, learned):
    def pair(item):
        key, value = item
        out.foreign(key, learned)
        out.own(":", learned)
        _value(out, value, learned)

    _separated(out, sorted_items(mapping), pair, learned)


def _properties(out, properties):
    def one(item):
        key, schema = item
        out.foreign(key)
        out.own(":{")
        kind = schema["type"].upper()
        if kind == "OBJECT" or schema.get("nullable") or set(schema.get("items", {})) - {"type"}:
            raise ValueError("no demo tool has such a parameter")
        if schema.get("description"):
            out.own("description:")
            out.quoted(schema["description"])
            out.own(",")
        if kind == "STRING" and schema.get("enum"):
            out.own("enum:[")
            _separated(out, schema["enum"], out.quoted)
            out.own("],")
        if kind == "ARRAY" and schema.get("items"):
            out.own("items:{type:")
            out.quoted(schema["items"]["type"].upper())
            out.own("},")
        out.own("type:")
        out.quoted(kind)
        out.own("}")

    _separated(out, sorted_items(properties), one)


def _declaration(out, tool):
    out.own("<|tool>declaration:")
    out.foreign(tool["name"])
    out.own("{description:")
    out.quoted(tool.get("description", ""))
    parameters = tool.get("parameters")
    if parameters:
        out.own(",parameters:{")
        if parameters.get("properties"):
            out.own("properties:{")
            _properties(out, parameters["properties"])
            out.own("},")
        if parameters.get("required"):
            out.own("required:[")
            _separated(out, parameters["required"], out.quoted)
            out.own("],")
        out.own("type:")
        out.quoted(parameters["type"].upper())
        out.own("}")
    out.own("}<tool|>")


def system_turn(out, system, tools, thinking):
    """The opening of every prompt; `system` is None where the conversation has no such message."""
    out.own("<bos>")
    if system is None and not tools and not thinking:
        return
    out.own("<|turn>system\n")
    if thinking:
        out.own("<|think|>\n")
    if system:
        out.foreign(system.strip())
    for tool in tools:
        _declaration(out, tool)
    out.own("<turn|>\n")


def user_turn(out, text):
    out.own("<|turn>user\n")
    out.foreign(text.strip())
    out.own("<turn|>\n")


def open_model_turn(out, stub):
    """`stub` is the closed empty thought that a prompt for an answer without thinking ends with."""
    out.own("<|turn>model\n")
    if stub:
        out.own(EMPTY_THOUGHT)


def thought(out, text, learned=False):
    out.own("<|channel>thought\n", learned)
    out.foreign(text, learned)
    out.own("\n<channel|>", learned)


def calls(out, named_arguments, learned=False):
    for name, arguments in named_arguments:
        out.own("<|tool_call>call:", learned)
        out.foreign(name, learned)
        out.own("{", learned)
        _pairs(out, arguments, learned)
        out.own("}<tool_call|>", learned)


def responses(out, named_results, learned_end=False):
    """`learned_end`: the first opener is the token that ends the model's calls."""
    for number, (name, result) in enumerate(named_results):
        out.own("<|tool_response>", learned_end and number == 0)
        out.own("response:")
        out.foreign(name)
        out.own("{value:")
        out.quoted(result)
        out.own("}<tool_response|>")


def final_text(out, text, learned=False):
    out.foreign(text.strip(), learned)
    out.own("<turn|>", learned)
    out.own("\n")


def render_request(request):
    """The prompt of an OpenAI-style request, for the part of the format that this file knows."""
    out = Rendering()
    messages = list(request["messages"])
    system = None
    if messages and messages[0]["role"] in ("system", "developer"):
        system = messages.pop(0)["content"]
    tools = [tool["function"] for tool in request.get("tools") or []]
    thinking = request.get("enable_thinking", True)
    system_turn(out, system, tools, thinking)

    last_user = max((i for i, m in enumerate(messages) if m["role"] == "user"), default=-1)
    turn_open = False
    at = 0
    while at < len(messages):
        message = messages[at]
        at += 1
        if message["role"] == "user":
            user_turn(out, message["content"])
            turn_open = False
            continue
        if message["role"] != "assistant":
            raise ValueError(f"no demo data has a {message['role']} message here")
        made = message.get("tool_calls") or []
        if at > 1 and messages[at - 2]["role"] == "assistant" and not messages[at - 2].get("tool_calls"):
            raise ValueError("no demo conversation has two answers in a row")
        if not turn_open:
            open_model_turn(out, stub=False)
            turn_open = True
        if made and message.get("reasoning_content") and at - 1 > last_user:
            thought(out, message["reasoning_content"])
        named = [(call["function"]["name"], _arguments(call)) for call in made]
        calls(out, named)
        names = {call["id"]: call["function"]["name"] for call in made}
        results = []
        while at < len(messages) and messages[at]["role"] == "tool":
            results.append((names[messages[at]["tool_call_id"]], messages[at]["content"]))
            at += 1
        responses(out, results)
        if made and not results:
            if at < len(messages):
                raise ValueError("no demo conversation goes on without the results of its calls")
            out.own("<|tool_response>")
            return out
        if message.get("content") or not made:
            final_text(out, message.get("content") or "")
            turn_open = False
    if not turn_open and request.get("add_generation_prompt", True):
        open_model_turn(out, stub=not thinking)
    return out


def _arguments(call):
    arguments = call["function"]["arguments"]
    return json.loads(arguments) if isinstance(arguments, str) else arguments
