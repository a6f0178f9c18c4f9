#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/flat_map.h"
#include "formats/paraver/header.h"
#include "trace/trace_builder.h"

namespace slackline::paraver {

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
