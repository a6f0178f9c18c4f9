#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/flat_map.h"

namespace slackline {

/// The labels of one rank block of a GOAL file, and which operations they name.
///
/// Files written by programs number their labels ("l17"). If the numbers follow the operations,
/// they are a row and need no table at all; other numbers are looked up in an array, and all other
/// labels in a hash table. The views must outlive the table.
class GoalLabels {
 public:
  static constexpr std::uint32_t kUnknown = 0xffffffffu;

  /// The first definition wins, as in LogGOPSim.
  void define(std::string_view label, std::uint32_t operation);
  /// kUnknown if there is none.
  std::uint32_t find(std::string_view label);

  /// Prefix of the labels, if all of them so far are a row; else empty.
  std::string_view row_prefix() const { return row_prefix_; }
  /// Would the prefix with `number`, for the next operation, continue the row?
  bool continues_row(std::uint64_t number, std::uint32_t operation) const {
    return number == row_first_ + row_length_ && operation == row_operation_ + row_length_;
  }
  void continue_row() { ++row_length_; }
  /// The operation of the row's prefix with `number`; kUnknown if there is none.
  std::uint32_t find_in_row(std::uint64_t number) const {
    const std::uint64_t place = number - row_first_;
    return place < row_length_ ? static_cast<std::uint32_t>(row_operation_ + place) : kUnknown;
  }

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
  bool define_in_row(const Parts& parts, std::uint32_t operation);
  void end_row();
  Numbered* numbered(std::string_view prefix);
  bool define_numbered(const Parts& parts, std::uint32_t operation);

  std::string_view row_prefix_;
  std::uint64_t row_first_ = 0;      // number of its first label
  std::uint64_t row_operation_ = 0;  // and the operation
  std::uint64_t row_length_ = 0;
  bool row_ended_ = false;
  std::vector<Numbered> numbered_;
  std::size_t last_used_ = 0;
  FlatMap<std::string_view, std::uint32_t, Hash> others_;
  std::uint64_t defined_ = 0;
};

}  // namespace slackline
