// What a GGUF file holds when it may not be a model that gem runs: the kinds of file that people
// hand to --model by mistake, each named for what it is.
#pragma once
#include <string>

#include "base/result.h"
#include "gguf/reader.h"

namespace gem {

// The end of every refusal: what to get instead.
inline constexpr char kSupportedFiles[] =
    "gem runs Gemma 4 12B and 31B: get the Q4_0 (QAT) GGUF file of one of them";

// Success if `file` may be a dense Gemma 4 target of some size; the strict check is bind_model's.
// Otherwise kUnsupported: one line with what the file is and what to get.
Status refuse_other_kinds(const gguf::File& file);

// The type of most bytes among the matrices of the layers: "Q4_0"; "no" if there are none.
std::string matrix_type(const gguf::File& file);

}  // namespace gem
