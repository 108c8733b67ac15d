#include "cli/settings.h"

#include <cctype>
#include <charconv>
#include <cstdlib>
#include <random>

#include "base/text.h"

namespace gem {
namespace {

std::optional<float> file_float(const gguf::File& file, std::string_view key) {
  const gguf::Value* value = file.find(key);
  return value == nullptr ? std::nullopt : value->as_f32();
}

std::optional<int64_t> file_integer(const gguf::File& file, std::string_view key) {
  const gguf::Value* value = file.find(key);
  return value == nullptr ? std::nullopt : value->as_integer();
}

Result<std::pair<int32_t, float>> parse_bias(const std::string& text) {
  const size_t equals = text.find('=');
  int32_t id = 0;
  float bias = 0;
  bool good = equals != std::string::npos;
  if (good) {
    const char* id_end = text.data() + equals;
    const auto parsed = std::from_chars(text.data(), id_end, id);
    good = parsed.ec == std::errc() && parsed.ptr == id_end;
    // strtof, because from_chars for floats is missing from Apple's library.
    const char* bias_begin = text.c_str() + equals + 1;
    char* bias_end = nullptr;
    bias = std::strtof(bias_begin, &bias_end);
    good = good && bias_end != bias_begin && *bias_end == '\0';
  }
  if (!good) {
    return fail(Code::kInvalid, "--logit-bias '{}' is not of the form ID=BIAS, such as 1234=-5",
                quote_for_message(text));
  }
  return std::pair<int32_t, float>(id, bias);
}

}  // namespace

void name_variable(CLI::Option& option) {
  std::string variable = "GEM_";
  for (const char c : option.get_lnames().front()) {
    variable += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  option.envname(variable);
}

CLI::Option* add_switch(CLI::App& app, const std::string& names, bool& value,
                        const std::string& help) {
  CLI::Option* option = app.add_flag(names, value, help);
  name_variable(*option);
  return option;
}

void ModelSettings::add_to(CLI::App& app) {
  app.add_option("model", path, "Model file (GGUF)")->required();
  add_setting(app, "--ctx", context, "Context in tokens: prompt and answer together")
      ->check(CLI::Range(1, 262144))
      ->capture_default_str();
  add_setting(app, "--device", device.name, "Device to run on: auto, cpu")->capture_default_str();
  add_setting(app, "--cpu-isa", device.cpu_isa, "Instruction set of the CPU device: auto, scalar")
      ->capture_default_str();
}

void SamplingSettings::add_to(CLI::App& app) {
  const std::string group = "Sampling";
  add_setting(app, "--temperature,--temp", temperature, "0 is greedy [the file's, else 1.0]")
      ->group(group);
  add_setting(app, "--top-k", top_k, "Keep the k best; 0 = off [the file's, else 64]")
      ->group(group);
  add_setting(app, "--top-p", top_p,
              "Keep the best that reach this probability; 1 = off [the file's, else 0.95]")
      ->group(group);
  add_setting(app, "--min-p", min_p, "Drop what is less probable than this part of the best [0]")
      ->group(group);
  add_setting(app, "--repeat-penalty", others.repetition_penalty,
              "Divide logits of recent tokens; 1 = off")
      ->group(group)
      ->capture_default_str();
  add_setting(app, "--presence-penalty", others.presence_penalty,
              "Subtract from logits of recent tokens")
      ->group(group)
      ->capture_default_str();
  add_setting(app, "--frequency-penalty", others.frequency_penalty,
              "Subtract from logits of recent tokens, per occurrence")
      ->group(group)
      ->capture_default_str();
  add_setting(app, "--penalty-window", others.penalty_window,
              "Recent tokens that penalties look at; -1 = all")
      ->group(group)
      ->capture_default_str();
  add_setting(app, "--seed", seed, "Seed of the draws [random, shown in the statistics]")
      ->group(group);
  add_setting(app, "--logit-bias", logit_bias, "ID=BIAS: add to the logit of a token; repeatable")
      ->group(group);
}

Result<SamplingOptions> SamplingSettings::resolve(const gguf::File& file) const {
  SamplingOptions options = others;
  options.temperature =
      temperature.value_or(file_float(file, "general.sampling.temp").value_or(1.0f));
  options.top_k = top_k.value_or(
      static_cast<int32_t>(file_integer(file, "general.sampling.top_k").value_or(64)));
  options.top_p = top_p.value_or(file_float(file, "general.sampling.top_p").value_or(0.95f));
  options.min_p = min_p.value_or(0.0f);
  // 32 bits are easier to repeat by hand.
  options.seed = seed ? *seed : std::random_device()();
  for (const std::string& text : logit_bias) {
    GEM_ASSIGN(const auto bias, parse_bias(text));
    options.logit_bias.push_back(bias);
  }
  return options;
}

}  // namespace gem
