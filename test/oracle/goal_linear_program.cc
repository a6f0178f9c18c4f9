// LLAMP's linear program of a GOAL program, written from the paper's formulas.
//
//   calc     end >= start + its time
//   eager    end(s) >= start(s) + o;  end(r) >= start(r) + o, end(s) + L + B + o
//   RDMA     the request arrives and its receive is posted: m >= start(s) + o + L + o,
//            start(r) + o; the receiver reads, t_r' = end(r) >= m + 2 L + B + o, and acknowledges:
//            t_s' = end(s) >= end(r) + L + o
//
// with B = (bytes - 1) G; a message to the own rank costs neither L nor B. A dependency is
// start >= end, an irequires start >= start (of a send + o). Minimising t >= all ends makes the
// inequalities tight along the longest path.

#include "oracle/goal_linear_program.h"

#include <ClpSimplex.hpp>
#include <CoinPackedMatrix.hpp>
#include <algorithm>
#include <vector>

namespace slackline::oracle {
namespace {

constexpr double kFsPerNs = 1e6;
constexpr int kLastEnd = 0;
constexpr int kVaried = 1;

class GoalClp {
 public:
  GoalClp(const GoalProgram& program, std::uint64_t eager_bytes, const LogGPS& model,
          Parameter parameter)
      : program_(program), matches_(program, "goal", 1), model_(model), parameter_(parameter) {
    columns_ = 2 + 2 * static_cast<int>(matches_.operation_count());
    for (std::uint32_t r = 0; r < program.ranks.size(); ++r) {
      const std::uint32_t first = matches_.first(r);
      for (const GoalDependency& d : program.ranks[r].dependencies()) depend(r, first, d);
      for (std::uint32_t i = 0; i < program.ranks[r].size(); ++i) {
        add_operation(program.ranks[r][i], first + i, r, eager_bytes);
        at_least(kLastEnd, end(first + i), {});
      }
    }
  }

  std::optional<LinearProgramAnswer> minimise() const {
    CoinPackedMatrix matrix(false, rows_.data(), entries_.data(), values_.data(),
                            static_cast<CoinBigIndex>(values_.size()));
    matrix.setDimensions(static_cast<int>(lower_.size()), columns_);
    std::vector<double> column_lower(static_cast<std::size_t>(columns_), 0);
    column_lower[kVaried] = static_cast<double>(value_fs(model_, parameter_)) / kFsPerNs;
    const std::vector<double> column_upper(column_lower.size(), COIN_DBL_MAX);
    std::vector<double> objective(column_lower.size(), 0);
    objective[kLastEnd] = 1;
    const std::vector<double> row_upper(lower_.size(), COIN_DBL_MAX);
    ClpSimplex solver;
    solver.setLogLevel(0);
    solver.loadProblem(matrix, column_lower.data(), column_upper.data(), objective.data(),
                       lower_.data(), row_upper.data());
    solver.primal();
    if (!solver.isProvenOptimal()) return std::nullopt;
    return LinearProgramAnswer{solver.objectiveValue(), solver.getReducedCost()[kVaried]};
  }

 private:
  static int start(std::uint32_t operation) { return 2 + 2 * static_cast<int>(operation); }
  static int end(std::uint32_t operation) { return start(operation) + 1; }

  void depend(std::uint32_t rank, std::uint32_t first, const GoalDependency& d) {
    const std::uint32_t on = first + d.on;
    if (d.on_start == 0) {
      at_least(start(first + d.dependent), end(on), {});
    } else {
      const bool sends = program_.ranks[rank].kind(d.on) == GoalKind::send;
      at_least(start(first + d.dependent), start(on), {.overhead = sends ? 1 : 0});
    }
  }

  void add_operation(const GoalOperation& op, std::uint32_t number, std::uint32_t rank,
                     std::uint64_t eager_bytes) {
    if (op.kind == GoalKind::calc) {
      at_least(end(number), start(number), {.ns = static_cast<std::int64_t>(op.size)});
    } else if (op.kind == GoalKind::send && op.size <= eager_bytes) {
      at_least(end(number), start(number), {.overhead = 1});
    } else if (op.kind == GoalKind::recv) {
      add_receive(op, number, rank, eager_bytes);
    }
  }

  void add_receive(const GoalOperation& op, std::uint32_t receive, std::uint32_t rank,
                   std::uint64_t eager_bytes) {
    const std::uint32_t send = matches_.partner(receive);
    const bool local = matches_.rank_of(send) == rank;
    const std::int64_t crossing = local ? 0 : 1;
    const std::int64_t bytes =
        local ? 0 : std::max<std::int64_t>(0, static_cast<std::int64_t>(op.size) - 1);
    if (op.size <= eager_bytes) {
      at_least(end(receive), start(receive), {.overhead = 1});
      at_least(end(receive), end(send), {.latency = crossing, .overhead = 1, .bytes = bytes});
      return;
    }
    const int m = columns_++;
    at_least(m, start(send), {.latency = crossing, .overhead = 2});
    at_least(m, start(receive), {.overhead = 1});
    at_least(end(receive), m, {.latency = 2 * crossing, .overhead = 1, .bytes = bytes});
    at_least(end(send), end(receive), {.latency = crossing, .overhead = 1});
  }

  /// column >= other + cost
  void at_least(int column, int other, const Cost& cost) {
    LogGPS fixed = model_;
    if (parameter_ == Parameter::latency) fixed.latency_fs = 0;
    if (parameter_ == Parameter::overhead) fixed.overhead_fs = 0;
    if (parameter_ == Parameter::gap_per_byte) fixed.gap_per_byte_fs = 0;
    const auto row = static_cast<int>(lower_.size());
    lower_.push_back(static_cast<double>(cost.at(fixed)) / kFsPerNs);
    entry(row, column, 1);
    entry(row, other, -1);
    const auto multiples = static_cast<double>(cost.multiples(parameter_));
    if (multiples != 0) entry(row, kVaried, -multiples);
  }

  void entry(int row, int column, double value) {
    rows_.push_back(row);
    entries_.push_back(column);
    values_.push_back(value);
  }

  const GoalProgram& program_;
  GoalMatches matches_;
  LogGPS model_;
  Parameter parameter_;
  int columns_ = 0;
  std::vector<int> rows_, entries_;
  std::vector<double> values_, lower_;
};

}  // namespace

std::optional<LinearProgramAnswer> minimise_goal_by_rdma_read(const GoalProgram& program,
                                                              std::uint64_t eager_bytes,
                                                              const LogGPS& model,
                                                              Parameter parameter) {
  return GoalClp(program, eager_bytes, model, parameter).minimise();
}

}  // namespace slackline::oracle
