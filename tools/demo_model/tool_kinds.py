"""The kinds of tools that the demo model learns to call, each under many names: what the user says, the
arguments that follow from it, what the tool may answer, and the sentence that reports the answer.

Held-out templates and held-out arguments never occur in training.
"""
from dataclasses import dataclass, field

import prose
import words


@dataclass
class Kind:
    names: list            # of the tool
    purposes: list         # first sentences of descriptions
    parameters: dict       # role -> (possible names, description, type)
    requests: list         # what the user says, with {slots}
    held_out: list
    slots: object          # (rng, held_out) -> {slot: text}
    arguments: object      # slots -> {role: value}
    result: object         # (rng, slots, held_out, numbered) -> (text, sentence)
    extras: dict = field(default_factory=dict)  # optional parameters that no request uses


def numbered_lines(lines):
    return "".join(f"{number:6}\u2192{line}\n" for number, line in enumerate(lines, 1))


def joined(names):
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def failure(rng, path):
    text = rng.pick([f"error: {path}: no such file or directory", f"{path}: No such file or directory",
                     f"error: cannot open {path}", f"Error: permission denied: {path}"])
    return text, f"That did not work: {text}"


def read_result(rng, slots, held_out, numbered):
    path = slots["file"]
    if rng.chance(0.12):
        return failure(rng, path)
    lines = [words.phrase(rng, held_out) for _ in range(rng.pick([1, 1, 2, 3, 4, 6]))]
    text = numbered_lines(lines) if numbered else "\n".join(lines) + rng.pick(["", "\n"])
    if len(lines) == 1:
        return text, f"{path} says: {lines[0]}"
    return text, f"{path} starts with: {lines[0]}"


def listing(rng, held_out):
    return sorted({words.file_name(rng, held_out, with_folder=False) for _ in range(rng.between(1, 6))})


def list_result(rng, slots, held_out, numbered):
    place = slots.get("folder")
    if rng.chance(0.08):
        if place:
            return failure(rng, place)
        return "", "There are no files here."
    names = listing(rng, held_out)
    where = f"in {place}" if place else "here"
    return "\n".join(names) + rng.pick(["", "\n"]), f"The files {where} are: {joined(names)}."


def command_result(rng, slots, held_out, numbered):
    kind = rng.below(10)
    if kind == 0:
        return rng.pick(["", "(no output)", "\n"]), "The command ran without output."
    if kind < 3:
        code = rng.between(1, 127)
        return f"{words.phrase(rng, held_out)}\n\n[exit {code}]", f"The command failed with exit code {code}."
    lines = [words.phrase(rng, held_out) for _ in range(rng.pick([1, 1, 1, 2, 4]))]
    text = "\n".join(lines) + rng.pick(["", "\n"])
    return text, (f"The output is: {lines[0]}" if len(lines) == 1 else f"The output starts with: {lines[0]}")


def done(sentence):
    def result(rng, slots, held_out, numbered):
        if "file" in slots and rng.chance(0.1):
            return failure(rng, slots["file"])
        return rng.pick(["ok", "done", "OK", "success", "Done."]), sentence.format(**slots)
    return result


def edit_result(rng, slots, held_out, numbered):
    if rng.chance(0.12):
        return failure(rng, slots["file"])
    diff = f"--- {slots['file']}\n+++ {slots['file']}\n@@ -1 +1 @@\n-{slots['old']}\n+{slots['new']}\n"
    return diff, "In {file} I replaced {old} by {new}.".format(**slots)


def weather_result(rng, slots, held_out, numbered):
    sky = rng.pick(["sunny", "cloudy", "light rain", "snow", "windy", "clear", "fog", "heavy rain"])
    text = rng.pick(["{t} C, {s}", "{s}, {t} C", "{s}, {t} degrees"]).format(t=rng.between(-9, 35), s=sky)
    return text, f"The weather in {slots['city']}: {text}."


def time_result(rng, slots, held_out, numbered):
    text = f"{rng.below(24):02}:{rng.below(60):02}"
    return text, f"It is {text} in {slots['city']}."


def search_result(rng, slots, held_out, numbered):
    if rng.chance(0.2):
        return rng.pick(["", "no matches"]), f"{slots['word']} was not found."
    names = listing(rng, held_out)
    text = "\n".join(f"{name}:{rng.between(1, 99)}: {slots['word']}" for name in names)
    return text, f"{slots['word']} is found in {joined(names)}."


def sum_result(rng, slots, held_out, numbered):
    text = str(rng.below(10000))
    return text, f"The result is {text}."


def phone_result(rng, slots, held_out, numbered):
    text = "".join(str(rng.below(10)) for _ in range(rng.between(5, 8)))
    return text, f"The number of {slots['person']} is {text}."


def task_result(rng, slots, held_out, numbered):
    text = words.phrase(rng, held_out)
    code = rng.pick([0, 0, 0, rng.between(1, 9)])
    return f"{text}\n\n[task {slots['task']} exited with {code}]", f"Task {slots['task']} ended with exit code {code}."


def file_slots(rng, held_out):
    return {"file": words.file_name(rng, held_out)}


def edit_slots(rng, held_out):
    old = new = words.stem(rng, held_out)
    while new == old:
        new = words.stem(rng, held_out)
    return {"file": words.file_name(rng, held_out), "old": old, "new": new}


def command(rng, held_out):
    forms = ["make {n}", "git {v}", "python3 {f}", "cat {f}", "echo {p}", "wc -l {f}", "head -n {k} {f}", "ls {d}", "grep {n} {f}",
             "npm run {n}", "cargo {v}", "./{n}.sh", "mkdir {d}", "rm {f}", "touch {f}", "date", "pwd", "uname -a", "df -h", "whoami"]
    return rng.pick(forms[:15] if held_out else forms).format(
        n=words.stem(rng, held_out), v=rng.pick(["status", "diff", "log", "test", "build", "fetch", "clean"]),
        f=words.file_name(rng, held_out), p=words.phrase(rng, held_out), k=rng.between(1, 50), d=words.folder(rng, held_out))


KINDS = {
    "read": Kind(
        names=["read", "read_file", "open_file", "view", "get_file", "load_file", "file_read", "cat_file"],
        purposes=["Read a file from disk and return its contents.", "Read a file.", "Returns the contents of a file.",
                  "Open a file and return its text.", "Show a file."],
        parameters={"file": (["path", "file_path", "filename", "file", "name"], ["Path to the file.", "The file to read.", "File name", ""], "string")},
        requests=["read {file}", "open {file}", "show me {file}", "what is in {file}?", "print {file}", "read the file {file}",
                  "show {file}", "please read {file}", "what does {file} say?", "what is in the file {file}?", "have a look at {file}",
                  "can you read {file}?", "show me the file {file}", "look at {file}", "tell me what is in {file}", "read {file} for me", "let me see {file}", "I need {file}", "I need to see {file}", "let me read {file}", "I would like to read {file}", "give me {file}", "what stands in {file}?", "display {file}", "I need the text of {file}", "give me the contents of {file}", "does {file} say anything?", "what do you find in {file}?", "we need {file}"],
        held_out=["could you open {file} for me?", "please show me what is in {file}", "I want to see {file}", "what does the file {file} say?",
                  "can you show me the file {file}?"],
        slots=file_slots, arguments=lambda s: {"file": s["file"]}, result=read_result,
        extras={"offset": ("First line to return, counted from one.", "integer"), "limit": ("Most lines to return.", "integer"),
                "encoding": ("Encoding of the file.", "string")}),
    "list": Kind(
        names=["list_files", "ls", "list_dir", "list_directory", "dir", "show_files", "get_files", "files"],
        purposes=["List the files of a folder.", "Returns the names of all files in a directory.", "List a directory.", "Show what a folder holds."],
        parameters={"folder": (["path", "dir", "directory", "folder"], ["The folder.", "Path to the directory.", ""], "string")},
        requests=["list the files in {folder}", "which files are in {folder}?", "show me the files in {folder}", "what files are in {folder}?",
                  "list {folder}", "what is in the folder {folder}?", "list the folder {folder}", "show the folder {folder}",
                  "what is in the directory {folder}?", "list all files in {folder}", "tell me which files are in {folder}", "let me see the files in {folder}", "I need the files in {folder}", "I need a list of {folder}", "let me see the folder {folder}", "what do we have in {folder}?", "give me the files in {folder}", "does {folder} have files?", "what does the folder {folder} hold?", "I would like a list of the files in {folder}", "what does {folder} have?"],
        held_out=["can you list the files in {folder}?", "please show me the folder {folder}", "I want to see the files in {folder}",
                  "which files does the folder {folder} have?"],
        slots=lambda rng, held: {"folder": words.folder(rng, held)}, arguments=lambda s: {"folder": s["folder"]}, result=list_result,
        extras={"all": ("Also hidden files.", "boolean"), "depth": ("How deep to go.", "integer")}),
    "list_here": Kind(
        names=[], purposes=[], parameters={},
        requests=["list the files here", "list the files", "which files are here?", "show me the files", "what files are here?", "ls",
                  "what is in this folder?", "list all files", "show the files here", "which files do I have here?", "list this folder",
                  "what is here?", "tell me which files are here", "list the files in this folder", "show me what is here", "let me see the files here", "I need a list of the files", "what do we have here?", "give me the files here", "I would like a list of the files here", "let me see what is here", "I need to see the files", "which files do we have?", "what does this folder have?"],
        held_out=["can you list the files here?", "please show me the files here", "I want to see the files here", "list all files here",
                  "which files are in this folder?"],
        slots=lambda rng, held: {}, arguments=lambda s: {"folder": "."}, result=list_result),
    "command": Kind(
        names=["bash", "shell", "run", "run_command", "exec", "execute", "sh", "terminal"],
        purposes=["Run a shell command.", "Runs a command and returns its output.", "Execute a command in the shell.",
                  "Run a shell command and return what it prints."],
        parameters={"command": (["command", "cmd", "script"], ["Shell command to run.", "The command.", ""], "string")},
        requests=["run {command}", "execute {command}", "run the command {command}", "please run {command}", "run `{command}`", "execute `{command}`",
                  "what does {command} print?", "run {command} for me", "start {command}", "can you run {command}", "try {command}",
                  "call {command} in the shell", "what is the output of `{command}`?", "I need you to run {command}", "let us run {command}", "you should run {command}", "go and run {command}", "I need the output of {command}", "we need to run {command}", "let me see the output of `{command}`", "I would like to run `{command}`", "try to execute {command}", "please try {command}", "in the shell, run {command}", "use the shell to run {command}"],
        held_out=["could you run {command}", "I want you to run {command}", "please execute {command}", "run the shell command {command}",
                  "can you execute `{command}`?"],
        slots=lambda rng, held: {"command": command(rng, held)}, arguments=lambda s: {"command": s["command"]}, result=command_result,
        extras={"timeout_seconds": ("Time limit in seconds.", "integer"), "background": ("Run as a background task.", "boolean"),
                "name": ("Short name of the task.", "string")}),
    "write": Kind(
        names=["write", "write_file", "save_file", "create_file", "put_file", "file_write"],
        purposes=["Write a file, replacing it entirely.", "Write text to a file.", "Create a file with the given text.", "Save a file."],
        parameters={"file": (["path", "file_path", "filename", "file"], ["Path to the file.", "The file to write.", ""], "string"),
                    "text": (["content", "text", "contents", "body"], ["Full new contents of the file.", "The text.", ""], "string")},
        requests=["write \"{text}\" to {file}", "save \"{text}\" in {file}", "create {file} with the text \"{text}\"", "put \"{text}\" into {file}",
                  "make a file {file} that says \"{text}\"", "write a file {file} with \"{text}\"", "write '{text}' to {file}",
                  "create the file {file} with \"{text}\"", "store \"{text}\" in the file {file}", "I need a file {file} that says \"{text}\"", "let {file} say \"{text}\"", "the file {file} should say \"{text}\"", "I need \"{text}\" in {file}", "note \"{text}\" in {file}", "keep \"{text}\" in {file}", "I would like {file} to say \"{text}\"", "{file} must say \"{text}\"", "please make {file} with \"{text}\""],
        held_out=["please write \"{text}\" into {file}", "can you save \"{text}\" to {file}?", "create a file {file} that says \"{text}\"",
                  "I want \"{text}\" in the file {file}"],
        slots=lambda rng, held: {"file": words.file_name(rng, held), "text": words.phrase(rng, held)},
        arguments=lambda s: {"file": s["file"], "text": s["text"]}, result=done("{file} is written.")),
    "edit": Kind(
        names=["edit", "edit_file", "replace", "replace_in_file", "str_replace", "change_file"],
        purposes=["Replace an exact string in a file.", "Replace text in a file.", "Change a file by replacing one text by another."],
        parameters={"file": (["path", "file_path", "filename", "file"], ["Path to the file.", "The file to change.", ""], "string"),
                    "old": (["old_string", "old", "old_text", "find"], ["Exact text to find.", "The text to be replaced.", ""], "string"),
                    "new": (["new_string", "new", "new_text", "replacement"], ["Replacement text.", "The new text.", ""], "string")},
        requests=["in {file} replace {old} by {new}", "replace {old} with {new} in {file}", "change {old} to {new} in {file}",
                  "in {file} change {old} to {new}", "edit {file}: {old} should be {new}", "in the file {file} replace {old} with {new}",
                  "swap {old} for {new} in {file}", "{old} in {file} must be {new}", "I need {new} for {old} in {file}", "let {old} be {new} in {file}", "the {old} in {file} should be {new}", "use {new} and not {old} in {file}", "in {file}: {old} is wrong, it must be {new}", "put {new} for {old} in {file}", "I would like to replace {old} by {new} in the file {file}", "change the word {old} to {new} in the file {file}"],
        held_out=["please replace {old} by {new} in {file}", "can you change {old} to {new} in {file}?", "in {file}, {old} should be {new}"],
        slots=edit_slots,
        arguments=lambda s: {"file": s["file"], "old": s["old"], "new": s["new"]}, result=edit_result,
        extras={"replace_all": ("Replace every place.", "boolean")}),
    "search": Kind(
        names=["search", "grep", "find_text", "search_files", "find_in_files"],
        purposes=["Search files for a text.", "Find a text in all files.", "Search the project."],
        parameters={"word": (["pattern", "query", "text", "word"], ["What to search for.", "The text to find.", ""], "string")},
        requests=["search for {word}", "find {word} in the files", "where is {word}?", "search the files for {word}", "grep for {word}",
                  "look for {word}", "which files have {word}?", "find {word}", "I need to find {word}", "let us search for {word}", "who uses {word}?", "I am looking for {word}", "where do you see {word}?", "do the files have {word}?", "where does {word} stand in the files?", "I would like to find {word}"],
        held_out=["can you search for {word}?", "please find {word} in the files", "where do the files have {word}?"],
        slots=lambda rng, held: {"word": words.stem(rng, held)}, arguments=lambda s: {"word": s["word"]}, result=search_result,
        extras={"case": ("Match upper and lower case.", "boolean")}),
    "weather": Kind(
        names=["get_weather", "weather", "current_weather", "weather_now", "fetch_weather"],
        purposes=["Get the current weather.", "Returns the weather of a city.", "The weather now."],
        parameters={"city": (["city", "location", "place", "town"], ["City name", "The city.", ""], "string")},
        requests=["what is the weather in {city}?", "how is the weather in {city}?", "weather in {city}", "tell me the weather in {city}",
                  "is it cold in {city}?", "is it raining in {city}?", "what's the weather like in {city}?", "get the weather in {city}",
                  "how warm is it in {city}?", "I need the weather in {city}", "how is the weather in {city} today?", "will it rain in {city} today?", "what is the weather in {city} right now?", "I would like to know the weather in {city}", "give me the weather in {city}", "let me know the weather in {city}", "do you know the weather in {city}?", "is it warm in {city} now?", "what does the weather in {city} look like?", "is the sun shining in {city}?"],
        held_out=["can you tell me the weather in {city}?", "I want to know the weather in {city}", "what is the weather like in {city} now?"],
        slots=lambda rng, held: {"city": words.city(rng, held)}, arguments=lambda s: {"city": s["city"]}, result=weather_result,
        extras={"unit": ("Unit of the temperature.", "string"), "days": ("Days to look ahead.", "integer")}),
    "time": Kind(
        names=["get_time", "time", "current_time", "clock", "local_time"],
        purposes=["Get the local time of a city.", "Returns the time in a city.", "The time now."],
        parameters={"city": (["city", "location", "place", "zone"], ["City name", "The city.", ""], "string")},
        requests=["what time is it in {city}?", "time in {city}", "tell me the time in {city}", "what is the time in {city}?", "how late is it in {city}?",
                  "get the time in {city}", "I need the time in {city}", "what time is it now in {city}?", "what is the time in {city} right now?", "give me the time in {city}", "let me know the time in {city}", "do you know what time it is in {city}?", "I would like to know the time in {city}", "is it late in {city}?", "what does the clock say in {city}?"],
        held_out=["can you tell me the time in {city}?", "I want to know what time it is in {city}"],
        slots=lambda rng, held: {"city": words.city(rng, held)}, arguments=lambda s: {"city": s["city"]}, result=time_result),
    "message": Kind(
        names=["send_message", "message", "send", "send_text", "notify"],
        purposes=["Send a message to a person.", "Sends a text message.", "Write to somebody."],
        parameters={"person": (["to", "recipient", "person", "name"], ["Who gets it.", "The person.", ""], "string"),
                    "text": (["text", "message", "body", "content"], ["The text of the message.", "What to say.", ""], "string")},
        requests=["send \"{text}\" to {person}", "tell {person}: \"{text}\"", "message {person}: \"{text}\"", "send {person} the message \"{text}\"",
                  "write to {person}: \"{text}\"", "send a message to {person}: \"{text}\"", "I need to tell {person}: \"{text}\"", "let {person} know: \"{text}\"", "{person} should know: \"{text}\"", "say \"{text}\" to {person}", "I would like to send \"{text}\" to {person}", "give {person} the message \"{text}\"", "send to {person}: \"{text}\"", "a message to {person} that says \"{text}\""],
        held_out=["please send \"{text}\" to {person}", "can you tell {person}: \"{text}\"", "send {person} a message that says \"{text}\""],
        slots=lambda rng, held: {"person": words.person(rng, held), "text": words.phrase(rng, held)},
        arguments=lambda s: {"person": s["person"], "text": s["text"]}, result=done("The message to {person} is sent.")),
    "calculate": Kind(
        names=["calculator", "calculate", "compute", "calc", "math"],
        purposes=["Compute an expression.", "A calculator.", "Returns the value of an expression."],
        parameters={"sum": (["expression", "formula", "input"], ["The expression.", "What to compute.", ""], "string")},
        requests=["calculate {sum}", "compute {sum}", "use the calculator for {sum}", "calculate {sum} with the tool", "compute {sum} for me", "I need the value of {sum}", "let the calculator do {sum}", "I need {sum} computed", "use the tool for {sum}", "what does the calculator say for {sum}?", "I would like to calculate {sum}", "let us compute {sum}", "compute the value of {sum}"],
        held_out=["can you calculate {sum}", "please compute {sum}", "use the tool to calculate {sum}"],
        slots=lambda rng, held: {"sum": f"{rng.between(100, 9999) * 2 + held} {rng.pick('+-*/')} {rng.between(10, 999)}"},
        arguments=lambda s: {"sum": s["sum"]}, result=sum_result),
    "phone": Kind(
        names=["find_contact", "phone_book", "get_number", "lookup_contact", "contacts"],
        purposes=["Find the phone number of a person.", "Look up a contact.", "Returns a phone number."],
        parameters={"person": (["name", "person", "contact", "who"], ["Name of the person.", "The person.", ""], "string")},
        requests=["what is the number of {person}?", "find the number of {person}", "phone number of {person}", "look up {person}",
                  "get the phone number of {person}", "how can I call {person}?", "I need the number of {person}", "give me the phone number of {person}", "I would like the phone number of {person}", "let me know the number of {person}", "do you know the number of {person}?", "I need to call {person}", "which phone number does {person} have?", "I want to call {person}"],
        held_out=["can you find the number of {person}?", "I want to know the phone number of {person}"],
        slots=lambda rng, held: {"person": words.person(rng, held)}, arguments=lambda s: {"person": s["person"]}, result=phone_result),
    "wait": Kind(
        names=["task_wait", "wait_task", "wait", "wait_for_task", "join_task"],
        purposes=["Wait on one background task.", "Wait for a task and return its output.", "Collect the result of a task."],
        parameters={"task": (["id", "task", "task_id"], ["Task id to wait on.", "The task.", ""], "string")},
        requests=["wait for task {task}", "wait for {task}", "wait until {task} is done", "wait for the task {task}", "collect {task}",
                  "get the result of task {task}", "I need the result of {task}", "let us wait for {task}", "is task {task} done?", "wait until the task {task} ends", "I would like the result of task {task}", "let me know when {task} is done", "what is the result of task {task}?", "wait for task {task} to end"],
        held_out=["can you wait for task {task}?", "please wait until task {task} is done"],
        slots=lambda rng, held: {"task": f"{'w' if held else rng.pick(['t', 'job', 'task', 'p'])}{rng.between(1, 99)}"},
        arguments=lambda s: {"task": s["task"]}, result=task_result,
        extras={"timeout_seconds": ("How long to wait.", "integer"), "kill": ("Stop the task.", "boolean")}),
}
DECLARED = [name for name, kind in KINDS.items() if kind.names]
AGENT_SET = ["read", "edit", "write", "command", "wait"]


class Tool:
    """One declared tool of one conversation: a kind under a name, with names for its parameters."""

    def __init__(self, kind_name, name, parameter_names, declaration):
        self.kind_name, self.name, self.parameter_names, self.declaration = kind_name, name, parameter_names, declaration


def make_tool(rng, kind_name, long, agent_names=False):
    kind = KINDS[kind_name]
    name = kind.names[0] if agent_names else rng.pick(kind.names)
    taken, properties, names = set(), {}, {}
    for role, (choices, descriptions, type_name) in kind.parameters.items():
        free = [choice for choice in choices if choice not in taken]
        chosen = free[0] if agent_names else rng.pick(free)
        taken.add(chosen)
        names[role] = chosen
        properties[chosen] = {"type": type_name, "description": rng.pick(descriptions)}
    required = list(properties)
    for extra, (description, type_name) in kind.extras.items():
        if extra not in properties and (agent_names or rng.chance(0.4)):
            text = description + (" " + rng.pick(prose.ABOUT_TOOLS) if long and rng.chance(0.5) else "")
            properties[extra] = {"type": type_name, "description": text}
    description = rng.pick(kind.purposes)
    if long:
        sentences = [rng.pick(prose.ABOUT_TOOLS) if rng.chance(0.6) else
                     prose.random_sentence(rng, words.made_up, words.NOUNS, words.ADJECTIVES, words.VERBS)
                     for _ in range(rng.between(1, 12))]
        description += " " + (" " if rng.chance(0.7) else "\n- ").join(sentences)
    elif rng.chance(0.1):
        description = ""
    declaration = {"name": name, "description": description,
                   "parameters": {"type": "object", "properties": properties, "required": required}}
    return Tool(kind_name, name, names, declaration)


def make_call(tools, request_kind, slots):
    """The call that a request asks for, given the tools at hand: (name, arguments). A shell stands in for the
    file tools that are missing. None if no tool fits."""
    by_kind = {tool.kind_name: tool for tool in tools}
    wanted = "list" if request_kind == "list_here" else request_kind
    if wanted in by_kind:
        tool = by_kind[wanted]
        values = KINDS[request_kind].arguments(slots)
        return tool.name, {tool.parameter_names[role]: value for role, value in values.items()}
    if "command" in by_kind:
        tool = by_kind["command"]
        text = {"list_here": "ls", "list": "ls {folder}", "read": "cat {file}", "search": "grep -rn {word} ."}.get(request_kind)
        if text:
            return tool.name, {tool.parameter_names["command"]: text.format(**slots)}
    return None
