// Corrections of clocks as a linear program.
//
// Variables: offset and drift of each rank, its correction being offset + drift * (t - origin).
// Constraints: begin + correction <= end + correction for each message, for each two members of a
// barrier, and for the root and each member of a broadcast.

#include "oracle/clock_program.h"

#include <ClpSimplex.hpp>
#include <CoinPackedMatrix.hpp>
#include <limits>
#include <string>
#include <vector>

namespace slackline::oracle {
namespace {

constexpr double kDriftScale = 1e9;  // drifts in parts of a thousand million, near offsets in size

class ClockProgram {
 public:
  ClockProgram(const ClockQuestion& question, std::int64_t origin)
      : question_(question), origin_(origin) {
    const auto columns = 2 * static_cast<std::size_t>(question.trace.ranks());
    lower_.assign(columns, -COIN_DBL_MAX);
    upper_.assign(columns, COIN_DBL_MAX);
    for (std::int32_t r = 0; r < question.trace.ranks(); ++r) {
      const double most = r == question.reference ? 0 : question.most_drift * kDriftScale;
      lower_[drift(r)] = -most;
      upper_[drift(r)] = most;
      if (r == question.reference) lower_[offset(r)] = upper_[offset(r)] = 0;
    }
    for (const MessageCalls& m : question.matching.messages()) {
      if (m.receive_done != kNoCall) before(m.source, m.send, m.destination, m.receive_done);
    }
    for (const CollectiveInstance& c : question.matching.collectives()) add_collective(c);
    share_clocks();
  }

  /// The most that `sign` times the correction of `rank` can be at the origin.
  std::optional<double> largest(std::int32_t rank, double sign) const {
    std::vector<double> objective(lower_.size(), 0);
    objective[offset(rank)] = -sign;
    CoinPackedMatrix matrix(false, rows_.data(), columns_.data(), values_.data(),
                            static_cast<CoinBigIndex>(values_.size()));
    matrix.setDimensions(static_cast<int>(row_upper_.size()), static_cast<int>(lower_.size()));
    ClpSimplex solver;
    solver.setLogLevel(0);
    solver.loadProblem(matrix, lower_.data(), upper_.data(), objective.data(), row_lower_.data(),
                       row_upper_.data());
    solver.dual();
    if (solver.isProvenPrimalInfeasible()) return std::nullopt;
    if (!solver.isProvenOptimal()) solver.primal();
    if (solver.isProvenPrimalInfeasible()) return std::nullopt;
    if (solver.isProvenDualInfeasible()) return std::numeric_limits<double>::infinity();
    return -solver.objectiveValue();
  }

 private:
  static std::size_t offset(std::int32_t rank) { return 2 * static_cast<std::size_t>(rank); }
  static std::size_t drift(std::int32_t rank) { return offset(rank) + 1; }

  void entry(std::size_t column, double value) {
    rows_.push_back(static_cast<int>(row_upper_.size()));
    columns_.push_back(static_cast<int>(column));
    values_.push_back(value);
  }

  void before(std::int32_t from, CallIndex begin_call, std::int32_t to, CallIndex end_call) {
    if (from == to) return;
    const std::int64_t begin = question_.trace.calls(from).begin_ns(begin_call) + aligned(from);
    const std::int64_t end = question_.trace.calls(to).end_ns(end_call) + aligned(to);
    entry(offset(from), 1);
    entry(drift(from), static_cast<double>(begin - origin_) / kDriftScale);
    entry(offset(to), -1);
    entry(drift(to), -static_cast<double>(end - origin_) / kDriftScale);
    row_lower_.push_back(-COIN_DBL_MAX);
    row_upper_.push_back(static_cast<double>(end - begin));
  }

  void add_collective(const CollectiveInstance& c) {
    const bool barrier = c.operation == Operation::barrier;
    if (!barrier && c.operation != Operation::bcast) return;
    for (const CollectiveMember& from : question_.matching.members(c)) {
      if (!barrier && from.rank != c.root) continue;
      for (const CollectiveMember& to : question_.matching.members(c)) {
        before(from.rank, from.enter, to.rank, to.enter);
      }
    }
  }

  void share_clocks() {
    for (std::int32_t r = 1; r < question_.trace.ranks(); ++r) {
      const std::string& host = question_.trace.rank_info(r).host;
      if (host.empty() || host != question_.trace.rank_info(r - 1).host) continue;
      for (const bool of_drift : {false, true}) {
        entry(of_drift ? drift(r) : offset(r), 1);
        entry(of_drift ? drift(r - 1) : offset(r - 1), -1);
        row_lower_.push_back(0);
        row_upper_.push_back(0);
      }
    }
  }

  std::int64_t aligned(std::int32_t rank) const {
    return question_.aligned[static_cast<std::size_t>(rank)];
  }

  const ClockQuestion& question_;
  std::int64_t origin_;
  std::vector<double> lower_, upper_, row_lower_, row_upper_;
  std::vector<int> rows_, columns_;
  std::vector<double> values_;
};

}  // namespace

std::optional<ClockRange> feasible_correction(const ClockQuestion& question, std::int32_t rank,
                                              std::int64_t at_ns) {
  const ClockProgram program(question, at_ns);
  const std::optional<double> high = program.largest(rank, 1);
  const std::optional<double> low = program.largest(rank, -1);
  if (!high || !low) return std::nullopt;
  return ClockRange{-*low, *high};
}

}  // namespace slackline::oracle
