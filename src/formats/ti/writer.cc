#include "formats/ti/ti.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/file.h"
#include "calls/run_span.h"
#include "formats/ti/program_writer.h"

namespace slackline {
namespace ti {
namespace {

/// How much later than the earliest rank each one begins, beside the computation before that. In a
/// replay MPI_Init takes no time, so this is what it took some ranks longer than others.
std::vector<std::int64_t> late_starts(const Trace& trace) {
  std::vector<std::int64_t> late(static_cast<std::size_t>(trace.ranks()), 0);
  bool any = false;
  std::int64_t earliest = 0;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    if (calls.empty()) continue;
    const RankSpan span = rank_span(calls);
    std::int64_t& begin = late[static_cast<std::size_t>(r)];
    begin = span.analysed.begin_ns;
    for (std::size_t i = 0; i < span.first_call; ++i) begin -= calls.gap_ns(i);
    earliest = any ? std::min(earliest, begin) : begin;
    any = true;
  }
  for (std::int64_t& begin : late) begin = std::max<std::int64_t>(0, begin - earliest);
  return late;
}

std::string share(double part, double whole) {
  return fmt::format("{:.3g} %", whole > 0 ? 100 * part / whole : 0.0);
}

void count_lost(const Trace& trace, const LostCalls& lost, Findings& findings) {
  if (lost.calls == 0) return;
  std::uint64_t calls = 0;
  std::int64_t mpi_ns = 0;
  std::int64_t run_ns = 0;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& rank = trace.calls(r);
    const RankSpan span = rank_span(rank);
    calls += rank.size();
    run_ns += span.analysed.length_ns();
    for (std::size_t i = span.first_call; i < span.last_call; ++i) {
      mpi_ns += rank.end_ns(i) - rank.begin_ns(i);
    }
  }
  std::string example = share(static_cast<double>(lost.calls), static_cast<double>(calls));
  example += " of the calls";
  if (trace.timed()) {
    const auto lost_ns = static_cast<double>(lost.mpi_ns);
    example += fmt::format(", {} of the time in MPI, {} of the run's time",
                           share(lost_ns, static_cast<double>(mpi_ns)),
                           share(lost_ns, static_cast<double>(run_ns)));
  }
  findings.add(kLostShare, example, lost.calls);
}

}  // namespace
}  // namespace ti

Findings write_ti(const Trace& trace, const std::filesystem::path& path) {
  Findings findings;
  ti::LostCalls lost;
  OutputFile file(path);
  const std::vector<std::int64_t> late_ns = ti::late_starts(trace);
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    const std::int64_t late = late_ns[static_cast<std::size_t>(rank)];
    ti::ProgramWriter(trace, rank, late, file, findings, lost).write();
  }
  file.commit();
  ti::count_lost(trace, lost, findings);
  return findings;
}

}  // namespace slackline
