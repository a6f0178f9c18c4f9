#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/raw/raw_file.h"
#include "trace/trace.h"

namespace slackline::raw {

/// What recording took, from the records SLK_REC_CALL_COST of a rank's threads.
class RecordingCostSums {
 public:
  explicit RecordingCostSums(std::span<const Record> records);

  bool known() const { return all_.calls > 0; }
  /// The mean of each operation; operations of which no call was measured cost what the others do.
  std::vector<RecordingCost> by_operation() const;

 private:
  struct Sums {
    double before_ns = 0;
    double after_ns = 0;
    double calls = 0;
    RecordingCost mean() const;
  };
  std::array<Sums, SLK_OPERATION_COUNT> of_operation_{};
  Sums all_;
};

}  // namespace slackline::raw
