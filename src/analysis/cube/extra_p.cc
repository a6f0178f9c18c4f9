#include "analysis/cube/profile_writers.h"

#include <set>

#include "analysis/cube/severity_cube.h"
#include "report/object.h"

namespace slackline {
namespace {

constexpr double kNanosPerSecondOfExport = 1e9;

void add_line(std::int32_t ranks, const std::string& call_path, const std::string& metric,
              double value, std::string& lines) {
  lines += json_text(Object{"params"_key = Object{"p"_key = ranks}, "callpath"_key = call_path,
                            "metric"_key = metric, "value"_key = value}) +
           "\n";
}

bool is_count(const SeverityCube::Key& key) {
  return key.metric == "calls" || key.metric == "bytes";
}

}  // namespace

std::string extra_p_lines(const std::vector<ScalingRun>& runs) {
  std::set<SeverityCube::Key> keys;
  for (const ScalingRun& run : runs) {
    for (const auto& [key, values] : run.cube.severities()) keys.insert(key);
  }
  std::string lines;
  for (const ScalingRun& run : runs) {
    add_line(run.cube.ranks(), "run", "time", run.run_ns / kNanosPerSecondOfExport, lines);
  }
  for (const SeverityCube::Key& key : keys) {
    // Extra-P takes "->" between the functions of a call path.
    std::string path = "run";
    for (const std::string& frame : frames_of(key.call_path)) path += "->" + frame;
    const double unit = is_count(key) ? 1 : kNanosPerSecondOfExport;
    for (const ScalingRun& run : runs) {
      add_line(run.cube.ranks(), path, key.metric, run.cube.sum(key) / run.cube.ranks() / unit,
               lines);
    }
  }
  return lines;
}

}  // namespace slackline
