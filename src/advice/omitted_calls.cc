#include "advice/omitted_calls.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>
#include <vector>

#include "calls/run_span.h"

namespace slackline {
namespace {

bool has_calls(const RankCalls& calls, std::uint32_t call) {
  return call < calls.size();
}

bool sends_alone(const Trace& trace, const MessageCalls& m) {
  const OperationClass kind = operation_class(trace.calls(m.source).operation(m.send));
  return kind == OperationClass::send || kind == OperationClass::isend;
}

/// What a message takes: its send, and the call that receives it or posts that.
void omit(const Trace& trace, const MessageCalls& m, CallSet& omitted) {
  omitted.insert(m.source, m.send);
  if (!m.matched() || !has_calls(trace.calls(m.destination), m.receive)) return;
  const OperationClass kind = operation_class(trace.calls(m.destination).operation(m.receive));
  if (kind == OperationClass::recv || kind == OperationClass::irecv) {
    omitted.insert(m.destination, m.receive);
  }
}

bool is_transfer(Operation operation) {
  return operation == Operation::put || operation == Operation::get ||
         operation == Operation::accumulate;
}

/// Completes transfers, and waits for no other rank.
bool flushes(Operation operation) {
  using enum Operation;
  constexpr std::array kAll{win_flush, win_flush_all, win_flush_local, win_flush_local_all};
  return std::ranges::find(kAll, operation) != kAll.end();
}

/// Finds the calls of one rank that a later one could do the work of.
class Sequences {
 public:
  Sequences(const RankCalls& calls, CallSet& omitted, std::int32_t rank)
      : calls_(calls), omitted_(omitted), rank_(rank) {}

  void add(CallIndex call) {
    const Operation operation = calls_.operation(call);
    const OperationClass kind = operation_class(operation);
    if (kind == OperationClass::irecv) return;
    if (flushes(operation)) {
      // What was fetched may be needed now.
      std::erase_if(last_, [](const auto& l) { return std::get<0>(l.first) == Operation::get; });
      between_.push_back(call);
      return;
    }
    const bool sends = kind == OperationClass::send || kind == OperationClass::isend;
    if (sends || is_transfer(operation)) return follow(call, operation);
    if (kind == OperationClass::collective && repeats(call)) omit(call - 1);
    last_.clear();
    between_.clear();
  }

  std::array<std::uint64_t, kOperationCount> omitted_of{};

 private:
  using Stream = std::tuple<Operation, std::int32_t, std::int32_t, std::uint32_t>;

  void follow(CallIndex call, Operation operation) {
    if (!is_transfer(operation)) between_.clear();
    const Stream stream{operation, calls_.peer(call), is_transfer(operation) ? 0 : calls_.tag(call),
                        calls_.comm(call)};
    const auto [last, fresh] = last_.try_emplace(stream, call);
    if (!fresh) {
      omit(last->second);
      for (const CallIndex other : between_) omitted_.insert(rank_, other);
      last->second = call;
    }
    between_.clear();
  }

  bool repeats(CallIndex call) const {
    if (call == 0) return false;
    const CallIndex before = call - 1;
    return calls_.operation(before) == calls_.operation(call) &&
           calls_.comm(before) == calls_.comm(call) && calls_.peer(before) == calls_.peer(call) &&
           calls_.operation(call) != Operation::barrier &&
           calls_.gap_ns(call) < calls_.end_ns(before) - calls_.begin_ns(before);
  }

  void omit(CallIndex call) {
    omitted_.insert(rank_, call);
    ++omitted_of[static_cast<std::size_t>(calls_.operation(call))];
  }

  const RankCalls& calls_;
  CallSet& omitted_;
  std::int32_t rank_;
  std::map<Stream, CallIndex> last_;  // of each stream, since a call that may wait
  std::vector<CallIndex> between_;    // since the last transfer
};

}  // namespace

OmittedCalls empty_messages(const Trace& trace, const CallMatching& matching) {
  OmittedCalls found{.operation = Operation::send};
  CallSet omitted(trace);
  for (const MessageCalls& m : matching.messages()) {
    if (!sends_alone(trace, m)) continue;
    ++found.of_all;
    if (m.bytes > 0) continue;
    ++found.count;
    omit(trace, m, omitted);
  }
  found.changes.omitted = std::move(omitted);
  return found;
}

OmittedCalls calls_of(const Trace& trace, Operation operation) {
  OmittedCalls found{.operation = operation};
  CallSet omitted(trace);
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    for (CallIndex call = 0; call < calls.size(); ++call) {
      if (calls.operation(call) != operation) continue;
      ++found.count;
      omitted.insert(r, call);
    }
  }
  found.of_all = found.count;
  found.changes.omitted = std::move(omitted);
  return found;
}

OmittedCalls merged_calls(const Trace& trace, const CallMatching& matching) {
  OmittedCalls found{.changes = {.keeps_bytes = true}};
  CallSet omitted(trace);
  std::array<std::uint64_t, kOperationCount> of{};
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    const RankSpan span = rank_span(calls);
    Sequences sequences(calls, omitted, r);
    for (std::size_t i = span.first_call; i < span.last_call; ++i) {
      sequences.add(static_cast<CallIndex>(i));
    }
    for (std::size_t o = 0; o < kOperationCount; ++o) of[o] += sequences.omitted_of[o];
  }
  for (const MessageCalls& m : matching.messages()) {
    if (omitted.contains(m.source, m.send) && sends_alone(trace, m)) omit(trace, m, omitted);
  }
  found.operation = static_cast<Operation>(std::ranges::max_element(of) - of.begin());
  found.count = std::reduce(of.begin(), of.end());
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    for (CallIndex call = 0; call < calls.size(); ++call) {
      found.of_all += of[static_cast<std::size_t>(calls.operation(call))] > 0 ? 1 : 0;
    }
  }
  found.changes.omitted = std::move(omitted);
  return found;
}

}  // namespace slackline
