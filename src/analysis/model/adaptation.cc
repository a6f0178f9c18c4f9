// Programs that adapt to the latency.
//
// The graph of a trace is frozen: T(L) is how long that communication takes at other latencies. A
// program that balances or reorders work while it runs communicates differently where the latency
// is higher, so a trace that was recorded there has another T(L). Each curve is right where its
// trace was recorded; what it is below the first one there is what the adaptation gains.

#include "analysis/model/adaptation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "base/sentences.h"
#include "base/units.h"
#include "calls/iterations.h"
#include "calls/summary.h"

namespace slackline {
namespace {

constexpr double kMaterial = 0.01;
constexpr int kTablePoints = 11;

std::optional<std::size_t> longest_loop(const Trace& trace) {
  if (!trace.timed()) return std::nullopt;
  const auto loops = find_iterations(trace, CallPaths::of_regions_or_functions(trace));
  const auto longest = std::ranges::max_element(loops, {}, &IterationLoop::length_ns);
  return longest == loops.end() ? std::nullopt : std::optional(longest->count);
}

double mean_computation_ns(const ExecutionGraph& graph) {
  double sum = 0;
  for (VertexId v = 0; v < graph.vertex_count(); ++v) {
    graph.for_in_edges(v, [&](const Edge& e) {
      if (e.kind == EdgeKind::compute) sum += static_cast<double>(e.nanoseconds);
    });
  }
  for (std::int32_t r = 0; r < graph.ranks(); ++r) sum += static_cast<double>(graph.tail_ns(r));
  return sum / std::max(1, graph.ranks());
}

double begin_of(const Sensitivity& s) {
  return s.pieces.front().from_ns;
}
double end_of(const Sensitivity& s) {
  return s.pieces.back().to_ns;
}

/// Where one of them bends, and the ends of the common interval; ascending.
std::vector<double> common_breakpoints(const Sensitivity& a, const Sensitivity& b) {
  const double begin = std::max(begin_of(a), begin_of(b));
  const double end = std::min(end_of(a), end_of(b));
  std::vector<double> all{begin, end};
  for (const Sensitivity* s : {&a, &b}) {
    for (const Sensitivity::Piece& p : s->pieces) {
      if (p.from_ns > begin && p.from_ns < end) all.push_back(p.from_ns);
    }
  }
  std::ranges::sort(all);
  return all;
}

std::string file_name(const Adaptation::Run& run) {
  return std::filesystem::path(run.trace).filename().string();
}
std::string label(const Adaptation::Run& run) {
  const std::string added = fmt::format(" (dL {})", format_time_ns(run.added_ns));
  return file_name(run) + (run.added_ns == 0 ? "" : added);
}

std::vector<double> table_points(const Adaptation& a) {
  std::vector<double> points;
  const Sensitivity& first = a.runs.front().curve;
  for (int i = 0; i < kTablePoints; ++i) {
    points.push_back(std::lerp(begin_of(first), end_of(first), i / double{kTablePoints - 1}));
  }
  for (const auto& run : a.runs) points.push_back(run.recorded_at_ns());
  std::ranges::sort(points);
  points.erase(std::ranges::unique(points).begin(), points.end());
  return points;
}

Table points_table(const Adaptation& a) {
  const std::string parameter = a.runs.front().curve.parameter.name();
  Table table{.id = "adaptation_curves",
              .title = fmt::format("Predicted run time by {} and trace", parameter),
              .columns = {{parameter, Unit::ns}},
              .rows = {}};
  for (const auto& run : a.runs) table.columns.push_back({"T " + label(run), Unit::ns});
  for (const double x : table_points(a)) {
    std::vector<Value> row{x};
    for (const auto& run : a.runs) row.emplace_back(makespan_at(run.curve, x));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// All curves, and what was measured at the latencies of the recordings.
Series series_of(const Adaptation& a) {
  const Sensitivity& first = a.runs.front().curve;
  Series series{.id = "adaptation",
                .title = fmt::format("Predicted run time vs. {} by trace", first.parameter.name()),
                .x_name = first.parameter.name(),
                .x_unit = Unit::ns,
                .x = table_points(a),
                .lines = {},
                .zones = {},
                .now = first.base_ns};
  for (const auto& run : a.runs) {
    for (const auto& piece : run.curve.pieces) series.x.push_back(piece.from_ns);
  }
  std::ranges::sort(series.x);
  series.x.erase(std::ranges::unique(series.x).begin(), series.x.end());
  Line measured{.name = "measured", .unit = Unit::ns, .y = {}, .points = true};
  measured.y.assign(series.x.size(), std::numeric_limits<double>::quiet_NaN());
  for (const auto& run : a.runs) {
    Line& line = series.lines.emplace_back(Line{"T " + label(run), Unit::ns, {}});
    for (const double x : series.x) line.y.push_back(makespan_at(run.curve, x));
    const auto at = std::ranges::lower_bound(series.x, run.recorded_at_ns()) - series.x.begin();
    if (run.measured_ns) measured.y[static_cast<std::size_t>(at)] = *run.measured_ns;
  }
  const bool any = std::ranges::any_of(a.runs, [](auto& r) { return r.measured_ns.has_value(); });
  if (any) series.lines.push_back(std::move(measured));
  return series;
}

std::string causes(const Adaptation& a, const Adaptation::Run& run) {
  const std::vector<std::string> names = differing(a.runs.front().extent, run.extent);
  if (names.empty()) return "the amounts of communication and computation are the same";
  const bool chance = names.size() == 1 && names.front() == "computation";
  return "the traces differ in " + enumeration(names) + (chance ? ", as any two runs may" : "");
}

std::string difference_sentence(const Adaptation& a, const Adaptation::Run& run) {
  const Sensitivity& first = a.runs.front().curve;
  const std::string parameter = first.parameter.name();
  const auto from = first_difference(first, run.curve, kMaterial);
  if (!from) {
    return fmt::format("{} and {} predict the same within 1 %, up to {} = {}.",
                       label(a.runs.front()), label(run), parameter, format_time_ns(end_of(first)));
  }
  return fmt::format("T of {} differs from that of {} by more than 1 % from {} = {}; {}.",
                     label(run), label(a.runs.front()), parameter, format_time_ns(*from),
                     causes(a, run));
}

std::string gain_sentence(const Adaptation& a, const Adaptation::Run& run) {
  const double gain = a.gain_ns(run);
  const double share = gain / (run.makespan_ns() + gain);
  const std::string at = format_time_ns(run.added_ns);
  if (std::abs(share) <= kMaterial) {
    return fmt::format("No adaptation at dL = {}: T differs by {}.", at,
                       format_percent(std::abs(share), 2));
  }
  return fmt::format("{} at dL = {}: {} ({}) {} than {} predicts.",
                     gain > 0 ? "The program adapts" : "The program is slower than predicted", at,
                     format_time_ns(std::abs(gain)), format_percent(std::abs(share)),
                     gain > 0 ? "less" : "more", label(a.runs.front()));
}

using Run = Adaptation::Run;
const Rows<Run, Adaptation> kAdaptedRuns{
    "adaptation",
    "Traces by added latency",
    {{"trace", &Run::trace},
     {kShown, "trace", Unit::none, file_name},
     {"added_ns", "dL", Unit::ns, &Run::added_ns, "latency beyond L under which it was recorded"},
     {"messages", Unit::count, [](auto& r) { return r.extent.messages; },
      "with those of collectives"},
     {"collectives", Unit::count, [](auto& r) { return r.extent.collectives; },
      "calls of all ranks"},
     {"iterations", Unit::count, [](auto& r) { return r.extent.iterations; },
      "of the longest loop"},
     {"computation_ns", "computation", Unit::ns, [](auto& r) { return r.extent.computation_ns; },
      "mean of the ranks"},
     {"measured_ns", "measured", Unit::ns, &Run::measured_ns},
     {"makespan_ns", "T at own L", Unit::ns, &Run::makespan_ns,
      "predicted run time at the latency of the recording"},
     {"gain_ns", "gain", Unit::ns, [](auto& r, auto& a) { return a.gain_ns(r); },
      "by how much the first trace's T is longer at that latency"},
     {"differs_from_ns", "differs from", Unit::ns,
      [](auto& r, auto& a) { return first_difference(a.runs.front().curve, r.curve, kMaterial); },
      "least latency at which T differs by more than 1 % from the first trace's"},
     {"differs", [](auto& r, auto& a) { return differing(a.runs.front().extent, r.extent); }},
     {kSpliced, [](auto& r) -> auto& { return r.curve; }, kLinearPieces}}};

}  // namespace

ProgramExtent program_extent(const Trace& trace, const ExecutionGraph& graph) {
  ProgramExtent extent{.messages = graph.message_count(),
                       .computation_ns = mean_computation_ns(graph)};
  if (trace.call_count() == 0) return extent;
  extent.collectives = summarize(trace).collectives;
  extent.iterations = longest_loop(trace);
  return extent;
}

double makespan_at(const Sensitivity& s, double value_ns) {
  const auto after = std::ranges::upper_bound(s.pieces, value_ns, {}, &Sensitivity::Piece::from_ns);
  const auto& piece = after == s.pieces.begin() ? *after : *std::prev(after);
  return piece.makespan_at_from_ns + static_cast<double>(piece.lambda) * (value_ns - piece.from_ns);
}

double Adaptation::Run::makespan_ns() const {
  return makespan_at(curve, recorded_at_ns());
}

double Adaptation::gain_ns(const Run& run) const {
  return makespan_at(runs.front().curve, run.recorded_at_ns()) - run.makespan_ns();
}

std::optional<double> first_difference(const Sensitivity& a, const Sensitivity& b, double share) {
  const std::vector<double> points = common_breakpoints(a, b);
  // Between two of them both are linear, and |b - a| - share * a is convex: it becomes positive at
  // most once, with the sign that b - a has at the end.
  const auto excess = [&](double x, double sign) {
    const double reference = makespan_at(a, x);
    return sign * (makespan_at(b, x) - reference) - share * reference;
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double sign = makespan_at(b, points[i]) < makespan_at(a, points[i]) ? -1 : 1;
    const double here = excess(points[i], sign);
    if (here <= 0) continue;
    if (i == 0) return points[0];
    const double before = excess(points[i - 1], sign);
    return std::lerp(points[i - 1], points[i], before / (before - here));
  }
  return std::nullopt;
}

std::vector<std::string> differing(const ProgramExtent& a, const ProgramExtent& b) {
  std::vector<std::string> names;
  const auto add_if = [&](bool differs, const char* name) {
    if (differs) names.emplace_back(name);
  };
  add_if(a.messages != b.messages, "messages");
  const auto known_to_differ = [](const auto& x, const auto& y) { return x && y && *x != *y; };
  add_if(known_to_differ(a.collectives, b.collectives), "collectives");
  add_if(known_to_differ(a.iterations, b.iterations), "iterations");
  add_if(std::abs(a.computation_ns - b.computation_ns) > kMaterial * a.computation_ns,
         "computation");
  return names;
}

const Rows<Adaptation> kAdaptation{
    {"parameter", [](auto& a) { return a.runs.front().curve.parameter.name(); }},
    {"base_ns", [](auto& a) { return a.runs.front().curve.base_ns; }},
    {"traces", &Adaptation::runs, kAdaptedRuns}};

Described<AdaptationJson> describe(const Adaptation& a) {
  Described<AdaptationJson> report{AdaptationJson(a)};
  Section section{.id = "adaptation", .title = "Adaptation to latency"};
  for (std::size_t i = 1; i < a.runs.size(); ++i) {
    section.items.emplace_back(
        Paragraph{gain_sentence(a, a.runs[i]) + " " + difference_sentence(a, a.runs[i])});
  }
  section.items.emplace_back(series_of(a));
  section.items.emplace_back(kAdaptedRuns.table(a.runs, a));
  section.items.emplace_back(points_table(a));
  report.sections.push_back(std::move(section));
  return report;
}

}  // namespace slackline
