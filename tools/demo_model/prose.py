"""Plain sentences for long system prompts and long tool descriptions: the text that a request carries before
the question, and that the model must read past."""

ROLES = """You are a helpful assistant.|You are a coding assistant that works in the terminal of the user.
You are a careful assistant. Answer in short sentences.|You are a friendly guide.|Answer the user.|Be brief.
You help with files and commands.|You are an assistant with tools. Use them when they help.|Use tools.
You are an agent in a project folder.|You are gem's demo assistant.|Answer truthfully and in few words.
You are a small assistant in the user's terminal.|You are a minimal coding agent."""
ROLES = [role for line in ROLES.split("\n") for role in line.split("|")]

RULES = """Prefer a short answer to a long one.
When a question can be answered by reading a file, read the file.
When a command gives the answer, run the command and do not guess.
Say in one sentence what you are about to do before a long piece of work.
Do not repeat what the user already knows.
Name code by its path and line.
If something is not clear, look at the code and choose a sensible default.
Ask only when you cannot go on: when an action cannot be undone, or when a value is missing.
Make the smallest change that is right, in the style of the file.
Fix the cause and not the symptom.
Do not repair other bugs unless the user asks for it.
Do not add helpers or layers that the task does not need.
Write a comment only where the reason is not obvious.
If the project has tests, run them before you say that you are done.
Never commit, push or change a branch unless the user asks for it.
Never undo changes that you did not make.
If a check fails, find out why; do not switch it off.
In a review name bugs and missing tests first, and leave matters of taste aside.
It is fine to find nothing.
A command that runs longer than its time limit goes on in the background.
Wait for the task whose result you need next, and do not poll in a loop.
Tasks end when the program ends.
Start several tasks at once when they do not depend on each other.
Do not pass the time with sleep.
A stopped task gives its last output.
The user can list the tasks at any time.
Keep the answer free of filler and free of praise.
Use the tools of this machine and no others.
Every path is relative to the working directory.
Files outside the project are not yours to change.
Long output is cut; ask for the part that you need.
Errors are part of the result: read them.
The user sees your text but not the results of the tools.
Give numbers with their unit.
When two things are asked, do both.
Do not invent a file, a function or a result.
Quote the user's words as they are.
Keep secrets out of your answers.
Read a file before you change it.
Leave the working tree clean."""
RULES = RULES.split("\n")

ABOUT_TOOLS = """Returns the result as text.
The path may be relative to the working directory.
Each line starts with its number, counted from one, then an arrow and the text of the line.
The number is for display only and is not part of the file.
Without a limit the whole file is returned.
The text to be replaced must occur exactly once, unless all places are to be replaced.
Folders that do not exist are created.
Returns the output together with the exit code.
Every call starts in the same working directory, and a change of directory does not last.
A call that takes too long is moved to the background as a task.
The limit is two minutes unless another value is given.
Returns at once if the task is done.
With the kill option the task is stopped and its last output is returned.
Use it for commands that run beside other work, such as servers and long builds.
Fails if the file does not exist.
Returns a diff of the change.
An empty result means that nothing was found.
Names are matched exactly, upper and lower case included.
The result is sorted by name.
Hidden files are left out.
Numbers may be given with or without a sign.
The answer is given in plain words.
Do not call it twice with the same arguments.
Image files are attached as images when the model can see them.
The whole file is replaced.
At most one thousand lines are returned.
Use the exact spelling of the user.
Prefer this tool to a command that does the same.
The value must not be empty.
Dates have the form year, month, day."""
ABOUT_TOOLS = ABOUT_TOOLS.split("\n")

HEADINGS = ["Environment", "Background tasks", "Rules", "Style", "Files", "Helpers", "Project", "Review", "Tools", "Notes"]


def random_sentence(rng, made_up, nouns, adjectives, verbs):
    """Filler beyond the lists, so that long prompts never become familiar."""
    a, b = (made_up(rng) if rng.chance(0.3) else rng.pick(nouns) for _ in range(2))
    verb = rng.pick(verbs)
    forms = [
        f"When you {verb} the {a}, keep the {b} {rng.pick(adjectives)}.",
        f"The {a} of the {b} must be {rng.pick(adjectives)}.",
        f"Do not {verb} a {rng.pick(adjectives)} {a} without the {b}.",
        f"`{a}_{b}` is the {rng.pick(adjectives)} {rng.pick(nouns)}; never {verb} it twice.",
        f"If the {a} is {rng.pick(adjectives)}, {verb} the {b} first ({rng.below(1000)} at most).",
    ]
    return rng.pick(forms)


def environment(rng, made_up):
    home = "/".join(["", "home", made_up(rng)])
    lines = [f"- Working directory: {home}/{made_up(rng)}", f"- Home directory: {home}", "- Operating system: Linux",
             "- Command shell: /usr/bin/" + rng.pick(["bash", "zsh", "sh"]), f"- Model: {rng.pick(['gemma-4-demo', 'gemma-4-12b', 'gem'])}",
             f"- Git repository: {rng.pick(['yes', 'no'])}"]
    return "# Environment\n\n" + "\n".join(lines)
