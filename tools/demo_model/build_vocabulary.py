"""Trains the vocabulary on generated text and writes vocabulary.json: same code, same bytes."""
import json
import pathlib

import generator
import tokenizer
from rng import Rng

CONVERSATIONS = {"plain": 24000, "tools": 6000, "agent": 2000}


def texts():
    for shape, count in CONVERSATIONS.items():
        for number in range(count):
            rng = Rng("vocabulary", shape, number)
            yield generator.render_training(generator.conversation(rng, shape), rng).text()


def main():
    vocabulary = tokenizer.build(texts())
    path = pathlib.Path(__file__).with_name("vocabulary.json")
    path.write_text(json.dumps(vocabulary, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{path.name}: {len(vocabulary['tokens'])} tokens, {len(vocabulary['merges'])} merges")


if __name__ == "__main__":
    main()
