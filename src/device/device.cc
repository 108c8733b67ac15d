#include "device/device.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "device/cpu/scalar_device.h"

namespace gem {
namespace {

constexpr std::array<std::string_view, 1> kDeviceNames = {"cpu"};
constexpr std::array<std::string_view, 1> kCpuIsaNames = {"scalar"};

Status check_name(std::string_view what, std::string_view name,
                  std::span<const std::string_view> names) {
  if (name == "auto" || std::find(names.begin(), names.end(), name) != names.end()) return {};
  return fail(Code::kNotFound, "no {} '{}' in this build; there is: auto, {}", what, name,
              fmt::join(names, ", "));
}

}  // namespace

std::string_view stage_name(Stage stage) {
  static constexpr std::array<std::string_view, kStageCount> kNames = {
      "embed",    "qkv",     "rope_insert", "attend",   "out_proj",
      "mid_norm", "gate_up", "down",        "end_norm", "logits"};
  return kNames.at(static_cast<size_t>(stage));
}

std::span<const std::string_view> device_names() { return kDeviceNames; }
std::span<const std::string_view> cpu_isa_names() { return kCpuIsaNames; }

Result<std::unique_ptr<Device>> make_device(const DeviceOptions& options) {
  GEM_TRY(check_name("device", options.name, device_names()));
  GEM_TRY(check_name("CPU instruction set", options.cpu_isa, cpu_isa_names()));
  return make_scalar_device();
}

}  // namespace gem
