// random_programs COUNT SEED FILE: writes a trace in which four ranks run that many random programs
// (test/oracle/random_program.h) one after the other. A program of fewer ranks leaves the others
// out.

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "calls/call_actions.h"
#include "formats/native/writer.h"
#include "oracle/random_program.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

constexpr std::int32_t kRanks = 4;

/// Appends programs to a trace, whose numbers of communicators and requests go on.
class Sequence {
 public:
  Sequence() : trace_(kRanks, true), serials_(kRanks, 0), now_ns_(kRanks, 0) {
    for (std::int32_t r = 0; r < kRanks; ++r) append(r, {.operation = Operation::init}, 1000);
  }

  void add(const oracle::Program& program) {
    const auto comms = static_cast<std::uint32_t>(trace_.communicators().size()) - 2;
    for (const Communicator& c : program.communicators) trace_.add_communicator(c);
    for (std::int32_t r = 0; r < program.size(); ++r) {
      const auto at = static_cast<std::size_t>(r);
      const std::uint32_t first = serials_[at];
      for (const oracle::ProgramCall& c : program.ranks[at]) add_call(r, c, comms, first);
    }
    for (std::int32_t r = 0; r < kRanks; ++r) append(r, {.operation = Operation::barrier}, 500);
  }

  Trace finish() {
    for (std::int32_t r = 0; r < kRanks; ++r) append(r, {.operation = Operation::finalize}, 1000);
    return std::move(trace_).build();
  }

 private:
  void add_call(std::int32_t rank, const oracle::ProgramCall& c, std::uint32_t comms,
                std::uint32_t first) {
    Call call = c.call;
    std::vector<std::int64_t> args = c.args;
    const auto comm = [&](auto number) {
      return number > kCommSelf && number != kCommNull ? number + comms : number;
    };
    const auto serial = [&](std::uint32_t number) {
      if (number == kRequestNone) return number;
      auto& last = serials_[static_cast<std::size_t>(rank)];
      last = std::max(last, number + first);
      return number + first;
    };
    call.comm = comm(call.comm);
    call.request = serial(call.request);
    const OperationClass kind = operation_class(call.operation);
    if (kind == OperationClass::completion && !call.has(SLK_FLAG_FAILED)) {
      for (std::int64_t& arg : args) arg = serial(static_cast<std::uint32_t>(arg));
    } else if (kind == OperationClass::start) {
      for (std::size_t i = 0; i + kStartGroup <= args.size(); i += kStartGroup) {
        args[i] = serial(static_cast<std::uint32_t>(args[i]));
        args[i + 5] = comm(args[i + 5]);
      }
    } else if (kind == OperationClass::comm_create) {
      args[0] = comm(args[0]);
    }
    call.args = args;
    now_ns_[static_cast<std::size_t>(rank)] += c.gap_ns;
    append(rank, call, c.duration_ns);
  }

  void append(std::int32_t rank, Call call, std::int64_t duration_ns) {
    std::int64_t& now = now_ns_[static_cast<std::size_t>(rank)];
    call.begin_ns = now;
    now += duration_ns;
    call.end_ns = now;
    trace_.calls(rank).append(call);
  }

  TraceBuilder trace_;
  std::vector<std::uint32_t> serials_;  // of each rank's last request
  std::vector<std::int64_t> now_ns_;
};

int write_programs(const std::string& count, const std::string& seed, const std::string& file) {
  Sequence sequence;
  const std::uint64_t first = std::stoull(seed);
  for (std::uint64_t i = 0; i < std::stoull(count); ++i) {
    const oracle::ProgramShape shape{
        .max_ranks = kRanks, .world_collectives = false, .timed = true};
    sequence.add(random_program(oracle::Choices(first + i, 100 + (first + i) % 900), shape));
  }
  write_native(sequence.finish(), file);
  return 0;
}

}  // namespace
}  // namespace slackline

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  return slackline::write_programs(argv[1], argv[2], argv[3]);
}
