// T and its derivative at a value of the parameter: what a pass over the reduced graph gives
// (path_program.cc). That is all that Newton's iteration (tolerance.cc) and chord bisection
// (envelope.cc) need; LLAMP section II-C asks a linear program's solver for the same two numbers.

#include "timing/makespan.h"

#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "base/units.h"

namespace slackline {
namespace {

/// From here on working out the costs of all edges pays off.
constexpr std::size_t kManyValues = 48;

}  // namespace

ReducedProgram::ReducedProgram(const ExecutionGraph& graph)
    : graph_(&graph), reduced_(reduce(graph)) {}

ReducedProgram::ReducedProgram(ReducedLogGPS reduced) : reduced_(std::move(reduced)) {}

PathProgram ReducedProgram::bind(const LogGPSCost& cost) const {
  return reduced_ ? PathProgram(*reduced_, cost) : PathProgram(reduce(*graph_, cost));
}

MakespanFunction::MakespanFunction(PathProgram program, const LinearCost& cost)
    : program_(std::move(program)), tick_fs_(cost.tick_fs()), base_(from_fs(cost.base_fs())) {}

MakespanFunction::MakespanFunction(const ExecutionGraph& graph, const LogGPS& model,
                                   Parameter parameter)
    : MakespanFunction(ReducedProgram(graph), model, parameter) {}

MakespanFunction::MakespanFunction(const ReducedProgram& program, const LogGPS& model,
                                   Parameter parameter)
    : MakespanFunction(program.bind(LogGPSCost(model, parameter)), LogGPSCost(model, parameter)) {}

MakespanFunction::MakespanFunction(const ExecutionGraph& graph, const LinearCost& cost)
    : MakespanFunction(PathProgram(reduce(graph, cost)), cost) {}

double ns_of_ticks(Int128 scaled, Int128 denominator, std::int64_t tick_fs) {
  const std::int64_t ticks_per_ns = kFemtosPerNano / tick_fs;
  return static_cast<double>(static_cast<long double>(scaled) /
                             static_cast<long double>(denominator) /
                             static_cast<long double>(ticks_per_ns));
}

double MakespanFunction::to_ns(const Ticks& x) const {
  return ns_of_ticks(x.numerator, x.denominator, tick_fs_);
}

double MakespanFunction::value_ns(const PathLine& line, const Ticks& x) const {
  return ns_of_ticks(line.scaled_at(x), x.denominator, tick_fs_);
}

const MakespanFunction::Evaluation* MakespanFunction::known(const Ticks& x, Side side) const {
  for (const Evaluation& e : evaluations_) {
    if (e.x == x && e.side == side) return &e;
  }
  return nullptr;
}

PathLine MakespanFunction::line_at(const Ticks& x, Side side) {
  const PathProgram::Query query{x, side};
  return lines_at({&query, 1}).front();
}

std::vector<PathLine> MakespanFunction::lines_at(std::span<const PathProgram::Query> queries,
                                                 unsigned threads) {
  std::vector<PathProgram::Query> unknown;
  std::vector<PathProgram::Query> asked(queries.begin(), queries.end());
  for (PathProgram::Query& query : asked) {
    expects(query.x.numerator >= 0, "parameters are not negative");
    if (query.x.numerator == 0) query.side = Side::right;
    if (known(query.x, query.side) == nullptr) unknown.push_back(query);
  }
  if (unknown.size() + evaluations_.size() > kManyValues) program_.price_edges();
  const std::vector<PathLine> found = program_.lines_at(unknown, threads);
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    evaluations_.push_back({unknown[i].x, unknown[i].side, found[i]});
  }
  std::vector<PathLine> lines;
  for (const PathProgram::Query& query : asked) {
    lines.push_back(known(query.x, query.side)->line);
  }
  return lines;
}

std::optional<std::vector<PathLine>> MakespanFunction::lines_between(
    const Ticks& from, const Ticks& to, const std::function<bool()>& stop) {
  program_.price_edges();
  ++interval_passes_;
  return program_.lines_between(from, to, stop, kAllThreads);
}

PathLine MakespanFunction::asymptote() {
  // Beyond T(0) + 1 ticks no path with fewer multiples can catch up: one multiple more outweighs
  // any difference of intercepts.
  return line_at(Ticks{program_.most_at_zero() + 1, 1});
}

}  // namespace slackline
