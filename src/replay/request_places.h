#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <unordered_map>
#include <vector>

namespace slackline {

/// Gives everything that is open under a serial number a place in a table, as low as possible, so
/// that a program that repeats itself uses the same places again. Places count from 1.
class RequestPlaces {
 public:
  /// The place of a new serial. Logarithmic in the number of places.
  std::uint32_t open(std::uint32_t serial) {
    const std::uint32_t place = take();
    places_[serial] = place;
    return place;
  }
  /// Another serial for what is at `place`, which stays taken when that one is closed.
  void rename(std::uint32_t serial, std::uint32_t place) { places_[serial] = place; }
  /// 0 if nothing is open under that serial.
  std::uint32_t find(std::uint32_t serial) const {
    const auto found = places_.find(serial);
    return found == places_.end() ? 0 : found->second;
  }
  void forget(std::uint32_t serial) { places_.erase(serial); }
  /// Whoever opens next may get that place.
  void release(std::uint32_t place) { free_.push(place); }
  /// A place that no serial belongs to.
  std::uint32_t take() {
    if (free_.empty()) return ++most_;
    const std::uint32_t place = free_.top();
    free_.pop();
    return place;
  }
  /// How many places were ever taken at the same time.
  std::uint32_t most() const { return most_; }

 private:
  std::unordered_map<std::uint32_t, std::uint32_t> places_;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> free_;
  std::uint32_t most_ = 0;
};

}  // namespace slackline
