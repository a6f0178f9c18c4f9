#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

namespace slackline {

/// The numbers 0 to count - 1, from the one whose `key` is largest on; equal ones in ascending
/// order. O(count log count).
template <class Key>
std::vector<std::size_t> largest_first(std::size_t count, Key key) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, key);
  return order;
}

}  // namespace slackline
