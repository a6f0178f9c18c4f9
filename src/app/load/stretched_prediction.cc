#include "app/load/stretched_model.h"

#include <span>
#include <utility>
#include <vector>

#include "base/packed.h"

namespace slackline {
namespace {

/// For these, which call of the target is on the path depends on the order in which the ranks are
/// walked.
bool has_one_sided_calls(const Trace& trace) {
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    const RankCalls& calls = trace.calls(rank);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (operation_class(calls.operation(i)) == OperationClass::one_sided) return true;
    }
  }
  return false;
}

/// A prediction that is sent from process to process, each of which adds its stretch.
class CarriedPrediction {
 public:
  CarriedPrediction(const StretchedModel& model, Side side)
      : group_(model.group()), parts_(model.loaded().model, model.ranks(), side) {}

  void add(const std::optional<ModelStretch>& own) {
    for (int p = 0; p < group_.size(); ++p) {
      send_to(p);
      if (!own || p != group_.rank()) continue;
      parts_.add(own->trace, own->graph, own->part, own->number);
    }
  }
  void add_again(const std::optional<ModelStretch>& own) {
    for (int p = group_.size(); p-- > 0;) {
      send_to(p);
      if (!own || p != group_.rank()) continue;
      parts_.add_again(own->trace, own->graph, own->part, own->number);
    }
  }
  Prediction finish() && { return std::move(parts_).finish(); }

 private:
  /// All processes call it together.
  void send_to(int process) {
    if (process == at_) return;
    std::vector<Bytes> to_each(static_cast<std::size_t>(group_.size()));
    if (group_.rank() == at_) pack(to_each[static_cast<std::size_t>(process)], parts_);
    const std::vector<Bytes> from_each = group_.exchange(std::move(to_each));
    std::span<const std::byte> carried(from_each[static_cast<std::size_t>(at_)]);
    if (group_.rank() == process) unpack(carried, parts_);
    at_ = process;
  }

  ProcessGroup& group_;
  PredictionInParts parts_;
  int at_ = 0;  // the process that has the current state
};

}  // namespace

std::optional<Prediction> predict(StretchedModel& model, Side side) {
  CarriedPrediction prediction(model, side);
  const bool complete = model.for_each_stretch(
      [](const std::optional<ModelStretch>& own) { return !has_one_sided_calls(own->trace); },
      [&](const std::optional<ModelStretch>& own) {
        prediction.add(own);
        return true;
      });
  if (!complete) return std::nullopt;
  model.for_each_again([&](const std::optional<ModelStretch>& own) { prediction.add_again(own); });
  return std::move(prediction).finish();
}

}  // namespace slackline
