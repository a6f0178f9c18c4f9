#include "graph/collectives/step_writer.h"

#include <algorithm>
#include <bit>

#include "graph/collectives/algorithms.h"

namespace slackline::collectives {

namespace {

std::uint64_t usable_element(const CollectiveCall& call) {
  const std::uint64_t element = std::max<std::uint32_t>(call.element_bytes, 1);
  return call.bytes % element == 0 ? element : 1;
}

}  // namespace

StepWriter::StepWriter(const CollectiveCall& call, std::int32_t rank, OwnCounts own,
                       std::vector<CollectiveStep>& steps)
    : call_(call),
      rank_(rank),
      root_(call.root >= 0 && call.root < call.size ? call.root : 0),
      element_bytes_(usable_element(call)),
      own_(own),
      steps_(steps) {}

std::uint64_t StepWriter::block(std::int32_t rank) const {
  const auto index = static_cast<std::size_t>(rank);
  if (call_.counts.empty()) return call_.bytes;
  if (index >= call_.counts.size()) return 0;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(call_.counts[index], 0));
}

std::uint64_t StepWriter::blocks(std::int32_t first, std::int32_t count) const {
  const std::int32_t last = std::min(first + count, size());
  if (first >= last) return 0;
  if (call_.counts.empty()) return call_.bytes * static_cast<std::uint64_t>(last - first);
  std::uint64_t sum = 0;
  for (std::int32_t r = first; r < last; ++r) sum += block(r);
  return sum;
}

void StepWriter::add(CollectiveStep::Kind kind, std::int32_t peer, std::uint64_t bytes, From from) {
  if (call_.arrivals != nullptr && call_.arrivals->incomplete()) return;
  const bool anonymous = from == From::anyone && call_.arrivals != nullptr;
  const bool receives = kind == CollectiveStep::Kind::recv || kind == CollectiveStep::Kind::irecv;
  steps_.push_back({.kind = kind,
                    .anonymous = anonymous,
                    .peer = anonymous && receives ? -1 : peer,
                    .bytes = bytes});
}

void StepWriter::send(std::int32_t peer, std::uint64_t bytes, From from) {
  if (peer != rank_) add(CollectiveStep::Kind::send, peer, bytes, from);
}

void StepWriter::recv(std::int32_t peer, std::uint64_t bytes, From from) {
  if (peer != rank_) add(CollectiveStep::Kind::recv, peer, bytes, from);
}

StepWriter::Request StepWriter::start(CollectiveStep::Kind kind, std::int32_t peer,
                                      std::uint64_t bytes, From from) {
  add(kind, peer, bytes, from);
  if (single_waits()) outstanding_.push_back(next_request_);
  return next_request_++;
}

StepWriter::Request StepWriter::isend(std::int32_t peer, std::uint64_t bytes, From from) {
  return peer == rank_ ? kNone : start(CollectiveStep::Kind::isend, peer, bytes, from);
}

StepWriter::Request StepWriter::irecv(std::int32_t peer, std::uint64_t bytes, From from) {
  return peer == rank_ ? kNone : start(CollectiveStep::Kind::irecv, peer, bytes, from);
}

StepWriter::Request StepWriter::isend_any(std::int32_t peer, std::uint64_t bytes) {
  if (peer == rank_ && !call_.self_messages) return kNone;
  return start(CollectiveStep::Kind::isend, peer, bytes);
}

StepWriter::Request StepWriter::irecv_any(std::int32_t peer, std::uint64_t bytes) {
  if (peer == rank_ && !call_.self_messages) return kNone;
  return start(CollectiveStep::Kind::irecv, peer, bytes);
}

void StepWriter::wait_all() {
  if (single_waits() ? outstanding_.empty() : oldest_ == next_request_) return;
  outstanding_.clear();
  oldest_ = next_request_;
  add(CollectiveStep::Kind::wait_all, -1, 0);
}

void StepWriter::wait(Request request) {
  if (request < oldest_) return;
  if (!single_waits()) return wait_all();
  const auto found = std::ranges::lower_bound(outstanding_, request);
  if (found == outstanding_.end() || *found != request) return;
  if (outstanding_.size() == 1) return wait_all();
  add(CollectiveStep::Kind::wait, static_cast<std::int32_t>(found - outstanding_.begin()), 0);
  outstanding_.erase(found);
}

StepWriter::Request StepWriter::irecv_ahead(std::int32_t peer, std::uint64_t bytes,
                                            Request previous) {
  if (!single_waits()) wait(previous);
  const Request next = irecv(peer, bytes);
  wait(single_waits() ? previous : kNone);
  return next;
}

std::size_t StepWriter::look(CollectiveStep::Kind kind, std::int32_t peer) {
  add(kind, peer, 0);
  return call_.arrivals->next_look();
}

void StepWriter::ask_the_time() {
  add(CollectiveStep::Kind::clock, -1, 0);
}

void StepWriter::pause(std::uint64_t ns) {
  add(CollectiveStep::Kind::pause, -1, ns);
}

void StepWriter::exchange(std::int32_t to, std::uint64_t sent, std::int32_t from,
                          std::uint64_t received) {
  isend(to, sent);
  irecv(from, received);
  wait_all();
}

void StepWriter::nested(const CollectiveCall& call, void (*algorithm)(StepWriter&)) {
  wait_all();
  StepWriter part(call, rank_, own_, steps_);
  algorithm(part);
}

void StepWriter::nested(CollectiveCall call, const CollectiveAlgorithm& algorithm) {
  wait_all();
  call.needs_setup = call.needs_setup || algorithm.uses_nodes;
  algorithm.expand(call, rank_, own_, steps_);
}

CollectiveCall StepWriter::part(Operation operation, std::uint64_t bytes, std::int32_t root) const {
  CollectiveCall call = call_;
  call.operation = operation;
  call.root = root;
  call.bytes = bytes;
  call.element_bytes = static_cast<std::uint32_t>(element_bytes_);
  call.counts = {};
  call.stand_in = nullptr;
  apply({}, call);
  return call;
}

void StepWriter::nested_chosen(const CollectiveCall& call, void (*otherwise)(StepWriter&)) {
  if (call_.choose == nullptr) return nested(call, otherwise);
  const SmpiDecision chosen = (*call_.choose)(call);
  if (chosen.algorithm == nullptr) return nested(call, otherwise);
  CollectiveCall decided = call;
  apply(chosen, decided);
  nested(decided, *chosen.algorithm);
}

/// Empty: `ranks` are leaders, each on a node of its own. Otherwise they share one.
std::vector<std::int32_t> StepWriter::nodes_of(std::span<const std::int32_t> ranks) const {
  const auto node = [&](std::size_t i) { return call_.nodes[static_cast<std::size_t>(ranks[i])]; };
  if (call_.nodes.empty() || node(0) != node(1)) return {};
  return std::vector<std::int32_t>(ranks.size(), node(0));
}

template <class Perform>
void StepWriter::among(std::span<const std::int32_t> ranks, CollectiveCall call, Perform perform) {
  wait_all();
  const auto me = std::ranges::find(ranks, rank_);
  if (ranks.size() < 2 || me == ranks.end()) return;
  call.size = static_cast<std::int32_t>(ranks.size());
  const std::vector<std::int32_t> nodes = nodes_of(ranks);
  call.nodes = nodes;
  call.part = 2 * call_.part + (nodes.empty() ? 0 : 1);
  call.smp_part = true;
  call.stand_in = nullptr;
  std::vector<CollectiveStep> inner;
  perform(call, static_cast<std::int32_t>(me - ranks.begin()), inner);
  for (CollectiveStep& step : inner) {
    // Some say something else by it.
    using Kind = CollectiveStep::Kind;
    const bool has_peer = step.kind != Kind::wait && step.peer >= 0;
    if (has_peer) step.peer = ranks[static_cast<std::size_t>(step.peer)];
    steps_.push_back(step);
  }
}

void StepWriter::nested_among(std::span<const std::int32_t> ranks, CollectiveCall call,
                              void (*algorithm)(StepWriter&)) {
  among(ranks, call, [&](const CollectiveCall& part, std::int32_t me, auto& steps) {
    StepWriter writer(part, me, {}, steps);
    algorithm(writer);
  });
}

void StepWriter::nested_among(std::span<const std::int32_t> ranks, CollectiveCall call,
                              const CollectiveAlgorithm& algorithm) {
  among(ranks, call, [&](const CollectiveCall& part, std::int32_t me, auto& steps) {
    CollectiveCall performed = part;
    performed.needs_setup = performed.needs_setup || algorithm.uses_nodes;
    algorithm.expand(performed, me, {}, steps);
  });
}

void StepWriter::nested_among_chosen(std::span<const std::int32_t> ranks,
                                     const CollectiveCall& call, void (*otherwise)(StepWriter&)) {
  among(ranks, call, [&](const CollectiveCall& part, std::int32_t me, auto& steps) {
    StepWriter writer(part, me, {}, steps);
    writer.nested_chosen(part, otherwise);
  });
}

std::uint64_t total_blocks(const CollectiveCall& call) {
  if (call.counts.empty()) return call.bytes * static_cast<std::uint64_t>(std::max(call.size, 0));
  std::uint64_t sum = 0;
  for (const std::int64_t c : call.counts) {
    sum += static_cast<std::uint64_t>(std::max<std::int64_t>(c, 0));
  }
  return sum;
}

std::int32_t power_of_two_below(std::int32_t n) {
  return static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(n)));
}

Segments::Segments(std::uint64_t bytes, std::uint64_t element_bytes, std::uint64_t segment_bytes)
    : bytes_(bytes), segment_bytes_(bytes) {
  // A segment smaller than an element, or no smaller than the vector, means no segmentation.
  if (segment_bytes < element_bytes || segment_bytes >= bytes) return;
  std::uint64_t elements = segment_bytes / element_bytes;
  if (segment_bytes % element_bytes > element_bytes / 2) ++elements;
  const std::uint64_t total = bytes / element_bytes;
  elements = std::max(elements, (total + kMost - 1) / kMost);
  segment_bytes_ = elements * element_bytes;
  count_ = (bytes + segment_bytes_ - 1) / segment_bytes_;
}

}  // namespace slackline::collectives
