// Settings of the command line. Each is defined once, by one call of add_setting, which serves the
// flag, the environment variable (GEM_ and the flag's name in capitals), the config file and the
// help.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "device/device.h"
#include "engine/sampler.h"
#include "gguf/reader.h"

namespace gem {

// "--max-tokens" or "-p,--prompt": the last long name makes the variable, GEM_MAX_TOKENS.
template <class T>
CLI::Option* add_setting(CLI::App& app, const std::string& names, T& value,
                         const std::string& help) {
  CLI::Option* option = app.add_option(names, value, help);
  std::string variable = "GEM_";
  for (const char c : option->get_lnames().front()) {
    variable += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return option->envname(variable);
}

struct ModelSettings {
  std::string path;
  int32_t context = 8192;
  DeviceOptions device;

  void add_to(CLI::App& app);
};

struct SamplingSettings {
  std::optional<float> temperature, top_p, min_p;
  std::optional<int32_t> top_k;
  SamplingOptions others;  // what has no default in model files
  std::optional<uint64_t> seed;
  std::vector<std::string> logit_bias;  // "ID=BIAS"

  void add_to(CLI::App& app);

  // What the user gave, else what the file's general.sampling.* says, else Gemma's 1.0, 64, 0.95. A
  // seed that was not given is drawn. Returns kInvalid.
  Result<SamplingOptions> resolve(const gguf::File& file) const;
};

}  // namespace gem
