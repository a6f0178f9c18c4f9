#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "graph/execution_graph.h"

namespace slackline {

/// The parameters of LogGPS that cost time (S belongs to the graph's options: it decides topology).
/// Source: Culler et al. 1993 (LogP), Alexandrov et al. 1995 (G), Ino et al. 2001 (S). g is taken
/// as covered by o, as LLAMP does.
struct LogGPS {
  std::int64_t latency_fs = 0;       ///< L: one crossing of the network
  std::int64_t overhead_fs = 0;      ///< o: CPU time per message and side
  std::int64_t gap_per_byte_fs = 0;  ///< G: inverse bandwidth, femtoseconds per byte
};

/// The ends of the parameters' 95 % intervals, where they were measured.
struct ParameterBounds {
  LogGPS low;
  LogGPS high;
};

enum class Parameter : std::uint8_t { latency, overhead, gap_per_byte };

/// "L", "o", "G".
std::string_view symbol(Parameter parameter);
/// Throws usage Error.
Parameter parse_parameter(std::string_view symbol);
std::int64_t value_fs(const LogGPS& model, Parameter parameter);

/// How often `parameter` is paid on an edge.
constexpr std::int64_t multiples(const Edge& e, Parameter parameter) {
  switch (parameter) {
    case Parameter::latency:
      return e.latencies;
    case Parameter::overhead:
      return e.overheads;
    case Parameter::gap_per_byte:
      return e.bytes > 0 ? static_cast<std::int64_t>(e.bytes) - 1 : 0;
  }
  return 0;
}

/// Published parameters of a kind of network, with where they come from.
struct NamedNetwork {
  std::string_view name;
  LogGPS model;
  std::uint64_t eager_threshold_bytes;
  std::string_view source;
};

/// The visible list, the default first.
std::span<const NamedNetwork> named_networks();
/// Throws usage Error that lists the names.
const NamedNetwork& find_network(std::string_view name);

}  // namespace slackline
