#include "replay/rank_communicators.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "replay/step_list.h"
#include "trace/replay_wire.h"

namespace slackline {
namespace {

bool contains(const std::vector<std::int32_t>& members, std::int32_t rank) {
  return std::ranges::find(members, rank) != members.end();
}

/// As runs of members at equal distances.
void put_members(std::string& to, const std::vector<std::int32_t>& members) {
  struct Run {
    std::int32_t first, stride;
    std::uint64_t count;
  };
  std::vector<Run> runs;
  for (const std::int32_t member : members) {
    if (!runs.empty()) {
      Run& last = runs.back();
      if (last.count == 1) last.stride = member - last.first;
      const auto next = last.first + static_cast<std::int64_t>(last.count) * last.stride;
      if (next == member) {
        ++last.count;
        continue;
      }
    }
    runs.push_back({member, 0, 1});
  }
  put_unsigned(to, runs.size());
  for (const Run& run : runs) {
    put_unsigned(to, static_cast<std::uint64_t>(run.first));
    put_signed(to, run.stride);
    put_unsigned(to, run.count);
  }
}

void put_ranks(std::string& to, const std::vector<std::int32_t>& ranks) {
  put_unsigned(to, ranks.size());
  for (const std::int32_t rank : ranks) put_signed(to, rank);
}

}  // namespace

RankCommunicators::RankCommunicators(const Trace& trace, const CommunicatorPlan& plan,
                                     std::int32_t rank)
    : trace_(trace),
      plan_(plan),
      rank_(rank),
      index_(trace.communicators().size(), kUnknown),
      self_{rank} {
  for (std::uint32_t c = 0; c < index_.size(); ++c) {
    const Communicator& comm = trace.communicators()[c];
    if (c <= kCommSelf) {
      index_[c] = c;
    } else if (contains(comm.members, rank) || contains(comm.remote, rank)) {
      mine_.push_back(c);
      index_[c] = static_cast<std::uint32_t>(mine_.size() + 1);
    }
  }
}

std::uint32_t RankCommunicators::index(std::uint32_t comm) const {
  if (knows(comm)) return index_[comm];
  throw Error("cannot replay the trace",
              fmt::format("rank {} uses a communicator that it is not a member of", rank_),
              "Record the program again.");
}

bool RankCommunicators::is_inter(std::uint32_t comm) const {
  return comm < index_.size() && trace_.communicators()[comm].is_inter();
}

const std::vector<std::int32_t>& RankCommunicators::side(std::uint32_t comm, bool own) const {
  if (comm == kCommSelf) return self_;
  const Communicator& c = trace_.communicators()[comm];
  if (!c.is_inter()) return c.members;
  return contains(c.members, rank_) == own ? c.members : c.remote;
}

const std::vector<std::int32_t>& RankCommunicators::peers(std::uint32_t comm) const {
  return side(comm, false);
}
const std::vector<std::int32_t>& RankCommunicators::own_group(std::uint32_t comm) const {
  return side(comm, true);
}

std::int32_t RankCommunicators::rank_in(std::uint32_t comm, std::int32_t world) const {
  if (world < 0 || comm == kCommWorld) return world;
  const auto& group = peers(comm);
  const auto found = std::ranges::find(group, world);
  return found == group.end() ? kPeerNull : static_cast<std::int32_t>(found - group.begin());
}

std::uint64_t RankCommunicators::peer_count(std::uint32_t comm) const {
  return comm == kCommWorld ? static_cast<std::uint64_t>(trace_.ranks()) : peers(comm).size();
}

void RankCommunicators::write(std::string& to) const {
  for (const std::uint32_t comm : mine_) {
    const bool topology = plan_.has_topology(comm);
    unsigned flags = 0;
    if (plan_.is_premade(comm)) flags |= SLK_REPLAY_COMM_PREMADE;
    if (is_inter(comm)) flags |= SLK_REPLAY_COMM_INTER;
    if (topology) flags |= SLK_REPLAY_COMM_TOPOLOGY;
    put_unsigned(to, flags);
    put_members(to, own_group(comm));
    put_members(to, is_inter(comm) ? peers(comm) : std::vector<std::int32_t>{});
    if (!topology) continue;
    const ReplayTopology* near = plan_.topology(comm, rank_);
    put_ranks(to, near == nullptr ? std::vector<std::int32_t>{} : near->out);
    put_ranks(to, near == nullptr ? std::vector<std::int32_t>{} : near->in);
  }
}

}  // namespace slackline
