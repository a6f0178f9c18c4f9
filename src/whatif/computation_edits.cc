// Edits that change how long ranks compute: by a factor, to a length, by a time, by noise, and
// without exceptionally long visits.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/arithmetic.h"
#include "base/error.h"
#include "base/statistics.h"
#include "whatif/actions.h"
#include "whatif/computation_pieces.h"
#include "whatif/selection.h"

namespace slackline {
namespace {

/// The factor that makes a visit of `own` ns one of `target` ns.
double factor_to(std::int64_t own, std::int64_t target) {
  return ratio_of(static_cast<double>(std::max<std::int64_t>(0, target)), static_cast<double>(own));
}

std::int64_t of_visit(const VisitTimes& times, const SelectedPiece& piece) {
  return times[static_cast<std::size_t>(piece.rank)][piece.visit];
}

/// The lower median of a rank's visits that compute at all; 0 if there are none.
std::int64_t median_visit(const std::vector<std::int64_t>& visits) {
  std::vector<std::int64_t> own;
  std::ranges::copy_if(visits, std::back_inserter(own), [](std::int64_t ns) { return ns > 0; });
  return lower_median(own);
}

VisitScope limit_scope(const Edit& edit) {
  const std::string* text = edit.find("over");
  if (text == nullptr || *text == "visit") return VisitScope::region;
  if (*text == "collective") return VisitScope::collective;
  refuse(edit, "over", "no such scope", "Choose visit or collective.");
}

}  // namespace

PieceLengths scaled_lengths(const Edit& edit) {
  edit.required("factor");
  return {
      [factor = *edit.factor("factor")](const SelectedPiece& p) { return scaled(p.ns, factor); }};
}

PieceLengths limited_lengths(const Edit& edit, const VisitTimes& times) {
  edit.required("factor");
  const double factor = std::max(1.0, *edit.factor("factor"));
  std::vector<std::int64_t> medians;
  for (const std::vector<std::int64_t>& visits : times) medians.push_back(median_visit(visits));
  return {[&times, factor, medians = std::move(medians)](const SelectedPiece& p) {
    const std::int64_t visit = of_visit(times, p);
    const std::int64_t median = medians[static_cast<std::size_t>(p.rank)];
    const bool exceeds = static_cast<double>(visit) > factor * static_cast<double>(median);
    return exceeds ? scaled(p, factor_to(visit, median)) : p.ns;
  }};
}

PieceLengths piece_lengths(const Edit& edit, const Trace& trace, const VisitTimes& times) {
  if (edit.action == "scale") return scaled_lengths(edit);
  if (edit.action == "limit") return limited_lengths(edit, times);
  if (edit.action == "balance") return balanced_lengths(edit, trace, times);
  throw usage_error(fmt::format("cannot apply '{}' to computation that was selected", edit.action),
                    "it does more than to change lengths", "Choose scale, limit or balance.");
}

Program scale_computation(const Edit& edit, const ProgramView& program, Change& change) {
  const CallPaths paths(program.trace);
  const Selection selection(edit, program, paths);
  return with_lengths(program, paths, selection, scaled_lengths(edit), change);
}

Program set_computation(const Edit& edit, const ProgramView& program, Change& change) {
  const Trace& trace = program.trace;
  edit.required("time");
  const std::int64_t time_ns = *edit.time_ns("time");
  if (time_ns < 0) refuse(edit, "time", "computation cannot take negative time");
  const CallPaths paths(trace);
  const Selection selection(edit, program, paths);
  const VisitTimes times = visit_times(trace, paths, selection);
  // What takes no time has no parts to scale: all of it comes at the end of the visit.
  const auto missing = [&](std::int32_t rank, std::uint32_t visit) {
    const std::vector<std::int64_t>& visits = times[static_cast<std::size_t>(rank)];
    return visit < visits.size() && visits[visit] > 0 ? 0 : time_ns;
  };
  PieceLengths lengths{
      [&](const SelectedPiece& p) { return scaled(p, factor_to(of_visit(times, p), time_ns)); }};
  if (!selection.by_function()) lengths.at_visit_end = missing;
  return with_lengths(program, paths, selection, lengths, change);
}

Program shift_computation(const Edit& edit, const ProgramView& program, Change& change) {
  const Trace& trace = program.trace;
  edit.required("time");
  const std::int64_t time_ns = *edit.time_ns("time");
  const CallPaths paths(trace);
  const Selection selection(edit, program, paths);
  if (selection.by_function()) {
    refuse(edit, "function", "how often it runs is not recorded",
           "Scale it, or mark it as a region in the program.");
  }
  if (!selection.by_region()) {
    throw usage_error("cannot apply 'shift'", "it requires a code region",
                      "Add region=NAME or call-path=NAME.");
  }
  if (time_ns >= 0) {
    const PieceLengths lengths{[](const SelectedPiece& p) { return p.ns; },
                               [&](std::int32_t, std::uint32_t) { return time_ns; }};
    return with_lengths(program, paths, selection, lengths, change);
  }
  const VisitTimes times = visit_times(trace, paths, selection);
  const PieceLengths lengths{[&](const SelectedPiece& p) {
    const std::int64_t own = of_visit(times, p);
    return scaled(p, factor_to(own, own + time_ns));
  }};
  return with_lengths(program, paths, selection, lengths, change);
}

Program add_noise(const Edit& edit, const ProgramView& program, Change& change) {
  const Trace& trace = program.trace;
  edit.required("amplitude");
  const Noise noise = edit.noise("amplitude");
  const CallPaths paths(trace);
  const Selection selection(edit, program, paths);
  const PieceLengths lengths{[&](const SelectedPiece& p) {
    if (p.ns <= 0) return p.ns;
    const auto rank = static_cast<std::uint64_t>(p.rank);
    return scaled(p.ns, noise.factor(static_cast<double>(p.ns), rank, p.number));
  }};
  return with_lengths(program, paths, selection, lengths, change);
}

Program limit_computation(const Edit& edit, const ProgramView& program, Change& change) {
  const VisitScope scope = limit_scope(edit);
  const CallPaths paths(program.trace);
  const Selection selection(edit, program, paths);
  const VisitTimes times = visit_times(program.trace, paths, selection, scope);
  return with_lengths(program, paths, selection, limited_lengths(edit, times), change, scope);
}

}  // namespace slackline
