#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/paraver/names.h"

namespace slackline::paraver {

inline constexpr std::int64_t kFirstCounter = 42000000;
inline constexpr std::int64_t kLastCounter = 42999999;
/// In one trace. Processors count fewer at a time.
inline constexpr std::size_t kMostCounters = 64;

inline constexpr bool is_counter(std::int64_t type) {
  return type >= kFirstCounter && type <= kLastCounter;
}

/// The hardware counters of a trace, by the types of their events, in the order of their first
/// occurrence.
class CounterTypes {
 public:
  /// The counter's number; none beyond kMostCounters. Linear in the number of counters.
  std::optional<std::size_t> number(std::int64_t type);
  std::size_t size() const { return types_.size(); }
  /// As the .pcf has it, or PAPI's name where that is known, else "counter_42000000".
  std::string name(std::size_t number, const Names& names) const;

 private:
  std::vector<std::int64_t> types_;
};

/// The type under which counter `number` of this name is written.
std::int64_t counter_type(std::string_view name, std::size_t number);

}  // namespace slackline::paraver
