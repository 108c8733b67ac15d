// gem synth: a synthetic model of any profile, for tests, benches and a first look.
#include "model/synth.h"

#include <unistd.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

#include "base/log.h"
#include "base/text.h"
#include "cli/loaded_model.h"
#include "cli/verbs.h"

namespace gem {
namespace {

struct Settings {
  std::string profile;
  std::string output;
  std::string vocabulary;
  std::string table = "q8_0";
  uint64_t seed = 1;
  bool header_only = false;
};

Result<const Profile*> named_profile(const std::string& name) {
  const Profile* profile = find_profile(accepted_profiles(), name);
  if (profile != nullptr) return profile;
  std::string names;
  for (const Profile& known : accepted_profiles())
    names += (names.empty() ? "" : ", ") + known.name;
  return fail(Code::kNotFound, "no profile '{}'; there is: {}", quote_for_message(name), names);
}

Status synthesize(const Settings& settings) {
  GEM_ASSIGN(const Profile* profile, named_profile(settings.profile));
  SynthOptions options{.seed = settings.seed, .header_only = settings.header_only};
  options.table_type = settings.table == "q6_k" ? gguf::Type::kQ6K : gguf::Type::kQ8_0;

  std::optional<gguf::File> vocabulary;
  if (!settings.vocabulary.empty()) {
    GEM_ASSIGN(vocabulary, gguf::File::open(settings.vocabulary));
    options.vocabulary = &*vocabulary;
  }
  if (::isatty(STDERR_FILENO) != 0) {
    options.progress = [](uint64_t done, uint64_t all) {
      std::fprintf(stderr, "\r%s of %s%s", format_bytes(done).c_str(), format_bytes(all).c_str(),
                   done == all ? "\n" : "");
    };
  }
  return write_synthetic_model(*profile, options, settings.output);
}

}  // namespace

Verb add_synth_verb(CLI::App& app) {
  auto settings = std::make_shared<Settings>();
  CLI::App* verb =
      app.add_subcommand("synth", "Make a synthetic model: right in shape, meaningless in text");
  add_setting(*verb, "--profile", settings->profile, "12b, 31b or small")->required();
  verb->add_option("-o,--output", settings->output, "File to write")->required();
  add_setting(*verb, "--seed", settings->seed, "Same seed, same bytes")->capture_default_str();
  verb->add_option("--vocab", settings->vocabulary,
                   "GGUF file whose tokenizer to copy [a made-up one]");
  verb->add_option("--table", settings->table, "Type of the token table")
      ->check(CLI::IsMember({"q8_0", "q6_k"}))
      ->capture_default_str();
  verb->add_flag("--header-only", settings->header_only, "A sparse file: the header, then a hole");
  return {verb, [settings] { return synthesize(*settings); }};
}

}  // namespace gem
