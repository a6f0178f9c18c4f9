#pragma once

#include "calls/call_matching.h"
#include "calls/call_paths.h"
#include "calls/run_span.h"
#include "page/codes.h"
#include "page/drawn_calls.h"
#include "page/timeline_parts.h"
#include "trace/trace.h"

namespace slackline {

/// The calls of a trace: a row is a rank.
class TraceCalls final : public DrawnCalls {
 public:
  /// Refers to all of them.
  TraceCalls(const Trace& trace, const CallMatching& matching, const CallPaths& paths,
             const TimelineCodes& codes)
      : trace_(trace),
        matching_(matching),
        paths_(paths),
        codes_(codes),
        start_ns_(run_span(trace).whole.begin_ns),
        has_pauses_(trace.timed() && any_pauses(trace)),
        has_threads_(any_threads(trace)) {}

  std::int32_t rows() const override { return trace_.ranks(); }
  std::uint64_t count() const override { return trace_.call_count(); }
  std::size_t count(std::int32_t row) const override { return trace_.calls(row).size(); }
  std::vector<NamedOperation> operations() const override;
  std::uint8_t operation(std::int32_t row, std::size_t call) const override {
    return codes_.operation(trace_.calls(row).operation(call));
  }
  bool is_collective(std::int32_t row, std::size_t call) const override;
  Data data(std::int32_t row, std::size_t call) const override;
  void partners(std::int32_t row, std::size_t call, std::vector<Partner>& to) const override;
  std::vector<std::string> paths() const override;
  bool has_functions() const override { return paths_.has_functions(); }
  PathId path_at(std::int32_t row, std::size_t call) const override {
    return paths_.at_call(row, static_cast<std::uint32_t>(call));
  }
  PathId path_before(std::int32_t row, std::size_t call) const override {
    return paths_.before_call(row, static_cast<std::uint32_t>(call));
  }
  bool has_ipc() const override { return ipc_.known(); }
  std::uint8_t ipc(std::int32_t row, std::size_t call) const override {
    return ipc_.at(trace_.calls(row), call);
  }
  bool has_pauses() const override { return has_pauses_; }
  std::vector<Pause> pauses(std::int32_t row, std::int64_t from_ns,
                            std::int64_t to_ns) const override;
  std::int64_t recording_ns(std::int32_t row, std::size_t call) const override {
    return trace_.calls(row).recording_ns(call);
  }
  bool has_threads() const override { return has_threads_; }
  bool is_of_other_thread(std::int32_t row, std::size_t call) const override {
    return trace_.calls(row).thread(call) != 0;
  }

 private:
  const Trace& trace_;
  const CallMatching& matching_;
  const CallPaths& paths_;
  const TimelineCodes& codes_;
  static bool any_pauses(const Trace& trace);
  static bool any_threads(const Trace& trace);

  IpcCodes ipc_{trace_};
  std::int64_t start_ns_;
  bool has_pauses_;
  bool has_threads_;
};

}  // namespace slackline
