#include "cli/app.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/text.h"
#include "cli/verbs.h"

namespace gem {
namespace {

std::string default_config_path() {
  const char* base = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  if (base != nullptr && *base != '\0') return std::string(base) + "/gem/config.toml";
  return home == nullptr ? std::string() : std::string(home) + "/.config/gem/config.toml";
}

// Every word that could stand where `argument` stands.
std::vector<std::string> known_words(const CLI::App& app, bool is_flag) {
  std::vector<std::string> words;
  if (!is_flag) {
    for (const CLI::App* verb : app.get_subcommands({})) words.push_back(verb->get_name());
    return words;
  }
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  }
  return words;
}

// One line for what the parser could not take, with the nearest name.
std::string explain_extra(const CLI::App& app, const std::string& argument) {
  const std::string name = argument.substr(0, argument.find('='));
  const bool is_flag = name.starts_with('-');
  const std::vector<std::string> words = known_words(app, is_flag);
  const std::vector<std::string_view> views(words.begin(), words.end());
  const std::string_view near = nearest_name(name, views);
  const std::string where = app.get_parent() == nullptr ? "gem" : "gem " + app.get_name();
  std::string text =
      fmt::format("unknown {} '{}'", is_flag ? "option" : "argument", quote_for_message(name));
  if (!near.empty()) text += fmt::format("; did you mean '{}'?", near);
  return text + fmt::format(" See '{} --help'.", where);
}

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

int fail_with(Code code, const std::string& line) {
  log_line(line);
  return code_info(code).exit_code;
}

int parse_and_run(int argc, char** argv) {
  CLI::App app{"gem runs Gemma 4 (12B, 31B) locally."};
  app.name("gem");
  app.set_help_flag("-h,--help", "Show this help");
  app.set_version_flag("--version", version_text, "Show version, devices and build");
  app.set_config("--config", default_config_path(),
                 "Settings file: a [verb] section with setting = value lines");
  app.require_subcommand(0, 1);
  app.allow_extras();
  app.get_formatter()->column_width(34);

  std::vector<Verb> verbs = {add_run_verb(app), add_inspect_verb(app), add_tokenize_verb(app),
                             add_eval_verb(app), add_synth_verb(app)};
  for (const Verb& verb : verbs) {
    verb.app->set_help_flag("-h,--help", "Show this help");
    verb.app->allow_extras();
  }

  CLI::App* chosen = &app;
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    for (const Verb& verb : verbs) {
      if (verb.app->parsed()) chosen = verb.app;
    }
    std::fputs(chosen->help().c_str(), stdout);
    return 0;
  } catch (const CLI::CallForVersion&) {
    std::fputs(version_text().c_str(), stdout);
    return 0;
  } catch (const CLI::ParseError& error) {
    // A misspelt option makes later complaints misleading, so it is looked for first.
    for (const Verb& verb : verbs) {
      if (verb.app->parsed() && !verb.app->remaining().empty()) chosen = verb.app;
    }
    for (const std::string& extra : chosen->remaining()) {
      if (extra.starts_with('-')) return fail_with(Code::kInvalid, explain_extra(*chosen, extra));
    }
    return fail_with(Code::kInvalid, one_line(error.what()));
  }

  for (const Verb& verb : verbs) {
    if (!verb.app->parsed()) continue;
    const std::vector<std::string> extras = verb.app->remaining();
    if (!extras.empty()) return fail_with(Code::kInvalid, explain_extra(*verb.app, extras.front()));
    const Status status = verb.run();
    if (status) return 0;
    // Cancelling is the user's own doing and needs no explanation.
    if (status.error().code() == Code::kCancelled) return code_info(Code::kCancelled).exit_code;
    return fail_with(status.error().code(), status.error().text());
  }
  if (const std::vector<std::string> extras = app.remaining(); !extras.empty()) {
    return fail_with(Code::kInvalid, explain_extra(app, extras.front()));
  }
  std::fputs(app.help().c_str(), stdout);
  return 0;
}

}  // namespace

int run_app(int argc, char** argv) {
  try {
    return parse_and_run(argc, argv);
  } catch (const std::bad_alloc&) {
    return fail_with(Code::kNoMemory, "out of memory");
  } catch (const std::exception& error) {
    return fail_with(Code::kIo, one_line(error.what()));
  }
}

}  // namespace gem
