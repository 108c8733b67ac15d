#include "model/synth.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/new_file.h"
#include "base/text.h"
#include "gguf/writer.h"
#include "model/manifest.h"
#include "model/synth_vocabulary.h"
#include "model/synth_weights.h"
#include "model/vocabulary.h"

namespace gem {
namespace {

struct Vocabulary {
  std::optional<MadeUpVocabulary> made_up;
  const gguf::File* copied = nullptr;
  std::vector<bool> readable;  // by id
};

Result<Vocabulary> made_up_vocabulary(const Profile& profile) {
  Vocabulary out;
  GEM_ASSIGN(out.made_up, make_up_vocabulary(profile));
  for (size_t id = 0; id < out.made_up->tokens.size(); ++id) {
    out.readable.push_back(is_readable_token(out.made_up->tokens[id], out.made_up->types[id]));
  }
  return out;
}

Result<Vocabulary> copied_vocabulary(const Profile& profile, const gguf::File& file) {
  if (Status status = check_vocabulary(file, profile); !status) {
    return tl::unexpected<Error>(std::move(status).error().with_context(
        fmt::format("the vocabulary in {} does not fit profile {}",
                    quote_for_message(file.name(), 4096), profile.name)));
  }
  const auto tokens = file.find("tokenizer.ggml.tokens")->as_string_array();
  const gguf::Value* stored_types = file.find("tokenizer.ggml.token_type");
  const auto types = stored_types == nullptr ? std::nullopt : stored_types->as_i32_array();
  if (!types || types->size() != tokens->size()) {
    return fail(Code::kUnsupported, "{}: tokenizer.ggml.token_type is {}, wanted arr[i32, {}]",
                quote_for_message(file.name(), 4096),
                stored_types == nullptr ? "missing" : stored_types->describe(), tokens->size());
  }
  Vocabulary out;
  out.copied = &file;
  for (size_t id = 0; id < tokens->size(); ++id) {
    out.readable.push_back(is_readable_token((*tokens)[id], static_cast<TokenType>((*types)[id])));
  }
  return out;
}

void add_general_keys(const Profile& profile, uint64_t seed, gguf::Writer& writer) {
  writer.add_string("general.architecture", "gemma4");
  writer.add_string("general.type", "model");
  writer.add_i32("general.sampling.top_k", 64);
  writer.add_f32("general.sampling.top_p", 0.95f);
  writer.add_f32("general.sampling.temp", 1.0f);
  writer.add_string("general.name",
                    fmt::format("{}, synthetic weights of seed {}", profile.title, seed));
  writer.add_string("general.basename", "gemma-4");
  writer.add_string("general.finetune", "it");
  writer.add_string("general.size_label", profile.title.substr(profile.title.rfind(' ') + 1));
  writer.add_string("general.license", "apache-2.0");
  const std::string_view tags[] = {"synthetic"};
  writer.add_string_array("general.tags", tags);
}

void add_model_keys(const Profile& profile, gguf::Writer& writer) {
  const auto add_u32 = [&](std::string_view key, int32_t value) {
    writer.add_u32(fmt::format("gemma4.{}", key), static_cast<uint32_t>(value));
  };
  const auto add_f32 = [&](std::string_view key, float value) {
    writer.add_f32(fmt::format("gemma4.{}", key), value);
  };
  std::vector<int32_t> kv_heads;
  std::vector<bool> is_swa;
  for (int32_t layer = 0; layer < profile.layers; ++layer) {
    kv_heads.push_back(profile.kv_heads(layer));
    is_swa.push_back(!profile.is_full(layer));
  }
  add_u32("block_count", profile.layers);
  add_u32("context_length", profile.max_context);
  add_u32("embedding_length", profile.width);
  add_u32("feed_forward_length", profile.ffn_width);
  add_u32("attention.head_count", profile.query_heads);
  writer.add_i32_array("gemma4.attention.head_count_kv", kv_heads);
  add_f32("rope.freq_base", profile.full_rope_base);
  add_f32("rope.freq_base_swa", profile.swa_rope_base);
  add_f32("attention.layer_norm_rms_epsilon", profile.rms_epsilon);
  add_u32("attention.key_length", profile.full_head_width);
  add_u32("attention.value_length", profile.full_head_width);
  add_f32("final_logit_softcapping", profile.softcap);
  add_u32("attention.sliding_window", profile.window);
  add_u32("attention.shared_kv_layers", 0);
  add_u32("embedding_length_per_layer_input", 0);
  writer.add_bool_array("gemma4.attention.sliding_window_pattern", is_swa);
  add_u32("attention.key_length_swa", profile.swa_head_width);
  add_u32("attention.value_length_swa", profile.swa_head_width);
  add_u32("rope.dimension_count", profile.full_head_width);
  add_u32("rope.dimension_count_swa", profile.swa_head_width);
  constexpr uint32_t kMostlyQ4 = 2;
  writer.add_u32("general.file_type", kMostlyQ4);
  writer.add_u32("general.quantization_version", 2);
}

void add_vocabulary_keys(const Vocabulary& vocabulary, gguf::Writer& writer) {
  if (vocabulary.made_up) return add_tokenizer_keys(*vocabulary.made_up, writer);
  for (const gguf::KeyValue& entry : vocabulary.copied->metadata()) {
    if (entry.key.starts_with("tokenizer.")) writer.add_copy(entry.key, entry.value);
  }
}

// Some rows of one tensor: what a thread makes and writes at a time.
struct Piece {
  size_t tensor;
  uint64_t first_row;
  uint64_t rows;
};

std::vector<Piece> cut_pieces(std::span<const TensorSpec> tensors, bool header_only) {
  constexpr uint64_t kPieceBytes = 4 << 20;
  std::vector<Piece> pieces;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorSpec& tensor = tensors[i];
    if (header_only && tensor.type != gguf::Type::kF32) continue;
    const uint64_t rows = tensor.ne.size() == 1 ? 1 : tensor.ne[1];
    const uint64_t step =
        std::max<uint64_t>(1, kPieceBytes / gguf::row_bytes(tensor.type, tensor.ne[0]));
    for (uint64_t row = 0; row < rows; row += step)
      pieces.push_back({i, row, std::min(step, rows - row)});
  }
  return pieces;
}

// Makes and writes all pieces on a few threads. The first failure stops them all.
class DataWriter {
 public:
  DataWriter(const NewFile& file, const gguf::Writer& layout, std::span<const TensorSpec> tensors,
             const SynthWeights& weights)
      : file_(file), layout_(layout), tensors_(tensors), weights_(weights) {}

  Status write(std::span<const Piece> pieces,
               const std::function<void(uint64_t done_bytes, uint64_t all_bytes)>& progress) {
    const uint64_t header_bytes = layout_.header().size();
    for (const Piece& piece : pieces) all_bytes_ += piece.rows * row_bytes(piece);

    constexpr unsigned kMostThreads = 8;  // beyond that the disk is the limit
    const unsigned count = std::clamp(std::thread::hardware_concurrency(), 1u, kMostThreads);
    std::vector<std::thread> threads;
    threads.reserve(count);
    for (unsigned i = 0; i < count; ++i) {
      threads.emplace_back([&] { work(pieces, header_bytes, progress); });
    }
    for (std::thread& thread : threads) thread.join();
    if (error_) return tl::unexpected<Error>(*error_);
    return {};
  }

 private:
  uint64_t row_bytes(const Piece& piece) const {
    const TensorSpec& tensor = tensors_[piece.tensor];
    return gguf::row_bytes(tensor.type, tensor.ne[0]);
  }

  void work(std::span<const Piece> pieces, uint64_t header_bytes,
            const std::function<void(uint64_t, uint64_t)>& progress) {
    std::vector<std::byte> bytes;
    while (!stopped_) {
      const size_t at = next_++;
      if (at >= pieces.size()) return;
      const Piece& piece = pieces[at];
      bytes.resize(piece.rows * row_bytes(piece));
      weights_.fill(tensors_[piece.tensor], piece.tensor, piece.first_row, bytes);
      const uint64_t offset =
          header_bytes + layout_.tensor_offset(piece.tensor) + piece.first_row * row_bytes(piece);
      const Status status = file_.write_at(offset, bytes);

      const std::lock_guard lock(mutex_);
      if (!status) {
        if (!error_) error_ = status.error();
        stopped_ = true;
        return;
      }
      done_bytes_ += bytes.size();
      if (progress) progress(done_bytes_, all_bytes_);
    }
  }

  const NewFile& file_;
  const gguf::Writer& layout_;
  std::span<const TensorSpec> tensors_;
  const SynthWeights& weights_;
  uint64_t all_bytes_ = 0;
  std::atomic<size_t> next_{0};
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  uint64_t done_bytes_ = 0;     // guarded by mutex_
  std::optional<Error> error_;  // guarded by mutex_
};

Status check_options(const Profile& profile, const SynthOptions& options) {
  if (options.table_type != gguf::Type::kQ8_0 && options.table_type != gguf::Type::kQ6K) {
    return fail(Code::kInvalid, "a token table of type {}; a model has Q8_0 or Q6_K",
                gguf::block_format(options.table_type).name);
  }
  const auto block = static_cast<int32_t>(gguf::block_format(options.table_type).block_values);
  if (profile.width % block != 0) {
    return fail(Code::kInvalid,
                "profile {} has width {}, which a {} token table cannot have (blocks of {})",
                profile.name, profile.width, gguf::block_format(options.table_type).name, block);
  }
  return {};
}

// A full disk is better known before the first gigabyte is written.
Status check_space(const std::string& path, uint64_t size_bytes) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::absolute(path, error).parent_path();
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  if (error || space.available >= size_bytes) return {};
  return fail(Code::kIo, "{} needs {}, and its disk has {} free; free some or give another path",
              quote_for_message(path, 4096), format_bytes(size_bytes),
              format_bytes(space.available));
}

}  // namespace

Status write_synthetic_model(const Profile& profile, const SynthOptions& options,
                             const std::string& path) {
  GEM_TRY(check_options(profile, options));
  GEM_ASSIGN(Vocabulary vocabulary, options.vocabulary == nullptr
                                        ? made_up_vocabulary(profile)
                                        : copied_vocabulary(profile, *options.vocabulary));
  gguf::Writer writer;
  add_general_keys(profile, options.seed, writer);
  add_model_keys(profile, writer);
  add_vocabulary_keys(vocabulary, writer);
  const std::vector<TensorSpec> tensors = target_tensors(profile, options.table_type);
  for (const TensorSpec& tensor : tensors) writer.add_tensor(tensor.name, tensor.type, tensor.ne);

  GEM_ASSIGN(NewFile file, NewFile::create(path));
  if (!options.header_only) GEM_TRY(check_space(path, writer.file_bytes()));
  GEM_TRY(file.resize(writer.file_bytes()));
  GEM_TRY(file.write_at(0, writer.header()));
  const SynthWeights weights(profile, options.seed, std::move(vocabulary.readable));
  DataWriter data(file, writer, tensors, weights);
  GEM_TRY(data.write(cut_pieces(tensors, options.header_only), options.progress));
  return file.publish();
}

}  // namespace gem
