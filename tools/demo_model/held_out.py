"""The held-out list: python3 held_out.py writes held_out.jsonl, one item a line. Same code, same bytes.

Also renders an item with its expected answer as a training text, so that training can watch the rates.
"""
import json
import pathlib

import chat_format
import generator
from rng import Rng

PATH = pathlib.Path(__file__).with_name("held_out.jsonl")
ITEMS_PER_GROUP = 210


def make():
    items, seen = [], set()
    for group in generator.GROUPS:
        count, number = 0, 0
        while count < ITEMS_PER_GROUP:
            item = generator.held_out_item(Rng("held out", group, number), group)
            number += 1
            key = json.dumps([item["request"]["messages"], item["expect"]])
            if key in seen:
                continue
            seen.add(key)
            items.append({"id": f"{group}-{count:03}", **item})
            count += 1
    return items


def load():
    return [json.loads(line) for line in PATH.read_text(encoding="utf-8").splitlines()]


def render(item):
    """Prompt and expected answer as one rendering, with the answer marked as learned."""
    out = chat_format.render_request(item["request"])
    expect = item["expect"]
    if expect.get("thought") and item["request"]["enable_thinking"]:
        chat_format.thought(out, expect["thought"], learned=True)
    calls = [(call["name"], call["arguments"]) for call in expect["calls"]]
    chat_format.calls(out, calls, learned=True)
    if calls:
        out.own("<|tool_response>", True)
    else:
        chat_format.final_text(out, expect["content"], True)
    return out


if __name__ == "__main__":
    made = make()
    PATH.write_text("".join(json.dumps(item, ensure_ascii=False, separators=(",", ":")) + "\n" for item in made), encoding="utf-8")
    print(f"{PATH.name}: {len(made)} items")
