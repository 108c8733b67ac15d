#include "tests/support/goldens.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace gem::testing {

std::string golden_path(const std::string& relative) {
  std::string path = std::string(GEM_GOLDEN_DIR) + "/" + relative;
  EXPECT_TRUE(std::filesystem::exists(path)) << path << " is missing from the source tree";
  return path;
}

std::string shared_path(const std::string& relative) {
  const char* folder = std::getenv("GEM_SHARED_DIR");
  std::string path = std::string(folder != nullptr ? folder : GEM_SHARED_DIR) + "/" + relative;
  return std::filesystem::exists(path) ? path : std::string();
}

std::string read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  EXPECT_TRUE(out.good()) << path;
}

nlohmann::ordered_json read_json(const std::string& path) {
  return nlohmann::ordered_json::parse(read_bytes(path));
}

std::vector<float> read_f32(const std::string& path) {
  const std::string bytes = read_bytes(path);
  EXPECT_EQ(bytes.size() % sizeof(float), 0u) << path;
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

}  // namespace gem::testing
