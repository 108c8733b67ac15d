"""Sums with small numbers, each with the thought that works it out and the answer. A pair of numbers is held
out by a fixed rule, so no held-out sum occurs in training in any form."""
import words

FRAMES = {
    "+": ["What is {a} + {b}?", "{a} + {b}", "What is {a} plus {b}?", "How much is {a} + {b}?", "Add {a} and {b}.", "{a} plus {b}",
          "What do you get when you add {a} and {b}?", "Calculate {a} + {b}.", "{a} + {b} = ?", "What's {a} + {b}?", "Compute {a} plus {b}.",
          "How much is {a} plus {b}?", "What is the sum of {a} and {b}?"],
    "-": ["What is {a} - {b}?", "{a} - {b}", "What is {a} minus {b}?", "How much is {a} - {b}?", "Subtract {b} from {a}.", "{a} minus {b}",
          "Calculate {a} - {b}.", "{a} - {b} = ?", "What's {a} - {b}?", "Compute {a} minus {b}.", "How much is {a} minus {b}?",
          "What is the difference of {a} and {b}?"],
    "*": ["What is {a} * {b}?", "{a} * {b}", "What is {a} times {b}?", "How much is {a} * {b}?", "Multiply {a} by {b}.", "{a} times {b}",
          "Calculate {a} * {b}.", "{a} * {b} = ?", "What's {a} * {b}?", "Compute {a} times {b}.", "How much is {a} times {b}?",
          "What is the product of {a} and {b}?"],
}
HELD_OUT_FRAMES = {
    "+": ["Can you add {a} and {b}?", "Please calculate {a} + {b}.", "Tell me what {a} plus {b} is.", "How much do {a} and {b} make?"],
    "-": ["Can you subtract {b} from {a}?", "Please calculate {a} - {b}.", "Tell me what {a} minus {b} is."],
    "*": ["Can you multiply {a} by {b}?", "Please calculate {a} * {b}.", "Tell me what {a} times {b} is."],
}
STORIES = {
    "+": ["{p} has {a} {t} and gets {b} more. How many {t} does {p} have?", "I have {a} {t} and buy {b} more. How many {t} do I have?",
          "There are {a} {t} on the table and {b} in the box. How many {t} are there?", "{p} finds {a} {t} and then {b} more. How many {t} does {p} find?"],
    "-": ["{p} has {a} {t} and gives away {b}. How many {t} does {p} have?", "I have {a} {t} and sell {b}. How many {t} do I have?",
          "There are {a} {t} and {b} break. How many {t} are there?", "{p} has {a} {t} and loses {b}. How many {t} are left?"],
    "*": ["{p} has {a} boxes with {b} {t} each. How many {t} does {p} have?", "There are {a} bags with {b} {t} each. How many {t} are there?",
          "I buy {a} bags with {b} {t} each. How many {t} do I have?"],
}
HELD_OUT_STORIES = {
    "+": ["{p} buys {a} {t} and finds {b} more. How many {t} does {p} have?"],
    "-": ["{p} has {a} {t} and sells {b}. How many {t} does {p} have?"],
    "*": ["There are {a} boxes with {b} {t} each. How many {t} are there?"],
}


def is_held_out(operator, a, b):
    low, high = sorted((a, b)) if operator != "-" else (a, b)
    return (low * 7 + high * 13 + ord(operator)) % 9 == 0


def numbers(rng, held_out):
    while True:
        operator = rng.pick("++--*")
        if operator == "*":
            a, b = rng.between(2, 12), rng.between(2, 20)
        else:
            a, b = rng.between(0, 99), rng.between(0, 99)
            if operator == "-" and a < b:
                a, b = b, a
        if is_held_out(operator, a, b) == held_out:
            return operator, a, b


def thought(operator, a, b):
    """The steps of the school method, units first."""
    if operator == "+":
        if a < 10 and b < 10:
            return f"{a} + {b} = {a + b}."
        units = a % 10 + b % 10
        carry = units // 10
        tens = a // 10 + b // 10 + carry
        step = f"{a // 10} + {b // 10}" + (" + 1" if carry else "")
        return f"{a % 10} + {b % 10} = {units}, carry {carry}. {step} = {tens}. So {a} + {b} = {a + b}."
    if operator == "-":
        if a < 10:
            return f"{a} - {b} = {a - b}."
        borrow = int(a % 10 < b % 10)
        units = a % 10 + 10 * borrow - b % 10
        step = f"{a // 10} - {b // 10}" + (" - 1" if borrow else "")
        return (f"{a % 10 + 10 * borrow} - {b % 10} = {units}, borrow {borrow}. {step} = {a // 10 - b // 10 - borrow}. "
                f"So {a} - {b} = {a - b}.")
    if b < 10:
        return f"{a} * {b} = {a * b}."
    return f"{a} * {b - b % 10} = {a * (b - b % 10)}. {a} * {b % 10} = {a * (b % 10)}. {a * (b - b % 10)} + {a * (b % 10)} = {a * b}."


def problem(rng, held_out):
    """(question, thought, answer)"""
    operator, a, b = numbers(rng, held_out)
    value = {"+": a + b, "-": a - b, "*": a * b}[operator]
    if rng.chance(0.25):
        stories = HELD_OUT_STORIES if held_out else STORIES
        person, thing = words.person(rng, held_out), words.thing(rng, held_out)
        question = rng.pick(stories[operator]).format(a=a, b=b, p=person, t=thing)
        return question, thought(operator, a, b), f"The answer is {value} {thing}."
    frames = HELD_OUT_FRAMES if held_out else FRAMES
    return rng.pick(frames[operator]).format(a=a, b=b), thought(operator, a, b), f"{a} {operator} {b} = {value}."
