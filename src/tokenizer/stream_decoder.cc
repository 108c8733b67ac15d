// StreamDecoder of tokenizer.h. Pieces end inside a character only where byte tokens make it, and
// the model may follow those with anything.
#include "base/utf8.h"
#include "tokenizer/tokenizer.h"

namespace gem {

std::string StreamDecoder::push(std::string_view bytes) {
  pending_ += bytes;
  std::string out;
  std::string_view rest = pending_;
  while (!rest.empty()) {
    const Utf8Step step = utf8_step(rest);
    if (step.kind == Utf8Step::Kind::kIncomplete) break;
    utf8_append(out, step.code_point);
    rest.remove_prefix(step.bytes);
  }
  pending_.erase(0, pending_.size() - rest.size());
  return out;
}

std::string StreamDecoder::flush() {
  std::string out;
  if (!pending_.empty()) utf8_append(out, 0xFFFD);
  pending_.clear();
  return out;
}

}  // namespace gem
