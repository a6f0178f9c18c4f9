// Which calls' requests records can tell. A request's completion is a record inside the call that
// completes it, which names it by number; the reader gives it back to the call that is open under
// that number. The plan does the same over the rank's calls, so that the writer knows beforehand
// what will be read, and leaves the rest to attributes.

#include <algorithm>
#include <unordered_set>

#include "formats/otf2/rank_writer.h"
#include "trace/start_groups.h"

namespace slackline::otf2 {
namespace {

bool fits_serial(std::int64_t value) {
  return value > 0 && value <= 0xffffffff;
}

}  // namespace

RankWriter::RankWriter(const Trace& trace, std::int32_t rank, const CommRanks& comms,
                       std::uint64_t zero_ticks, Names& names)
    : trace_(trace),
      calls_(trace.calls(rank)),
      rank_(rank),
      comms_(comms),
      zero_ticks_(zero_ticks),
      names_(names) {
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    const std::uint16_t thread = calls_[i].thread;
    if (thread == threads_.back()) continue;
    if (std::ranges::find(threads_, thread) == threads_.end()) threads_.push_back(thread);
  }
  std::ranges::sort(threads_);
  plan_requests();
}

bool RankWriter::can_message(const Call& call) const {
  return call.tag >= 0 && comms_.relative(rank_, call.comm, call.peer) != CommRanks::kNone;
}

bool RankWriter::can_collective(const Call& call) const {
  if (collective_op(call.operation) < 0 || !comms_.exists(call.comm)) return false;
  return call.peer == kPeerNone || call.peer == kPeerRoot || call.peer == kPeerNull ||
         comms_.relative(rank_, call.comm, call.peer) != CommRanks::kNone;
}

bool RankWriter::group_can_start(std::span<const std::int64_t> group) const {
  if (!fits_serial(group[0]) || group[3] < 0 || group[3] > 0x7fffffff) return false;
  if (group[4] < 0 || group[5] < 0 || group[5] >= kCommNull) return false;
  if (group[2] < 0 || group[2] > 0x7fffffff) return false;
  return comms_.relative(rank_, static_cast<std::uint32_t>(group[5]),
                         static_cast<std::int32_t>(group[2])) != CommRanks::kNone;
}

bool RankWriter::can_start(const Call& call) const {
  switch (operation_class(call.operation)) {
    case OperationClass::isend:
    case OperationClass::irecv:
      return call.request != kRequestNone && can_message(call);
    case OperationClass::icollective:
      return call.request != kRequestNone && can_collective(call);
    case OperationClass::start: {
      const StartGroups groups(call.args);
      if (!groups.whole()) return false;
      for (std::size_t i = 0; i < groups.size(); ++i) {
        if (!group_can_start(groups.values(i))) return false;
      }
      return true;
    }
    default:
      return false;
  }
}

void RankWriter::plan_start(std::uint32_t i, FlatMap<std::uint32_t, Started, SerialHash>& open) {
  const Call call = calls_[i];
  if (!can_start(call)) return;
  told_[i] = 1;
  if (operation_class(call.operation) != OperationClass::start) {
    open[call.request] = {i, 0};
    return;
  }
  const StartGroups groups(call.args);
  for (std::uint32_t g = 0; g < groups.size(); ++g) open[groups[g].serial] = {i, g};
}

void RankWriter::plan_completion(std::uint32_t i,
                                 FlatMap<std::uint32_t, Started, SerialHash>& open) {
  const Call call = calls_[i];
  const auto complete = [&](std::uint32_t serial) {
    const Started* start = open.find(serial);
    if (start == nullptr) return;
    completed_.push_back({*start, serial});
    told_[start->call] = 2;
    open.erase(serial);
  };
  if (call.has(SLK_FLAG_FAILED)) return;
  if (call.request != kRequestNone) complete(call.request);
  for (const std::int64_t serial : call.args) {
    if (fits_serial(serial)) complete(static_cast<std::uint32_t>(serial));
  }
}

void RankWriter::plan_requests() {
  told_.assign(calls_.size(), 0);
  first_completed_.assign(calls_.size() + 1, 0);
  FlatMap<std::uint32_t, Started, SerialHash> open;
  for (std::uint32_t i = 0; i < calls_.size(); ++i) {
    first_completed_[i] = static_cast<std::uint32_t>(completed_.size());
    if (operation_class(calls_.operation(i)) == OperationClass::completion) {
      plan_completion(i, open);
    } else {
      plan_start(i, open);
    }
  }
  first_completed_.back() = static_cast<std::uint32_t>(completed_.size());
  if (threads_.size() == 1) return;
  // Threads are read one after the other: a number that is used twice could be taken for another.
  std::unordered_set<std::int64_t> seen;
  for (std::uint32_t i = 0; i < calls_.size(); ++i) {
    if (told_[i] == 0) continue;
    const Call call = calls_[i];
    if (operation_class(call.operation) != OperationClass::start) {
      requests_told_ = seen.insert(call.request).second && requests_told_;
      continue;
    }
    const StartGroups groups(call.args);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      requests_told_ = seen.insert(groups[g].serial).second && requests_told_;
    }
  }
}

}  // namespace slackline::otf2
