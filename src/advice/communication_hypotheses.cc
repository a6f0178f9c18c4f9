// Hypotheses about communication: what could be left out, made smaller, or done another way, and
// what another network would change.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "advice/hypotheses.h"
#include "base/units.h"
#include "graph/collectives/schedule.h"

namespace slackline {
namespace {

/// Collective operations whose other algorithms are evaluated.
constexpr std::size_t kCollectives = 2;

const OperationUse& use_of(const ProgramProfile& profile, Operation operation) {
  return profile.operations[static_cast<std::size_t>(operation)];
}

template <class Visit>
void for_operations(const ProgramProfile& profile, Visit visit) {
  for (std::size_t o = 0; o < kOperationCount; ++o) {
    if (profile.operations[o].count > 0) visit(static_cast<Operation>(o), profile.operations[o]);
  }
}

std::string calls_and_time(Operation operation, const OperationUse& use) {
  std::string text = fmt::format("{} of {}", count_of(use.count, "call"), mpi_name(operation));
  if (use.time_ns > 0) {
    text += fmt::format(" that take {} over all ranks",
                        format_time_ns(static_cast<double>(use.time_ns)));
  }
  return text;
}

void add_empty_messages(const MessageUse& messages, std::vector<Hypothesis>& all) {
  if (messages.empty == 0) return;
  all.push_back(
      {.problem = Problem::empty_messages,
       .action = "Omit the messages without content",
       .place = "messages of 0 bytes",
       .edits = {Edit{"remove-messages", {{"max-bytes", "0"}}}},
       .evidence = fmt::format("{} of {} messages have 0 bytes.", format_count(messages.empty),
                               format_count(messages.count)),
       .assumption = "nothing depends on their arrival"});
}

void add_message_volume(const MessageUse& messages, std::vector<Hypothesis>& all) {
  if (messages.bytes == 0) return;
  all.push_back(
      {.problem = Problem::message_volume,
       .action = "Send half as many bytes in each message",
       .place = "messages",
       .edits = {Edit{"resize-messages", {{"factor", "0.5"}}}},
       .evidence = fmt::format("{} contain {}.", count_of(messages.count, "message"),
                               format_bytes(static_cast<double>(messages.bytes))),
       .assumption = "lower precision, compression or less redundancy is possible at no cost"});
}

/// Messages right after others to the same rank.
void add_sequences(const MessageUse& messages, std::vector<Hypothesis>& all) {
  if (messages.sequels == 0) return;
  all.push_back(
      {.problem = Problem::small_messages,
       .action = "Merge messages that a rank sends to the same rank one after the other",
       .place = "consecutive messages",
       .edits = {Edit{"merge-messages"}},
       .evidence = fmt::format("{} of {} messages follow another one to the same rank.",
                               format_count(messages.sequels), format_count(messages.count)),
       .assumption = "the receiver can do without the first ones until the last one is sent"});
}

void add_barriers(const ProgramProfile& profile, std::vector<Hypothesis>& all) {
  const OperationUse& use = use_of(profile, Operation::barrier);
  if (use.count == 0) return;
  all.push_back({.problem = Problem::barriers,
                 .action = "Remove the barriers",
                 .place = "MPI_Barrier",
                 .edits = {Edit{"remove", {{"operation", "barrier"}}}},
                 .evidence = fmt::format("{}.", calls_and_time(Operation::barrier, use)),
                 .assumption = "nothing but messages orders the ranks' work"});
}

void add_rendezvous(std::uint64_t largest, const ModelChoice& choice,
                    std::vector<Hypothesis>& all) {
  const std::uint64_t threshold = choice.graph.eager_threshold_bytes;
  if (largest <= threshold) return;
  ModelVariation variation;
  variation.eager_threshold_bytes = largest;
  all.push_back({.problem = Problem::rendezvous,
                 .action = fmt::format(
                     "Post receives before the messages are sent, or raise the eager threshold "
                     "from {} to {}",
                     format_bytes(static_cast<double>(threshold)),
                     format_bytes(static_cast<double>(largest))),
                 .place = "messages over the eager threshold",
                 .variation = std::move(variation),
                 .evidence = fmt::format(
                     "The longest message has {}; sends of more than {} wait for their receiver.",
                     format_bytes(static_cast<double>(largest)),
                     format_bytes(static_cast<double>(threshold))),
                 .assumption = "memory for the messages that wait is available"});
}

/// The blocking collectives with the most time in them, or the most bytes in an untimed trace.
std::vector<Operation> main_collectives(const ProgramProfile& profile) {
  std::vector<std::pair<std::pair<std::int64_t, std::uint64_t>, Operation>> ranked;
  for_operations(profile, [&](Operation operation, const OperationUse& use) {
    if (operation_class(operation) != OperationClass::collective) return;
    ranked.push_back({{use.time_ns, use.bytes}, operation});
  });
  std::ranges::stable_sort(ranked, std::ranges::greater{}, [](const auto& r) { return r.first; });
  std::vector<Operation> operations;
  for (const auto& r : ranked) {
    if (operations.size() < kCollectives) operations.push_back(r.second);
  }
  return operations;
}

/// Algorithms that divide messages into segments do not divide short ones.
bool is_segmented(std::string_view name) {
  return name.ends_with("_segmented");
}
bool is_short(const OperationUse& use) {
  constexpr std::uint64_t kShort = 4096;
  return use.bytes <= use.count * kShort;
}

void add_algorithms(const ProgramProfile& profile, const PathUse& path,
                    std::vector<Hypothesis>& all) {
  for (const Operation operation : main_collectives(profile)) {
    if (path.may_gain_by_algorithm && !path.may_gain_by_algorithm(operation)) continue;
    for (const CollectiveAlgorithm& algorithm : collective_algorithms()) {
      if (algorithm.operation != operation || algorithm.uses_nodes) continue;
      if (is_segmented(algorithm.name) && is_short(use_of(profile, operation))) continue;
      ModelVariation variation;
      variation.collectives.push_back(fmt::format("{}={}", identifier(operation), algorithm.name));
      all.push_back(
          {.problem = Problem::collective_algorithm,
           .action =
               fmt::format("Use the algorithm {} for {}", algorithm.name, mpi_name(operation)),
           .place = std::string(mpi_name(operation)),
           .variation = std::move(variation),
           .evidence = fmt::format("{}.", calls_and_time(operation, use_of(profile, operation))),
           .assumption = "the MPI library offers it, or it is written in the program"});
    }
  }
}

void add_networks(const PathUse& path, std::vector<Hypothesis>& all) {
  ModelVariation latency;
  latency.latency_factor = 0.5;
  all.push_back(
      {.problem = Problem::latency,
       .action = "Use a network with half the latency, or half as many messages in sequence",
       .place = "network",
       .variation = std::move(latency),
       .evidence = fmt::format("The critical path crosses the network {} times.",
                               format_count(static_cast<std::uint64_t>(path.latencies))),
       .assumption = "such a network is available, or messages can be merged"});
  ModelVariation gap;
  gap.gap_factor = 0.5;
  all.push_back({.problem = Problem::bandwidth,
                 .action = "Use a network with twice the bandwidth",
                 .place = "network",
                 .variation = std::move(gap),
                 .evidence = fmt::format("The critical path transfers {}.",
                                         format_bytes(static_cast<double>(path.bytes))),
                 .assumption = "such a network is available"});
}

}  // namespace

std::vector<Hypothesis> communication_hypotheses(const ProgramProfile& profile,
                                                 const ModelChoice& choice, const PathUse& path) {
  std::vector<Hypothesis> all;
  if (profile.rank_ns.size() < 2) return all;
  add_empty_messages(profile.messages, all);
  // Smaller messages may also be eager ones.
  const bool rendezvous = profile.messages.largest > choice.graph.eager_threshold_bytes;
  if (path.may_gain_by_volume || rendezvous) add_message_volume(profile.messages, all);
  add_sequences(profile.messages, all);
  add_barriers(profile, all);
  add_rendezvous(profile.messages.largest, choice, all);
  add_algorithms(profile, path, all);
  if (choice.pairs == nullptr) add_networks(path, all);
  return all;
}

}  // namespace slackline
