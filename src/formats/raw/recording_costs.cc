#include "formats/raw/rank_reader.h"

#include <cmath>

namespace slackline::raw {
namespace {

// The recorder leaves longer ones out.
constexpr std::int64_t kMost_ns = 1'000'000;
constexpr std::uint64_t kMostCalls = std::uint64_t{1} << 48;

bool believable(const Record& record) {
  return record.head.request < SLK_OPERATION_COUNT && record.head.bytes > 0 &&
         record.head.bytes < kMostCalls && record.args.size() == 2 && record.args[0] >= 0 &&
         record.args[0] <= kMost_ns && record.args[1] >= 0 && record.args[1] <= kMost_ns;
}

}  // namespace

RecordingCostSums::RecordingCostSums(std::span<const Record> records) {
  for (const Record& record : records) {
    if (!believable(record)) continue;
    const auto calls = static_cast<double>(record.head.bytes);
    for (Sums* sums : {&of_operation_[record.head.request], &all_}) {
      sums->before_ns += calls * static_cast<double>(record.args[0]);
      sums->after_ns += calls * static_cast<double>(record.args[1]);
      sums->calls += calls;
    }
  }
}

RecordingCost RecordingCostSums::Sums::mean() const {
  return {static_cast<std::uint32_t>(std::lround(before_ns / calls)),
          static_cast<std::uint32_t>(std::lround(after_ns / calls))};
}

std::vector<RecordingCost> RecordingCostSums::by_operation() const {
  std::vector<RecordingCost> costs;
  for (const Sums& sums : of_operation_) costs.push_back((sums.calls > 0 ? sums : all_).mean());
  costs[SLK_OP_none] = {};
  return costs;
}

}  // namespace slackline::raw
