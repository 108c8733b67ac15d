#include "tests/support/vocabulary.h"

#include <map>
#include <utility>

#include "base/check.h"
#include "base/log.h"
#include "cli/vocabulary.h"
#include "gguf/reader.h"

namespace gem::testing {
namespace {

struct Loaded {
  gguf::File file;
  Tokenizer tokenizer;
};

Result<Loaded> load(const std::string& path) {
  GEM_ASSIGN(gguf::File file, gguf::File::open(path));
  GEM_ASSIGN(const VocabularySource source, vocabulary_source(file));
  GEM_ASSIGN(Tokenizer tokenizer, Tokenizer::create(source));
  return Loaded{std::move(file), std::move(tokenizer)};
}

}  // namespace

std::shared_ptr<const Tokenizer> load_tokenizer(const std::string& path) {
  Result<Loaded> result = load(path);
  if (!result) log("{}", result.error().text());
  GEM_CHECK(result.has_value());
  const auto loaded = std::make_shared<const Loaded>(*std::move(result));
  return {loaded, &loaded->tokenizer};
}

const Tokenizer& tokenizer_of_file(const std::string& path) {
  static std::map<std::string, std::shared_ptr<const Tokenizer>> all;
  std::shared_ptr<const Tokenizer>& tokenizer = all[path];
  if (tokenizer == nullptr) tokenizer = load_tokenizer(path);
  return *tokenizer;
}

}  // namespace gem::testing
