// What must not change a prediction, and in which direction it must change.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "property/cases.h"
#include "timing/makespan.h"
#include "timing/model_schedule.h"

namespace slackline {
namespace {

using oracle::Program;

constexpr std::array kProtocols{Rendezvous::handshake, Rendezvous::rdma_read, Rendezvous::sync,
                                Rendezvous::loggopsim};

/// T in femtoseconds at the model's own parameters (all whole picoseconds here).
Int128 makespan_fs(const Program& program, const GraphOptions& options, const LogGPS& model) {
  const ExecutionGraph graph = build_graph(to_trace(program), options);
  MakespanFunction t(graph, model, Parameter::latency);
  return t.line_at(t.base()).scaled_at(t.base()) * t.tick_fs() / t.base().denominator;
}

/// Collectives order their ranks by the communicator, so those of the world would change.
oracle::ProgramShape order_free() {
  return {.world_collectives = false};
}

RC_GTEST_PROP(Invariance, RankNumbersDoNotMatter, ()) {
  const testing::Case c = testing::arbitrary_case(order_free());
  RC_LOG() << testing::describe(c.trace, c.options);
  std::vector<std::int32_t> names(static_cast<std::size_t>(c.program.size()));
  std::iota(names.begin(), names.end(), 0);
  for (std::size_t i = names.size(); i > 1; --i) {
    std::swap(names[i - 1], names[*rc::gen::inRange<std::size_t>(0, i)]);
  }
  const Program other = renamed(c.program, names);
  RC_ASSERT(makespan_fs(other, c.options, c.model) == makespan_fs(c.program, c.options, c.model));
  const Schedule before = model_schedule(build_graph(c.trace, c.options), c.model);
  const Schedule after = model_schedule(build_graph(to_trace(other), c.options), c.model);
  for (std::size_t r = 0; r < names.size(); ++r) {
    RC_ASSERT(before.rank_end_ps[r] == after.rank_end_ps[static_cast<std::size_t>(names[r])]);
  }
}

RC_GTEST_PROP(Invariance, AnIdleRankChangesNothing, ()) {
  oracle::ProgramShape shape = order_free();
  shape.timed = *rc::gen::arbitrary<bool>();
  const testing::Case c = testing::arbitrary_case(shape);
  RC_LOG() << testing::describe(c.trace, c.options);
  RC_ASSERT(makespan_fs(with_idle_rank(c.program), c.options, c.model) ==
            makespan_fs(c.program, c.options, c.model));
}

RC_GTEST_PROP(Invariance, TimesScaleWithAllCosts, ()) {
  const testing::Case c = testing::arbitrary_case({});
  RC_LOG() << testing::describe(c.trace, c.options);
  const std::int64_t k = *rc::gen::element<std::int64_t>(2, 3, 1000);
  const LogGPS larger{k * c.model.latency_fs, k * c.model.overhead_fs, k * c.model.gap_per_byte_fs};
  RC_ASSERT(makespan_fs(scaled(c.program, k), c.options, larger) ==
            k * makespan_fs(c.program, c.options, c.model));
}

/// Every call is of standard mode and nothing asks for what has arrived.
Program plain_modes(Program program) {
  for (auto& calls : program.ranks) {
    std::erase_if(calls, [](const oracle::ProgramCall& c) {
      return operation_class(c.call.operation) == OperationClass::probe;
    });
    for (oracle::ProgramCall& c : calls) {
      Operation& op = c.call.operation;
      if (op == Operation::ssend) op = Operation::send;
      if (op == Operation::issend) op = Operation::isend;
      if (operation_class(op) != OperationClass::start) continue;
      for (std::size_t i = 1; i < c.args.size(); i += 6) {
        if (c.args[i] == static_cast<std::int64_t>(Operation::ssend_init)) {
          c.args[i] = static_cast<std::int64_t>(Operation::send_init);
        }
      }
    }
  }
  return program;
}

RC_GTEST_PROP(Protocols, AreTheSameWithoutLargeMessages, ()) {
  const testing::Case c = testing::arbitrary_case({});
  const Program program = plain_modes(c.program);
  RC_LOG() << testing::describe(to_trace(program), c.options);
  GraphOptions options = c.options;
  options.eager_threshold_bytes = std::numeric_limits<std::uint64_t>::max();
  const Int128 eager = makespan_fs(program, options, c.model);
  for (const Rendezvous protocol : kProtocols) {
    options.rendezvous = protocol;
    RC_ASSERT(makespan_fs(program, options, c.model) == eager);
  }
}

RC_GTEST_PROP(Protocols, AreNeverFasterThanEager, ()) {
  // With links, receivers wait for one sender's eager messages, and not for those after a
  // handshake.
  const testing::Case c = testing::without_links(testing::arbitrary_case({}));
  const Program program = plain_modes(c.program);
  RC_LOG() << testing::describe(to_trace(program), c.options);
  GraphOptions options = c.options;
  options.eager_threshold_bytes = std::numeric_limits<std::uint64_t>::max();
  const Int128 eager = makespan_fs(program, options, c.model);
  for (const Rendezvous protocol : kProtocols) {
    options.rendezvous = protocol;
    for (const std::uint64_t threshold : {0u, 100u, 4096u}) {
      options.eager_threshold_bytes = threshold;
      RC_ASSERT(makespan_fs(program, options, c.model) >= eager);
    }
  }
}

RC_GTEST_PROP(Makespan, NeverFallsWhenAParameterGrows, ()) {
  const testing::Case c = testing::arbitrary_case({});
  RC_LOG() << testing::describe(c.trace, c.options);
  const Int128 before = makespan_fs(c.program, c.options, c.model);
  const std::int64_t more = *rc::gen::inRange<std::int64_t>(1, 1'000'000);
  for (const auto parameter :
       {&LogGPS::latency_fs, &LogGPS::overhead_fs, &LogGPS::gap_per_byte_fs}) {
    LogGPS larger = c.model;
    larger.*parameter += 1000 * more;
    RC_ASSERT(makespan_fs(c.program, c.options, larger) >= before);
  }
}

}  // namespace
}  // namespace slackline
