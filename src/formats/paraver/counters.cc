#include "formats/paraver/counters.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/paraver/mpi_values.h"

namespace slackline::paraver {
namespace {

// Extrae numbers the processor's own events from here on, which nobody else does.
constexpr std::int64_t kFirstNative = 42001000;

}  // namespace

std::optional<std::size_t> CounterTypes::number(std::int64_t type) {
  const auto found = std::ranges::find(types_, type);
  const auto number = static_cast<std::size_t>(found - types_.begin());
  if (found != types_.end()) return number;
  if (number == kMostCounters) return std::nullopt;
  types_.push_back(type);
  return number;
}

std::string CounterTypes::name(std::size_t number, const Names& names) const {
  const std::int64_t type = types_[number];
  const auto named = names.counters.find(type);
  if (named != names.counters.end()) return named->second;
  if (type == kInstructions) return "PAPI_TOT_INS";
  if (type == kCycles) return "PAPI_TOT_CYC";
  return fmt::format("counter_{}", type);
}

std::int64_t counter_type(std::string_view name, std::size_t number) {
  if (name == "PAPI_TOT_INS") return kInstructions;
  if (name == "PAPI_TOT_CYC") return kCycles;
  return kFirstNative + static_cast<std::int64_t>(number);
}

}  // namespace slackline::paraver
