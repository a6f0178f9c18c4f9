// Hypotheses about communication: which calls could be left out or merged, which need not wait, and
// which algorithms other collectives have.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "advice/faster_algorithm.h"
#include "advice/hypotheses.h"
#include "advice/omitted_calls.h"
#include "base/arithmetic.h"
#include "base/units.h"

namespace slackline {
namespace {

/// Collective operations whose other algorithms are evaluated.
constexpr std::size_t kCollectives = 2;

std::string calls_and_time(Operation operation, const OperationUse& use) {
  return fmt::format("{} of {} that take {} over all ranks", count_of(use.count, "call"),
                     mpi_name(operation), format_time_ns(static_cast<double>(use.time_ns)));
}

RunScenario with(CallChanges changes) {
  return {.calls = std::make_shared<const CallChanges>(std::move(changes))};
}

void take_empty_messages(const LimitInputs& run, const TakeHypothesis& take) {
  OmittedCalls found = empty_messages(run.trace, run.matching);
  if (found.count == 0) return;
  take({.problem = Problem::empty_messages,
        .action = "Omit the messages without content",
        .place = "messages of 0 bytes",
        .change = with(std::move(found.changes)),
        .edits = {Edit{"remove-messages", {{"max-bytes", "0"}}}},
        .evidence = fmt::format("{} of {} messages have 0 bytes.", format_count(found.count),
                                format_count(found.of_all)),
        .assumption = "nothing depends on their arrival"});
}

void take_sequences(const LimitInputs& run, const TakeHypothesis& take) {
  OmittedCalls found = merged_calls(run.trace, run.matching);
  if (found.count == 0) return;
  const Operation operation = found.operation;
  const OperationClass kind = operation_class(operation);
  const bool messages = kind == OperationClass::send || kind == OperationClass::isend;
  const std::string name{mpi_name(operation)};
  take({.problem = Problem::small_messages,
        .action = messages ? "Merge messages that a rank sends to the same rank one after the other"
                           : fmt::format("Combine calls of {} into fewer, larger ones", name),
        .place = messages ? "consecutive messages" : name,
        .change = with(std::move(found.changes)),
        .edits = messages ? std::vector{Edit{"merge-messages"}} : std::vector<Edit>(),
        .evidence = fmt::format("{} of {} calls have the same target as a later one, and nothing "
                                "that may wait lies between.",
                                format_count(found.count), format_count(found.of_all)),
        .assumption = messages
                          ? "the receiver can do without the first ones until the last one is sent"
                          : "nothing needs the first ones until the last one"});
}

void take_barriers(const LimitInputs& run, const ProgramProfile& profile,
                   const TakeHypothesis& take) {
  const OperationUse& use = profile.operations[static_cast<std::size_t>(Operation::barrier)];
  if (use.count == 0) return;
  take({.problem = Problem::barriers,
        .action = "Remove the barriers",
        .place = "MPI_Barrier",
        .change = with(calls_of(run.trace, Operation::barrier).changes),
        .edits = {Edit{"remove", {{"operation", "barrier"}}}},
        .evidence = fmt::format("{}.", calls_and_time(Operation::barrier, use)),
        .assumption = "nothing but messages orders the ranks' work"});
}

/// Sends that waited for their receivers.
void take_late_receivers(const LimitInputs& run, const TakeHypothesis& take) {
  double waited_ns = 0;
  for (const WaitState& w : run.waits.states) {
    if (w.pattern == WaitPattern::late_receiver) waited_ns += static_cast<double>(w.wait_ns);
  }
  if (waited_ns <= 0) return;
  take({.problem = Problem::rendezvous,
        .action = "Post receives before the messages are sent, or raise the MPI library's eager "
                  "threshold",
        .place = "messages that wait for their receiver",
        .change = with({.no_late_receivers = true}),
        .evidence = fmt::format("Senders wait {} for receivers, over all ranks.",
                                format_time_ns(waited_ns)),
        .assumption = "memory for the messages that wait is available"});
}

/// The blocking collectives with the most time in them.
std::vector<Operation> main_collectives(const ProgramProfile& profile) {
  std::vector<Operation> operations;
  const auto time_of = [&](Operation o) {
    return profile.operations[static_cast<std::size_t>(o)].time_ns;
  };
  for (std::size_t o = 0; o < kOperationCount; ++o) {
    const auto operation = static_cast<Operation>(o);
    const bool collective = operation_class(operation) == OperationClass::collective;
    if (collective && profile.operations[o].count > 0) operations.push_back(operation);
  }
  std::ranges::stable_sort(operations, std::ranges::greater{}, time_of);
  if (operations.size() > kCollectives) operations.resize(kCollectives);
  return operations;
}

/// Which part of the time in an operation's calls without waiting depends on their algorithm.
double algorithm_part(const LimitLosses& losses, Operation operation) {
  double all = 0;
  double of_algorithm = 0;
  for (const PlacedLoss& loss : losses.placed()) {
    if (loss.place.operation != operation) continue;
    all += loss.ns;
    of_algorithm += loss.limit == Limit::processors ? 0 : loss.ns;
  }
  return ratio_of(of_algorithm, all);
}

void take_algorithms(ScenarioRuns& runs, const ProgramProfile& profile, const ModelChoice& choice,
                     const TakeHypothesis& take) {
  const LimitInputs& run = runs.inputs();
  for (const Operation operation : main_collectives(profile)) {
    const auto faster = faster_algorithm(run.trace, run.matching, operation, choice);
    if (!faster) continue;
    CallChanges changes;
    changes.saved[static_cast<std::size_t>(operation)] =
        faster->saved * algorithm_part(runs.losses(), operation);
    take({.problem = Problem::collective_algorithm,
          .action = fmt::format("Use the algorithm {} for {}", faster->name, mpi_name(operation)),
          .place = std::string(mpi_name(operation)),
          .change = with(std::move(changes)),
          .evidence = fmt::format(
              "{}; under the model one of {} takes {} less than by the MPI library's choice.",
              calls_and_time(operation, profile.operations[static_cast<std::size_t>(operation)]),
              format_bytes(static_cast<double>(faster->bytes)), format_percent(faster->saved)),
          .assumption = "the MPI library uses the other one now, or one that takes as long, and "
                        "offers this one"});
  }
}

}  // namespace

void communication_hypotheses(ScenarioRuns& runs, const ProgramProfile& profile,
                              const ModelChoice& choice, const TakeHypothesis& take) {
  const LimitInputs& run = runs.inputs();
  if (profile.rank_ns.size() < 2) return;
  take_empty_messages(run, take);
  take_sequences(run, take);
  take_barriers(run, profile, take);
  take_late_receivers(run, take);
  take_algorithms(runs, profile, choice, take);
}

}  // namespace slackline
