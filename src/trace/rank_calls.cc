#include "trace/rank_calls.h"

#include <algorithm>
#include <array>

namespace slackline {
namespace {

constexpr std::array<std::string_view, kPauseKinds> kPauseNames{"", "in_mpi", "no_processor",
                                                                "blocked", "recording"};

}  // namespace

std::string_view to_string(PauseKind kind) {
  return kPauseNames[static_cast<std::size_t>(kind)];
}

std::optional<PauseKind> pause_kind(std::string_view name) {
  const auto found = std::ranges::find(kPauseNames, name);
  if (found == kPauseNames.end()) return std::nullopt;
  return static_cast<PauseKind>(found - kPauseNames.begin());
}

PauseKind pause_kind(std::uint8_t number) {
  return number < kPauseNames.size() ? static_cast<PauseKind>(number) : PauseKind::other;
}

std::span<std::int64_t> RankCallsBuilder::mutable_args(std::size_t i) {
  const std::size_t at = columns_.args_at[i];
  return {args_.data() + at + 1, static_cast<std::size_t>(args_[at])};
}

std::size_t RankCalls::first_from(std::int64_t time) const {
  const std::span<const std::int64_t> begins = begins_ns();
  return static_cast<std::size_t>(std::ranges::lower_bound(begins, time) - begins.begin());
}

void RankCallsBuilder::retime(std::span<const std::int64_t> times) {
  const auto moved = [&](std::int64_t time, std::size_t before_call) {
    const std::size_t next = std::min(before_call, size());
    std::int64_t result = time;
    if (next > 0) result += times[2 * next - 1] - columns_.end_ns[next - 1];
    if (next == size()) return result;
    const std::int64_t beyond = std::max<std::int64_t>(0, time - columns_.begin_ns[next]);
    return std::min(result, times[2 * next] + beyond);
  };
  for (RegionEvent& event : regions_) event.time_ns = moved(event.time_ns, event.before_call);
  for (Pause& pause : pauses_) {
    pause = {moved(pause.begin_ns, pause.before_call), moved(pause.end_ns, pause.before_call),
             pause.before_call, pause.kind};
  }
  // A region may have calls inside: it begins in an earlier gap than it ends.
  parallel_regions_.map_times([&](std::int64_t time, std::size_t before_call) {
    while (before_call > 0 && columns_.begin_ns[before_call - 1] >= time) --before_call;
    return moved(time, before_call);
  });
  if (stop_ns_ != kNoStop) stop_ns_ = moved(stop_ns_, size());
  for (std::size_t i = 0; i < size(); ++i) {
    columns_.begin_ns[i] = times[2 * i];
    columns_.end_ns[i] = times[2 * i + 1];
  }
}

std::int64_t RankCalls::stop_ns() const {
  const std::int64_t last = last_end_ns();
  return stop_ns_ == kNoStop ? last : std::max(last, stop_ns_);
}

/// The gap before call i without the pauses that `counts` names.
template <class Counts>
std::int64_t RankCalls::gap_without(std::size_t i, Counts counts) const {
  std::int64_t rest = gap_ns(i);
  auto pause = std::ranges::lower_bound(pauses_, i, {}, &Pause::before_call);
  for (; pause != pauses_.end() && pause->before_call == i; ++pause) {
    if (counts(*pause)) rest -= pause->end_ns - pause->begin_ns;
  }
  return std::max<std::int64_t>(0, rest);
}

std::int64_t RankCalls::between_pauses(std::size_t i) const {
  return gap_without(i, [](const Pause&) { return true; });
}

std::int64_t RankCalls::paused_ns(std::size_t i, PauseKind kind) const {
  std::int64_t sum = 0;
  auto pause = std::ranges::lower_bound(pauses_, i, {}, &Pause::before_call);
  for (; pause != pauses_.end() && pause->before_call == i; ++pause) {
    if (pause->kind == kind) sum += pause->end_ns - pause->begin_ns;
  }
  return sum;
}

std::int64_t RankCalls::outside_ns(std::size_t i) const {
  return gap_without(i, [](const Pause& p) { return p.kind == PauseKind::in_mpi; });
}

void RankCallsBuilder::set_counter(std::size_t which, std::vector<std::uint64_t> values) {
  if (which >= counters_.size()) counters_.resize(which + 1);
  counters_[which] = CounterGains(std::move(values));
}

CounterGains::CounterGains(std::vector<std::uint64_t> of_gaps) {
  const auto zeros = static_cast<std::size_t>(std::ranges::count(of_gaps, std::uint64_t{0}));
  const std::size_t entry = sizeof(std::uint64_t) + sizeof(std::uint32_t);
  sparse_ = (of_gaps.size() - zeros) * entry < of_gaps.size() * sizeof(std::uint64_t);
  if (!sparse_) {
    gains_ = std::move(of_gaps);
    gains_.shrink_to_fit();
    return;
  }
  gains_.reserve(of_gaps.size() - zeros);
  gaps_.reserve(of_gaps.size() - zeros);
  for (std::size_t gap = 0; gap < of_gaps.size(); ++gap) {
    if (of_gaps[gap] == 0) continue;
    gains_.push_back(of_gaps[gap]);
    gaps_.push_back(static_cast<std::uint32_t>(gap));
  }
}

void RankCallsBuilder::set_fields(std::size_t i, const Call& call) {
  columns_.bytes[i] = call.bytes;
  columns_.peer[i] = call.peer;
  columns_.tag[i] = call.tag;
  columns_.comm[i] = call.comm;
  columns_.request[i] = call.request;
  columns_.operation[i] = call.operation;
  columns_.flags[i] = call.flags;
}

void RankCallsBuilder::replace(std::size_t i, const Call& call) {
  set_fields(i, call);
  if (call.thread != 0 && thread_.empty()) thread_.resize(size(), 0);
  if (!thread_.empty()) thread_[i] = call.thread;
  if (call.frame != 0 && frame_.empty()) frame_.resize(size(), 0);
  if (!frame_.empty()) frame_[i] = call.frame;
}

void RankCallsBuilder::append(const Call& call) {
  if (call.thread != 0 && thread_.empty()) thread_.resize(size(), 0);
  if (!thread_.empty() || call.thread != 0) thread_.push_back(call.thread);
  if (call.frame != 0 && frame_.empty()) frame_.resize(size(), 0);
  if (!frame_.empty() || call.frame != 0) frame_.push_back(call.frame);
  const std::size_t i = columns_.add();
  columns_.begin_ns[i] = call.begin_ns;
  columns_.end_ns[i] = call.end_ns;
  set_fields(i, call);
  columns_.args_at[i] = call.args.empty() ? 0 : static_cast<std::uint32_t>(args_.size());
  if (call.args.empty()) return;
  args_.push_back(static_cast<std::int64_t>(call.args.size()));
  args_.insert(args_.end(), call.args.begin(), call.args.end());
}

void RankCallsBuilder::resolve(std::size_t i, std::int32_t peer, std::int32_t tag,
                               std::uint64_t bytes) {
  columns_.peer[i] = peer;
  columns_.tag[i] = tag;
  columns_.bytes[i] = bytes;
}

void RankCallsBuilder::shrink() {
  columns_.shrink();
  args_.shrink_to_fit();
  thread_.shrink_to_fit();
  frame_.shrink_to_fit();
  regions_.shrink_to_fit();
  pauses_.shrink_to_fit();
  parallel_regions_.shrink();
}

}  // namespace slackline
