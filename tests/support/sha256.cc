#include "tests/support/sha256.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace gem::testing {
namespace {

// The first 32 bits of the fractional parts of the square (of 8) or cube (of 64) roots of the first
// primes, which is how the standard defines its constants.
template <size_t kCount>
std::array<uint32_t, kCount> root_bits(double (*root)(double)) {
  std::array<uint32_t, kCount> bits{};
  uint32_t candidate = 2;
  for (uint32_t& entry : bits) {
    const auto is_prime = [](uint32_t n) {
      for (uint32_t d = 2; d * d <= n; ++d)
        if (n % d == 0) return false;
      return true;
    };
    while (!is_prime(candidate)) ++candidate;
    const double value = root(candidate++);
    entry = static_cast<uint32_t>((value - std::floor(value)) * 4294967296.0);
  }
  return bits;
}

void add_block(std::array<uint32_t, 8>& state, std::string_view block) {
  static const std::array<uint32_t, 64> constants = root_bits<64>(std::cbrt);
  std::array<uint32_t, 64> w{};
  for (size_t i = 0; i < 64; ++i) w[i / 4] = w[i / 4] << 8 | static_cast<uint8_t>(block[i]);
  for (size_t i = 16; i < 64; ++i) {
    const uint32_t a = w[i - 15];
    const uint32_t b = w[i - 2];
    w[i] = w[i - 16] + w[i - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (size_t i = 0; i < 64; ++i) {
    const uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                           ((e & f) ^ (~e & g)) + constants[i] + w[i];
    const uint32_t second =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const std::array<uint32_t, 8> change = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < 8; ++i) state[i] += change[i];
}

}  // namespace

std::string sha256(std::string_view bytes) {
  std::array<uint32_t, 8> state = root_bits<8>(std::sqrt);
  std::string tail(bytes.substr(bytes.size() / 64 * 64));
  const uint64_t length_bits = uint64_t{bytes.size()} * 8;
  for (; bytes.size() >= 64; bytes.remove_prefix(64)) add_block(state, bytes.substr(0, 64));

  tail.push_back('\x80');
  tail.resize((tail.size() + 8 + 63) / 64 * 64 - 8);
  for (int shift = 56; shift >= 0; shift -= 8)
    tail.push_back(static_cast<char>(length_bits >> shift));
  for (size_t at = 0; at < tail.size(); at += 64)
    add_block(state, std::string_view(tail).substr(at, 64));

  std::string hex;
  for (const uint32_t word : state) hex += fmt::format("{:08x}", word);
  return hex;
}

}  // namespace gem::testing
