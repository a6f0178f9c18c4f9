#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "calls/call_matching.h"

namespace slackline {

/// Some of a trace's calls, one bit each, and numbers for them: so that what is known of few calls
/// takes memory for these only.
class CallSet {
 public:
  explicit CallSet(const Trace& trace) : ranks_(static_cast<std::size_t>(trace.ranks())) {
    for (std::int32_t r = 0; r < trace.ranks(); ++r) {
      ranks_[static_cast<std::size_t>(r)].words.resize(trace.calls(r).size() / 64 + 1);
    }
  }

  void insert(std::int32_t rank, CallIndex call) { word(rank, call).bits |= bit(call); }
  bool contains(std::int32_t rank, CallIndex call) const {
    return (word(rank, call).bits & bit(call)) != 0;
  }

  /// Numbers what is in it; nothing may be inserted after that.
  void number() {
    std::uint64_t next = 0;
    for (OfRank& rank : ranks_) {
      for (Word& w : rank.words) {
        w.before = next;
        next += static_cast<std::uint64_t>(std::popcount(w.bits));
      }
    }
    size_ = static_cast<std::size_t>(next);
  }
  /// As numbered.
  std::size_t size() const { return size_; }
  /// Number of the first one of a rank, or after the last rank of none: what is before that.
  std::size_t first_of(std::int32_t rank) const {
    const auto r = static_cast<std::size_t>(rank);
    return r < ranks_.size() ? static_cast<std::size_t>(ranks_[r].words.front().before) : size_;
  }
  /// The number of a call of the set among its rank's calls, from 0 on.
  std::size_t number_of(std::int32_t rank, CallIndex call) const {
    const Word& w = word(rank, call);
    return static_cast<std::size_t>(w.before) +
           static_cast<std::size_t>(std::popcount(w.bits & (bit(call) - 1)));
  }

 private:
  struct Word {
    std::uint64_t bits = 0;
    std::uint64_t before = 0;
  };
  struct OfRank {
    std::vector<Word> words{};
  };
  static std::uint64_t bit(CallIndex call) { return std::uint64_t{1} << (call % 64); }
  Word& word(std::int32_t rank, CallIndex call) {
    return ranks_[static_cast<std::size_t>(rank)].words[call / 64];
  }
  const Word& word(std::int32_t rank, CallIndex call) const {
    return ranks_[static_cast<std::size_t>(rank)].words[call / 64];
  }

  std::vector<OfRank> ranks_;
  std::size_t size_ = 0;
};

}  // namespace slackline
