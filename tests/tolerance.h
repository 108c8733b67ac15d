// How far a device may be from the float64 goldens, by rounding class; written once, for all
// devices.
//
// Derivation: the float64 model with one rounding switched on, on 200 positions of the tiny golden
// model (logits of standard deviation 2.2), gives the measured figures; a bound is two to three
// times that for the statistical figures, and more for class A, whose measured error is near the
// last bit of f32.
#pragma once

namespace gem::testing {

struct LogitBound {
  double max_abs;
  double rms;
  double mean_kl;  // KL(golden || device) of the softmax, mean over positions
};

// f32 activations, f32 K/V, exact gelu. Measured: 1.8e-5, 2.3e-6, 3e-12.
inline constexpr LogitBound kClassA = {1e-3, 1e-4, 1e-7};
// As A with f16 K/V or an f16 gelu table. Measured: 7.2e-3, 1.0e-3, 6e-7.
inline constexpr LogitBound kClassAF16Kv = {3e-2, 3e-3, 1e-5};
// 8-bit activations in blocks of 32. Measured: 0.31, 4.2e-2, 1.0e-3.
inline constexpr LogitBound kClassD = {0.8, 7e-2, 3e-3};

// Inner steps and hidden states of class A: |got - want| <= abs + rel * |want|. Hidden states have
// an rms of 5.5 and a measured class A error of 4e-5.
inline constexpr double kClassAInnerAbs = 1e-4;
inline constexpr double kClassAInnerRel = 1e-5;

}  // namespace gem::testing
