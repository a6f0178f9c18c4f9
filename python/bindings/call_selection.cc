#include "bindings/call_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"
#include "base/units.h"

namespace slackline::python {
namespace {

std::vector<std::int32_t> wanted_ranks(const Trace& trace, const CallFilter& filter) {
  if (!filter.ranks) {
    std::vector<std::int32_t> all(static_cast<std::size_t>(trace.ranks()));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  for (const std::int32_t rank : *filter.ranks) require_rank(trace, rank);
  return *filter.ranks;
}

using OperationFlags = std::array<bool, kOperationCount>;

std::optional<OperationFlags> wanted_operations(const CallFilter& filter) {
  if (filter.operations.empty()) return std::nullopt;
  OperationFlags wanted{};
  for (const std::string& name : filter.operations) {
    wanted[static_cast<std::size_t>(operation_named(name))] = true;
  }
  return wanted;
}

/// By path: whether it leads through one of the regions or functions.
std::vector<char> wanted_paths(const CallPaths& paths, const std::vector<std::string>& names,
                               std::string_view kind, std::string_view reason,
                               std::string_view help) {
  std::vector<char> wanted(paths.size(), 0);
  for (const std::string& name : names) {
    bool found = false;
    for (PathId path = 1; path < paths.size(); ++path) {
      if (paths.innermost(path) != name) continue;
      wanted[path] = 1;
      found = true;
    }
    if (found) continue;
    throw usage_error(fmt::format("unknown {} '{}'", kind, name), std::string(reason),
                      std::string(help));
  }
  for (PathId path = 1; path < paths.size(); ++path) {  // parents come before their children
    wanted[path] = wanted[path] != 0 || wanted[paths.parent(path)] != 0 ? 1 : 0;
  }
  return wanted;
}

std::vector<char> wanted_regions(const Opened& opened, const CallFilter& filter) {
  if (filter.regions.empty()) return {};
  return wanted_paths(opened.paths(), filter.regions, "region",
                      "the trace has no region or function of that name",
                      "Trace.call_tree() lists them.");
}

std::vector<char> wanted_functions(const Opened& opened, const CallFilter& filter) {
  if (filter.functions.empty()) return {};
  return wanted_paths(opened.function_paths(), filter.functions, "function",
                      "no recorded call path leads through it",
                      "The column 'function' of Trace.calls() has the functions that call MPI.");
}

/// What is compared with each call.
struct Wanted {
  std::optional<TimeInterval> interval;
  std::optional<OperationFlags> operations;
  std::vector<char> regions;    // by path of Opened::paths()
  std::vector<char> functions;  // by path of Opened::function_paths()

  bool everything() const {
    return !interval && !operations && regions.empty() && functions.empty();
  }
};

SelectedCalls selected(const Opened& opened, std::int32_t rank, const Wanted& wanted) {
  const RankCalls& calls = opened.trace().calls(rank);
  SelectedCalls result{.rank = rank, .count = static_cast<std::uint32_t>(calls.size())};
  if (wanted.everything()) return result;
  const std::size_t end =
      wanted.interval ? calls.first_from(wanted.interval->end_ns) : calls.size();
  const CallPaths* const regions = wanted.regions.empty() ? nullptr : &opened.paths();
  const CallPaths* const functions = wanted.functions.empty() ? nullptr : &opened.function_paths();
  std::vector<std::uint32_t> found;
  for (std::size_t i = 0; i < end; ++i) {
    const auto call = static_cast<std::uint32_t>(i);
    if (wanted.operations && !(*wanted.operations)[static_cast<std::size_t>(calls.operation(i))]) {
      continue;
    }
    // A call that takes no time lies in the interval that it begins in.
    if (wanted.interval && calls.end_ns(i) <= wanted.interval->begin_ns &&
        calls.begin_ns(i) < wanted.interval->begin_ns) {
      continue;
    }
    if (regions != nullptr && wanted.regions[regions->at_call(rank, call)] == 0) continue;
    if (functions != nullptr && wanted.functions[functions->at_call(rank, call)] == 0) continue;
    found.push_back(call);
  }
  result.count = static_cast<std::uint32_t>(found.size());
  result.first = found.empty() ? 0 : found.front();
  if (!found.empty() && found.back() - found.front() + 1 != result.count) {
    result.scattered = std::move(found);
  }
  return result;
}

}  // namespace

Operation operation_named(const std::string& name) {
  for (std::size_t i = 0; i < kOperationCount; ++i) {
    const auto operation = static_cast<Operation>(i);
    if (name == mpi_name(operation) || name == identifier(operation)) return operation;
  }
  throw usage_error(fmt::format("unknown operation '{}'", name), "no such name",
                    "Use its name in MPI, such as MPI_Isend.");
}

void require_rank(const Trace& trace, std::int32_t rank) {
  if (rank >= 0 && rank < trace.ranks()) return;
  throw usage_error(
      fmt::format("rank {} does not exist", rank),
      fmt::format("the trace has {}", count_of(static_cast<std::uint64_t>(trace.ranks()), "rank")),
      fmt::format("Choose one from 0 to {}.", trace.ranks() - 1));
}

CallSelection select_calls(const Opened& opened, const CallFilter& filter) {
  const std::vector<std::int32_t> ranks = wanted_ranks(opened.trace(), filter);
  const Wanted wanted{filter.interval, wanted_operations(filter), wanted_regions(opened, filter),
                      wanted_functions(opened, filter)};
  CallSelection selection;
  selection.of_ranks.resize(ranks.size());
  parallel_for(ranks.size(),
               [&](std::size_t i) { selection.of_ranks[i] = selected(opened, ranks[i], wanted); });
  selection.first_row.push_back(0);
  for (const SelectedCalls& of_rank : selection.of_ranks) {
    selection.first_row.push_back(selection.rows() + of_rank.count);
  }
  return selection;
}

}  // namespace slackline::python
