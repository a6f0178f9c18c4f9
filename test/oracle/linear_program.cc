// The makespan as a linear program (LLAMP, Algorithm 1), for CLP.
//
// Variables: t, the parameter x, and a y for every point that is a maximum of several terms. A
// point with one term is that term, so it needs no variable of its own. Constraints: y >= each of
// its terms, t >= each rank's end. Minimising t with x >= its value gives the makespan, and the
// reduced cost of x its derivative; maximising x with t <= bound gives the tolerance.

#include "oracle/linear_program.h"

#include <ClpSimplex.hpp>
#include <CoinPackedMatrix.hpp>
#include <array>
#include <stdexcept>

namespace slackline::oracle {
namespace {

constexpr int kMakespan = 0;
constexpr int kParameter = 1;
constexpr int kNoVariable = -1;
constexpr double kFemtosPerNano = 1e6;

/// variable + ns + multiples * x.
struct Affine {
  int variable = kNoVariable;
  double ns = 0;
  double multiples = 0;
};

class ClpProgram {
 public:
  ClpProgram(const TimeSystem& system, const LogGPS& model, Parameter parameter)
      : model_(model), parameter_(parameter) {
    add_column(0, 0);
    add_column(0, 0);
    std::vector<Affine> value;
    for (const auto& terms : system.points) value.push_back(point(terms, value));
    for (const auto& end : system.ends) at_least(kMakespan, plus(value[end.from], end.cost));
  }

  void minimise_makespan(double parameter_at_least) {
    objective_[kMakespan] = 1;
    lower_[kParameter] = parameter_at_least;
  }
  void maximise_parameter(double makespan_at_most) {
    objective_[kParameter] = -1;
    upper_[kMakespan] = makespan_at_most;
  }

  void solve(ClpSimplex& solver) const {
    CoinPackedMatrix matrix(false, rows_.data(), columns_.data(), values_.data(),
                            static_cast<CoinBigIndex>(values_.size()));
    matrix.setDimensions(static_cast<int>(row_lower_.size()), static_cast<int>(lower_.size()));
    const std::vector<double> no_limit(row_lower_.size(), COIN_DBL_MAX);
    solver.setLogLevel(0);
    solver.loadProblem(matrix, lower_.data(), upper_.data(), objective_.data(), row_lower_.data(),
                       no_limit.data());
    solver.primal();
  }

 private:
  int add_column(double lower, double objective) {
    lower_.push_back(lower);
    upper_.push_back(COIN_DBL_MAX);
    objective_.push_back(objective);
    return static_cast<int>(lower_.size()) - 1;
  }

  Affine plus(Affine a, const Cost& cost) const {
    LogGPS fixed = model_;
    if (parameter_ == Parameter::latency) fixed.latency_fs = 0;
    if (parameter_ == Parameter::overhead) fixed.overhead_fs = 0;
    if (parameter_ == Parameter::gap_per_byte) fixed.gap_per_byte_fs = 0;
    a.ns += static_cast<double>(cost.at(fixed)) / kFemtosPerNano;
    a.multiples += static_cast<double>(cost.multiples(parameter_));
    return a;
  }

  Affine point(const std::vector<TimeSystem::Term>& terms, const std::vector<Affine>& value) {
    if (terms.empty()) return {};
    if (terms.size() == 1) return plus(value[terms[0].from], terms[0].cost);
    const int y = add_column(0, 0);
    for (const auto& term : terms) at_least(y, plus(value[term.from], term.cost));
    return {y, 0, 0};
  }

  /// variable - a.variable - a.multiples * x >= a.ns
  void at_least(int variable, const Affine& a) {
    const int row = static_cast<int>(row_lower_.size());
    row_lower_.push_back(a.ns);
    entry(row, variable, 1);
    if (a.variable != kNoVariable) entry(row, a.variable, -1);
    if (a.multiples != 0) entry(row, kParameter, -a.multiples);
  }

  void entry(int row, int column, double v) {
    rows_.push_back(row);
    columns_.push_back(column);
    values_.push_back(v);
  }

  LogGPS model_;
  Parameter parameter_;
  std::vector<double> lower_, upper_, objective_, row_lower_;
  std::vector<int> rows_, columns_;
  std::vector<double> values_;
};

}  // namespace

LinearProgramAnswer minimise_makespan(const TimeSystem& system, const LogGPS& model,
                                      Parameter parameter) {
  ClpProgram program(system, model, parameter);
  program.minimise_makespan(static_cast<double>(value_fs(model, parameter)) / kFemtosPerNano);
  ClpSimplex solver;
  program.solve(solver);
  if (!solver.isProvenOptimal()) throw std::runtime_error("CLP found no optimum");
  return {solver.objectiveValue(), solver.getReducedCost()[kParameter]};
}

LinearProgramAnswer minimise_file(const std::string& path, const std::string& parameter) {
  ClpSimplex solver;
  solver.setLogLevel(0);
  if (solver.readLp(path.c_str()) != 0) throw std::runtime_error("CLP cannot read it");
  solver.primal();
  if (!solver.isProvenOptimal()) throw std::runtime_error("CLP found no optimum");
  for (int column = 0; column < solver.numberColumns(); ++column) {
    if (solver.getColumnName(column) != parameter) continue;
    return {solver.objectiveValue(), solver.getReducedCost()[column]};
  }
  throw std::runtime_error("the program has no variable " + parameter);
}

std::optional<double> maximise_parameter(const TimeSystem& system, const LogGPS& model,
                                         Parameter parameter, double bound_ns) {
  ClpProgram program(system, model, parameter);
  program.maximise_parameter(bound_ns);
  ClpSimplex solver;
  program.solve(solver);
  if (solver.isProvenDualInfeasible()) return std::nullopt;
  if (!solver.isProvenOptimal()) throw std::runtime_error("CLP found no optimum");
  return solver.getColSolution()[kParameter];
}

}  // namespace slackline::oracle
