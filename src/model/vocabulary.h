// The check of a model file's tokenizer keys. What the entries mean is the tokenizer's business.
#pragma once
#include "base/result.h"
#include "gguf/reader.h"
#include "model/profile.h"

namespace gem {

// kUnsupported if the tokenizer.* keys are not those of a Gemma 4 tokenizer with `profile`'s number
// of entries, or a special token of the published vocabulary is not at its id.
Status check_vocabulary(const gguf::File& file, const Profile& profile);

}  // namespace gem
