"""Checks answers to the held-out list: exact match of text and calls, by group.

  python3 check.py --gem build/release/gem --model FILE [--sample N]   answers by gem, one prompt a run
  python3 check.py --write-prompts FILE [--sample N]                   prompts as ids, for another engine
  python3 check.py --answers FILE                                      answers as ids, from another engine

--sample N takes N items of each group, evenly spread. Exit status 1 if a group is under 90 %.
"""
import argparse
import json
import re
import subprocess
import sys
from collections import defaultdict

import chat_format
import held_out
import tokenizer

LEAST = 0.90
MOST_TOKENS = 250
CALL = re.compile(r"<\|tool_call>(.*?)<tool_call\|>", re.S)
THOUGHT = re.compile(r"<\|channel>thought\n(.*?)\n<channel\|>", re.S)


def expected_calls(item):
    out = chat_format.Rendering()
    chat_format.calls(out, [(call["name"], call["arguments"]) for call in item["expect"]["calls"]])
    return out.text()


def is_right(item, raw):
    """raw: the generated text with its special tokens, up to the end token."""
    thoughts = THOUGHT.findall(raw)
    text = THOUGHT.sub("", raw)
    text = re.sub(r"<turn\|>.*|<\|tool_response>.*|<eos>.*", "", text, flags=re.S)
    if item["group"] == "arithmetic" and not (thoughts and thoughts[0].strip()):
        return False
    if item["expect"]["calls"]:
        return text == expected_calls(item)
    return text == item["expect"]["content"]


def sampled(items, count):
    by_group = defaultdict(list)
    for item in items:
        by_group[item["group"]].append(item)
    out = []
    for group in by_group.values():
        step = max(1, len(group) // count) if count else 1
        out += group[::step][:count] if count else group
    return out


def prompt_of(item, coder):
    return coder.encode(chat_format.render_request(item["request"]))[0]


def answer_of_gem(gem, model, prompt, coder):
    """Raw mode with special tokens: the prompt goes in as text without its <bos>, which gem adds."""
    text = coder.decode(prompt[1:])
    run = subprocess.run([gem, "run", model, "-", "--raw", "--special", "--quiet", "--temperature", "0", "--max-tokens", str(MOST_TOKENS)],
                         input=text.encode("utf-8"), capture_output=True, check=False)
    if run.returncode != 0:
        raise SystemExit(run.stderr.decode("utf-8", "replace").strip())
    return run.stdout.decode("utf-8", "replace").removesuffix("\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gem")
    parser.add_argument("--model")
    parser.add_argument("--answers")
    parser.add_argument("--write-prompts")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--show", action="store_true", help="print wrong answers")
    options = parser.parse_args()
    coder = tokenizer.Tokenizer.load()
    items = held_out.load()
    answers = {}
    if options.answers:
        with open(options.answers, encoding="utf-8") as file:
            answers = {entry["id"]: entry["answer"] for entry in map(json.loads, file)}
        items = [item for item in items if item["id"] in answers]
    else:
        items = sampled(items, options.sample)
    if options.write_prompts:
        with open(options.write_prompts, "w", encoding="utf-8") as file:
            for item in items:
                file.write(json.dumps({"id": item["id"], "prompt": prompt_of(item, coder), "most": MOST_TOKENS}) + "\n")
        return 0

    right, count = defaultdict(int), defaultdict(int)
    for item in items:
        raw = coder.decode(answers[item["id"]]) if options.answers else answer_of_gem(options.gem, options.model, prompt_of(item, coder), coder)
        good = is_right(item, raw)
        right[item["group"]] += good
        count[item["group"]] += 1
        if options.show and not good:
            print(item["id"], json.dumps(item["request"]["messages"][-1]["content"])[:100], "| want", item["expect"], "| got", repr(raw))
    for group in count:
        print(f"{group:12} {right[group]:4} of {count[group]:4}  {100 * right[group] / count[group]:5.1f} %")
    print(f"{sum(right.values())} passed, {sum(count.values()) - sum(right.values())} failed")
    return 1 if any(right[group] / count[group] < LEAST for group in count) else 0


if __name__ == "__main__":
    sys.exit(main())
