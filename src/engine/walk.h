// The model, as the order of its stages.
#pragma once
#include "device/device.h"

namespace gem {

// Calls the stages of one forward pass in order: embed, eight stages a layer, logits.
void walk(const Plan& plan, Stages& stages);

}  // namespace gem
