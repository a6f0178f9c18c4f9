// From a GOAL program to its reduction in one walk.
//
// A contraction (contraction.h) wants vertices in topological order, and a good order follows one
// rank for as long as it can. A general search for one keeps a stack of operations and looks at
// each operation's dependencies again and again. Here each rank simply goes through its block, in
// an order in which dependencies go back, and only receives are not taken when they come: they are
// posted, and get their message when somebody waits for them. If the message has not been sent by
// then, the rank that sends it goes on up to there, and so on: a stack of ranks.
//
// A rank that is asked for in the middle of its own waiting is the end of this: perhaps it could
// send first what stands later in its block. Then the walk gives up, and whoever called it orders
// single operations by a general search (or finds the cycle).
//
// Costs: a calc its time, a send o, a message L + (s-1)G + o; see graph/goal/goal_graph.h.

#include "timing/goal_contraction.h"

#include <algorithm>

#include "base/parallel.h"

namespace slackline {
namespace {

constexpr std::uint32_t kNone = 0xffffffffu;
constexpr LogGPSForm kOverhead{.overheads = 1};

}  // namespace

GoalBlockOrder::GoalBlockOrder(const GoalRank& rank) {
  const auto back = [](const GoalDependency& d) { return d.on < d.dependent; };
  if (std::ranges::all_of(rank.dependencies(), back)) return;
  first_.assign(rank.size() + std::size_t{1}, 0);
  for (const GoalDependency& d : rank.dependencies()) ++first_[d.dependent + std::size_t{1}];
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  order_.reserve(rank.size());
  std::vector<char> state(rank.size(), 0);
  for (std::uint32_t i = 0; i < rank.size() && exists_; ++i) {
    if (state[i] == 0) exists_ = search(rank, i, state);
  }
}

/// Depth first, in the order of the block.
bool GoalBlockOrder::search(const GoalRank& rank, std::uint32_t root, std::vector<char>& state) {
  constexpr char kOpen = 1;
  constexpr char kClosed = 2;
  struct Frame {
    std::uint32_t operation;
    std::uint32_t next;
  };
  std::vector<Frame> stack{{root, first_[root]}};
  state[root] = kOpen;
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.next == first_[top.operation + std::size_t{1}]) {
      order_.push_back(top.operation);
      state[top.operation] = kClosed;
      stack.pop_back();
      continue;
    }
    const std::uint32_t on = rank.dependencies()[top.next++].on;
    if (state[on] == kOpen) return false;
    if (state[on] == kClosed) continue;
    state[on] = kOpen;
    stack.push_back({on, first_[on]});
  }
  return true;
}

GoalContraction::GoalContraction(const GoalProgram& program, const GoalMatches& matches,
                                 const std::vector<GoalBlockOrder>& orders, unsigned threads)
    : program_(program),
      matches_(matches),
      orders_(orders),
      state_(matches.operation_count(), 0),
      progress_(program.ranks.size()),
      core_(writer_) {
  const auto ranks = static_cast<std::uint32_t>(program.ranks.size());
  bool starts = false;
  for (std::uint32_t r = 0; r < ranks && !starts; ++r) {
    starts = std::ranges::any_of(program.ranks[r].dependencies(),
                                 [&](const GoalDependency& d) { return waits_for_start(r, d); });
  }
  if (starts) start_.assign(matches.operation_count(), 0);
  parallel_for(
      ranks, [&](std::size_t r) { count_uses(static_cast<std::uint32_t>(r)); }, threads);
  writer_.reserve(matches.operation_count() + ranks, 2 * matches.operation_count() + ranks);
}

void GoalContraction::count_uses(std::uint32_t rank) {
  const GoalRank& block = program_.ranks[rank];
  const std::uint32_t base = matches_.first(rank);
  for (const GoalDependency& d : block.dependencies()) {
    ++(waits_for_start(rank, d) ? start_ : state_)[base + d.on];
  }
  for (std::uint32_t i = 0; i < block.size(); ++i) {
    if (block.kind(i) == GoalKind::send) ++state_[base + i];
  }
}

std::optional<ReducedLogGPS> GoalContraction::run() {
  const auto ranks = static_cast<std::uint32_t>(program_.ranks.size());
  for (std::uint32_t r = 0; r < ranks; ++r) {
    if (!follow(r)) return std::nullopt;
  }
  std::vector<Value> ends;
  ends.reserve(ranks);
  for (std::uint32_t r = 0; r < ranks; ++r) ends.push_back(end_of(r));
  core_.open();
  for (const Value end : ends) core_.from(end, {});
  core_.close_last();
  return std::move(writer_).finish(core_.slots());
}

/// Takes a rank to its end, and others as far as it needs them. False: they need it too.
bool GoalContraction::follow(std::uint32_t rank) {
  stack_.assign(1, {rank, kNone});
  progress_[rank].running = true;
  while (!stack_.empty()) {
    const Run run = stack_.back();
    if (advance(run) == Advance::reached) {
      progress_[run.rank].running = false;
      stack_.pop_back();
      continue;
    }
    const std::uint32_t other = wanted_from_;
    if (progress_[other].running) return false;
    progress_[other].running = true;
    stack_.push_back({other, wanted_});
  }
  return true;
}

GoalContraction::Advance GoalContraction::advance(const Run& run) {
  Progress& progress = progress_[run.rank];
  const GoalBlockOrder& order = orders_[run.rank];
  const std::span<const GoalDependency> all = program_.ranks[run.rank].dependencies();
  const std::uint32_t size = program_.ranks[run.rank].size();
  for (; progress.next < size; ++progress.next) {
    if (run.until != kNone && is_done(run.until)) return Advance::reached;
    const std::uint32_t operation = order.operation(progress.next);
    const std::uint32_t begin = order.first_dependency(operation, progress.dependency);
    std::uint32_t end = begin;
    while (end < all.size() && all[end].dependent == operation) ++end;
    for (; progress.available < end - begin; ++progress.available) {
      if (!make_available(run.rank, all[begin + progress.available])) return Advance::blocked;
    }
    progress.available = 0;
    progress.dependency = end;
    evaluate(run.rank, operation, all.subspan(begin, end - begin));
  }
  return Advance::reached;
}

/// False: a message is missing, wanted_.
bool GoalContraction::make_available(std::uint32_t rank, const GoalDependency& d) {
  const std::uint32_t number = matches_.first(rank) + d.on;
  if (is_done(number) || waits_for_start(rank, d)) return true;
  if (complete(rank, number)) return true;
  wanted_ = matches_.partner(number);
  wanted_from_ = source_of(rank, d.on);
  return false;
}

void GoalContraction::evaluate(std::uint32_t rank, std::uint32_t operation,
                               std::span<const GoalDependency> dependencies) {
  const GoalRank& block = program_.ranks[rank];
  const std::uint32_t number = matches_.first(rank) + operation;
  const GoalKind kind = block.kind(operation);
  const LogGPSForm cost =
      kind == GoalKind::calc
          ? LogGPSForm{.nanoseconds = static_cast<std::int64_t>(block.operation_size(operation))}
          : kOverhead;
  const std::uint32_t waiting = state_[number];
  const std::uint32_t uses = std::max(waiting, 1u);
  const bool has_start = !start_.empty() && start_[number] > 0;
  Value start = 0;
  if (has_start) {
    start = start_value(rank, dependencies, start_[number] + 1);
    start_[number] = kDone | start;
  }
  const std::uint32_t partner = matches_.partner(number);
  if (kind == GoalKind::recv && is_done(partner)) {
    if (has_start) {
      core_.open();
      core_.from(start, cost);
    } else {
      open_local(rank, dependencies, cost);
    }
    from_message(rank, operation);
    state_[number] = kDone | core_.close(uses);
  } else {
    const std::uint32_t own_uses = kind == GoalKind::recv ? 1 : uses;
    const Value value = has_start ? core_.shift(start, cost, own_uses)
                                  : local_value(rank, dependencies, cost, own_uses);
    state_[number] = (kind == GoalKind::recv ? kPosted : kDone) | value;
    if (kind == GoalKind::recv) {
      if (posted_uses_.size() <= value) posted_uses_.resize(2 * (value + std::size_t{1}));
      posted_uses_[value] = uses;
    }
  }
  if (waiting == 0) note_end(rank, number);
}

void GoalContraction::open_local(std::uint32_t rank, std::span<const GoalDependency> dependencies,
                                 const LogGPSForm& cost) {
  core_.open();
  if (dependencies.empty()) core_.from_start(cost);
  for (const GoalDependency& d : dependencies) core_.from(value_of(rank, d), cost);
}

GoalContraction::Value GoalContraction::start_value(std::uint32_t rank,
                                                    std::span<const GoalDependency> dependencies,
                                                    std::uint32_t uses) {
  return local_value(rank, dependencies, {}, uses);
}

GoalContraction::Value GoalContraction::local_value(std::uint32_t rank,
                                                    std::span<const GoalDependency> dependencies,
                                                    const LogGPSForm& cost, std::uint32_t uses) {
  if (dependencies.size() == 1) {
    return core_.shift(value_of(rank, dependencies.front()), cost, uses);
  }
  open_local(rank, dependencies, cost);
  return core_.close(uses);
}

std::uint32_t GoalContraction::source_of(std::uint32_t rank, std::uint32_t receive) const {
  const std::uint32_t peer = program_.ranks[rank].peer(receive);
  if (peer != kGoalAny) return peer;
  return matches_.rank_of(matches_.partner(matches_.first(rank) + receive));
}

void GoalContraction::from_message(std::uint32_t rank, std::uint32_t receive) {
  const std::uint32_t source = source_of(rank, receive);
  const std::uint32_t send = matches_.partner(matches_.first(rank) + receive);
  LogGPSForm cost = kOverhead;
  if (source != rank) {
    const std::uint64_t bytes =
        program_.ranks[source].operation_size(send - matches_.first(source));
    cost.latencies = 1;
    cost.bytes = bytes > 0 ? static_cast<std::int64_t>(bytes) - 1 : 0;
  }
  core_.from(state_[send] & kLow, cost);
}

/// A posted receive gets its message, if that has been sent.
bool GoalContraction::complete(std::uint32_t rank, std::uint32_t receive) {
  const std::uint32_t send = matches_.partner(receive);
  if (!is_done(send)) return false;
  const Value posted = state_[receive] & kLow;
  core_.open();
  core_.from(posted, {});
  from_message(rank, receive - matches_.first(rank));
  state_[receive] = kDone | core_.close(posted_uses_[posted]);
  return true;
}

/// Ends without consumers would pile up where nobody waits for anything.
void GoalContraction::note_end(std::uint32_t rank, std::uint32_t number) {
  Progress& progress = progress_[rank];
  progress.ends.push_back(number);
  if (progress.ends.size() < progress.fold_at) return;
  core_.open();
  if (progress.folded) core_.from(*progress.folded, {});
  std::size_t kept = 0;
  for (const std::uint32_t end : progress.ends) {
    if (is_done(end)) {
      core_.from(state_[end] & kLow, {});
    } else {
      progress.ends[kept++] = end;
    }
  }
  const bool some = progress.folded || kept < progress.ends.size();
  progress.ends.resize(kept);
  progress.fold_at = std::max<std::size_t>(progress.fold_at, 2 * kept);
  if (some) progress.folded = core_.close(1);
}

GoalContraction::Value GoalContraction::end_of(std::uint32_t rank) {
  Progress& progress = progress_[rank];
  for (const std::uint32_t end : progress.ends) {
    if (!is_done(end)) complete(rank, end);
  }
  core_.open();
  if (progress.folded) core_.from(*progress.folded, {});
  for (const std::uint32_t end : progress.ends) core_.from(state_[end] & kLow, {});
  if (progress.ends.empty() && !progress.folded) core_.from_start({});
  return core_.close(1);
}

}  // namespace slackline
