#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace slackline {

/// What is known of one collective call whose steps depend on who has come when rank 0 looks
/// (arrival.cc), and only come out while it is performed. All ranks of a call share it.
struct ArrivalRecord {
  /// Ranks that are served together, in that order.
  using Round = std::vector<std::int32_t>;

  /// What rank 0's looks found so far, in order. Whoever performs the looks adds to it.
  std::vector<bool> found;
  /// The rounds so far of every collective by order of arrival within the call; rank 0's expansion
  /// says so.
  std::vector<std::vector<Round>> rounds;
};

/// The record as one expansion of a rank's steps reads it, from the beginning. Where it needs to
/// know more than there is, it ends; it is made anew when the steps until there are done, and then
/// begins with the same ones.
class Arrivals {
 public:
  explicit Arrivals(ArrivalRecord& record) : record_(record) {}

  /// The number of a look that the expansion writes.
  std::size_t next_look() { return looks_++; }
  /// Whether it found a message; nothing when it has not been performed, and the steps end here.
  std::optional<bool> found(std::size_t look) {
    if (look < record_.found.size()) return record_.found[look];
    incomplete_ = true;
    return std::nullopt;
  }

  /// The number of a collective by order of arrival that the expansion comes to.
  std::size_t next_collective() {
    if (collectives_ == record_.rounds.size()) record_.rounds.emplace_back();
    return collectives_++;
  }
  std::vector<ArrivalRecord::Round>& rounds(std::size_t collective) {
    return record_.rounds[collective];
  }

  /// The steps that are still to come are not known.
  void stop() { incomplete_ = true; }
  bool incomplete() const { return incomplete_; }

 private:
  ArrivalRecord& record_;
  std::size_t looks_ = 0, collectives_ = 0;
  bool incomplete_ = false;
};

}  // namespace slackline
