#include "app/load/large_trace.h"

#include <atomic>
#include <utility>
#include <vector>

#include "app/load/input.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "formats/native/pieces.h"
#include "trace/sound_calls.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

constexpr FindingKind kCausalityNotChecked{"causality_not_checked", Severity::info,
                                           "The trace is larger than the memory that the command "
                                           "may take; whether its clocks disagree was "
                                           "not checked."};

/// Nothing where the whole trace has to be looked at.
std::optional<RankSummary> summary_of(const NativePieces& pieces, std::int32_t rank) {
  RankSummarizer summarizer(pieces.job(), rank);
  SoundCalls check(pieces.job(), rank);
  std::int64_t last_end_ns = pieces.job().calls(rank).start_ns();
  bool sound = true;
  const bool complete = pieces.for_each_block(rank, [&](const RankCalls& calls) {
    sound = check.add(calls);
    summarizer.add(calls);
    if (!calls.empty()) last_end_ns = calls.end_ns(calls.size() - 1);
  });
  RankCallsBuilder details;
  std::vector<Sample> samples;
  if (!complete || !sound || !pieces.read_details(rank, last_end_ns, details, samples)) {
    return std::nullopt;
  }
  return summarizer.take(details);
}

}  // namespace

std::optional<LargeTrace> summarize_in_blocks(const std::string& trace,
                                              const ReadingOptions& reading) {
  if (reading.fix_clocks) return std::nullopt;
  const std::filesystem::path path = input_path(trace);
  const auto native = native_file_of(path);
  if (!native) return std::nullopt;
  const MappedFile file(*native);
  const NativePieces pieces(file.bytes(), native->string(),
                            [&file](std::span<const std::byte> part) { file.release(part); });
  if (!pieces.complete() || !keeps_nesting_limit(pieces.job().call_tree()) ||
      fits_in_memory(pieces.call_count(), reading, memory_for(reading))) {
    return std::nullopt;
  }
  begin_stage("reading the trace");
  std::vector<RankSummary> ranks(pieces.calls().size());
  std::atomic<bool> sound = true;
  parallel_for(ranks.size(), [&](std::size_t r) {
    auto summary = summary_of(pieces, static_cast<std::int32_t>(r));
    if (summary) {
      ranks[r] = std::move(*summary);
    } else {
      sound = false;
    }
  });
  if (!sound) return std::nullopt;
  OpenedTrace opened = opened_without_calls(pieces.job(), path, file, pieces.call_count());
  opened.checksum = checksum_of(file);
  if (opened.trace.timed()) {
    TraceBuilder job = std::move(opened.trace);
    job.findings().add(kCausalityNotChecked);
    opened.trace = std::move(job).build();
  }
  return LargeTrace{std::move(opened), summarize(pieces.job(), ranks)};
}

}  // namespace slackline
