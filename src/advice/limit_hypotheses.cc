// Hypotheses about what limits a run: what each limit asks for. Their gains are known from the
// scenarios by which the limits were found (analysis/summary/limit_gains.h), but for half of what
// the network takes.

#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "advice/hypotheses.h"
#include "base/arithmetic.h"
#include "base/sentences.h"
#include "base/units.h"

namespace slackline {
namespace {

std::string in_code(const LimitingCause& c, const CallTree& tree) {
  return c.frame == 0 ? "" : " in " + tree.location(c.frame).function;
}

std::string in_operation(const LimitingCause& c) {
  return c.operation == Operation::none ? "" : fmt::format(" in {}", mpi_name(c.operation));
}

/// Action, problem and assumption of what is left of a loss by nothing else.
struct Remedy {
  Problem problem;
  std::string action;
  std::string assumption;
};

Remedy against_imbalance(const LimitingCause& c, const CallTree& tree) {
  const std::string who = c.ranks.empty() ? "ranks" : named_ranks(c.ranks);
  if (c.late_start) {
    return {Problem::outliers, fmt::format("Start {} at the same time as the others", who),
            "what delays the start can be avoided"};
  }
  if (c.blocked) {
    return {Problem::blocking,
            fmt::format("Avoid that {} {} blocked outside MPI{}", who,
                        c.ranks.size() == 1 ? "is" : "are", in_code(c, tree)),
            "the others need not wait for what it sleeps for"};
  }
  if (operation_class(c.operation) == OperationClass::one_sided) {
    return {Problem::serialisation, fmt::format("Hold locks for less time{}", in_code(c, tree)),
            "what is done under the lock can be done outside, or under several locks"};
  }
  return {Problem::imbalance,
          c.frame == 0 ? "Balance the computation of the program over all ranks"
                       : fmt::format("Balance the computation of {} over all ranks",
                                     tree.location(c.frame).function),
          "the work can be divided evenly"};
}

Remedy against_serialisation(const LimitingCause& c, const CallTree& tree) {
  if (c.ranks.size() == 1) {
    return {Problem::serial,
            fmt::format("Divide what {} does alone{} over all ranks", named_ranks(c.ranks),
                        in_code(c, tree)),
            "the work is parallel, and the other ranks do nothing else meanwhile"};
  }
  return {Problem::serialisation,
          fmt::format("Let ranks work at the same time instead of waiting for each other in turn{}",
                      in_operation(c)),
          "the order of the work can be changed: smaller pieces, other dependences"};
}

std::optional<Remedy> remedy_of(const LimitingCause& c, const CallTree& tree) {
  const std::string code = in_code(c, tree);
  switch (c.limit) {
    case Limit::imbalance:
      return against_imbalance(c, tree);
    case Limit::serialisation:
      return against_serialisation(c, tree);
    case Limit::processors:
      return Remedy{Problem::processors, "Give each rank a processor of its own",
                    "nothing else needs these processors"};
    case Limit::blocked:
      return Remedy{Problem::blocking, fmt::format("Avoid being blocked outside MPI{}", code),
                    "it is sleep, or I/O that can be done meanwhile"};
    case Limit::io:
      return Remedy{Problem::io, fmt::format("Read and write less, or beside computation{}", code),
                    "the I/O can be avoided or overlapped as a whole"};
    case Limit::openmp_serial:
      return Remedy{Problem::threads, fmt::format("Compute with all threads{}", code),
                    "the work outside of parallel regions is parallel"};
    case Limit::openmp_imbalance:
      return Remedy{Problem::threads, fmt::format("Balance the threads of the regions{}", code),
                    "the iterations can be shared out otherwise, as by schedule(dynamic)"};
    case Limit::openmp_synchronisation:
      return Remedy{Problem::threads, fmt::format("Use fewer, longer parallel regions{}", code),
                    "regions can be joined"};
    default:
      return std::nullopt;
  }
}

/// The change that makes a limit vanish, where it is one for itself.
RunScenario change_of(Limit limit) {
  const bool depends = limit == Limit::imbalance || limit == Limit::serialisation;
  return depends ? RunScenario() : RunScenario().without_loss(limit);
}

/// Time in calls that the network takes: for bytes, or for messages that are too small for that.
struct NetworkTime {
  CallChanges halved{};    ///< calls without half of it
  std::string evidence{};  ///< empty: there is none
};

NetworkTime network_time(const LimitLosses& losses, bool of_small_messages) {
  std::array<double, kOperationCount> all{};
  std::array<double, kOperationCount> half{};
  const PlacedLoss* most = nullptr;
  for (const PlacedLoss& loss : losses.placed()) {
    const auto o = static_cast<std::size_t>(loss.place.operation);
    all[o] += loss.ns;
    const bool of_network = loss.limit == Limit::transfer || loss.limit == Limit::message_rate;
    if (!of_network || loss.sum->is_small() != of_small_messages || loss.ns <= 0) continue;
    half[o] += loss.ns / 2;
    if (most == nullptr || loss.ns > most->ns) most = &loss;
  }
  NetworkTime time;
  for (std::size_t o = 0; o < kOperationCount; ++o) {
    time.halved.saved[o] = ratio_of(half[o], all[o]);
  }
  if (most == nullptr) return time;
  const CallSum& sum = *most->sum;
  const double size =
      ratio_of(static_cast<double>(sum.bytes()), static_cast<double>(sum.messages()));
  time.evidence =
      fmt::format("{} of {}, mean size {}, take {} over all ranks.", count_of(sum.calls(), "call"),
                  mpi_name(most->place.operation), format_bytes(size), format_time_ns(most->ns));
  return time;
}

Hypothesis with_half(NetworkTime time, Problem problem, std::string action,
                     std::string assumption) {
  return {.problem = problem,
          .action = std::move(action),
          .place = "network",
          .change = {.calls = std::make_shared<const CallChanges>(std::move(time.halved))},
          .evidence = std::move(time.evidence),
          .assumption = std::move(assumption)};
}

void about_network(const LimitLosses& losses, const TakeHypothesis& take) {
  if (const NetworkTime small = network_time(losses, true); !small.evidence.empty()) {
    take(
        with_half(small, Problem::latency,
                  "Halve the time of small messages: half as many, or a faster network and library",
                  "messages can be merged, or nothing but their number and the network decides "
                  "what they take"));
  }
  const NetworkTime bytes = network_time(losses, false);
  if (bytes.evidence.empty()) return;
  Hypothesis less =
      with_half(bytes, Problem::message_volume, "Send half as many bytes in each message",
                "lower precision, compression or less redundancy is possible at no cost");
  less.place = "messages";
  less.edits = {Edit{"resize-messages", {{"factor", "0.5"}}}};
  take(std::move(less));
  take(with_half(bytes, Problem::bandwidth, "Use a network with twice the bandwidth",
                 "such a network is available, and nothing else limits these calls"));
}

}  // namespace

void limit_hypotheses(ScenarioRuns& runs, std::span<const LimitingCause> limits,
                      const TakeHypothesis& take) {
  const CallTree& tree = runs.inputs().trace.call_tree();
  about_network(runs.losses(), take);
  for (const LimitingCause& c : limits) {
    std::optional<Remedy> remedy = remedy_of(c, tree);
    if (!remedy || !c.gain) continue;
    take({.problem = remedy->problem,
          .action = std::move(remedy->action),
          .place = c.frame == 0 ? "" : tree.location(c.frame).function,
          .rank = c.ranks.empty() ? -1 : c.ranks.front(),
          .each_instance = c.limit == Limit::imbalance && c.ranks.empty(),
          .change = change_of(c.limit),
          .gain = c.gain,
          .evidence = sentence(c, tree),
          .assumption = std::move(remedy->assumption)});
  }
}

}  // namespace slackline
