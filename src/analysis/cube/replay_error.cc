#include "analysis/cube/replay_error.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/cube/severity_cube.h"
#include "calls/run_span.h"

namespace slackline {
namespace {

/// With all time between calls as computation: a replay computes where the program was blocked.
SeverityCube times_of(const Trace& trace) {
  SeverityCube times(trace.ranks());
  const SeverityCube all =
      severity_cube(trace, CallPaths::of_regions_or_functions(trace), WaitStates{});
  for (const auto& [key, values] : all.severities()) {
    const std::string metric = key.is_outside_mpi() ? "computation" : key.metric;
    for (std::size_t r = 0; r < values.size(); ++r) {
      times.add({metric, key.call_path}, static_cast<std::int32_t>(r), values[r]);
    }
  }
  return times;
}

/// "MPI_Send" of "main/halo/MPI_Send".
std::string operation_of(const SeverityCube::Key& key) {
  if (key.metric == "computation") return key.metric;
  const std::size_t slash = key.call_path.rfind('/');
  return slash == std::string::npos ? key.call_path : key.call_path.substr(slash + 1);
}

std::string path_of(const SeverityCube::Key& key) {
  if (key.metric != "computation") return key.call_path;
  return key.call_path.empty() ? key.metric : key.call_path + "/" + key.metric;
}

void sort_by_difference(std::vector<ComparedTime>& times) {
  std::ranges::stable_sort(times, std::ranges::greater{},
                           [](const ComparedTime& time) { return std::abs(time.difference_ns()); });
}

}  // namespace

ReplayError replay_error(const Trace& measured, const Trace& replayed) {
  const SeverityCube before = times_of(measured);
  const SeverityCube after = times_of(replayed);
  std::set<SeverityCube::Key> keys;
  for (const SeverityCube* cube : {&before, &after}) {
    for (const auto& [key, values] : cube->severities()) {
      if (key.metric == "computation" || key.metric == "mpi") keys.insert(key);
    }
  }
  ReplayError error;
  error.measured_ns = static_cast<double>(run_span(measured).analysed.length_ns());
  error.replayed_ns = static_cast<double>(run_span(replayed).analysed.length_ns());
  std::map<std::string, ComparedTime> operations;
  double absolute = 0;
  for (const SeverityCube::Key& key : keys) {
    const std::vector<double> a = before.of(key);
    const std::vector<double> b = after.of(key);
    ComparedTime& operation = operations[operation_of(key)];
    operation.name = operation_of(key);
    for (std::size_t r = 0; r < a.size(); ++r) {
      operation.measured_ns += a[r];
      operation.replayed_ns += b[r];
      absolute += std::abs(b[r] - a[r]);
      error.call_paths.push_back({path_of(key), static_cast<std::int32_t>(r), a[r], b[r]});
    }
  }
  for (auto& [name, time] : operations) error.operations.push_back(std::move(time));
  sort_by_difference(error.operations);
  sort_by_difference(error.call_paths);
  if (error.measured_ns > 0) {
    error.total = error.replayed_ns / error.measured_ns - 1;
    error.by_call_path = absolute / (error.measured_ns * measured.ranks());
  }
  return error;
}

}  // namespace slackline
