#include "calls/clocks.h"

#include <string>
#include <unordered_map>

namespace slackline {

ClockGroups group_by_clock(const Trace& trace) {
  ClockGroups groups;
  std::unordered_map<std::string, std::uint32_t> of_host;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankInfo& info = trace.rank_info(r);
    const auto fresh = static_cast<std::uint32_t>(groups.ranks.size());
    const bool as_read = info.clock_offset_ns == 0 && info.clock_drift == 0;
    const std::uint32_t clock =
        info.host.empty() || !as_read ? fresh : of_host.try_emplace(info.host, fresh).first->second;
    if (clock == fresh) groups.ranks.emplace_back();
    groups.ranks[clock].push_back(r);
    groups.of_rank.push_back(clock);
  }
  return groups;
}

ClockGroups clock_of_each_rank(const Trace& trace) {
  ClockGroups groups;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    groups.of_rank.push_back(static_cast<std::uint32_t>(r));
    groups.ranks.push_back({r});
  }
  return groups;
}

}  // namespace slackline
