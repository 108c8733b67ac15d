// gem tokenize: text to ids and back, as the model sees it.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "base/text.h"
#include "cli/files.h"
#include "cli/loaded_model.h"
#include "cli/tokens.h"
#include "cli/verbs.h"
#include "cli/vocabulary.h"

namespace gem {
namespace {

struct Settings {
  std::string path;
  std::string text;
  std::string decode;
  bool ids_only = false;
  bool special = false;
};

Status tokenize(const Settings& settings) {
  GEM_ASSIGN(const gguf::File file, gguf::File::open(settings.path));
  const auto name_file = [&](Error error) {
    return tl::unexpected<Error>(std::move(error).with_context(settings.path));
  };
  auto source = vocabulary_source(file);
  if (!source) return name_file(std::move(source).error());
  auto tokenizer = Tokenizer::create(*source);
  if (!tokenizer) return name_file(std::move(tokenizer).error());

  if (!settings.decode.empty()) {
    GEM_ASSIGN(const std::vector<TokenId> ids, parse_ids(settings.decode));
    GEM_TRY(check_ids(ids, tokenizer->vocabulary_size()));
    const std::string text = tokenizer->decode(ids, settings.special);
    std::fwrite(text.data(), 1, text.size(), stdout);
    return {};
  }
  std::string text = settings.text;
  if (text.empty() || text == "-") {
    GEM_ASSIGN(text, read_text("-"));
  }
  const std::vector<TokenId> ids = tokenizer->encode(text, settings.special);
  std::string out;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (settings.ids_only) {
      out += fmt::format("{}{}", i == 0 ? "" : ",", ids[i]);
    } else {
      out += fmt::format("{}\t{}\n", ids[i], quote_for_message(tokenizer->spelling(ids[i])));
    }
  }
  if (settings.ids_only) out += "\n";
  std::fwrite(out.data(), 1, out.size(), stdout);
  return {};
}

}  // namespace

Verb add_tokenize_verb(CLI::App& app) {
  auto settings = std::make_shared<Settings>();
  CLI::App* verb = app.add_subcommand("tokenize", "Show the tokens of a text");
  verb->add_option("model", settings->path, "Model or vocabulary file (GGUF)")->required();
  verb->add_option("text", settings->text, "Text; '-' or nothing reads stdin");
  verb->add_flag("--ids", settings->ids_only, "Print comma-separated ids only");
  verb->add_flag("--special", settings->special,
                 "Read the spellings of special tokens as special; with --decode, show them");
  verb->add_option("--decode", settings->decode, "Comma-separated ids to turn into text instead");
  return {verb, [settings] { return tokenize(*settings); }};
}

}  // namespace gem
