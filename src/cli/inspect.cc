// gem inspect: what a file is, whether gem runs it and why not, and what it would need.
#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <memory>

#include "base/new_file.h"
#include "base/text.h"
#include "cli/loaded_model.h"
#include "cli/verbs.h"
#include "model/memory_plan.h"

namespace gem {
namespace {

struct Settings {
  std::string path;
  std::string header_output;
};

std::string describe_file(const gguf::File& file) {
  std::map<std::string, int> types;
  for (const gguf::TensorInfo& tensor : file.tensors())
    ++types[gguf::type_name(tensor.type_number)];
  std::string counts;
  for (const auto& [name, count] : types) {
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, name);
  }
  return fmt::format("file      {}, GGUF v3, {} metadata keys\ncontents  {}\ntensors   {}{}\n",
                     format_bytes(file.size_bytes()), file.metadata().size(), describe_model(file),
                     file.tensors().size(), counts.empty() ? "" : ": " + counts);
}

std::string describe_memory(const Plan& plan) {
  std::string out = fmt::format(
      "profile   {}\nweights   {} read from the file, {} per generated token\n", plan.profile.title,
      format_bytes(plan.weight_bytes), format_bytes(plan.decode_bytes));
  out += fmt::format("\n{:>10}  {:>12}  {:>12}  {:>12}\n", "context", "K/V f32", "K/V f16",
                     "K/V f16-full");
  for (const int64_t context : {4096, 8192, 32768, 131072, 262144}) {
    if (context > plan.profile.max_context) break;
    out += fmt::format("{:>10}", context);
    for (const KvType type : {KvType::kF32, KvType::kF16, KvType::kF16Full}) {
      out += fmt::format("  {:>12}", format_bytes(kv_bytes(plan.profile, type, context)));
    }
    out += "\n";
  }
  return out;
}

// All of `file` but its matrices: F32 tensors are small, and the manifest looks at the values of
// some.
Status save_header(const gguf::File& file, const std::string& path) {
  GEM_ASSIGN(NewFile output, NewFile::create(path));
  GEM_TRY(output.resize(file.size_bytes()));
  GEM_TRY(output.write_at(0, file.bytes().first(file.header_bytes())));
  for (const gguf::TensorInfo& tensor : file.tensors()) {
    if (tensor.type_number != static_cast<uint32_t>(gguf::Type::kF32)) continue;
    GEM_TRY(output.write_at(file.header_bytes() + tensor.offset, file.data(tensor)));
  }
  return output.publish();
}

Status inspect(const Settings& settings) {
  GEM_ASSIGN(const gguf::File file, gguf::File::open(settings.path));
  const auto print = [](const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
  };
  print(describe_file(file));
  if (!settings.header_output.empty()) {
    GEM_TRY(save_header(file, settings.header_output));
    print(fmt::format("header    {} saved to {}\n", format_bytes(file.header_bytes()),
                      quote_for_message(settings.header_output)));
  }
  auto model = bind_model(file, accepted_profiles());
  if (!model) {
    print("accepted  no\n");
    std::fflush(stdout);
    return tl::unexpected<Error>(std::move(model).error().with_context(settings.path));
  }
  for (const std::string& note : model->notes) print(fmt::format("note      {}\n", note));
  print("accepted  yes\n");
  print(describe_memory(model->plan));
  return {};
}

}  // namespace

Verb add_inspect_verb(CLI::App& app) {
  auto settings = std::make_shared<Settings>();
  CLI::App* verb = app.add_subcommand("inspect", "Show what a model file is and what it needs");
  verb->add_option("file", settings->path, "Model file (GGUF)")->required();
  verb->add_option(
      "--save-header", settings->header_output,
      "Also write the file without its matrices: header and F32 tensors, with holes between");
  return {verb, [settings] { return inspect(*settings); }};
}

}  // namespace gem
