// gem eval: logits of given tokens, for comparing with other engines; perplexity of a text.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

#include "base/mapped_file.h"
#include "base/new_file.h"
#include "base/text.h"
#include "cli/files.h"
#include "cli/loaded_model.h"
#include "cli/tokens.h"
#include "cli/verbs.h"

namespace gem {
namespace {

struct Settings {
  ModelSettings model;
  std::string tokens;
  std::string text;
  std::string logits;
  std::string reference;
  bool any_profile = false;
};

// log(sum(exp(logits))), in double: sums of 262,144 terms.
double log_sum_exp(std::span<const float> logits) {
  double maximum = -INFINITY;
  for (const float logit : logits) maximum = std::max(maximum, static_cast<double>(logit));
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - maximum);
  return maximum + std::log(sum);
}

// KL(reference || ours) of the two softmax distributions, in nats.
double kl_divergence(std::span<const float> reference, std::span<const float> ours) {
  const double reference_total = log_sum_exp(reference);
  const double our_total = log_sum_exp(ours);
  double kl = 0;
  for (size_t i = 0; i < ours.size(); ++i) {
    const double log_p = reference[i] - reference_total;
    kl += std::exp(log_p) * (log_p - (ours[i] - our_total));
  }
  return kl;
}

Result<std::vector<TokenId>> input_tokens(const Settings& settings, const LoadedModel& loaded) {
  if (!settings.tokens.empty()) {
    GEM_ASSIGN(const std::string text, read_text(settings.tokens));
    return parse_ids(text);
  }
  GEM_ASSIGN(const std::string text, read_text(settings.text));
  std::vector<TokenId> ids = {loaded.tokenizer->special().bos};
  const std::vector<TokenId> rest = loaded.tokenizer->encode(text, false);
  ids.insert(ids.end(), rest.begin(), rest.end());
  return ids;
}

Status evaluate(Settings settings) {
  if (settings.tokens.empty() == settings.text.empty()) {
    return fail(Code::kInvalid, "give either --tokens FILE or --text FILE");
  }
  GEM_ASSIGN(auto loaded, load_model(settings.model, {.any_profile = settings.any_profile,
                                                      .logits_rows = kAllRows,
                                                      .wants_tokenizer = settings.tokens.empty()}));
  GEM_ASSIGN(const std::vector<TokenId> tokens, input_tokens(settings, *loaded));
  const auto vocabulary = static_cast<size_t>(loaded->model.plan.profile.vocabulary);
  const size_t row_bytes = vocabulary * sizeof(float);

  std::optional<MappedFile> reference;
  if (!settings.reference.empty()) {
    auto opened = MappedFile::open(settings.reference);
    if (!opened)
      return tl::unexpected<Error>(std::move(opened).error().with_context(settings.reference));
    reference = std::move(*opened);
    if (reference->bytes().size() != tokens.size() * row_bytes) {
      return fail(Code::kInvalid, "{}: has {} bytes, but the logits of {} tokens are {} bytes",
                  settings.reference, reference->bytes().size(), tokens.size(),
                  tokens.size() * row_bytes);
    }
  }
  std::optional<NewFile> output;
  if (!settings.logits.empty()) {
    auto created = NewFile::create(settings.logits);
    if (!created) return tl::unexpected<Error>(std::move(created).error());
    output.emplace(std::move(*created));
  }

  double negative_log_likelihood = 0;
  double kl = 0;
  Status written;
  GEM_TRY(loaded->session->evaluate(tokens, [&](int32_t position, std::span<const float> logits) {
    const auto at = static_cast<size_t>(position);
    if (output && written) written = output->write_at(at * row_bytes, std::as_bytes(logits));
    if (at + 1 < tokens.size()) {
      const float logit = logits[static_cast<size_t>(tokens[at + 1])];
      negative_log_likelihood += log_sum_exp(logits) - logit;
    }
    if (reference) {
      const std::byte* row = reference->bytes().data() + at * row_bytes;
      kl += kl_divergence({reinterpret_cast<const float*>(row), vocabulary}, logits);
    }
  }));
  GEM_TRY(written);
  if (output) GEM_TRY(output->publish());

  fmt::print("tokens      {}\n", tokens.size());
  if (tokens.size() > 1) {
    const double mean = negative_log_likelihood / static_cast<double>(tokens.size() - 1);
    fmt::print("nll         {:.6f} nats per token\nperplexity  {:.4f}\n", mean, std::exp(mean));
  }
  if (reference) fmt::print("mean KL     {:.6e} nats\n", kl / static_cast<double>(tokens.size()));
  return {};
}

}  // namespace

Verb add_eval_verb(CLI::App& app) {
  auto settings = std::make_shared<Settings>();
  CLI::App* verb = app.add_subcommand("eval", "Logits, perplexity and divergence of given tokens");
  settings->model.add_to(*verb);
  verb->add_option("--tokens", settings->tokens,
                   "File of comma-separated ids ('-': stdin); no BOS is added");
  verb->add_option("--text", settings->text, "File of text; BOS is added");
  verb->add_option(
      "--logits", settings->logits,
      "Write the logits of every position here: little-endian f32 [tokens, vocabulary]");
  verb->add_option("--reference", settings->reference,
                   "Such a file to compare with: prints the mean KL");
  verb->add_flag("--any-profile", settings->any_profile,
                 "Take a model whose sizes are not in gem's table; for oracle work only");
  return {verb, [settings] { return evaluate(*settings); }};
}

}  // namespace gem
