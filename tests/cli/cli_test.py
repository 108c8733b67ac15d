"""The gem program as its users meet it: exit codes, one-line errors, clean stdout, Ctrl-C.

Run by ctest as `cli_test.py GEM_BINARY GOLDEN_DIR [unittest arguments]`.
"""

import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import time
import unittest

GEM = sys.argv[1] if len(sys.argv) > 1 else ""
GOLDEN = sys.argv[2] if len(sys.argv) > 2 else ""
MODEL = None  # a small synthetic model, made once


def run(*arguments, stdin="", env=None, timeout=120):
    full_env = {**os.environ, "XDG_CONFIG_HOME": "/nonexistent", **(env or {})}
    return subprocess.run(
        [GEM, *arguments], input=stdin, capture_output=True, text=True, env=full_env, timeout=timeout
    )


def setUpModule():
    global MODEL, FOLDER
    FOLDER = tempfile.TemporaryDirectory()
    MODEL = os.path.join(FOLDER.name, "small.gguf")
    made = run("synth", "--profile", "small", "-o", MODEL)
    assert made.returncode == 0, made.stderr


def tearDownModule():
    FOLDER.cleanup()


class CliCase(unittest.TestCase):
    def expect_error(self, result, code, *words):
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout, "")
        lines = result.stderr.splitlines()
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertTrue(lines[0].startswith("gem: "), lines[0])
        for word in words:
            self.assertIn(word, lines[0])


class Parsing(CliCase):
    def test_help_goes_to_stdout(self):
        for arguments in (["--help"], ["run", "--help"], ["inspect", "-h"], []):
            result = run(*arguments)
            self.assertEqual(result.returncode, 0)
            self.assertEqual(result.stderr, "")
            self.assertIn("Usage", result.stdout)

    def test_version_names_devices_and_isa(self):
        result = run("--version")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, r"^gem \d+\.\d+\.\d+")
        self.assertIn("cpu", result.stdout)
        self.assertIn("scalar", result.stdout)

    def test_misspelt_verb_gets_a_hint(self):
        self.expect_error(run("inspct", "x"), 2, "inspct", "did you mean 'inspect'")

    def test_misspelt_option_gets_a_hint(self):
        self.expect_error(run("run", MODEL, "--max-token", "3"), 2, "--max-token", "--max-tokens")
        self.expect_error(run("run", "--sed", "3"), 2, "--sed", "--seed")

    def test_missing_file_argument_is_named(self):
        self.expect_error(run("inspect"), 2, "file")

    def test_bad_number_is_named(self):
        self.expect_error(run("run", MODEL, "-p", "x", "--top-k", "many"), 2, "top-k")

    def test_unknown_device_lists_what_there_is(self):
        self.expect_error(run("run", MODEL, "-p", "x", "--device", "tpu"), 3, "tpu", "cpu")

    def test_one_definition_serves_flag_variable_and_config_file(self):
        prompt = ["run", MODEL, "-p", "hello", "--temp", "0", "--quiet"]
        flag = run(*prompt, "--max-tokens", "3")
        self.assertEqual(flag.returncode, 0, flag.stderr)
        variable = run(*prompt, env={"GEM_MAX_TOKENS": "3"})
        config = os.path.join(FOLDER.name, "gem.toml")
        with open(config, "w") as file:
            file.write("[run]\nmax-tokens = 3\n")
        configured = run("--config", config, *prompt)
        self.assertEqual(variable.stdout, flag.stdout)
        self.assertEqual(configured.stdout, flag.stdout)
        # The flag beats the variable, the variable beats the file.
        beaten = run("--config", config, *prompt, "--max-tokens", "2", env={"GEM_MAX_TOKENS": "5"})
        self.assertTrue(flag.stdout.startswith(beaten.stdout.rstrip("\n")))
        self.assertNotEqual(beaten.stdout, flag.stdout)


class Files(CliCase):
    def path(self, name, content):
        path = os.path.join(FOLDER.name, name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def test_missing_file_is_named(self):
        for verb in ("run", "inspect", "tokenize"):
            self.expect_error(run(verb, "/no/such/model.gguf"), 3, "/no/such/model.gguf")

    def test_directory_is_named(self):
        self.expect_error(run("inspect", FOLDER.name), 2, "directory")

    def test_html_page_is_named(self):
        path = self.path("page.gguf", b"<!DOCTYPE html><html><body>Sign in</body></html>")
        self.expect_error(run("inspect", path), 5, "HTML")

    def test_cut_file_says_both_sizes(self):
        with open(MODEL, "rb") as file:
            whole = file.read()
        path = self.path("cut.gguf", whole[: len(whole) - 1000])
        self.expect_error(run("run", path, "-p", "x"), 5, str(len(whole)), str(len(whole) - 1000))

    def test_refused_file_is_described_on_stdout_and_refused_on_stderr(self):
        result = run("inspect", os.path.join(GOLDEN, "model/tiny-gemma4-q4_0.gguf"))
        self.assertEqual(result.returncode, 4)
        self.assertIn("accepted  no", result.stdout)
        self.assertEqual(len(result.stderr.splitlines()), 1)

    def test_errors_take_less_than_a_second(self):
        begin = time.monotonic()
        run("run", "/no/such/model.gguf", "-p", "x")
        run("run", self.path("text.gguf", b"hello"), "-p", "x")
        self.assertLess(time.monotonic() - begin, 2.0)

    def test_paths_with_odd_names_work(self):
        for name in ("mit Leerzeichen.gguf", "h\u00fcbsch \u6a21\u578b \U0001f48e 'x\".gguf"):
            path = os.path.join(FOLDER.name, name)
            os.symlink(MODEL, path)
            self.assertEqual(run("inspect", path).returncode, 0)

    def test_inspect_accepts_the_small_model_and_shows_memory(self):
        result = run("inspect", MODEL)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("accepted  yes", result.stdout)
        self.assertIn("8192", result.stdout)

    def test_saved_headers_are_sparse_and_accepted(self):
        header = os.path.join(FOLDER.name, "header.gguf")
        self.assertEqual(run("inspect", MODEL, "--save-header", header).returncode, 0)
        self.assertEqual(os.path.getsize(header), os.path.getsize(MODEL))
        self.assertLess(os.stat(header).st_blocks * 512, os.path.getsize(MODEL) // 2)
        self.assertEqual(run("inspect", header).returncode, 0)


class Tokens(CliCase):
    def test_round_trip(self):
        ids = run("tokenize", MODEL, "--ids", "a line\nand another").stdout.strip()
        self.assertRegex(ids, r"^\d+(,\d+)*$")
        self.assertEqual(run("tokenize", MODEL, "--decode", ids).stdout, "a line\nand another")

    def test_special_spellings_need_the_flag(self):
        plain = run("tokenize", MODEL, "--ids", "<bos>").stdout
        special = run("tokenize", MODEL, "--ids", "--special", "<bos>").stdout
        self.assertEqual(special, "2\n")
        self.assertNotEqual(plain, special)

    def test_bad_ids_are_named(self):
        self.expect_error(run("tokenize", MODEL, "--decode", "1,x"), 2, "'x'")
        self.expect_error(run("tokenize", MODEL, "--decode", "99999999"), 2, "99999999")


class Eval(CliCase):
    def test_logits_of_every_position_match_the_goldens(self):
        import json
        import struct

        with open(os.path.join(GOLDEN, "model/index.json")) as file:
            tokens = json.load(file)["sequences"]["s7"]["tokens"]
        out = os.path.join(FOLDER.name, "logits.bin")
        model = os.path.join(GOLDEN, "model/tiny-gemma4-q4_0.gguf")
        arguments = ["eval", model, "--any-profile", "--tokens", "-", "--logits", out]
        result = run(*arguments, stdin=",".join(map(str, tokens)))
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(out, "rb") as file:
            got = file.read()
        with open(os.path.join(GOLDEN, "model/s7.logits.f64.bin"), "rb") as file:
            want = file.read()
        self.assertEqual(len(got), len(want))
        count = len(want) // 4
        pairs = zip(struct.unpack(f"<{count}f", got), struct.unpack(f"<{count}f", want))
        self.assertLess(max(abs(a - b) for a, b in pairs), 1e-3)
        compared = run(*arguments[:4], "-", "--reference", out, stdin=",".join(map(str, tokens)))
        self.assertRegex(compared.stdout, r"mean KL +-?0\.0+e")

    def test_production_verbs_refuse_other_sizes(self):
        model = os.path.join(GOLDEN, "model/tiny-gemma4-q4_0.gguf")
        self.expect_error(run("run", model, "-p", "x"), 4)

    def test_perplexity_of_a_text(self):
        result = run("eval", MODEL, "--text", "-", stdin="some words to measure")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"perplexity +\d+\.\d+")


class Run(CliCase):
    def test_same_request_gives_the_same_text(self):
        arguments = ["run", MODEL, "-p", "hello", "--seed", "5", "--max-tokens", "8"]
        first, second = run(*arguments), run(*arguments)
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertNotEqual(first.stdout.strip(), "")
        self.assertEqual(first.stdout, second.stdout)
        self.assertNotEqual(first.stdout, run(*arguments[:-3], "6", *arguments[-2:]).stdout)

    def test_prompt_comes_from_stdin_too(self):
        flags = ["--temp", "0", "--max-tokens", "4", "--quiet"]
        given = run("run", MODEL, "-p", "hello", *flags)
        self.assertEqual(run("run", MODEL, "-", *flags, stdin="hello").stdout, given.stdout)
        self.assertEqual(run("run", MODEL, *flags, stdin="hello").stdout, given.stdout)

    def test_statistics_go_to_stderr_and_can_be_silenced(self):
        result = run("run", MODEL, "-p", "hello", "--max-tokens", "2")
        self.assertIn("tok/s", result.stderr)
        self.assertIn("K/V for 8192 tokens", result.stderr)
        self.assertNotIn("tok/s", result.stdout)
        self.assertEqual(run("run", MODEL, "-p", "hello", "--max-tokens", "2", "--quiet").stderr, "")

    def test_prompt_longer_than_the_context_is_refused_with_both_numbers(self):
        result = run("run", MODEL, "--raw", "-p", "word " * 400, "--ctx", "64", "--quiet")
        self.expect_error(result, 2, "64")

    def test_options_out_of_range_are_named(self):
        self.expect_error(run("run", MODEL, "-p", "x", "--quiet", "--top-p", "1.5"), 2, "1.5")
        self.expect_error(run("run", MODEL, "-p", "x", "--quiet", "--logit-bias", "abc"), 2, "abc")

    def test_a_closed_pipe_ends_quietly(self):
        command = f"'{GEM}' run '{MODEL}' -p hello --max-tokens 200 --quiet | head -c 1"
        result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120)
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stderr, "")


class Terminal(CliCase):
    unread = b""

    def start(self, *arguments):
        pid, descriptor = pty.fork()
        if pid == 0:
            os.environ["TERM"] = "xterm"
            os.execv(GEM, [GEM, *arguments])
        return pid, descriptor

    def read_until(self, descriptor, text, seconds=60):
        """Reads up to and including `text`; what came after it is kept for the next call."""
        seen = self.unread
        deadline = time.monotonic() + seconds
        while text not in seen:
            left = deadline - time.monotonic()
            self.assertGreater(left, 0, f"waited for {text!r}, saw {seen!r}")
            ready, _, _ = select.select([descriptor], [], [], left)
            if not ready:
                continue
            try:
                chunk = os.read(descriptor, 65536)
            except OSError:
                chunk = b""
            if not chunk:
                self.fail(f"ended before {text!r}: {seen!r}")
            seen += chunk
        end = seen.index(text) + len(text)
        self.unread = seen[end:]
        return seen[:end]

    def read_bytes(self, descriptor, count):
        while len(self.unread) < count:
            ready, _, _ = select.select([descriptor], [], [], 60)
            self.assertTrue(ready, f"waited for {count} bytes, saw {self.unread!r}")
            self.unread += os.read(descriptor, 65536)

    def press_until(self, descriptor, keys, text):
        """Types `keys` until `text` appears: a terminal that is just being switched to the line editor's
        mode loses keys, as it does for people."""
        for _ in range(60):
            os.write(descriptor, keys)
            deadline = time.monotonic() + 1
            while text not in self.unread and time.monotonic() < deadline:
                if select.select([descriptor], [], [], 0.1)[0]:
                    self.unread += os.read(descriptor, 65536)
            if text in self.unread:
                self.unread = self.unread.split(text, 1)[1]
                return
        self.fail(f"typed {keys!r}, waited for {text!r}, saw {self.unread!r}")

    def end(self, pid, descriptor):
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(descriptor)

    def exit_code(self, pid, descriptor):
        """Reads what is left and waits for the program."""
        try:
            while os.read(descriptor, 65536):
                pass
        except OSError:
            pass
        os.close(descriptor)
        _, status = os.waitpid(pid, 0)
        return os.waitstatus_to_exitcode(status)

    def test_ctrl_c_stops_the_answer_and_keeps_the_chat(self):
        pid, descriptor = self.start("run", MODEL, "--max-tokens", "2000", "--seed", "1")
        self.read_until(descriptor, b"> ")
        os.write(descriptor, b"hello\n")
        # A terminal drops unread input on Ctrl-C, so the answer must have begun: it is many bytes long,
        # and the echo of the line is few, even when terminal and line editor both echo it.
        self.read_bytes(descriptor, 100)
        os.write(descriptor, b"\x03")
        self.read_until(descriptor, b"ended by cancelled")
        self.read_until(descriptor, b"> ")
        self.end(pid, descriptor)

    def test_ctrl_c_at_the_prompt_drops_the_line_and_keeps_the_chat(self):
        pid, descriptor = self.start("run", MODEL, "--max-tokens", "3", "--seed", "1")
        self.read_until(descriptor, b"> ")
        os.write(descriptor, b"half a line")
        self.read_until(descriptor, b"line")
        self.press_until(descriptor, b"\x03", b"Ctrl-D")
        self.read_until(descriptor, b"> ")
        self.end(pid, descriptor)

    def test_ctrl_c_ends_a_single_answer_with_130(self):
        pid, descriptor = self.start("run", MODEL, "-p", "hello", "--max-tokens", "100000")
        time.sleep(1.0)
        os.kill(pid, signal.SIGINT)
        self.assertEqual(self.exit_code(pid, descriptor), 130)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
