// The gemma4.* metadata of a file, read into a profile row. Every key that the model's meaning
// depends on is required here, also those for which the file format has a default: the defaults are
// those of other models.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "gguf/reader.h"
#include "model/profile.h"

namespace gem {

// No model of the family comes near these; they keep products of two sizes inside int32_t.
inline constexpr int32_t kMostLayers = 1000;
inline constexpr int32_t kMostHeads = 1024;
inline constexpr int32_t kMostHeadWidth = 4096;
inline constexpr int32_t kMostWidth = 1 << 20;
inline constexpr int32_t kMostTokens = 1 << 24;

// All fields but names, vocabulary, rotated_pairs and fixed_special_ids, which metadata does not
// tell. Returns kUnsupported, naming key, found and wanted.
Result<Profile> read_hyperparameters(const gguf::File& file);

// kUnsupported, naming the first key whose value differs, if `found` is not what `wanted` says.
Status compare_hyperparameters(const Profile& found, const Profile& wanted);

// The keys of `file` that gem does not know, in file order.
std::vector<const gguf::KeyValue*> unknown_keys(const gguf::File& file);

}  // namespace gem
