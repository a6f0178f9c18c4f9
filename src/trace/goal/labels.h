#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/flat_map.h"

namespace slackline {

/// The labels of one rank block of a GOAL file, and which operations they name.
///
/// Files written by programs number their labels ("l17"): those are looked up in an array, all
/// others in a hash table. The views must outlive the table.
class GoalLabels {
 public:
  static constexpr std::uint32_t kUnknown = 0xffffffffu;

  /// The first definition wins, as in LogGOPSim.
  void define(std::string_view label, std::uint32_t operation);
  /// kUnknown if there is none.
  std::uint32_t find(std::string_view label);

 private:
  struct Hash {
    std::uint64_t operator()(std::string_view text) const {
      std::uint64_t h = text.size();
      for (const char c : text) h = mix_bits(h ^ static_cast<unsigned char>(c));
      return h;
    }
  };
  struct Numbered {
    std::string_view prefix;
    std::vector<std::uint32_t> operations;  // by number; kUnknown where there is none
  };
  struct Parts {
    std::string_view prefix;
    std::uint64_t number;
  };

  static bool split(std::string_view label, Parts& parts);
  Numbered* numbered(std::string_view prefix);

  std::vector<Numbered> numbered_;
  std::size_t last_used_ = 0;
  FlatMap<std::string_view, std::uint32_t, Hash> others_;
  std::uint64_t defined_ = 0;
};

}  // namespace slackline
