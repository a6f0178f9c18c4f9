#include "app/load/analysis_tables.h"

#include <algorithm>
#include <cctype>
#include <concepts>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "analysis/paths/call_activities.h"
#include "analysis/paths/critical_path.h"
#include "analysis/waits/wait_states.h"
#include "calls/call_paths.h"
#include "calls/computation_code.h"
#include "calls/run_span.h"
#include "formats/sqlite/virtual_table.h"

namespace slackline {
namespace {

bool names(std::string_view sql, std::string_view table) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  return !std::ranges::search(sql, table, same).empty();
}

SqlValue whole(std::integral auto value) {
  return static_cast<std::int64_t>(value);
}

SqlValue rank_or_null(std::int32_t rank) {
  return rank < 0 ? SqlValue() : whole(rank);
}

SqlTable waits_table(const Trace& trace, std::vector<WaitState> states) {
  return ListTable("waits", std::move(states))
      .integer("rank", [](const WaitState& w) { return whole(w.rank); })
      .integer("call", [](const WaitState& w) { return whole(w.call); })
      .text("pattern", [](const WaitState& w) { return identifier(w.pattern); })
      .integer("begin_ns",
               [&trace](const WaitState& w) { return whole(trace.calls(w.rank).begin_ns(w.call)); })
      .integer("wait_ns", [](const WaitState& w) { return whole(w.wait_ns); })
      .integer("cause_rank", [](const WaitState& w) { return rank_or_null(w.cause_rank); })
      .integer("cause_call",
               [](const WaitState& w) {
                 return w.cause_call == kNoCall ? SqlValue() : whole(w.cause_call);
               })
      .integer("effective", [](const WaitState& w) { return whole(w.effective ? 1 : 0); })
      .take();
}

struct RankBlocking {
  std::int32_t rank;
  const BlockingCalls* calls;
};

SqlTable blocking_table(const Trace& trace, std::vector<RankBlocking> rows) {
  const auto location = [&trace](const RankBlocking& b) -> const CodeLocation& {
    static const CodeLocation unknown;
    const FrameId frame = own_frame(trace.call_tree(), b.calls->frame);
    return frame == 0 ? unknown : trace.call_tree().location(frame);
  };
  return ListTable("blocking_calls", std::move(rows))
      .integer("rank", [](const RankBlocking& b) { return whole(b.rank); })
      .text("kind", [](const RankBlocking& b) { return to_string(b.calls->kind); })
      .text("call", [](const RankBlocking& b) { return std::string_view(b.calls->function); })
      .text("path", [](const RankBlocking& b) { return std::string_view(b.calls->file); })
      .integer("calls", [](const RankBlocking& b) { return whole(b.calls->calls); })
      .integer("bytes", [](const RankBlocking& b) { return whole(b.calls->bytes); })
      .integer("time_ns", [](const RankBlocking& b) { return whole(b.calls->time_ns); })
      .integer("blocked_ns", [](const RankBlocking& b) { return whole(b.calls->blocked_ns); })
      .text("function",
            [location](const RankBlocking& b) { return std::string_view(location(b).function); })
      .text("file",
            [location](const RankBlocking& b) { return std::string_view(location(b).file); })
      .integer("line", [location](const RankBlocking& b) { return whole(location(b).line); })
      .take();
}

struct RankSample {
  std::int32_t rank;
  Sample sample;
};

SqlTable samples_table(const Trace& trace, std::vector<RankSample> samples) {
  const auto location = [&trace](const RankSample& s) {
    static const CodeLocation unknown;
    return std::cref(s.sample.frame == 0 ? unknown : trace.call_tree().location(s.sample.frame));
  };
  return ListTable("samples", std::move(samples))
      .integer("rank", [](const RankSample& s) { return whole(s.rank); })
      .integer("thread", [](const RankSample& s) { return whole(s.sample.thread); })
      .integer("time_ns", [](const RankSample& s) { return whole(s.sample.time_ns); })
      .integer("cpu_ns", [](const RankSample& s) { return whole(s.sample.cpu_ns); })
      .integer("blocked", [](const RankSample& s) { return whole(s.sample.blocked ? 1 : 0); })
      .integer("before_call", [](const RankSample& s) { return whole(s.sample.before_call); })
      .text(
          "function",
          [location](const RankSample& s) { return std::string_view(location(s).get().function); })
      .text("file",
            [location](const RankSample& s) { return std::string_view(location(s).get().file); })
      .integer("line", [location](const RankSample& s) { return whole(location(s).get().line); })
      .take();
}

/// `start_ns`: when the path begins, in the trace's time; `paths`: names by PathId.
SqlTable path_table(std::vector<ActivitySegment> segments, std::int64_t start_ns,
                    std::vector<std::string> paths) {
  const auto names = std::make_shared<const std::vector<std::string>>(std::move(paths));
  return ListTable("critical_path", std::move(segments))
      .integer("rank", [](const ActivitySegment& s) { return whole(s.rank); })
      .integer("call", [](const ActivitySegment& s) { return whole(s.call); })
      .text("operation", [](const ActivitySegment& s) { return activity_name(s); })
      .integer("begin_ns",
               [start_ns](const ActivitySegment& s) { return whole(start_ns + s.begin_ns); })
      .integer("end_ns",
               [start_ns](const ActivitySegment& s) { return whole(start_ns + s.end_ns); })
      .text("region",
            [names](const ActivitySegment& s) { return std::string_view((*names)[s.path]); })
      .take();
}

std::vector<RankSample> all_samples(const Trace& trace, const Samples& samples) {
  std::vector<RankSample> all;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    for (const Sample& sample : samples.of(rank)) all.push_back({rank, sample});
  }
  return all;
}

}  // namespace

std::vector<SqlTable> analysis_tables(const Trace& trace, const CallMatching& matching,
                                      const Samples& samples, const SendRecords& sends,
                                      std::string_view sql) {
  std::vector<WaitState> states;
  std::vector<RankSample> sampled;
  std::vector<RankBlocking> blocking;
  std::vector<ActivitySegment> segments;
  std::vector<std::string> regions;
  if (trace.timed() && names(sql, "waits")) {
    states = wait_states(trace, matching, {.sends = &sends}).states;
  }
  if (names(sql, "samples")) sampled = all_samples(trace, samples);
  if (names(sql, "blocking_calls")) {
    for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
      for (const BlockingCalls& calls : trace.calls(rank).blocking_calls()) {
        blocking.push_back({rank, &calls});
      }
    }
  }
  if (trace.timed() && names(sql, "critical_path")) {
    const CallPaths paths = CallPaths::of_regions_or_functions(trace);
    segments = critical_path(trace, matching, paths, {.extent = PathExtent::segments}).segments;
    regions = paths.names();
  }
  return {waits_table(trace, std::move(states)), samples_table(trace, std::move(sampled)),
          blocking_table(trace, std::move(blocking)),
          path_table(std::move(segments), run_span(trace).whole.begin_ns, std::move(regions))};
}

std::vector<SqlTable> query_tables() {
  const Trace trace(0, true);
  const CallMatching matching(trace);
  std::vector<SqlTable> tables = sql_tables(trace, matching);
  std::ranges::move(analysis_tables(trace, matching, {}, {}, ""), std::back_inserter(tables));
  for (SqlTable& table : tables) {
    for (SqlColumn& column : table.columns) column.value = nullptr;  // refers to the trace
  }
  return tables;
}

QueryResult query_run(const OpenedTrace& opened, const CallMatching& matching, std::string_view sql,
                      const QueryLimits& limits) {
  return query_trace(opened.trace, matching, sql,
                     analysis_tables(opened.trace, matching, opened.samples, opened.sends, sql),
                     limits);
}

}  // namespace slackline
