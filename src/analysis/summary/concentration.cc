// For each piece, the share of the loss less the share of the time is a number; these add up to 0
// over all pieces. The interval with the largest sum (Kadane: a prefix with a negative sum is never
// part of it) is where the loss is concentrated.

#include "analysis/summary/concentration.h"

namespace slackline {
namespace {

constexpr double kConcentrated = 0.15;  // share of the loss over share of the time

}  // namespace

std::optional<LossStretch> concentrated(const std::vector<LossPiece>& pieces) {
  double loss = 0;
  double time = 0;
  for (const LossPiece& p : pieces) {
    loss += p.loss;
    time += static_cast<double>(p.end_ns - p.begin_ns);
  }
  if (loss <= 0 || time <= 0) return std::nullopt;
  double best = 0;
  double sum = 0;
  std::size_t first = 0;
  std::size_t best_first = 0;
  std::size_t best_last = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (sum <= 0) {
      sum = 0;
      first = i;
    }
    sum +=
        pieces[i].loss / loss - static_cast<double>(pieces[i].end_ns - pieces[i].begin_ns) / time;
    if (sum > best) {
      best = sum;
      best_first = first;
      best_last = i;
    }
  }
  if (best < kConcentrated) return std::nullopt;
  LossStretch stretch{.begin_ns = pieces[best_first].begin_ns,
                      .end_ns = pieces[best_last].end_ns,
                      .from_start = best_first == 0,
                      .to_end = best_last + 1 == pieces.size()};
  for (std::size_t i = best_first; i <= best_last; ++i) stretch.share += pieces[i].loss / loss;
  return stretch;
}

std::optional<LossStretch> concentration(const TimeShares& shares, const TimeWindows& windows) {
  const auto length = static_cast<double>(shares.length_ns);
  const auto edge = [&](std::size_t i) {
    return shares.begin_ns + static_cast<std::int64_t>(length * static_cast<double>(i) /
                                                       static_cast<double>(kTimeWindows));
  };
  std::vector<LossPiece> pieces;
  for (std::size_t i = 0; i < kTimeWindows; ++i) {
    pieces.push_back({edge(i), edge(i + 1), windows.sums()[i]});
  }
  return concentrated(pieces);
}

}  // namespace slackline
