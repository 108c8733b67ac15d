// The scalar CPU device: plain f32, one thread, always built. It is the oracle that every other
// device is compared with, stage by stage; it is not meant to be fast.
#pragma once
#include <memory>

#include "device/device.h"

namespace gem {

std::unique_ptr<Device> make_scalar_device();

}  // namespace gem
