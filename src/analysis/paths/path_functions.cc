#include "analysis/paths/path_functions.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "base/arithmetic.h"
#include "calls/computation_code.h"

namespace slackline {
namespace {

constexpr std::size_t kFunctionsShown = 15;

/// Times of one place; by frame, because several have it.
struct PlaceTimes {
  std::map<FrameId, std::int64_t> by_frame;
  std::int64_t time_ns = 0;
};

auto location_object(const CodeLocation& at) {
  return Object{"function"_key = known_text(at.function), "file"_key = known_text(at.file),
                "line"_key = known_if(at.line != 0, at.line)};
}

auto function_objects(const std::vector<PathFunction>& functions, const CallTree& tree,
                      double run_ns) {
  return list_of(functions, [&](const PathFunction& f) {
    const auto time = static_cast<double>(f.time_ns);
    return Object{location_to_json(tree, f.frame), "time_ns"_key = f.time_ns,
                  "share"_key = known_if(run_ns > 0, time / run_ns)};
  });
}

}  // namespace

std::vector<PathFrameTime> path_frames(std::span<const ActivitySegment> segments,
                                       const Trace& trace, const ComputationCode& code,
                                       const TimeInterval& interval, bool inner) {
  std::vector<PathFrameTime> rows;
  if (trace.call_tree().empty()) return rows;
  std::map<PathFrame, std::int64_t> sums;
  for (const ActivitySegment& s : segments) {
    if (s.late_start) continue;  // no code runs there
    if (inner && (is_init(s.operation) || s.operation == Operation::finalize)) continue;
    const std::int64_t ns =
        std::min(s.end_ns, interval.end_ns) - std::max(s.begin_ns, interval.begin_ns);
    if (ns <= 0) continue;
    if (s.operation != Operation::none) {
      sums[{true, trace.calls(s.rank).frame(s.call)}] += ns;
      continue;
    }
    code.split_gap(s.rank, s.call, ns, [&](FrameId frame, std::int64_t part) {
      sums[{!code.sampled(), frame}] += part;
    });
  }
  for (const auto& [frame, ns] : sums) rows.push_back({frame, ns});
  return rows;
}

std::vector<PathFunction> path_functions(std::span<const PathFrameTime> frames,
                                         const CallTree& tree) {
  std::map<std::pair<bool, CodeLocation>, PlaceTimes> places;
  for (const PathFrameTime& row : frames) {
    const auto [by_line, frame] = row.of;
    CodeLocation at = frame == 0 ? CodeLocation{} : tree.location(frame);
    if (!by_line) at.line = 0;
    PlaceTimes& place = places[{by_line, std::move(at)}];
    place.by_frame[frame] += row.sum;
    place.time_ns += row.sum;
  }
  std::vector<PathFunction> times;
  for (const auto& [at, place] : places) {
    const auto most = std::ranges::max_element(place.by_frame, {},
                                               [](const auto& entry) { return entry.second; });
    times.push_back({most->first, place.time_ns});
  }
  std::ranges::stable_sort(times, std::greater{}, &PathFunction::time_ns);
  return times;
}

std::vector<PathFunction> path_functions(const CriticalPath& path, const Trace& trace,
                                         const ComputationCode& code, const TimeInterval& interval,
                                         bool inner) {
  return path_functions(path_frames(path.segments, trace, code, interval, inner),
                        trace.call_tree());
}

const JsonType& declared_type(const LocationJsonTag*) {
  return json_type_by<location_object>();
}

LocationJson location_to_json(const CallTree& tree, FrameId frame) {
  return location_object(frame == 0 ? CodeLocation{} : tree.location(frame));
}

std::optional<std::vector<std::string>> functions_to(const CallTree& tree, FrameId frame) {
  if (frame == 0) return std::nullopt;
  return list_of(tree.path_to(frame), [&](FrameId f) { return tree.location(f).function; });
}

const JsonType& declared_type(const PathFunctionsJsonTag*) {
  return json_type_by<function_objects>();
}

PathFunctionsJson describe_functions(const std::vector<PathFunction>& functions,
                                     const CriticalPath& path, const Trace& trace,
                                     Section& section) {
  const CallTree& tree = trace.call_tree();
  const auto run = static_cast<double>(path.makespan_ns);
  Table table{
      "path_functions",
      "Functions on the critical path",
      {{"function", Unit::none, "calls of MPI in it, and computation: sampled, or up to this line"},
       {"on the path", Unit::ns},
       {"of the run", Unit::ratio},
       {"of the path", Unit::ratio, "in the analysed interval"}},
      {}};
  std::int64_t sum = 0;
  for (const PathFunction& f : functions) sum += f.time_ns;
  for (const PathFunction& f : functions) {
    const Value share = ratio_of(static_cast<double>(f.time_ns), run);
    if (table.rows.size() < kFunctionsShown) {
      table.rows.push_back({describe_frame(tree, f.frame), f.time_ns, share,
                            ratio_of(static_cast<double>(f.time_ns), static_cast<double>(sum))});
    }
  }
  if (!table.rows.empty()) section.items.push_back(std::move(table));
  return function_objects(functions, tree, run);
}

}  // namespace slackline
