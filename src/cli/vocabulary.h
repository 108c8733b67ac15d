// The tokenizer's part of a model file, as the tokenizer takes it: the two modules do not know each
// other.
#pragma once
#include "base/result.h"
#include "gguf/reader.h"
#include "tokenizer/tokenizer.h"

namespace gem {

// Views into `file`. Returns kUnsupported for a file of another tokenizer, and kCorrupt, naming the
// key that is missing, of another kind, or not an id.
Result<VocabularySource> vocabulary_source(const gguf::File& file);

}  // namespace gem
