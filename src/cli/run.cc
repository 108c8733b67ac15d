// gem run: one answer, or a chat at the terminal.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "base/log.h"
#include "base/text.h"
#include "chat/parser.h"
#include "chat/render.h"
#include "cli/files.h"
#include "cli/loaded_model.h"
#include "cli/terminal.h"
#include "cli/verbs.h"

namespace gem {
namespace {

struct Settings {
  ModelSettings model;
  SamplingSettings sampling;
  std::string input;  // "-": the prompt comes from stdin
  std::string prompt;
  std::string system;
  std::string think = "on";
  int64_t max_tokens = -1;
  bool raw = false;
  bool special = false;
  bool quiet = false;
};

std::string statistics(const GenerateResult& result, uint64_t seed) {
  const auto rate = [](int32_t tokens, double seconds) {
    return seconds > 0 ? static_cast<double>(tokens) / seconds : 0.0;
  };
  const int32_t evaluated = result.prompt_tokens - result.reused_tokens;
  return fmt::format(
      "prompt {} tokens ({} reused), {:.2f} s, {:.2f} tok/s; answer {} tokens, {:.2f} s, {:.2f} "
      "tok/s; "
      "ended by {}; seed {}",
      result.prompt_tokens, result.reused_tokens, result.prompt_seconds,
      rate(evaluated, result.prompt_seconds), result.generated_tokens, result.decode_seconds,
      rate(result.decoded_tokens, result.decode_seconds), stop_reason_name(result.reason), seed);
}

// Answers prompts one after another on one loaded model.
class Runner {
 public:
  Runner(LoadedModel& loaded, const Settings& settings, SamplingOptions sampling,
         const std::atomic<bool>& cancel)
      : loaded_(loaded), settings_(settings), sampling_(std::move(sampling)), cancel_(cancel) {
    const auto chat_only = tokenizer().chat_masked_ids();
    const auto always = tokenizer().suppressed_ids();
    chat_masked_.assign(chat_only.begin(), chat_only.end());
    chat_masked_.insert(chat_masked_.end(), always.begin(), always.end());
    if (!settings.system.empty()) add_message(Role::kSystem, settings.system);
  }

  // Returns kCancelled if Ctrl-C ended the answer; what was written until then stands.
  Status answer(const std::string& text) { return settings_.raw ? complete(text) : chat(text); }

 private:
  void add_message(Role role, std::string text) {
    conversation_.messages.push_back({.role = role, .parts = {std::move(text)}});
  }

  Status complete(const std::string& text) {
    std::vector<TokenId> prompt = {tokenizer().special().bos};
    const std::vector<TokenId> ids = tokenizer().encode(text, settings_.special);
    prompt.insert(prompt.end(), ids.begin(), ids.end());
    AnswerWriter writer;
    StreamDecoder decoder;
    const Status status = generate(prompt, tokenizer().suppressed_ids(), [&](TokenId token) {
      writer.text(decoder.push(tokenizer().piece(token)));
      return true;
    });
    writer.text(decoder.flush());
    writer.finish();
    return report(status);
  }

  Status chat(const std::string& text) {
    add_message(Role::kUser, text);
    GEM_ASSIGN(const Prompt rendered, render(conversation_, {.thinking = settings_.think == "on"}));
    const PromptTokens prompt = rendered.encode(tokenizer());

    AnswerWriter writer;
    std::string content;
    OutputParser parser(tokenizer(), prompt.ids);
    const auto show = [&](const std::vector<OutputEvent>& events) {
      for (const OutputEvent& event : events) {
        if (event.kind == OutputEvent::Kind::kThought) writer.thought(event.text);
        if (event.kind == OutputEvent::Kind::kText) {
          writer.text(event.text);
          content += event.text;
        }
      }
    };
    const Status status = generate(prompt.ids, chat_masked_, [&](TokenId token) {
      show(parser.push(token));
      return !parser.has_ended();
    });
    const bool stopped = status && result_.reason == StopReason::kStopToken;
    show(parser.finish(stopped ? OutputEnd::kStop : OutputEnd::kCut));
    writer.finish();
    // A refused prompt is not part of the conversation; a stopped answer is.
    if (!status) {
      conversation_.messages.pop_back();
    } else {
      add_message(Role::kAssistant, content);
    }
    return report(status);
  }

  Status generate(std::span<const TokenId> prompt, std::span<const TokenId> masked,
                  const TokenSink& sink) {
    const auto result = loaded_.session->generate(prompt,
                                                  {.sampling = sampling_,
                                                   .max_tokens = settings_.max_tokens,
                                                   .stop_ids = tokenizer().stop_ids(),
                                                   .masked_ids = masked,
                                                   .cancel = &cancel_},
                                                  sink);
    if (!result) return tl::unexpected<Error>(result.error());
    result_ = *result;
    return {};
  }

  // Statistics of the answer, after its text.
  Status report(const Status& status) const {
    GEM_TRY(status);
    if (!settings_.quiet) {
      const bool dim = stderr_is_terminal();
      const std::string line = statistics(result_, sampling_.seed);
      std::fprintf(stderr, "%s%s%s\n", dim ? "\x1b[2m" : "", line.c_str(), dim ? "\x1b[0m" : "");
    }
    if (result_.reason == StopReason::kCancelled) return fail(Code::kCancelled, "cancelled");
    return loaded_.file.verify_unchanged();
  }

  const Tokenizer& tokenizer() const { return *loaded_.tokenizer; }

  LoadedModel& loaded_;
  const Settings& settings_;
  SamplingOptions sampling_;
  const std::atomic<bool>& cancel_;
  std::vector<TokenId> chat_masked_;  // never sampled in a chat
  Conversation conversation_;
  GenerateResult result_;
};

Status interactive(Runner& runner, InterruptGuard& interrupt) {
  while (const std::optional<std::string> line = edit_line("> ", interrupt)) {
    if (line->find_first_not_of(" \t") == std::string::npos) continue;
    const Status status = runner.answer(*line);
    if (status || status.error().code() == Code::kCancelled) continue;
    // A prompt that was refused, too long for instance, does not end the chat.
    if (status.error().code() != Code::kInvalid) return status;
    log("{}", status.error().text());
  }
  std::fputs("\n", stdout);
  return {};
}

Status run(Settings settings) {
  if (!settings.input.empty() && settings.input != "-") {
    return fail(Code::kInvalid, "unexpected argument '{}'; give the prompt with -p",
                quote_for_message(settings.input));
  }
  GEM_ASSIGN(auto loaded, load_model(settings.model, {.shows_memory = !settings.quiet}));
  GEM_ASSIGN(SamplingOptions sampling, settings.sampling.resolve(loaded->file));
  // One guard for the whole chat: a Ctrl-C between a line and its answer must not be lost.
  InterruptGuard interrupt;
  Runner runner(*loaded, settings, std::move(sampling), interrupt.flag());
  if (!settings.prompt.empty()) return runner.answer(settings.prompt);
  if (settings.input.empty() && stdin_is_terminal()) return interactive(runner, interrupt);
  GEM_ASSIGN(const std::string text, read_text("-"));
  if (text.empty()) return fail(Code::kInvalid, "the prompt is empty");
  return runner.answer(text);
}

}  // namespace

Verb add_run_verb(CLI::App& app) {
  auto settings = std::make_shared<Settings>();
  CLI::App* verb = app.add_subcommand("run", "Answer a prompt, or chat at the terminal");
  settings->model.add_to(*verb);
  verb->add_option("input", settings->input,
                   "'-' reads the prompt from stdin; nothing starts a chat");
  add_setting(*verb, "-p,--prompt", settings->prompt, "Prompt");
  add_setting(*verb, "--system", settings->system, "System prompt");
  add_setting(*verb, "--think", settings->think, "Let the model think before it answers: on, off")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  add_setting(*verb, "--max-tokens", settings->max_tokens,
              "Longest answer; -1 = until the context is full")
      ->check(CLI::Range(-1, 1 << 30))
      ->capture_default_str();
  add_switch(*verb, "--raw", settings->raw,
             "Continue the prompt as plain text, without chat format");
  add_switch(*verb, "--special", settings->special,
             "Read special tokens' spellings in a raw prompt");
  add_switch(*verb, "--quiet", settings->quiet, "No statistics");
  settings->sampling.add_to(*verb);
  return {verb, [settings] { return run(*settings); }};
}

}  // namespace gem
