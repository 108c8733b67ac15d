"""The demo's tokenizer: Gemma 4's form and rules with 4096 entries, trained on generated text.

Ids 0 to 493 are those of the published vocabulary (special tokens, runs of newlines and spaces, bytes);
then come the results of merges in the order of their rank, single characters, and the media tokens.
No merge joins anything to a following space or a digit to anything, so that words can be encoded one by one.
"""
import heapq
import json
import pathlib
import re
from collections import Counter, defaultdict

SIZE = 4096
SPACE = "\u2581"
PUBLISHED = {0: "<pad>", 1: "<eos>", 2: "<bos>", 3: "<unk>", 4: "<mask>", 46: "<|tool>", 47: "<tool|>", 48: "<|tool_call>",
             49: "<tool_call|>", 50: "<|tool_response>", 51: "<tool_response|>", 52: '<|"|>', 98: "<|think|>",
             100: "<|channel>", 101: "<channel|>", 105: "<|turn>", 106: "<turn|>"}
MEDIA = ["<|image>", "<|audio>", "<|image|>", "<|audio|>", "<image|>", "<audio|>", "<|video|>"]
VISIBLE = {48, 49, 50, 51, 52, 100, 101}
LONGEST_RUN = 31
NEWLINES, SPACES, BYTES, WORDS = 107, 138, 238, 494
CHARACTERS = [chr(code) for code in range(0x21, 0x7F)] + ["\t"] + list("→←↑↓—–…“”‘’•·×÷±°§©€£äöüÄÖÜßéèêàáâçñóôíúøåæ²³½≤≥≠✓█│├└─🙂")
NORMAL, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 3, 4, 5, 6

SPECIAL = re.compile("|".join(re.escape(text) for text in list(PUBLISHED.values()) + MEDIA))
UNIT = re.compile(r"\n+|[^\n]+")
WORD = re.compile(f"{SPACE}*[^{SPACE}]+|{SPACE}+")
# What training may merge: letters, or punctuation, each with one space before it.
TRAINED = re.compile(rf"{SPACE}?[A-Za-z\u00c0-\u024f]+|{SPACE}?[^\w{SPACE}\n]{{1,4}}")


def run_merges(character):
    """All ways to join two runs into one, short results first."""
    return [(character * left, character * (total - left)) for total in range(2, LONGEST_RUN + 1) for left in range(1, total)]


def train(texts, merge_count):
    """The merges of byte-pair encoding over the words of the texts: the most frequent pair first; ties go to
    the pair that sorts first."""
    frequency = Counter()
    for text in texts:
        for part in SPECIAL.split(text):
            for word in TRAINED.findall(part.replace(" ", SPACE)):
                frequency[word] += 1
    words = sorted(frequency)
    symbols = [[c for c in word] for word in words]
    pairs, places = Counter(), defaultdict(set)
    for number, word in enumerate(words):
        for pair in zip(symbols[number], symbols[number][1:]):
            pairs[pair] += frequency[word]
            places[pair].add(number)
    heap = [(-count, pair) for pair, count in pairs.items()]
    heapq.heapify(heap)
    merges, seen = [], set()
    while heap and len(merges) < merge_count:
        count, pair = heapq.heappop(heap)
        if -count != pairs.get(pair) or pairs[pair] <= 0:
            continue
        result = pair[0] + pair[1]
        if result not in seen:
            seen.add(result)
            merges.append(pair)
        else:
            merges.append(pair)
        touched = set()
        for number in places.pop(pair):
            old, weight = symbols[number], frequency[words[number]]
            for other in zip(old, old[1:]):
                pairs[other] -= weight
                touched.add(other)
            new, at = [], 0
            while at < len(old):
                if at + 1 < len(old) and (old[at], old[at + 1]) == pair:
                    new.append(result)
                    at += 2
                else:
                    new.append(old[at])
                    at += 1
            symbols[number] = new
            for other in zip(new, new[1:]):
                pairs[other] += weight
                places[other].add(number)
                touched.add(other)
        pairs.pop(pair, None)
        for other in sorted(touched):
            if other != pair and pairs.get(other, 0) > 0:
                heapq.heappush(heap, (-pairs[other], other))
    return merges


def build(texts):
    """The vocabulary as it goes into a file: tokens, types, merges."""
    tokens = {**PUBLISHED}
    types = {number: USER_DEFINED if number in VISIBLE else CONTROL for number in PUBLISHED}
    for length in range(1, LONGEST_RUN + 1):
        tokens[NEWLINES + length - 1] = "\n" * length
    for length in range(2, LONGEST_RUN + 1):
        tokens[SPACES + length - 2] = SPACE * length
    for value in range(256):
        tokens[BYTES + value] = f"<0x{value:02X}>"
        types[BYTES + value] = BYTE
    unused = 0
    for number in range(WORDS):
        if number not in tokens:
            tokens[number] = f"<unused{unused}>"
            types[number] = UNUSED
            unused += 1
    characters = [SPACE] + CHARACTERS
    room = SIZE - WORDS - len(characters) - len(MEDIA)
    trained, results = [], []
    known = set(tokens.values()) | set(characters)
    for left, right in train(texts, room + 200):
        if len(results) == room:
            break
        if left not in known or right not in known:
            continue  # a character without an entry: its words fall back to bytes
        trained.append((left, right))
        if left + right not in known:
            known.add(left + right)
            results.append(left + right)
    for text in results + characters:
        tokens[len(tokens)] = text
    for text in MEDIA:
        types[len(tokens)] = CONTROL
        tokens[len(tokens)] = text
    assert len(tokens) == SIZE, len(tokens)
    merges = run_merges("\n") + run_merges(SPACE) + trained
    return {"tokens": [tokens[n] for n in range(SIZE)], "types": [types.get(n, NORMAL) for n in range(SIZE)],
            "merges": [list(merge) for merge in merges]}


class Tokenizer:
    def __init__(self, vocabulary):
        self.tokens, self.types = vocabulary["tokens"], vocabulary["types"]
        self.merges = [tuple(merge) for merge in vocabulary["merges"]]
        self._ids = {text: number for number, text in enumerate(self.tokens)}
        self._rank = {merge: rank for rank, merge in enumerate(self.merges)}
        self._words = {}

    @staticmethod
    def load(path=pathlib.Path(__file__).with_name("vocabulary.json")):
        return Tokenizer(json.loads(pathlib.Path(path).read_text(encoding="utf-8")))

    def special(self, text):
        return self._ids[text]

    def _word(self, word):
        symbols = list(word)
        while len(symbols) > 1:
            ranked = [(self._rank.get(pair, len(self._rank)), at) for at, pair in enumerate(zip(symbols, symbols[1:]))]
            rank, at = min(ranked)
            if rank == len(self._rank):
                break
            symbols[at:at + 2] = [symbols[at] + symbols[at + 1]]
        ids = []
        for symbol in symbols:
            if symbol in self._ids:
                ids.append(self._ids[symbol])
            else:
                ids += [BYTES + value for value in symbol.encode("utf-8")]
        return ids

    def encode_plain(self, text):
        """Text without special tokens."""
        ids = []
        for unit in UNIT.findall(text):
            if unit[0] == "\n" and len(unit) <= LONGEST_RUN:
                ids.append(NEWLINES + len(unit) - 1)
                continue
            for word in WORD.findall(unit.replace(" ", SPACE)):
                known = self._words.get(word)
                if known is None:
                    known = self._word(word)
                    if len(self._words) < 1_000_000:
                        self._words[word] = known
                ids += known
        return ids

    def encode(self, rendering):
        """(ids, learned) of a chat_format.Rendering. Text between two special tokens is encoded as one."""
        ids, learned = [], []
        pending, flag = "", False

        def flush():
            nonlocal pending
            if pending:
                made = self.encode_plain(pending)
                ids.extend(made)
                learned.extend([flag] * len(made))
                pending = ""

        for text, trusted, learn in rendering.segments:
            if learn != flag:
                flush()  # a border of what is learned is a border of units: see chat_format.py
                flag = learn
            if not trusted:
                pending += text
                continue
            at = 0
            for match in SPECIAL.finditer(text):
                pending += text[at:match.start()]
                flush()
                ids.append(self._ids[match.group()])
                learned.append(learn)
                at = match.end()
            pending += text[at:]
        flush()
        return ids, learned

    def decode(self, ids):
        data = b""
        for number in ids:
            if self.types[number] == BYTE:
                data += bytes([number - BYTES])
            else:
                data += self.tokens[number].replace(SPACE, " ").encode("utf-8")
        return data.decode("utf-8", "replace")
