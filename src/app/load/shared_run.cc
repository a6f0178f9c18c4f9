#include "app/load/shared_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "app/load/input.h"
#include "base/error.h"
#include "base/stage.h"
#include "calls/causality.h"
#include "distributed/rank_blocks.h"
#include "formats/open/open.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

/// Whether all processes can read it. Throws Error in all where it is not one file.
bool is_one_file(const std::optional<fs::path>& file, ProcessGroup& group) {
  const std::vector<std::uint64_t> mine{file ? 1u : 0u, file ? fingerprint(*file) : 0};
  const std::vector<std::uint64_t> all = gather_all(group, mine);
  for (std::size_t p = 1; p < all.size() / 2; ++p) {
    if (all[2 * p] == all[0] && all[2 * p + 1] == all[1]) continue;
    throw Error("cannot analyse the trace as several processes",
                fmt::format("process {} sees another file than process 0", p),
                "Put the trace where all processes see it under one name.");
  }
  return file.has_value();
}

bool has_one_sided_calls(const RankCalls& calls) {
  return std::ranges::any_of(calls.operations(), [](Operation operation) {
    return operation_class(operation) == OperationClass::one_sided;
  });
}

/// Sums over all ranks must not overflow, whatever the others are; who checks the whole trace
/// (check_time_span()) may allow more.
bool has_usual_times(const RankCalls& calls, std::int32_t ranks) {
  const std::int64_t limit = kTimeLimit_ns / (2 * std::int64_t{ranks});
  return std::abs(calls.start_ns()) < limit && std::abs(calls.stop_ns()) < limit;
}

bool can_be_shared(const OpenedPart& part) {
  const Trace& trace = part.opened.trace;
  if (!part.complete || !trace.timed()) return false;
  for (std::int32_t r = part.read.first; r < part.read.end; ++r) {
    const RankCalls& calls = trace.calls(r);
    if (has_one_sided_calls(calls) || !has_usual_times(calls, trace.ranks())) return false;
  }
  return true;
}

}  // namespace

std::optional<SharedRun> load_shared_run(const RunRequest& request, ProcessGroup& group) {
  if ((!request.on.empty() && request.on != "measured") || request.reading.fix_clocks)
    return std::nullopt;
  begin_stage("reading the trace");
  const fs::path path = input_path(request.trace);
  if (!is_one_file(native_file_of(path), group)) return std::nullopt;
  std::vector<RankRange> ranks_of;
  OpenedPart read = open_part(path, group.is_first(), [&](std::span<const std::uint64_t> calls) {
    ranks_of = rank_blocks(calls, group.size());
    return ranks_of[static_cast<std::size_t>(group.rank())];
  });
  if (!true_in_all(group, can_be_shared(read))) return std::nullopt;
  LoadedRun run{{TraceBuilder::without_calls(read.opened.trace, read.opened.trace.timed()).build(),
                 read.opened.format,
                 read.opened.path,
                 read.opened.bytes,
                 read.opened.checksum,
                 0,
                 {},
                 {},
                 {},
                 {}},
                "measured"};
  run.requested = !request.on.empty();
  TracePart part = share_partner_calls(std::move(read.opened.trace), std::move(ranks_of), group);
  run.opened.calls = part.call_count();
  begin_stage("analysing the run");
  CallMatching matching(part.trace, part.own);
  const CausalityCheck check = check_causality(part.trace, matching);
  const bool sound = matching.findings().empty() && check.violations == 0 && check.collectives == 0;
  if (!true_in_all(group, sound)) return std::nullopt;
  const RunSpan span = run_span(part.extents);
  return SharedRun{std::move(run), std::move(part), std::move(matching), span};
}

}  // namespace slackline
