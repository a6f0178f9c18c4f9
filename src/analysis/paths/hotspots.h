#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/paths/critical_path.h"
#include "analysis/paths/run_code.h"
#include "calls/run_span.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/typed_report.h"
#include "trace/trace.h"

namespace slackline {

/// What one hot spot is.
enum class CodeUnit : std::uint8_t { function, line, call_path, module };
/// "function", "line", "call-path", "module".
std::string_view to_string(CodeUnit unit);
/// Throws usage Error for an unknown name. `option` is what gave it.
CodeUnit parse_code_unit(std::string_view name, std::string_view option);

/// What says to which code the time belongs.
enum class CodeSource : std::uint8_t { regions, call_paths, samples };

/// Time of a hot spot: in itself, and in all that is called from it.
struct CodeTime {
  std::int64_t exclusive_ns = 0;
  std::int64_t inclusive_ns = 0;
};

/// A function, line, call path or module and the time that the ranks spend in it.
struct Hotspot {
  FrameId frame = 0;     ///< of RunCode::tree(): the one of its frames with the most time; 0: code
                         ///< that is not known
  CodeTime path;         ///< on the critical path: computation, and calls of MPI made there
  CodeTime computation;  ///< of all ranks
  CodeTime mpi;          ///< in calls of MPI, waiting included, of all ranks
  std::int32_t busiest = 0;     ///< rank with the most (exclusive) computation there
  std::int64_t busiest_ns = 0;  ///< that computation
  double mean_ns = 0;           ///< mean of the (exclusive) computation over the ranks
};

/// A run by places of its code.
struct Hotspots {
  CodeUnit unit = CodeUnit::function;
  CodeSource source = CodeSource::regions;
  std::int64_t path_ns = 0;         ///< of the critical path in the analysed interval
  std::int64_t computation_ns = 0;  ///< of all ranks
  std::int64_t mpi_ns = 0;          ///< of all ranks
  std::vector<Hotspot> spots;       ///< by time on the critical path (exclusive), then computation
};

/// `path` is the critical path of `trace`, of code.paths(); what counts is in `analysed`, in the
/// trace's time. Recursive calls count once in inclusive times. O(calls + segments + frames *
/// depth).
Hotspots hotspots(const Trace& trace, const RunCode& code, const CriticalPath& path, CodeUnit unit,
                  const TimeInterval& analysed);

extern const Rows<Hotspots, struct HotspotsOf> kHotspots;
using HotspotsJson = JsonBy<kHotspots>;
/// Table and result; `tree` is that of the RunCode, `rows` of the table at most.
Described<HotspotsJson> describe(const Hotspots& hotspots, const CallTree& tree, std::size_t rows);

}  // namespace slackline
