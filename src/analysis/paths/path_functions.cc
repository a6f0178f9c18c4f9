#include "analysis/paths/path_functions.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "analysis/paths/code_places.h"
#include "base/ratio.h"

namespace slackline {
namespace {

constexpr std::size_t kRowsShown = 15;

/// A place in the code, whatever the way to it, and the path's time there.
struct FunctionTime {
  FrameId frame;  ///< one of those at that place
  std::int64_t time_ns = 0;
};

std::vector<FunctionTime> function_times(const CriticalPath& path, const Trace& trace) {
  const CallPaths functions = CallPaths::of_functions(trace);
  const CallTree& tree = trace.call_tree();
  std::map<CodeLocation, FunctionTime> sums;
  for (const ActivitySegment& s : path.segments) {
    const FrameId frame = s.operation == Operation::none
                              ? frame_of_gap(trace, functions, s.rank, s.call)
                              : trace.calls(s.rank).frame(s.call);
    const CodeLocation at = frame == 0 ? CodeLocation{} : tree.location(frame);
    sums.try_emplace(at, FunctionTime{frame, 0}).first->second.time_ns += s.length_ns();
  }
  std::vector<FunctionTime> times;
  for (const auto& [at, time] : sums) times.push_back(time);
  std::ranges::stable_sort(times, std::greater{}, &FunctionTime::time_ns);
  return times;
}

}  // namespace

void add_location(Json& json, const CallTree& tree, FrameId frame) {
  const CodeLocation at = frame == 0 ? CodeLocation{} : tree.location(frame);
  json["function"] = at.function.empty() ? Json(nullptr) : Json(at.function);
  json["file"] = at.file.empty() ? Json(nullptr) : Json(at.file);
  json["line"] = at.line == 0 ? Json(nullptr) : Json(at.line);
}

void describe_functions(const CriticalPath& path, const Trace& trace, Report& report) {
  const CallTree& tree = trace.call_tree();
  const auto run = static_cast<double>(path.makespan_ns);
  Json all = Json::array();
  Table table{"path_functions",
              "Functions on the critical path",
              {{"function", Unit::none, "calls of MPI in it, and computation up to this line"},
               {"on the path", Unit::ns},
               {"of the run", Unit::ratio}},
              {}};
  if (!tree.empty()) {
    for (const FunctionTime& f : function_times(path, trace)) {
      const Value share = ratio_of(static_cast<double>(f.time_ns), run);
      Json one = Json::object();
      add_location(one, tree, f.frame);
      one["time_ns"] = f.time_ns;
      one["share"] = run > 0 ? Json(static_cast<double>(f.time_ns) / run) : Json(nullptr);
      all.push_back(std::move(one));
      if (table.rows.size() < kRowsShown) {
        table.rows.push_back({describe_frame(tree, f.frame), f.time_ns, share});
      }
    }
  }
  report.result["by_function"] = std::move(all);
  if (!table.rows.empty()) report.sections.front().items.push_back(std::move(table));
}

}  // namespace slackline
