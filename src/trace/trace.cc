#include "trace/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace slackline {
namespace {

constexpr std::array<std::string_view, 5> kPauseKinds{"", "in_mpi", "no_processor", "blocked",
                                                      "recording"};

}  // namespace

std::string_view to_string(PauseKind kind) {
  return kPauseKinds[static_cast<std::size_t>(kind)];
}

std::optional<PauseKind> pause_kind(std::string_view name) {
  const auto found = std::ranges::find(kPauseKinds, name);
  if (found == kPauseKinds.end()) return std::nullopt;
  return static_cast<PauseKind>(found - kPauseKinds.begin());
}

PauseKind pause_kind(std::uint8_t number) {
  return number < kPauseKinds.size() ? static_cast<PauseKind>(number) : PauseKind::other;
}

std::span<std::int64_t> RankCalls::mutable_args(std::size_t i) {
  const std::size_t at = columns_.args_at[i];
  return {args_.data() + at + 1, static_cast<std::size_t>(args_[at])};
}

std::size_t RankCalls::first_from(std::int64_t time) const {
  const std::span<const std::int64_t> begins = begins_ns();
  return static_cast<std::size_t>(std::ranges::lower_bound(begins, time) - begins.begin());
}

void RankCalls::retime(std::span<const std::int64_t> times) {
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
  std::int64_t rest = i < size() ? gap_ns(i) : stop_ns() - last_end_ns();
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

void RankCalls::set_counter(std::size_t which, std::vector<std::uint64_t> values) {
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

void RankCalls::set_fields(std::size_t i, const Call& call) {
  columns_.bytes[i] = call.bytes;
  columns_.peer[i] = call.peer;
  columns_.tag[i] = call.tag;
  columns_.comm[i] = call.comm;
  columns_.request[i] = call.request;
  columns_.operation[i] = call.operation;
  columns_.flags[i] = call.flags;
}

void RankCalls::replace(std::size_t i, const Call& call) {
  set_fields(i, call);
  if (call.thread != 0 && thread_.empty()) thread_.resize(size(), 0);
  if (!thread_.empty()) thread_[i] = call.thread;
  if (call.frame != 0 && frame_.empty()) frame_.resize(size(), 0);
  if (!frame_.empty()) frame_[i] = call.frame;
}

void RankCalls::append(const Call& call) {
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

void RankCalls::resolve(std::size_t i, std::int32_t peer, std::int32_t tag, std::uint64_t bytes) {
  columns_.peer[i] = peer;
  columns_.tag[i] = tag;
  columns_.bytes[i] = bytes;
}

void RankCalls::shrink() {
  columns_.shrink();
  args_.shrink_to_fit();
  thread_.shrink_to_fit();
  frame_.shrink_to_fit();
  regions_.shrink_to_fit();
  pauses_.shrink_to_fit();
}

Trace::Trace(std::int32_t ranks, bool timed) : calls_(index(ranks)) {
  job_.rank_info.resize(index(ranks));
  job_.communicators.resize(2);
  job_.timed = timed;
  job_.communicators[kCommWorld].name = "MPI_COMM_WORLD";
  job_.communicators[kCommWorld].members.resize(index(ranks));
  std::iota(job_.communicators[kCommWorld].members.begin(),
            job_.communicators[kCommWorld].members.end(), 0);
  job_.communicators[kCommSelf].name = "MPI_COMM_SELF";
}

Trace::Trace(Job job, std::vector<RankCalls> calls)
    : calls_(std::move(calls)), job_(std::move(job)) {}

Trace Trace::without_calls(bool timed) const {
  Trace copy(job_, std::vector<RankCalls>(calls_.size()));
  copy.job_.counters.clear();
  copy.job_.timed = timed;
  return copy;
}

void Trace::reserve_calls(std::span<const std::size_t> of_rank) {
  RankColumns::reserve_joined(columns_of_ranks(), of_rank);
}

void Trace::join_columns() {
  RankColumns::join(columns_of_ranks());
}

std::vector<RankColumns*> Trace::columns_of_ranks() {
  std::vector<RankColumns*> columns;
  for (RankCalls& calls : calls_) columns.push_back(&calls.columns_);
  return columns;
}

std::uint64_t Trace::call_count() const {
  return std::accumulate(calls_.begin(), calls_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const RankCalls& c) { return sum + c.size(); });
}

std::int32_t Trace::rank_in(std::uint32_t comm, std::int32_t world_rank) const {
  if (comm == kCommWorld) return world_rank;
  if (comm == kCommSelf) return 0;
  if (comm >= job_.communicators.size()) return -1;
  const auto& members = job_.communicators[comm].members;
  const auto found = std::ranges::find(members, world_rank);
  return found == members.end() ? -1 : static_cast<std::int32_t>(found - members.begin());
}

std::uint32_t Trace::add_communicator(Communicator communicator) {
  job_.communicators.push_back(std::move(communicator));
  return static_cast<std::uint32_t>(job_.communicators.size() - 1);
}

namespace {

constexpr FindingKind kLongName{
    "region_name_shortened", Severity::notice,
    "Names of code regions longer than 4,096 bytes: shortened, with a hash of the whole."};
constexpr std::size_t kShownOfLongName = 40;

/// Different names stay different. FNV-1a.
std::string shortened_name(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  std::string text(name.substr(0, Trace::kLongestRegionName - 20));
  // Not in the middle of a character of UTF-8.
  constexpr unsigned char kFirstLead = 0xc0;
  for (bool in_character = true; in_character && !text.empty();) {
    const auto last = static_cast<unsigned char>(text.back());
    if (last < 0x80) break;
    text.pop_back();
    in_character = last < kFirstLead;
  }
  return text + fmt::format("...{:016x}", hash);
}

}  // namespace

std::uint32_t Trace::region_id(std::string_view name) {
  if (name.size() > kLongestRegionName) {
    findings().add(kLongName, std::string(name.substr(0, kShownOfLongName)));
    return region_id(shortened_name(name));
  }
  const auto found = job_.region_ids.find(name);
  if (found != job_.region_ids.end()) return found->second;
  const auto id = static_cast<std::uint32_t>(job_.regions.size());
  job_.regions.emplace_back(name);
  job_.region_ids.emplace(name, id);
  return id;
}

std::size_t Trace::add_counter(std::string_view name) {
  job_.counters.emplace_back(name);
  return job_.counters.size() - 1;
}

namespace {

bool same_call(const Call& a, const Call& b) {
  return a.operation == b.operation && a.flags == b.flags && a.thread == b.thread &&
         a.frame == b.frame && a.begin_ns == b.begin_ns && a.end_ns == b.end_ns &&
         a.bytes == b.bytes && a.peer == b.peer && a.tag == b.tag && a.comm == b.comm &&
         a.request == b.request && std::ranges::equal(a.args, b.args);
}

bool same_region_event(const RegionEvent& a, const RegionEvent& b) {
  return a.time_ns == b.time_ns && a.region == b.region && a.before_call == b.before_call &&
         a.enter == b.enter;
}

bool same_calls(const RankCalls& a, const RankCalls& b) {
  if (a.size() != b.size() || a.start_ns() != b.start_ns()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same_call(a[i], b[i])) return false;
  }
  return std::ranges::equal(a.regions(), b.regions(), same_region_event);
}

}  // namespace

bool same_content(const Trace& a, const Trace& b) {
  if (a.ranks() != b.ranks() || a.timed() != b.timed() || a.regions() != b.regions() ||
      a.call_tree() != b.call_tree()) {
    return false;
  }
  if (!std::ranges::equal(a.communicators(), b.communicators(),
                          [](const Communicator& x, const Communicator& y) {
                            return x.members == y.members && x.remote == y.remote;
                          })) {
    return false;
  }
  for (std::int32_t r = 0; r < a.ranks(); ++r) {
    if (!same_calls(a.calls(r), b.calls(r))) return false;
  }
  return true;
}

}  // namespace slackline
