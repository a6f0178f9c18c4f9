#include "oracle/program.h"
#include "trace/trace_builder.h"

#include <algorithm>
#include <array>

namespace slackline::oracle {
namespace {

class RankWriter {
 public:
  RankWriter(const Program& program, std::size_t rank, TraceBuilder& trace)
      : program_(program),
        rank_(rank),
        trace_(trace),
        calls_(trace.calls(static_cast<std::int32_t>(rank))) {}

  void write() {
    if (program_.timed) {
      append(Call{.operation = Operation::init}, program_.init_ns[rank_]);
    }
    for (const ProgramCall& c : program_.ranks[rank_]) {
      mark_region();
      now_ += c.gap_ns;
      Call call = c.call;
      call.args = c.args;
      append(call, c.duration_ns);
    }
    // A call that communicates nothing, so that the computation before it exists.
    now_ += program_.tails_ns[rank_];
    append(Call{.operation = program_.timed ? Operation::finalize : Operation::pcontrol}, 0);
  }

 private:
  void append(Call call, std::int64_t duration_ns) {
    call.begin_ns = now_;
    if (program_.timed) now_ += duration_ns;
    call.end_ns = now_;
    calls_.append(call);
  }

  void mark_region() {
    if (program_.region_every == 0 || calls_.size() % program_.region_every != 0) return;
    static constexpr std::array kNames{"solve", "exchange"};
    const bool enter = calls_.size() / program_.region_every % 3 != 2;
    calls_.append_region({.time_ns = now_,
                          .region = trace_.region_id(kNames[calls_.size() % kNames.size()]),
                          .before_call = static_cast<std::uint32_t>(calls_.size()),
                          .enter = enter});
  }

  const Program& program_;
  std::size_t rank_;
  TraceBuilder& trace_;
  RankCallsBuilder& calls_;
  std::int64_t now_ = 0;
};

}  // namespace

Trace to_trace(const Program& program) {
  TraceBuilder trace(program.size(), program.timed);
  for (const Communicator& c : program.communicators) trace.add_communicator(c);
  for (std::size_t r = 0; r < program.ranks.size(); ++r) RankWriter(program, r, trace).write();
  return std::move(trace).build();
}

Program renamed(const Program& program, const std::vector<std::int32_t>& names) {
  const auto name = [&](auto& rank) {
    using Rank = std::remove_reference_t<decltype(rank)>;
    if (rank >= 0) rank = static_cast<Rank>(names[static_cast<std::size_t>(rank)]);
  };
  Program result = program;
  for (Communicator& c : result.communicators) {
    for (std::int32_t& member : c.members) name(member);
  }
  for (std::size_t r = 0; r < program.ranks.size(); ++r) {
    const auto to = static_cast<std::size_t>(names[r]);
    auto& calls = result.ranks[to];
    calls = program.ranks[r];
    result.tails_ns[to] = program.tails_ns[r];
    if (program.timed) result.init_ns[to] = program.init_ns[r];
    for (ProgramCall& c : calls) {
      name(c.call.peer);
      const auto op_class = operation_class(c.call.operation);
      if (op_class == OperationClass::sendrecv) name(c.args[0]);
      for (std::size_t i = 2; op_class == OperationClass::start && i < c.args.size(); i += 6) {
        name(c.args[i]);
      }
    }
  }
  return result;
}

Program scaled(const Program& program, std::int64_t factor) {
  Program result = program;
  for (auto& calls : result.ranks) {
    for (ProgramCall& c : calls) {
      c.gap_ns *= factor;
      c.duration_ns *= factor;
    }
  }
  for (auto& t : result.tails_ns) t *= factor;
  for (auto& t : result.init_ns) t *= factor;
  return result;
}

Program with_idle_rank(const Program& program) {
  Program result = program;
  result.ranks.emplace_back();
  result.tails_ns.push_back(0);
  // It may not be the first to leave MPI_Init: that would move everyone's zero.
  if (program.timed) result.init_ns.push_back(std::ranges::max(program.init_ns));
  return result;
}

}  // namespace slackline::oracle
