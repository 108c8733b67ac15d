#include "engine/walk.h"

namespace gem {

void walk(const Plan& plan, Stages& stages) {
  stages.embed();
  for (int32_t layer = 0; layer < plan.layer_count(); ++layer) {
    stages.qkv(layer);
    stages.rope_insert(layer);
    stages.attend(layer);
    stages.out_proj(layer);
    stages.mid_norm(layer);
    stages.gate_up(layer);
    stages.down(layer);
    stages.end_norm(layer);
  }
  stages.logits();
}

}  // namespace gem
