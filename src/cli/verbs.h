// The verbs of the command line. Each adds itself to the app and returns what to run if it was
// chosen.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

#include "base/result.h"

namespace gem {

struct Verb {
  CLI::App* app;
  std::function<Status()> run;
};

Verb add_run_verb(CLI::App& app);
Verb add_inspect_verb(CLI::App& app);
Verb add_tokenize_verb(CLI::App& app);
Verb add_eval_verb(CLI::App& app);
Verb add_synth_verb(CLI::App& app);

// What `gem --version` prints.
std::string version_text();

}  // namespace gem
