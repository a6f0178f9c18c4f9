#include <algorithm>

#include "formats/text/form.h"
#include "formats/text/text.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

constexpr FindingKind kRequestZero{
    "request_zero", Severity::data_loss,
    "Request 0 is reserved for no request, but calls start and complete it; those completions have "
    "no effect. Number requests from 1."};

bool starts_with_none(const Call& call) {
  return call.request == kRequestNone && text::needs_request(call.operation);
}

bool waits_for_none(const Call& call) {
  return call.operation == Operation::wait
             ? call.request == kRequestNone
             : text::args_form(call.operation) == text::ArgsForm::requests &&
                   !call.has(SLK_FLAG_FAILED) &&
                   std::ranges::find(call.args, std::int64_t{kRequestNone}) != call.args.end();
}

}  // namespace

void find_request_zero(TraceBuilder& trace) {
  std::uint64_t started = 0;
  std::uint64_t waited = 0;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    const RankCalls& calls = trace.calls(rank);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      started += starts_with_none(calls[i]) ? 1 : 0;
      waited += waits_for_none(calls[i]) ? 1 : 0;
    }
  }
  if (started > 0 && waited > 0) trace.findings().add(kRequestZero, {}, waited);
}

}  // namespace slackline
