// The tiny golden model, bound and ready. For test programs that link the model module.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gguf/reader.h"
#include "model/manifest.h"
#include "model/profile.h"
#include "tests/support/goldens.h"

namespace gem::testing {

struct TinyModel {
  gguf::File file;
  Model model;

  const Plan& plan() const { return model.plan; }
};

inline std::unique_ptr<TinyModel> open_tiny_model() {
  auto file = gguf::File::open(golden_path("model/tiny-gemma4-q4_0.gguf"));
  if (!file) {
    ADD_FAILURE() << file.error().text();
    return nullptr;
  }
  auto tiny = std::make_unique<TinyModel>(TinyModel{std::move(*file), {}});
  const auto profile = profile_of_file(tiny->file);
  if (!profile) {
    ADD_FAILURE() << profile.error().text();
    return nullptr;
  }
  auto model = bind_model(tiny->file, {&*profile, 1});
  if (!model) {
    ADD_FAILURE() << model.error().text();
    return nullptr;
  }
  tiny->model = std::move(*model);
  return tiny;
}

inline const nlohmann::ordered_json& golden_index() {
  static const nlohmann::ordered_json index = read_json(golden_path("model/index.json"));
  return index;
}

// The tokens of a golden sequence: s1, s7, s40, s200, s300.
inline std::vector<int32_t> golden_tokens(const std::string& name) {
  return golden_index().at("sequences").at(name).at("tokens").get<std::vector<int32_t>>();
}

}  // namespace gem::testing
