#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "trace/trace.h"

namespace slackline {

/// Which of a rank's wildcards may be posted as wildcards again. A receive from any source may take
/// a message that another receive needs: if that one names its source, it would wait forever. So a
/// wildcard is free only where all receives on its communicator that could take its messages are
/// posted alike; then each of them gets one, whatever the order.
class FreeWildcards {
 public:
  /// Linear in calls.
  explicit FreeWildcards(const RankCalls& calls);

  /// For a receive that was posted with those `flags` (enum slk_flag).
  bool is_free(std::uint32_t comm, std::int32_t tag, std::uint8_t flags) const;

 private:
  struct Posted {
    std::set<std::int32_t> named_tags;       ///< of receives that name their source
    std::set<std::int32_t> any_source_tags;  ///< of receives from any source
    bool any_tag_named = false;              ///< any tag from one source
    bool any = false;                        ///< any tag from any source
  };
  void add(std::uint32_t comm, std::int32_t tag, std::uint8_t flags);

  std::map<std::uint32_t, Posted> posted_;
};

}  // namespace slackline
