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

// The environment variable of an option: GEM_MAX_TOKENS for --max-tokens; the first long name
// counts.
void name_variable(CLI::Option& option);

template <class T>
CLI::Option* add_setting(CLI::App& app, const std::string& names, T& value,
                         const std::string& help) {
  CLI::Option* option = app.add_option(names, value, help);
  name_variable(*option);
  return option;
}

// A setting that is on or off: --raw, GEM_RAW=1, raw = true.
CLI::Option* add_switch(CLI::App& app, const std::string& names, bool& value,
                        const std::string& help);

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
