#include <algorithm>

#include "formats/otf2/rank_writer.h"

namespace slackline::otf2 {
namespace {

using Index = std::vector<std::pair<std::int32_t, std::uint32_t>>;

Index index_of(const std::vector<std::int32_t>& members) {
  Index index;
  index.reserve(members.size());
  for (std::uint32_t i = 0; i < members.size(); ++i) index.emplace_back(members[i], i);
  std::ranges::sort(index);
  return index;
}

}  // namespace

CommRanks::CommRanks(const Trace& trace) : ranks_(trace.ranks()) {
  for (std::size_t c = 0; c < trace.communicators().size(); ++c) {
    const Communicator& comm = trace.communicators()[c];
    if (c <= kCommSelf) {
      comms_.emplace_back();
    } else {
      comms_.push_back({index_of(comm.members), index_of(comm.remote)});
    }
  }
}

std::uint32_t CommRanks::find(const Index& index, std::int32_t world) {
  const auto found = std::ranges::lower_bound(index, std::pair{world, std::uint32_t{0}});
  return found != index.end() && found->first == world ? found->second : kNone;
}

std::uint32_t CommRanks::relative(std::int32_t rank, std::uint32_t comm, std::int32_t peer) const {
  if (!exists(comm) || peer < 0 || peer >= ranks_) return kNone;
  if (comm == kCommWorld) return static_cast<std::uint32_t>(peer);
  if (comm == kCommSelf) return peer == rank ? 0 : kNone;
  const Comm& c = comms_[comm];
  const bool other = !c.remote.empty() && find(c.members, rank) != kNone;
  return find(other ? c.remote : c.members, peer);
}

std::uint64_t CommRanks::own(std::int32_t rank, std::uint32_t comm) const {
  if (comm == kCommWorld) return static_cast<std::uint64_t>(rank);
  if (comm == kCommSelf) return 0;
  const std::uint32_t found = find(comms_[comm].members, rank);
  return found == kNone ? 0 : found;
}

std::uint64_t CommRanks::size(std::uint32_t comm) const {
  if (comm == kCommWorld) return static_cast<std::uint64_t>(ranks_);
  if (comm == kCommSelf) return 1;
  return comms_[comm].members.size();
}

}  // namespace slackline::otf2
