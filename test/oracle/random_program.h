#pragma once

#include <cstdint>
#include <vector>

#include "oracle/program.h"

namespace slackline::oracle {

/// Where a random program takes its decisions from. Less of it gives a shorter program, smaller
/// numbers a simpler one, so that a property library can shrink what it found.
class Choices {
 public:
  explicit Choices(std::vector<std::uint32_t> values) : values_(std::move(values)) {}
  /// `count` values from a generator with that seed.
  Choices(std::uint64_t seed, std::size_t count);

  /// A number in [0, n); 0 when nothing is left.
  std::uint32_t below(std::uint32_t n) { return used_ < values_.size() ? values_[used_++] % n : 0; }
  bool one_in(std::uint32_t n) { return below(n) == n - 1; }
  template <class Container>
  auto element(const Container& of) {
    return of[below(static_cast<std::uint32_t>(of.size()))];
  }
  bool over() const { return used_ >= values_.size(); }

 private:
  std::vector<std::uint32_t> values_;
  std::size_t used_ = 0;
};

struct ProgramShape {
  std::int32_t max_ranks = 8;
  std::size_t max_events = 60;
  bool collectives = true;
  bool world_collectives = true;  ///< else only on communicators that list their members
  bool timed = false;
  /// Now and then all that is open is completed, more often than not, before a collective of all.
  bool synchronised = false;
};

/// A sound program of blocking, nonblocking and persistent point-to-point calls of every mode,
/// probes, polls, and collectives, that does not deadlock whatever the eager threshold.
Program random_program(Choices choices, const ProgramShape& shape);

}  // namespace slackline::oracle
