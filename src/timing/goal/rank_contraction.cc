// One rank's share of a reduction, for which it needs no other rank.
//
// Dependencies never leave their rank's block. So everything that contraction.h says of vertices
// with one term, of few terms and few consumers and of dominated terms can be done block by block,
// on as many threads as there are, while the block is still in the cache; only messages come from
// outside, and here they are terms whose source is not known yet. What is left for the walk over
// all ranks (steps_walk.cc) is a small part of the operations.
//
// A receive is posted when it comes and takes its message when somebody waits for it, so that it
// does not delay what stands behind it. Each message is a term of one step only, and each send
// begins at one step, so that all uses can be counted before any ranks meet.
//
// Nothing is used again here: steps are numbered front to back, values lie beside their operations,
// and nobody counts down who still needs them.
//
// Costs: a calc its time, a send o, a message L + (s-1)G + o; see graph/goal/goal_graph.h.

#include "timing/goal/rank_contraction.h"

#include <algorithm>
#include <utility>

namespace slackline {
namespace {

constexpr LogGPSForm kOverhead{.overheads = 1};
/// More terms are not taken apart: they would be copied on and on.
constexpr std::size_t kMostInlined = 16;
/// This many ends for which nothing waits become one value.
constexpr std::size_t kMostEnds = 64;

}  // namespace

RankContraction::Outcome RankContraction::contract(GoalRank& block, std::uint32_t rank,
                                                   RankSteps& steps) {
  block.sort_dependencies();
  block_ = &block;
  rank_ = rank;
  steps_ = &steps;
  steps = {};
  const Outcome outcome = scan_operations();
  if (outcome != Outcome::done) return outcome;
  const GoalBlockOrder order(block);
  if (!order.exists()) return Outcome::circle;
  prepare();
  if (!order.is_that_of_the_block()) number_messages();
  const std::span<const GoalDependency> all = block.dependencies();
  std::uint32_t next = 0;
  for (std::uint32_t k = 0; k < block.size(); ++k) {
    const std::uint32_t operation = order.operation(k);
    const std::uint32_t begin = order.first_dependency(operation, next);
    next = begin;
    while (next < all.size() && all[next].dependent == operation) ++next;
    evaluate(operation, all.subspan(begin, next - begin));
  }
  end_block();
  sort_sends();
  return Outcome::done;
}

/// Sums, before anything is added up in 64 bits, and channels: messages match in the order of the
/// block, whatever the order in which it is gone through.
RankContraction::Outcome RankContraction::scan_operations() {
  const GoalRank& block = *block_;
  channel_of_.clear();
  from_ids_ = {};
  for (std::uint32_t i = 0; i < block.size(); ++i) {
    const std::uint64_t size = block.operation_size(i);
    const GoalChannel name{block.peer(i), block.tag(i)};
    switch (block.kind(i)) {
      case GoalKind::calc:
        steps_->nanoseconds += static_cast<Int128>(size);
        break;
      case GoalKind::send: {
        steps_->bytes += static_cast<Int128>(size);
        steps_->largest_message = std::max(steps_->largest_message, size);
        const std::uint32_t channel = number_of(steps_->to_ids, steps_->to, name);
        channel_of_.push_back(channel);
        ++steps_->to[channel].messages;
        break;
      }
      case GoalKind::recv: {
        if (name.peer == kGoalAny || name.tag == kGoalAny) return Outcome::wildcards;
        const std::uint32_t channel = number_of(from_ids_, steps_->from, name);
        steps_->receives.push_back({channel, steps_->from[channel].messages++});
        break;
      }
    }
  }
  const bool fits = steps_->nanoseconds < kMostCount && steps_->bytes < kMostCount;
  return fits ? Outcome::done : Outcome::too_large;
}

/// The number of each send and of each receive among those of the block, which without this is how
/// many have come before.
void RankContraction::number_messages() {
  message_numbers_.resize(block_->size());
  std::uint32_t sends = 0;
  std::uint32_t receives = 0;
  for (std::uint32_t i = 0; i < block_->size(); ++i) {
    if (block_->kind(i) == GoalKind::send) message_numbers_[i] = sends++;
    if (block_->kind(i) == GoalKind::recv) message_numbers_[i] = receives++;
  }
}

void RankContraction::prepare() {
  const GoalRank& block = *block_;
  uses_.assign(block.size(), 0);
  start_uses_.clear();
  for (const GoalDependency& d : block.dependencies()) {
    if (!waits_for_start(d)) {
      ++uses_[d.on];
      continue;
    }
    if (start_uses_.empty()) start_uses_.assign(block.size(), 0);
    ++start_uses_[d.on];
  }
  values_.resize(block.size());
  if (!start_uses_.empty()) starts_.resize(block.size());
  lists_.clear();
  list_terms_.clear();
  sent_.edges.resize(channel_of_.size());
  sent_.wide.clear();
  next_send_ = 0;
  next_receive_ = 0;
  message_numbers_.clear();
  unused_receives_.clear();
  ends_.clear();
  // Memory that is not used is not touched.
  steps_->edges.edges.reserve(block.size() / 2 + steps_->receives.size() + 1);
}

void RankContraction::evaluate(std::uint32_t operation,
                               std::span<const GoalDependency> dependencies) {
  const GoalKind kind = block_->kind(operation);
  LogGPSForm cost = kOverhead;
  if (kind == GoalKind::calc) {
    cost = {.nanoseconds = static_cast<std::int64_t>(block_->operation_size(operation))};
  }
  const std::uint32_t uses = uses_[operation];
  Value& value = values_[operation];
  if (!start_uses_.empty() && start_uses_[operation] > 0) {
    after(dependencies, {}, start_uses_[operation] + 1, starts_[operation]);
    open();
    add(starts_[operation], cost);
    close(uses, value);
  } else {
    after(dependencies, cost, uses, value);
  }
  if (kind == GoalKind::recv) {
    receive(operation, value);
  } else if (kind == GoalKind::send) {
    send(operation, value);
  } else if (uses == 0) {
    note_end(value);
  }
}

std::uint32_t RankContraction::number_of(GoalChannelIds& ids,
                                         std::vector<RankSteps::Channel>& channels,
                                         const GoalChannel& name) {
  std::uint32_t& id = ids[name];
  if (id == 0) {
    channels.push_back({.name = name});
    id = static_cast<std::uint32_t>(channels.size());
  }
  return id - 1;
}

/// `value`: when it is posted, and then its end.
void RankContraction::receive(std::uint32_t operation, Value& value) {
  const std::uint32_t number =
      message_numbers_.empty() ? next_receive_++ : message_numbers_[operation];
  make_single(value);
  value.more = RankSteps::kMessage + number;
  if (uses_[operation] == 0) unused_receives_.push_back(operation);
}

/// `value`: its end.
void RankContraction::send(std::uint32_t operation, Value& value) {
  const std::uint64_t size = block_->operation_size(operation);
  const std::uint32_t number =
      message_numbers_.empty() ? next_send_++ : message_numbers_[operation];
  make_single(value);
  LogGPSForm received = value.form;
  received += kOverhead;
  if (block_->peer(operation) != rank_) {
    received.latencies += 1;
    received.bytes += size > 0 ? static_cast<std::int64_t>(size) - 1 : 0;
  }
  sent_.set(number, value.source, received);
  use(value.source);
}

/// What a dependency waits for. A receive that several wait for becomes a step now.
const RankContraction::Value& RankContraction::available(const GoalDependency& d) {
  if (!start_uses_.empty() && waits_for_start(d)) return starts_[d.on];
  Value& value = values_[d.on];
  if (value.more >= RankSteps::kMessage && uses_[d.on] > 1) {
    open();
    add(value, {});
    close_as_step(value);
  }
  return value;
}

/// When all of that is over, and then `cost`. (Results are written to where they stay: copying what
/// has just been written in smaller pieces makes a processor wait.)
void RankContraction::after(std::span<const GoalDependency> dependencies, const LogGPSForm& cost,
                            std::uint32_t uses, Value& result) {
  if (dependencies.empty()) {
    result = {cost, 0, 0};
    return;
  }
  if (dependencies.size() == 1) {
    const Value& before = available(dependencies.front());
    if (before.more == 0) {
      result.form.nanoseconds = before.form.nanoseconds + cost.nanoseconds;
      result.form.bytes = before.form.bytes + cost.bytes;
      result.form.latencies = before.form.latencies + cost.latencies;
      result.form.overheads = before.form.overheads + cost.overheads;
      result.source = before.source;
      result.more = 0;
      return;
    }
  }
  for (const GoalDependency& d : dependencies) available(d);
  open();
  for (const GoalDependency& d : dependencies) add(available(d), cost);
  close(uses, result);
}

void RankContraction::open() {
  terms_.clear();
  has_message_ = false;
  ++round_;
  if (last_of_source_.size() <= steps_->edge_counts.size()) {
    last_of_source_.resize(2 * steps_->edge_counts.size() + 64);
  }
}

void RankContraction::add(const Value& value, const LogGPSForm& cost) {
  add_local({value.form, value.source}, cost);
  if (value.more == 0) return;
  if (value.more >= RankSteps::kMessage) {
    add_message(value.more, cost);
    return;
  }
  const List list = lists_[value.more - 1];
  for (std::uint32_t i = 0; i < list.count; ++i) {
    const Term& term = list_terms_[list.begin + i];
    if (term.source < RankSteps::kMessage) {
      add_local(term, cost);
    } else {
      LogGPSForm sum = term.form;
      sum += cost;
      add_message(term.source, sum);
    }
  }
}

void RankContraction::add_message(std::uint32_t source, const LogGPSForm& form) {
  has_message_ = true;
  terms_.push_back({form, source, kNoTerm});
}

/// Unless one of the same source dominates it.
inline void RankContraction::add_local(const Term& term, const LogGPSForm& cost) {
  const LogGPSForm form{term.form.nanoseconds + cost.nanoseconds, term.form.bytes + cost.bytes,
                        term.form.latencies + cost.latencies, term.form.overheads + cost.overheads};
  LastOfSource& last = last_of_source_[term.source];
  const std::uint32_t newest = last.round == round_ ? last.term : kNoTerm;
  for (std::uint32_t k = newest; k != kNoTerm; k = terms_[k].before) {
    if (terms_[k].form.dominates(form)) return;
    if (form.dominates(terms_[k].form)) {
      terms_[k].form = form;
      return;
    }
  }
  last = {round_, static_cast<std::uint32_t>(terms_.size())};
  terms_.push_back({form, term.source, newest});
}

void RankContraction::close(std::uint32_t uses, Value& result) {
  const std::size_t count = terms_.size();
  const bool take_apart = count == 1 || (count <= kMostInlined &&
                                         (has_message_ ? uses <= 1 : count * uses <= count + uses));
  if (!take_apart) {
    close_as_step(result);
    return;
  }
  result = {terms_.front().form, terms_.front().source, 0};
  if (count == 1) return;
  lists_.push_back(
      {static_cast<std::uint32_t>(list_terms_.size()), static_cast<std::uint32_t>(count - 1)});
  list_terms_.insert(list_terms_.end(), terms_.begin() + 1, terms_.end());
  result.more = static_cast<std::uint32_t>(lists_.size());
}

void RankContraction::close_as_step(Value& result) {
  for (const Term& t : terms_) {
    steps_->edges.add(t.source, t.form);
    use(t.source);
  }
  steps_->edge_counts.push_back(static_cast<std::uint32_t>(terms_.size()));
  steps_->uses.push_back(0);
  result = {{}, steps_->size(), 0};
}

/// The same in one term.
void RankContraction::make_single(Value& value) {
  if (value.more == 0) return;
  open();
  add(value, {});
  close_as_step(value);
}

/// Ends without consumers would pile up where nobody waits for anything.
void RankContraction::note_end(const Value& value) {
  ends_.push_back(value);
  if (ends_.size() < kMostEnds) return;
  open();
  for (const Value& end : ends_) add(end, {});
  ends_.resize(1);
  close(1, ends_.front());
}

void RankContraction::end_block() {
  open();
  if (ends_.empty() && unused_receives_.empty()) add_local({{}, 0}, {});
  for (const Value& end : ends_) add(end, {});
  for (const std::uint32_t receive : unused_receives_) add(values_[receive], {});
  Value end{};
  close_as_step(end);
}

void RankContraction::sort_sends() {
  std::uint32_t sum = 0;
  std::vector<std::uint32_t> next;
  next.reserve(steps_->to.size());
  for (RankSteps::Channel& channel : steps_->to) {
    channel.begin = sum;
    next.push_back(sum);
    sum += channel.messages;
  }
  BigVector<passes::LogGPSEdge>& sorted = steps_->sends.edges;
  sorted.resize(sum);
  for (std::size_t i = 0; i < channel_of_.size(); ++i) {
    sorted[next[channel_of_[i]]++] = sent_.edges[i];
  }
  steps_->sends.wide = sent_.wide;
}

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

}  // namespace slackline
