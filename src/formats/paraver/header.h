#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/flat_map.h"
#include "trace/trace_builder.h"

namespace slackline::paraver {

/// Line 1 of a .prv file:
/// `#Paraver (date at time):duration[_unit]:nodes:applications:application...[,communicators]`.
struct Header {
  std::string started;              ///< ISO 8601, empty if the date is not understood
  std::int64_t duration_ns = 0;     ///< of the whole run
  std::int64_t ns_per_unit = 1000;  ///< of every time in the file; without a unit: microseconds
  std::vector<std::int64_t> nodes;  ///< processors of each node; empty if not told
  struct Application {
    std::vector<std::int32_t> node_of_task;  ///< from 1, 0 unknown; as many as tasks
    std::int32_t first_rank = 0;             ///< rank of its first task
  };
  std::vector<Application> applications;
  std::int32_t ranks = 0;  ///< tasks of all applications

  /// Rank of a task (both from 1), or -1.
  std::int32_t rank_of(std::int64_t application, std::int64_t task) const;
};

bool looks_like_header(std::string_view text);

/// Throws Error naming `name` (the file) and line 1. Memory is bounded by the line's length.
Header parse_header(std::string_view line, std::string_view name);

/// The communicators of `c:` lines, and which of the Trace's they are.
class Communicators {
 public:
  explicit Communicators(TraceBuilder& trace)
      : trace_(trace), self_seen_(trace.communicators()[0].members.size()) {}

  /// A line "c:application:id:size:task:..."; false when it makes no sense.
  bool add(std::string_view line, const Header& header);
  /// The Trace's communicator, kCommNull if the file lists none of that number.
  std::uint32_t find(std::int64_t application, std::int64_t id);

 private:
  struct Key {
    std::int64_t application = 0;
    std::int64_t id = 0;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::uint64_t operator()(const Key& k) const {
      return mix_bits(mix_bits(static_cast<std::uint64_t>(k.application)) ^
                      static_cast<std::uint64_t>(k.id));
    }
  };

  std::uint32_t identify(std::vector<std::int32_t> members);

  TraceBuilder& trace_;
  FlatMap<Key, std::uint32_t, KeyHash> ids_;
  bool world_seen_ = false;
  std::vector<bool> self_seen_;
};

}  // namespace slackline::paraver
