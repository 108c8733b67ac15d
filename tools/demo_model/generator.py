"""Conversations for training and for the held-out list, drawn from the facts and templates of this folder.

conversation(rng, shape) makes one for training. held_out_item(rng, group) makes one for the list. The two
share no frame, no request template, no way of saying something in small talk, no file name, place, person or
pair of numbers; world facts and facts about gem are the same ones in other words.
"""
from dataclasses import dataclass, field

import arithmetic
import chat_format
import guide
import prose
import small_talk
import tool_kinds
import words
import world

UNKNOWN = "I am a small demo model and do not know that. A real model, Gemma 4 12B or 31B, may know it."
NO_TOOL = "I have no tool for that here."
GROUPS = ["guide", "small_talk", "world", "arithmetic", "tool_call", "two_calls", "tool_result", "unknown"]


@dataclass
class Turn:
    user: str
    answer: str = ""
    thought: str = None        # written when thinking is on
    calls: list = field(default_factory=list)     # (name, arguments)
    results: list = field(default_factory=list)   # (name, text)


@dataclass
class Conversation:
    thinking: bool
    system: str = None
    tools: list = field(default_factory=list)     # declarations
    turns: list = field(default_factory=list)


# How a user wraps a question. The held-out ones never occur in training.
PREFIXES = ["please, ", "hey, ", "hi, ", "hello, ", "gem, ", "ok, ", "so, ", "hi gem, ", "a question: ", "now ", "well, ", "hello! ", "and ",
            "good morning, ", "good evening, ", "listen, ", "say, ", "tell me, ", "then ", "but ", "hello gem, ", "right, "]
SUFFIXES = [" please", " thanks", ", please", ", thanks", " gem"]
HELD_OUT_PREFIXES = ["okay, ", "good day, ", "hey gem, ", "one question: ", "oh, "]


def _lower_first(text):
    return text[:1].lower() + text[1:]


def _typo(rng, text):
    letters = [at for at in range(1, len(text) - 1) if text[at].isalpha() and text[at + 1].isalpha()]
    if not letters:
        return text
    at = rng.pick(letters)
    return rng.pick([text[:at] + text[at + 1] + text[at] + text[at + 2:], text[:at] + text[at + 1:]])


def spoken(rng, text, held_out, keep_case=False):
    """The text as somebody types it: wrapped, in small letters, without its last mark. Names inside keep their
    case if `keep_case`."""
    if rng.chance(0.18):
        prefixes = HELD_OUT_PREFIXES if held_out else PREFIXES
        text = rng.pick(prefixes) + (text if text[:2] == "I " else _lower_first(text))
    if not held_out and rng.chance(0.08):
        text = text.rstrip("?.") + rng.pick(SUFFIXES) + (text[-1] if text[-1] in "?." else "")
    kind = rng.below(10)
    if kind < 3 and not text.startswith("I "):
        text = _lower_first(text)
    elif kind < 5 and not keep_case:
        text = text.lower()
    elif kind < 8:
        text = text[:1].upper() + text[1:]
    if rng.chance(0.25):
        text = text.rstrip("?.")
    elif not keep_case and rng.chance(0.05):
        text = text.rstrip("?.") + rng.pick(["!", "??", " ?", "..."])
    if not held_out and not keep_case and rng.chance(0.06):
        text = _typo(rng, text)
    return text


def guide_question(rng, held_out, fact=None):
    fact = fact or rng.pick(guide.FACTS)
    forms = [("do", phrase) for phrase in fact.do] + [("what", phrase) for phrase in fact.what]
    if forms and (held_out or rng.chance(0.75 if len(forms) > 2 else 0.5)):
        kind, phrase = rng.pick(forms)
        if kind == "do":
            frames = guide.HELD_OUT_HOW_FRAMES if held_out else guide.HOW_FRAMES
        else:
            frames = guide.HELD_OUT_WHAT_FRAMES if held_out else guide.WHAT_FRAMES
        text = rng.pick(frames).format(phrase)
    else:
        text = rng.pick(fact.ask)
        if held_out:
            text = rng.pick(["I have a question. {}", "Could you tell me: {}", "Please answer: {}", "Let me ask you: {}"]).format(text)
        elif rng.chance(0.2):
            text = rng.pick(["Tell me: {}", "My question: {}", "I want to know: {}", "Please tell me: {}", "Say, {}"]).format(text)
    return Turn(spoken(rng, text, held_out), fact.answer)


def _ways(row, held_out):
    ways = row[1]
    kept = len(ways) - max(1, len(ways) // 8)
    return ways[kept:] if held_out else ways[:kept]


def small_talk_turn(rng, held_out):
    row = rng.pick(small_talk.ROWS)
    # The ways that are held out are few: most held-out turns are a known way in an unknown wrapping.
    if held_out and rng.chance(0.75):
        text = rng.pick(HELD_OUT_PREFIXES[:-1] if rng.chance(0.7) else ["now tell me, ", "just this: "]) + rng.pick(_ways(row, False))
    else:
        text = rng.pick(_ways(row, held_out))
        if not held_out and rng.chance(0.4):
            text = rng.pick(PREFIXES) + text
    mark = "?" if text.split(" ")[0] in ("what", "who", "how", "are", "do", "is", "can", "where", "which", "when", "will", "may", "am") else "."
    if rng.chance(0.6):
        text += rng.pick([mark, mark, "!"]) if mark == "." else mark
    if rng.chance(0.5):
        text = text[:1].upper() + text[1:]
    if rng.chance(0.3):
        text = text.replace(" i ", " I ") if text[:2] != "i " else "I" + text[1:]
    if not held_out and rng.chance(0.04):
        text = _typo(rng, text)
    return Turn(text, row[0])


def world_question(rng, held_out):
    if rng.chance(0.25):
        answer, ways = rng.pick(world.SINGLES)
        return Turn(spoken(rng, rng.pick(ways[-2:] if held_out else ways[:-2]), held_out), answer)
    relation = rng.pick([world.RELATIONS[0]] * 3 + world.RELATIONS)
    pair = rng.pick(relation.pairs)
    text = rng.pick(relation.held_out if held_out else relation.frames).format(*pair)
    answer = relation.answer.format(*pair)
    return Turn(spoken(rng, text, held_out), answer[:1].upper() + answer[1:])


def arithmetic_turn(rng, held_out):
    question, thought, answer = arithmetic.problem(rng, held_out)
    return Turn(spoken(rng, question, held_out, keep_case=True), answer, thought)


PLACES = ["Angola", "Benin", "Botswana", "Brunei", "Burundi", "Chad", "Congo", "Fiji", "Gabon", "Guinea", "Guyana", "Honduras", "Kuwait",
          "Liberia", "Malaysia", "Mali", "Moldova", "Namibia", "Oman", "Paraguay", "Qatar", "Rwanda", "Somalia", "Tajikistan", "Tonga"]
HELD_OUT_PLACES = ["Bhutan", "Laos", "Haiti", "Malawi", "Togo", "Yemen", "Nicaragua", "Eritrea", "Uganda", "Kyrgyzstan"]
TOPIC_FRAMES = ["Who was {}?", "What is {}?", "Tell me about {}.", "When was {}?", "Where is {}?", "Explain {}.", "What do you know about {}?",
                "How old is {}?", "Why is {} important?", "What happened to {}?", "How large is {}?", "Describe {}.", "Who knows {}?",
                "How does {} work?", "What can you tell me about {}?", "Do you know {}?", "Is {} good?"]
HELD_OUT_TOPIC_FRAMES = ["Could you tell me more about {}?", "Can you tell me about {}?", "What is known about {}?", "I want to learn about {}.",
                         "When did {} begin?"]


def _unknown_name(rng, held_out):
    if held_out:
        return rng.pick(HELD_OUT_PLACES + words.HELD_OUT_CITIES + words.HELD_OUT_PEOPLE + [s.capitalize() for s in words.HELD_OUT_STEMS])
    return rng.pick(PLACES + words.PEOPLE + [words.made_up(rng).capitalize() for _ in range(60)])


def unknown_question(rng, held_out):
    kind = rng.below(10)
    name = _unknown_name(rng, held_out)
    if kind < 4:
        topics = words.TOPICS[-8:] if held_out else words.TOPICS[:-8]
        frames = HELD_OUT_TOPIC_FRAMES if held_out else TOPIC_FRAMES if rng.chance(0.6) else guide.WHAT_FRAMES
        text = rng.pick(frames).format(rng.pick(topics).format(X=name))
    elif kind < 6:
        relation = rng.pick([world.RELATIONS[0], world.RELATIONS[2], world.RELATIONS[3]])
        if relation is world.RELATIONS[2]:
            name = rng.pick(words.HELD_OUT_STEMS) if held_out else rng.pick([words.made_up(rng), words.made_up(rng), rng.pick(words.NOUNS + words.THINGS)])
        elif relation is world.RELATIONS[0]:
            name = rng.pick(HELD_OUT_PLACES) if held_out else rng.pick([rng.pick(PLACES), words.made_up(rng).capitalize()])
        elif rng.chance(0.5):
            name = f"The {rng.pick(words.ADJECTIVES).capitalize()} {rng.pick(words.HELD_OUT_STEMS if held_out else words.NOUNS).capitalize()}"
        text = rng.pick(relation.held_out if held_out else relation.frames).format(name, name)
    elif kind < 8:
        thing = rng.pick(words.HELD_OUT_THINGS) if held_out else rng.pick([words.made_up(rng), rng.pick(words.THINGS + words.NOUNS)])
        phrase = rng.pick(["{v} the {a} {t}", "{v} {t}", "{v} my {t}", "{v} a {a} {t}", "{v} {t} at home"]).format(
            v=rng.pick(words.VERBS), a=rng.pick(words.ADJECTIVES), t=thing)
        text = rng.pick(guide.HELD_OUT_HOW_FRAMES if held_out else guide.HOW_FRAMES).format(phrase)
    else:
        thing = rng.pick(words.HELD_OUT_STEMS) if held_out else rng.pick([words.made_up(rng), rng.pick(words.NOUNS + words.THINGS)])
        phrase = rng.pick(["{t}", "the {a} {t}", "a {a} {t}", "the {t} of {n}", "{t}"]).format(a=rng.pick(words.ADJECTIVES), t=thing, n=name)
        text = rng.pick(guide.HELD_OUT_WHAT_FRAMES if held_out else guide.WHAT_FRAMES).format(phrase)
    return Turn(spoken(rng, text, held_out), UNKNOWN)


# Tools

def tool_set(rng, agent, kinds=()):
    """Tools for one conversation, in the order in which they are declared."""
    if agent:
        chosen = list(tool_kinds.AGENT_SET)
        if rng.chance(0.3):
            chosen = rng.sample(chosen + rng.sample([k for k in tool_kinds.DECLARED if k not in chosen], 2), rng.between(4, 7))
        usual = rng.chance(0.6)
        return [tool_kinds.make_tool(rng, kind, long=True, agent_names=usual) for kind in chosen]
    others = [kind for kind in tool_kinds.DECLARED if kind not in kinds]
    chosen = list(kinds) + rng.sample(others, rng.below(5 if kinds else 6) + (0 if kinds else 1))
    rng.shuffle(chosen)
    long = rng.chance(0.15)
    names, tools = set(), []
    for kind in chosen:
        tool = tool_kinds.make_tool(rng, kind, long)
        if tool.name not in names:
            names.add(tool.name)
            tools.append(tool)
    return tools


def _request(rng, tools, held_out):
    """(kind, slots, text, call) of something the tools can do."""
    able = [tool.kind_name for tool in tools]
    if "list" in able or "command" in able:
        able.append("list_here")
        able.append("list")
    if "command" in able:
        able.append("read")
    kind_name = rng.pick(able)
    kind = tool_kinds.KINDS[kind_name]
    slots = kind.slots(rng, held_out)
    text = rng.pick(kind.held_out if held_out else kind.requests).format(**slots)
    if not held_out:
        text = _wrapped(rng, text, kind_name)
    return kind_name, slots, text, tool_kinds.make_call(tools, kind_name, slots)


# Ways to ask for anything, in training only: what the tool gets must not depend on them.
WRAPPERS = ["would you {}", "kindly {}", "now {}", "first, {}", "next, {}", "quickly {}", "I have a task: {}", "one more thing: {}", "do this: {}",
            "the task: {}", "today: {}", "again: {}", "my request: {}", "so {}", "then {}", "help me: {}"]
ENDINGS = [" now", " today", " again", " quickly", " first", " right now", " soon", " for my friend", " at once", " if possible", " as well"]


def _wrapped(rng, text, kind_name):
    if rng.chance(0.2):
        text = rng.pick(WRAPPERS).format(text)
    # After a bare command or a sum, one more word would belong to it.
    if rng.chance(0.2) and kind_name not in ("command", "calculate") and not text.endswith("\""):
        mark = "?" if text.endswith("?") else ""
        text = text.rstrip("?") + rng.pick(ENDINGS) + mark
    return text


def _report(rng, kind_name, call, slots, held_out, numbered):
    if kind_name in ("list", "list_here", "search") or call[0] in tool_kinds.KINDS[kind_name].names or kind_name == "command":
        return tool_kinds.KINDS[kind_name].result(rng, slots, held_out, numbered)
    return tool_kinds.KINDS[kind_name].result(rng, slots, held_out, False)


def tool_turn(rng, tools, held_out, count=1, numbered=True):
    requests = [_request(rng, tools, held_out) for _ in range(count)]
    text = requests[0][2]
    if count == 2:
        joint = rng.pick([" and ", " and then ", ", then ", " and also "] if not held_out else [" and ", ", and then "])
        text = text.rstrip("?.") + joint + requests[1][2]
    text = spoken(rng, text, held_out, keep_case=True)
    made = [request[3] for request in requests]
    thought = "I call " + " and ".join(name for name, _ in made) + "."
    reports = [_report(rng, kind, call, slots, held_out, numbered) for kind, slots, _, call in requests]
    answer = "\n".join(sentence.strip() for _, sentence in reports)
    return Turn(text, answer, thought, made, [(call[0], report[0]) for call, report in zip(made, reports)])


def system_text(rng, shape):
    if shape == "agent":
        parts = [rng.pick(prose.ROLES)]
        for _ in range(rng.between(0, 12)):
            sentences = [rng.pick(prose.RULES) if rng.chance(0.5) else
                         prose.random_sentence(rng, words.made_up, words.NOUNS, words.ADJECTIVES, words.VERBS)
                         for _ in range(rng.between(2, 10))]
            title = f"# {rng.pick(prose.HEADINGS)}\n\n" if rng.chance(0.5) else ""
            parts.append(title + (" ".join(sentences) if rng.chance(0.6) else "- " + "\n- ".join(sentences)))
        if rng.chance(0.7):
            parts.append(prose.environment(rng, words.made_up))
        return "\n\n".join(parts)
    return rng.pick(prose.ROLES) if rng.chance(0.25) else None


PLAIN = {"guide": 26, "small_talk": 20, "world": 20, "arithmetic": 18, "unknown": 26, "no_tool": 2}
_PLAIN_BAG = [name for name, weight in PLAIN.items() for _ in range(weight)]


def plain_turn(rng, group, held_out=False):
    if group == "no_tool":
        kind = rng.pick([k for k in tool_kinds.KINDS if k not in ("weather", "time", "search", "calculate", "wait")])
        slots = tool_kinds.KINDS[kind].slots(rng, held_out)
        return Turn(spoken(rng, rng.pick(tool_kinds.KINDS[kind].requests).format(**slots), held_out, keep_case=True), NO_TOOL)
    return {"guide": guide_question, "small_talk": small_talk_turn, "world": world_question, "arithmetic": arithmetic_turn,
            "unknown": unknown_question}[group](rng, held_out)


def conversation(rng, shape):
    """shape: "plain" (no tools), "tools" (a few short declarations), "agent" (a long prompt with long ones)."""
    out = Conversation(thinking=rng.chance(0.6), system=system_text(rng, shape))
    if shape == "plain":
        for _ in range(rng.pick([1, 1, 1, 1, 1, 1, 1, 2, 2, 3])):
            out.turns.append(plain_turn(rng, rng.pick(_PLAIN_BAG)))
        return out
    tools = tool_set(rng, shape == "agent")
    out.tools = [tool.declaration for tool in tools]
    numbered = shape == "agent" or rng.chance(0.3)
    turns = rng.between(1, 3) if shape == "tools" else rng.between(8, 24) if rng.chance(0.2) else rng.between(1, 8)
    for _ in range(turns):
        if rng.chance(0.22):
            group = rng.pick(_PLAIN_BAG)
            out.turns.append(plain_turn(rng, "guide" if group == "no_tool" else group))  # a tool may be there
        else:
            out.turns.append(tool_turn(rng, tools, False, 2 if rng.chance(0.3) else 1, numbered))
    return out


def render_training(conversation, rng):
    """The conversation as one text, with what the model must learn to write marked. Thoughts of earlier turns
    are dropped, as in every later prompt; where a turn's thought was dropped, only the last turn is learned."""
    out = chat_format.Rendering()
    chat_format.system_turn(out, conversation.system, conversation.tools, conversation.thinking)
    for number, turn in enumerate(conversation.turns):
        last = number == len(conversation.turns) - 1
        thinks = conversation.thinking and turn.thought is not None
        learned = last or not thinks
        chat_format.user_turn(out, turn.user)
        chat_format.open_model_turn(out, stub=not conversation.thinking and (last or rng.chance(0.5)))
        if thinks and last:
            chat_format.thought(out, turn.thought, learned=True)
        chat_format.calls(out, turn.calls, learned)
        if turn.calls:
            chat_format.responses(out, turn.results, learned_end=learned)
        chat_format.final_text(out, turn.answer, learned or bool(turn.calls))
    return out


# The held-out list

def held_out_item(rng, group):
    """A request in OpenAI's form and what must come back: content and calls, exactly. `thought` is what the
    model learned to think before; of it only the presence is checked."""
    thinking = True if group == "arithmetic" else rng.chance(0.5)
    item = {"group": group, "request": {"enable_thinking": thinking}}
    messages = []
    if group in ("tool_call", "two_calls", "tool_result"):
        agent = rng.chance(0.1)
        tools = tool_set(rng, agent, () if agent else rng.sample(tool_kinds.DECLARED, 1 if group != "two_calls" else 2))
        turn = tool_turn(rng, tools, True, 2 if group == "two_calls" or (group == "tool_result" and rng.chance(0.2)) else 1, agent)
        if agent:
            messages.append({"role": "system", "content": system_text(rng, "agent")})
        item["request"]["tools"] = [{"type": "function", "function": tool.declaration} for tool in tools]
        messages.append({"role": "user", "content": turn.user})
        if group == "tool_result":
            calls = [{"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": arguments}}
                     for n, (name, arguments) in enumerate(turn.calls)]
            messages.append({"role": "assistant", "content": None, "tool_calls": calls, "reasoning_content": turn.thought if thinking else None})
            messages += [{"role": "tool", "tool_call_id": f"call_{n}", "content": text} for n, (_, text) in enumerate(turn.results)]
            item["expect"] = {"content": turn.answer, "calls": []}
        else:
            item["expect"] = {"content": "", "calls": [{"name": name, "arguments": arguments} for name, arguments in turn.calls]}
            if thinking:
                item["expect"]["thought"] = turn.thought
    else:
        turn = plain_turn(rng, group, held_out=True)
        messages.append({"role": "user", "content": turn.user})
        item["expect"] = {"content": turn.answer, "calls": []}
        if group == "arithmetic":
            item["expect"]["thought"] = turn.thought
    item["request"]["messages"] = messages
    return item
