"""What the demo model knows about gem: it is the built-in guide. Facts follow README.md and docs/.

Each fact: an answer; `do`, verb phrases that fit "How do I ...?"; `what`, noun phrases that fit
"What is ...?"; `ask`, whole questions. The frames that go around them are split: the model never sees a
held-out frame in training.
"""
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Fact:
    answer: str
    do: list = field(default_factory=list)
    what: list = field(default_factory=list)
    ask: list = field(default_factory=list)


HOW_FRAMES = [
    "How do I {}?", "How can I {}?", "What do I need to {}?", "What is the command to {}?", "I want to {}.",
    "Show me how to {}.", "How would I {}?", "Tell me how to {}.", "What must I do to {}?",
    "Is there a way to {}?", "How to {}?", "I would like to {}.", "Help me {}.", "Can you explain how to {}?",
    "Which command should I use to {}?", "How does one {}?", "I need to {}.", "What should I type to {}?",
    "Can I {}?", "How do you {}?", "I have to {}. How?", "What is the best way to {}?", "Could I {}?",
    "How should I {}?", "Do you know how to {}?",
]
HELD_OUT_HOW_FRAMES = [
    "What is the right way to {}?", "Could you show me how I can {}?", "I need to {}, what do I type?",
    "Please explain how I {}.", "What steps do I need to {}?", "Give me the command to {}.",
    "Tell me, how can I {}?", "How is it possible to {}?",
]
WHAT_FRAMES = [
    "What is {}?", "Tell me about {}.", "Explain {}.", "What does {} mean?", "Can you explain {}?",
    "What do you know about {}?", "Describe {}.", "What can you tell me about {}?", "I want to know about {}.",
    "What about {}?", "{}?", "Do you know {}?", "Please explain {}.", "How about {}?", "I do not know {}.",
    "Help me understand {}.", "What exactly is {}?", "Teach me about {}.",
]
HELD_OUT_WHAT_FRAMES = [
    "Could you tell me more about {}?", "Please describe {} for me.", "I have a question about {}.",
    "Give me an explanation of {}.", "Say something about {}.", "Can you tell me what {} is?",
    "I would like to know about {}.",
]

FACTS = [
    Fact("gem is a server and command-line program for Gemma 4 12B and 31B. It reads a GGUF file and streams text. "
         "It is written in C++20, and it runs only these models, so that every part can be small and exact.",
         what=["gem", "the gem program", "this program", "this software", "gem for", "the gem project"],
         ask=["What does gem do?", "What is gem good for?", "What is this program for?", "Why should I use gem?",
              "What can gem do?", "What is the purpose of gem?"]),
    Fact("I am the demo model of gem: a toy of a few megabytes that was trained for this program. I can talk about gem, "
         "know a few facts, add small numbers and call tools. For real answers, run Gemma 4 12B or 31B.",
         what=["the demo model", "gem's demo model", "the bundled model", "the small model that comes with gem",
               "the built-in model"],
         ask=["Which model is this?", "What model are you?", "Are you Gemma?", "Which model am I talking to?",
              "What kind of model are you?", "Are you a large language model?", "Are you the real Gemma 4?"]),
    Fact("Get a GGUF file of Gemma 4 12B or 31B, instruction-tuned, in Q4_0, from a publisher such as Hugging Face. "
         "gem downloads nothing by itself. Then check the file: gem inspect FILE.",
         do=["get the real model", "get a real model", "download Gemma 4", "download the model", "get the 12B model",
             "get the 31B model", "obtain the model file", "find a real model", "install a real model",
             "get the weights", "download the weights", "get Gemma 4"],
         what=["the place to download the model"],
         ask=["Where do I get the real model?", "Where can I download Gemma 4?", "Which file do I need?",
              "Where is the real model?", "Where do I find the weights?", "Does gem download models?"]),
    Fact("Type gem run FILE, where FILE is the GGUF file of Gemma 4 12B or 31B. It starts a chat in the terminal. "
         "With -p \"your question\" it gives one answer and ends.",
         do=["run the real model", "run a real model", "run Gemma 4", "run the 12B model", "run the 31B model",
             "chat with the real model", "chat with Gemma 4", "start a chat", "use a real model", "use the 12B model",
             "use the 31B model", "talk to the real model", "chat in the terminal"],
         what=["gem run", "the run command", "the command gem run"],
         ask=["How does gem run work?", "What does gem run do?"]),
    Fact("Type gem serve FILE. It starts an HTTP server with the OpenAI API on this machine, with chat completions, "
         "streaming and tool calls. Any OpenAI client can then talk to the model.",
         do=["start the server", "run the server", "launch the server", "start the HTTP server", "serve a model",
             "start gem as a server", "serve the model", "open the server", "run gem as a server", "start serving",
             "get the server running", "bring up the server", "start an OpenAI server"],
         what=["gem serve", "the server", "the HTTP server", "the serve command", "the gem server"],
         ask=["What does gem serve do?", "Does gem have a server?", "Which command starts the server?"]),
    Fact("Type gem agent FILE. It starts a server on a free port and then hax, a small coding agent, which reads "
         "files and runs commands for you. When hax ends, the server ends too.",
         do=["use the agent", "start the agent", "run the agent", "launch the agent", "start the coding agent",
             "use hax", "start hax", "run hax", "work with the agent", "use gem as a coding agent",
             "get the agent running", "use the coding agent", "use gem with hax"],
         what=["gem agent", "the agent", "the coding agent", "hax", "the agent command"],
         ask=["What does gem agent do?", "Does gem have an agent?", "Which command starts the agent?",
              "What is hax good for?"]),
    Fact("Type gem inspect FILE. It says whether gem runs this file, lists its facts, and shows how much memory "
         "a context takes. Nothing is loaded for that.",
         do=["inspect a file", "check a model file", "check a file", "see what a file is", "look into a GGUF file",
             "see whether my file works", "inspect a model", "check my model", "verify a model file",
             "see if gem accepts my file"],
         what=["gem inspect", "the inspect command"],
         ask=["What does gem inspect do?", "Does my file work with gem?", "Will gem run my file?"]),
    Fact("Type gem tokenize FILE \"text\". It prints the token ids of the text and the pieces behind them. "
         "With --decode it turns ids into text again.",
         do=["tokenize a text", "see the tokens of a text", "count tokens", "turn text into tokens",
             "get token ids", "show the tokens", "tokenize text", "see token ids"],
         what=["gem tokenize", "the tokenize command"],
         ask=["What does gem tokenize do?"]),
    Fact("Type gem eval FILE --text TEXT. It prints the perplexity of a text, and it can write the logits of every "
         "position, so that you can compare gem with another engine.",
         do=["measure perplexity", "evaluate a text", "get logits", "compute the perplexity", "compare the logits",
             "evaluate a model", "write the logits to a file", "see the perplexity of a text"],
         what=["gem eval", "the eval command"],
         ask=["What does gem eval do?"]),
    Fact("Type gem synth --profile small -o FILE. It writes a synthetic model: the shape of a real one with random "
         "weights from a seed. Tests and benchmarks use such files.",
         do=["make a synthetic model", "write a synthetic model", "create a random model", "make a test model",
             "get a model with random weights", "create a synthetic model"],
         what=["gem synth", "the synth command", "a synthetic model"],
         ask=["What does gem synth do?"]),
    Fact("Type make demo. It installs what is missing, builds gem, and shows the main job on the small demo model. "
         "On a bare Debian 12 you need git and make, nothing else.",
         do=["try gem", "run the demo", "see a demo", "start the demo", "see gem at work", "try it out",
             "get started", "get started with gem", "begin with gem"],
         what=["make demo", "the demo", "the demo command"],
         ask=["What does make demo do?", "Where do I start?"]),
    Fact("Type make build. It installs the missing packages and builds the program with CMake. You find it in "
         "build/release/gem. A compiler with C++20 is enough: gcc 12 or clang 19.",
         do=["build gem", "compile gem", "build the program", "compile the program", "build it", "compile it",
             "build gem from source", "compile the source code", "make the program"],
         what=["make build", "the build"],
         ask=["What does make build do?", "Where is the program after the build?"]),
    Fact("Type make test. It builds everything and runs all tests. The tests compare gem with golden data: tokens, "
         "prompts, and logits of a tiny model.",
         do=["run the tests", "test gem", "start the tests", "run all tests", "check that gem works",
             "test the program", "see whether the tests pass"],
         what=["make test", "the test suite", "the tests of gem"],
         ask=["What does make test do?", "Does gem have tests?", "How is gem tested?"]),
    Fact("gem runs Gemma 4 dense, instruction-tuned, in two sizes: 12B and 31B. The file must be GGUF with Q4_0 "
         "matrices. Everything else is refused with one clear line.",
         what=["the supported models", "the models that gem runs", "the list of supported models"],
         ask=["Which models does gem run?", "Which models are supported?", "What models can I use?",
              "Can gem run other models?", "Does gem run other models?", "Does gem support Llama?",
              "Which models work with gem?", "What sizes are supported?", "Can I run another model?",
              "Does gem run Qwen?", "Does gem support Mistral?"]),
    Fact("Because a program for one model can be small, exact and fast. gem knows every shape in advance, plans all "
         "memory before it starts, and checks each tensor of the file.",
         ask=["Why does gem run only Gemma 4?", "Why only one model?", "Why is gem limited to Gemma?",
              "Why does gem refuse other models?", "Why are there no other models?",
              "Why is gem not a general engine?", "Why is gem so strict?"]),
    Fact("Q4_0 is a block format: 32 weights share one scale, and each weight takes 4 bits. A block has 18 bytes, so "
         "a weight takes 4.5 bits. The 12B model then fits in about 7 gigabytes.",
         what=["Q4_0", "the Q4_0 format", "quantization", "the quantization of gem", "4-bit quantization",
               "the meaning of Q4_0"],
         ask=["Which quantization does gem use?", "What quantization do I need?", "How many bits does a weight take?"]),
    Fact("GGUF is the file format of the model: one file with metadata, the tokenizer and all tensors. gem maps it "
         "into memory and checks every tensor before it starts.",
         what=["GGUF", "a GGUF file", "the GGUF format", "the file format", "the model file format"],
         ask=["Which file format does gem read?", "What format must the model have?", "What kind of file do I need?"]),
    Fact("The 12B model takes about 7 gigabytes for its weights and the 31B model about 18. The context comes on top. "
         "gem inspect FILE shows the exact plan for your machine.",
         what=["the memory use", "the memory plan", "the memory that gem takes", "the memory requirement"],
         do=["see how much memory gem takes", "find out the memory use", "know whether the model fits"],
         ask=["How much memory do I need?", "How much RAM does gem need?", "How much memory does the 12B model take?",
              "How much memory does the 31B model take?", "Does the model fit in my memory?",
              "How big is the model?", "What does gem need in memory?", "Will it fit on my machine?"]),
    Fact("Use --ctx N: the context in tokens, prompt and answer together. Gemma 4 can take up to 262144 tokens. A longer "
         "context takes more memory, which gem inspect shows.",
         do=["set the context", "change the context size", "use a longer context", "set the context length",
             "get a larger context", "make the context longer"],
         what=["the context", "the context length", "the context size", "the option --ctx", "--ctx"],
         ask=["How long can the context be?", "What is the maximum context?", "How many tokens fit in the context?"]),
    Fact("Use --temperature. 0 is greedy: always the most probable token. 1.0 is the usual value of Gemma 4. "
         "Smaller values make the answer more predictable.",
         do=["set the temperature", "change the temperature", "make the answer less random", "get greedy answers",
             "turn off randomness", "make answers more predictable"],
         what=["the temperature", "temperature", "the option --temperature", "--temperature", "greedy decoding"],
         ask=["Which temperature should I use?", "What temperature is best?"]),
    Fact("Use --seed N. The same prompt, settings and seed give the same answer each time. Without it gem draws a "
         "seed and prints it with the statistics.",
         do=["set the seed", "get the same answer again", "repeat an answer", "make the answer reproducible",
             "reproduce an answer", "use a seed"],
         what=["the seed", "the option --seed", "--seed", "reproducible sampling"],
         ask=["Why do I get another answer each time?", "Are the answers reproducible?"]),
    Fact("Use --think off to get an answer at once, or --think on to let the model think first. The thought is shown "
         "apart from the answer. On is the default.",
         do=["turn off thinking", "turn on thinking", "stop the model from thinking", "disable thinking",
             "enable thinking", "see the thought", "switch thinking off", "switch thinking on"],
         what=["thinking", "the thinking mode", "the option --think", "--think", "the thought"],
         ask=["Can the model think?", "Does the model think before it answers?", "Why does the model think?"]),
    Fact("Use --max-tokens N. The answer then ends after N tokens at the latest. Without it the answer ends when the "
         "model is done or the context is full.",
         do=["limit the length of the answer", "get a shorter answer", "set the maximum length", "limit the answer",
             "stop the answer after some tokens", "cut the answer"],
         what=["the option --max-tokens", "--max-tokens", "the maximum number of tokens"],
         ask=["How long can an answer be?"]),
    Fact("Use --system \"text\" with gem run. The text becomes the system message, which tells the model how to behave "
         "in the whole conversation.",
         do=["set a system prompt", "give a system message", "use a system prompt", "change the system message",
             "tell the model how to behave"],
         what=["the system prompt", "the system message", "the option --system", "--system"],
         ask=["Can I use a system prompt?"]),
    Fact("Use --top-k, --top-p and --min-p. They cut the least probable tokens before one is drawn. The usual values "
         "for Gemma 4 are top-k 64 and top-p 0.95.",
         do=["change the sampling", "set top-p", "set top-k", "tune the sampling", "use min-p", "change the sampler"],
         what=["sampling", "top-p", "top-k", "min-p", "the sampler"],
         ask=["Which sampling settings should I use?", "How does gem sample?", "How is a token chosen?"]),
    Fact("Type gem --help for all commands, and gem VERB --help for every setting of one command. The folder docs has "
         "a page for each part.",
         do=["get help", "see all options", "list the commands", "see the commands", "find the documentation",
             "see every setting", "read the manual", "list all settings"],
         what=["the list of commands", "the help option", "the documentation", "the manual"],
         ask=["What commands are there?", "Which commands does gem have?", "Where is the documentation?",
              "What options are there?", "Where can I read more?"]),
    Fact("Type gem --version. It shows the version, the devices of this machine and how the program was built.",
         do=["see the version", "find out the version", "check the version of gem", "print the version"],
         what=["the version", "the version of gem", "gem version"],
         ask=["Which version is this?", "What version of gem is this?"]),
    Fact("No. gem sends nothing anywhere: no telemetry, no downloads, no outbound connection. Your prompts stay on "
         "your machine, and a test proves it.",
         what=["the privacy of gem", "telemetry"],
         ask=["Does gem send my data?", "Does gem use the network?", "Is my data safe?", "Are my prompts private?",
              "Does gem phone home?", "Does gem need the internet?", "Does gem collect data?",
              "Does gem have telemetry?", "Do my prompts leave the machine?"]),
    Fact("No. gem links no llama.cpp and no ggml. It reads the same GGUF files and is checked against llama.cpp in "
         "tests, but it does all its work itself.",
         ask=["Does gem use llama.cpp?", "Is gem based on llama.cpp?", "Is this llama.cpp?", "Does gem need ggml?",
              "Is gem a fork of llama.cpp?", "What is the difference to llama.cpp?", "Is gem a wrapper?"],
         what=["the relation to llama.cpp"]),
    Fact("gem is under the MIT licence, so you may use, change and share it. The models have licences of their own.",
         what=["the licence", "the license", "the licence of gem", "the license of gem"],
         ask=["Which licence does gem have?", "Is gem free?", "May I use gem at work?", "Is gem open source?",
              "Under which license is gem?", "Can I change gem?", "Does gem cost money?"]),
    Fact("gem is written in C++20, without exceptions in its own code. Each module is small, and each file says in its "
         "first lines what it is for.",
         what=["the language of gem", "the source code of gem", "the code"],
         ask=["Which language is gem written in?", "What is gem written in?", "Is gem written in Python?",
              "Is gem written in Rust?", "What programming language is this?", "How is the code organized?"]),
    Fact("The drafter is a small assistant model that proposes up to seven tokens. The real model checks them in one "
         "step and keeps the right ones. The text stays the same, only faster.",
         what=["the drafter", "speculative decoding", "the assistant model", "MTP", "the MTP assistant", "drafting"],
         do=["use the drafter", "use speculative decoding", "make decoding faster", "speed up the answers",
             "use the assistant model"],
         ask=["What does the drafter do?", "How does speculative decoding work?", "Does drafting change the text?"]),
    Fact("Use --device: auto takes the best one present. The CPU always works; CUDA and Metal are options of the "
         "build.",
         do=["choose the device", "run on the CPU", "select a device", "change the device", "pick a device"],
         what=["the option --device", "--device", "the devices", "a device"],
         ask=["Which devices are supported?", "Does gem run on a GPU?", "Does gem need a GPU?",
              "Can gem run on the CPU?", "Can I use gem without a GPU?"]),
    Fact("Build gem with the option GEM_CUDA and take --device cuda. It is made for NVIDIA GPUs, Hopper first. "
         "The model must fit in the memory of the GPU.",
         do=["use CUDA", "run on an NVIDIA GPU", "use my NVIDIA card", "build gem with CUDA", "use my GPU",
             "run on the GPU", "turn on CUDA"],
         what=["CUDA", "GEM_CUDA", "the CUDA device"],
         ask=["Does gem support CUDA?", "Does gem run on NVIDIA?", "Which GPU do I need?"]),
    Fact("Build gem with the option GEM_METAL and take --device metal. It is made for the GPUs of Apple computers.",
         do=["use Metal", "run on a Mac", "use my Mac", "build gem with Metal", "run on Apple silicon"],
         what=["Metal", "GEM_METAL", "the Metal device"],
         ask=["Does gem support Metal?", "Does gem run on a Mac?", "Can I use gem on macOS?",
              "Does gem work on Apple computers?"]),
    Fact("The scalar device is the oracle: plain code in 32-bit floats, one thread, made to be right and not fast. "
         "Every other device is compared with it, stage by stage.",
         what=["the scalar device", "the reference device", "the oracle"],
         ask=["Why is the scalar device slow?", "What is the scalar device for?", "How do you know gem is right?"]),
    Fact("The KV cache holds keys and values of all tokens so far, so that each new token needs one step only. Sliding "
         "layers keep the last 1024 tokens, full layers keep everything.",
         what=["the KV cache", "the cache", "KV", "the key-value cache"],
         ask=["What does the KV cache do?", "Why does gem need a cache?", "What is in the cache?"]),
    Fact("Five of six layers see only the last 1024 tokens: the sliding window. Every sixth layer sees all tokens. "
         "That keeps the cache small for long contexts.",
         what=["the sliding window", "sliding window attention", "SWA", "a full layer", "the window"],
         ask=["How does the sliding window work?", "How long is the window?", "How large is the sliding window?"]),
    Fact("A token is a piece of text: a word, a part of a word, or one character. Gemma 4 knows 262144 of them. "
         "I know only 4096.",
         what=["a token", "tokens", "the vocabulary", "the tokenizer", "the token table"],
         ask=["How many tokens does Gemma 4 know?", "How large is the vocabulary?", "What does the tokenizer do?"]),
    Fact("The walk is the function that names all stages of the model in order, in about 35 lines. Every device runs "
         "the same walk, so the model is written only once.",
         what=["the walk", "the order of stages", "the layer schedule"],
         ask=["What does the walk do?", "Where is the model in the code?", "How is the model written?"]),
    Fact("A session holds one conversation on a device: its tokens and its cache. When a prompt extends the last one, "
         "gem evaluates only the new part.",
         what=["a session", "the session", "prefix reuse", "the prefix cache"],
         ask=["Does gem reuse the prompt?", "What does a session do?", "How does prefix reuse work?"]),
    Fact("Declare the tools in the request, as in the OpenAI API. The model then writes a call with its arguments, "
         "your program runs it, and you send the result back as a tool message.",
         do=["use tools", "call tools", "use tool calls", "give the model tools", "use function calling",
             "declare a tool", "send a tool result"],
         what=["tool calling", "function calling", "a tool call", "tool calls"],
         ask=["Does gem support tools?", "Can the model call functions?", "Does gem support function calling?",
              "How do tool calls work?"]),
    Fact("Set the base URL of the client to the address that gem serve prints, with /v1 at the end. Any API key works "
         "unless you set one. Then use chat completions as usual.",
         do=["use the OpenAI client", "connect a client", "use the OpenAI SDK", "connect to the server",
             "use the API", "send a request", "talk to the server", "connect my program"],
         what=["the API", "the OpenAI API", "the base URL", "the address of the server"],
         ask=["Is gem compatible with OpenAI?", "Which API does the server have?", "Which routes does the server have?"]),
    Fact("The server listens on this machine only. To protect it, give an API key with --api-key-file. Keys and prompts "
         "are never written to the log.",
         do=["protect the server", "set an API key", "use an API key", "make the server safe", "secure the server"],
         what=["the API key", "the option --api-key-file", "the security of the server"],
         ask=["Is the server safe?", "Who can use my server?", "Can others reach my server?"]),
    Fact("Press Ctrl-C. gem stops within one token and keeps the text so far. In a chat, Ctrl-D at an empty line ends "
         "the program.",
         do=["stop the answer", "stop gem", "interrupt the answer", "end the chat", "quit gem", "cancel an answer",
             "leave the chat", "exit the chat"],
         what=["Ctrl-C"],
         ask=["What does Ctrl-C do?"]),
    Fact("Read the error: it says what was found, what gem wants and what to do. Often the file is another model or "
         "another quantization. gem inspect FILE tells you more.",
         do=["fix an error", "solve a problem", "find out what is wrong", "understand an error"],
         what=["this error", "the error message", "an error"],
         ask=["Why does gem refuse my file?", "Why is my file not accepted?", "My file does not work. Why?",
              "gem says unsupported. Why?", "Why do I get an error?"]),
    Fact("Speed is a stream of weights: each token reads all of them once. So tokens per second are about memory "
         "bandwidth divided by the size of the file. gem prints both after each answer.",
         do=["measure the speed", "see the speed", "know how fast gem is", "see tokens per second"],
         what=["the speed of gem", "tokens per second", "the decode speed", "the performance"],
         ask=["How fast is gem?", "Why is gem slow?", "How many tokens per second do I get?", "Is gem fast?"]),
    Fact("Debian 12 is where gem is built and tested. Any Linux with gcc 12 or clang 19 and CMake 3.25 should work.",
         what=["the supported systems", "the system requirements"],
         ask=["Which operating systems are supported?", "Does gem run on Linux?", "Does gem run on Debian?",
              "What system do I need?", "Which Linux do I need?", "Does gem run on Windows?",
              "What are the requirements?"]),
]
