#include "calls/run_span.h"

#include <cstring>
#include <span>
#include <vector>

namespace slackline {
namespace {

using Operations = std::span<const Operation>;

// A rank without MPI_Init or MPI_Finalize is searched whole; the C library compares many at a time.

std::size_t position(Operations operations, const void* found) {
  return static_cast<std::size_t>(static_cast<const Operation*>(found) - operations.data());
}

/// How many come before the first `wanted`: all, if there is none.
std::size_t count_before(Operations operations, Operation wanted) {
  const void* const found =
      std::memchr(operations.data(), static_cast<int>(wanted), operations.size());
  return found == nullptr ? operations.size() : position(operations, found);
}

std::size_t count_before_init(Operations operations) {
  if (is_init(operations.front())) return 0;
  const std::size_t other = count_before(operations, Operation::init);
  return count_before(operations.first(other), Operation::init_thread);
}

/// How many come up to the last MPI_Finalize, itself included: 0, if there is none.
std::size_t count_to_finalize(Operations operations) {
  const void* const found =
      memrchr(operations.data(), static_cast<int>(Operation::finalize), operations.size());
  return found == nullptr ? 0 : position(operations, found) + 1;
}

void enclose(TimeInterval& all, const TimeInterval& one, bool first) {
  all.begin_ns = first ? one.begin_ns : std::min(all.begin_ns, one.begin_ns);
  all.end_ns = first ? one.end_ns : std::max(all.end_ns, one.end_ns);
}

/// Ranks without MPI_Init or MPI_Finalize leave that end of the interval to the others.
TimeInterval shared(std::span<const RankExtent> ranks, const TimeInterval& all) {
  constexpr std::int64_t kLeastShare = 2;  // one half
  TimeInterval common = all;
  for (const auto& [rank, calls] : ranks) {
    if (rank.first_call > 0) common.begin_ns = std::max(common.begin_ns, rank.analysed.begin_ns);
    if (rank.last_call < calls) common.end_ns = std::min(common.end_ns, rank.analysed.end_ns);
  }
  return common.length_ns() * kLeastShare < all.length_ns() ? all : common;
}

}  // namespace

RankSpan rank_span(const RankCalls& calls) {
  const std::size_t count = calls.size();
  RankSpan span{.whole = {calls.start_ns(), calls.stop_ns()},
                .analysed = {calls.start_ns(), calls.start_ns()},
                .first_call = 0,
                .last_call = count};
  if (count == 0) return span;
  const Operations operations = calls.operations();
  const std::size_t init = count_before_init(operations);
  if (init < count) {
    span.first_call = init + 1;
    span.analysed.begin_ns = calls.end_ns(init);
  }
  const std::size_t end = span.first_call + count_to_finalize(operations.subspan(span.first_call));
  if (end > span.first_call) {
    span.last_call = end - 1;
    span.analysed.end_ns = calls.begin_ns(end - 1);
  } else {
    span.analysed.end_ns = std::max(span.analysed.begin_ns, calls.stop_ns());
  }
  return span;
}

RankExtent rank_extent(const RankCalls& calls) {
  return {rank_span(calls), calls.size()};
}

RunSpan run_span(const Trace& trace) {
  std::vector<RankExtent> ranks;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) ranks.push_back(rank_extent(trace.calls(r)));
  return run_span(ranks);
}

RunSpan run_span(std::span<const RankExtent> ranks) {
  RunSpan run;
  bool first = true;
  for (const auto& [rank, calls] : ranks) {
    if (calls == 0) continue;
    enclose(run.whole, rank.whole, first);
    enclose(run.analysed, rank.analysed, first);
    run.ends.init = run.ends.init || rank.first_call > 0;
    run.ends.finalize = run.ends.finalize || rank.last_call < calls;
    first = false;
  }
  run.common = shared(ranks, run.analysed);
  return run;
}

std::string_view to_string(AnalysedExtent extent) {
  switch (extent) {
    case AnalysedExtent::common:
      return "common";
    case AnalysedExtent::program:
      return "program";
    case AnalysedExtent::asked:
      return "asked";
  }
  return "common";
}

std::string meaning(AnalysedExtent extent, const RunSpan::Ends& ends) {
  if (extent == AnalysedExtent::asked) return "as requested (--interval)";
  const bool common = extent == AnalysedExtent::common;
  std::string text = "from the start of the recording";
  if (ends.init)
    text = common ? "from the last return from MPI_Init" : "from the first return from MPI_Init";
  if (!ends.finalize) return text + (ends.init ? " to the end of the recording" : " to its end");
  return text + (common ? " to the first entry into MPI_Finalize"
                        : " to the last entry into MPI_Finalize");
}

AnalysedExtent extent_of(const RunSpan& run, const TimeInterval& interval) {
  if (interval == run.analysed) return AnalysedExtent::program;
  return interval == run.common ? AnalysedExtent::common : AnalysedExtent::asked;
}

}  // namespace slackline
