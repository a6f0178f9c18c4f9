#include "base/noise.h"

#include <cmath>

namespace slackline {
namespace {

/// A number in [0, 1) for each pair of numbers and seed, the same in every run (splitmix64).
double random_unit(std::uint64_t seed, std::uint64_t stream, std::uint64_t number) {
  std::uint64_t x = seed * 0x9e3779b97f4a7c15ull + stream * 0xbf58476d1ce4e5b9ull + number;
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  x ^= x >> 31;
  return static_cast<double>(x >> 11) * 0x1p-53;
}

}  // namespace

double Noise::factor(double length, std::uint64_t stream, std::uint64_t number) const {
  const double u = random_unit(seed, stream, number);
  return 1 + (share + time / length) * (exponential ? -std::log1p(-u) : u);
}

}  // namespace slackline
