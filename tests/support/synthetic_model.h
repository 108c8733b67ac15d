// Synthetic models on disk for tests, and a profile that is small enough to write for every test.
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "gguf/reader.h"
#include "model/synth.h"

namespace gem::testing {

// Six layers of toy sizes. Window and softcap differ from the published ones on purpose.
inline Profile toy_profile() {
  Profile p = *find_profile(synthetic_profiles(), "small");
  p.name = "toy";
  p.title = "Gemma 4 toy";
  p.width = 64;
  p.swa_head_width = 32;
  p.full_head_width = 64;
  p.ffn_width = 96;
  p.window = 16;
  p.max_context = 4096;
  p.vocabulary = 400;
  p.rotated_pairs = 8;
  p.softcap = 15.0f;
  return p;
}

inline gguf::File write_and_open(const Profile& profile, const SynthOptions& options,
                                 const std::string& path) {
  const Status written = write_synthetic_model(profile, options, path);
  EXPECT_TRUE(written) << written.error().text();
  auto file = gguf::File::open(path);
  EXPECT_TRUE(file) << file.error().text();
  return std::move(file).value();
}

// Header and vectors of a model of the published sizes; its matrices are a hole in the file.
inline gguf::File sparse_model(const Profile& profile, const std::string& path) {
  SynthOptions options;
  options.header_only = true;
  return write_and_open(profile, options, path);
}

}  // namespace gem::testing
