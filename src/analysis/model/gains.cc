// Gain curves.
//
// The question: by how much does the run get shorter if this function does? A profile cannot say,
// as most of a function's time may lie beside the critical path, and the path moves away as the
// function gets faster. Coz answers by experiments ("Coz: Finding Code that Counts with Causal
// Profiling", Curtsinger and Berger 2015). Here one nanosecond of the function's computation takes
// x: an edge of the execution graph costs fixed + selected * x, so T(x) is the maximum of finitely
// many lines, and the envelope that serves T(L) (timing/envelope.h) gives all of them between x = 0
// and x = 1 ns.

#include "analysis/model/gains.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "analysis/model/selected_computation.h"
#include "base/parallel.h"
#include "base/ratio.h"
#include "base/units.h"
#include "calls/code_places.h"
#include "calls/computation_code.h"
#include "timing/cost/linear_cost.h"
#include "timing/envelope.h"

namespace slackline {
namespace {

/// A cost in which one nanosecond of the selected computation takes x, and everything else what it
/// takes under `cost`.
class SpeedupCost : public LinearCost {
 public:
  SpeedupCost(const LinearCost& cost, const SelectedComputation& selected)
      : cost_(cost),
        selected_(selected),
        tick_fs_(std::gcd(cost.tick_fs(), cost.base_fs())),
        ticks_per_ns_(kFemtosPerNano / tick_fs_) {}

  std::int64_t tick_fs() const override { return tick_fs_; }
  std::int64_t base_fs() const override { return kFemtosPerNano; }
  bool depends_on_ranks() const override { return true; }
  LinearTerm term(const Edge& e, std::int32_t from_rank, std::int32_t to_rank) const override {
    const LinearTerm whole = cost_.term(e, from_rank, to_rank);
    const std::int64_t selected = selected_.in_edge(e, from_rank);
    const Int128 ticks = whole.fixed_ticks * (cost_.tick_fs() / tick_fs_) +
                         Int128{whole.multiples} * (cost_.base_fs() / tick_fs_);
    return {ticks - Int128{selected} * ticks_per_ns_, selected};
  }

 private:
  const LinearCost& cost_;
  const SelectedComputation& selected_;
  std::int64_t tick_fs_;
  std::int64_t ticks_per_ns_;
};

/// What a curve is asked for.
struct Target {
  std::string name;
  std::string kind;
  std::function<bool(std::int32_t, PathId)> selected{};
  std::vector<bool> frames{};  ///< of a function; else empty
};

std::vector<bool> paths_below(const CallPaths& paths, const std::function<bool(PathId)>& is_top) {
  std::vector<bool> below(paths.size());
  for (PathId path = 0; path < paths.size(); ++path) {
    below[path] = is_top(path) || (path != 0 && below[paths.parent(path)]);
  }
  return below;
}

Target path_target(std::string name, std::string kind, std::vector<bool> below) {
  return {std::move(name), std::move(kind),
          [below = std::move(below)](std::int32_t, PathId path) { return bool{below[path]}; }};
}

/// The functions with the most computation in themselves, where samples tell; outer ones contain
/// theirs.
std::vector<std::string> longest_functions(const Trace& trace, const ComputationCode& code) {
  constexpr std::size_t kMostFunctions = 20;
  constexpr double kLeastShare = 0.01;
  if (!code.sampled()) return {};
  std::map<std::string, std::int64_t> times;
  std::int64_t all = 0;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    for (std::uint32_t call = 0; call < trace.calls(r).size(); ++call) {
      code.split(r, call, trace.calls(r).gap_ns(call), [&](FrameId frame, std::int64_t ns) {
        if (frame != 0) times[trace.call_tree().location(frame).function] += ns;
        all += ns;
      });
    }
  }
  std::vector<std::pair<std::int64_t, std::string>> longest;
  for (const auto& [function, ns] : times) {
    if (static_cast<double>(ns) >= kLeastShare * static_cast<double>(all)) {
      longest.emplace_back(-ns, function);
    }
  }
  std::ranges::sort(longest);
  std::vector<std::string> names;
  for (const auto& [ns, function] : longest) {
    if (names.size() < kMostFunctions) names.push_back(function);
  }
  return names;
}

std::vector<Target> targets(const Trace& trace, const CallPaths& paths, const ComputationCode& code,
                            const GainOptions& options) {
  std::vector<Target> all{
      {"all computation", "computation", [](std::int32_t, PathId) { return true; }}};
  for (std::size_t region = 0; region < trace.regions().size(); ++region) {
    all.push_back(path_target(trace.regions()[region], "region", paths_below(paths, [&](PathId p) {
                                return paths.region(p) == static_cast<std::int32_t>(region);
                              })));
  }
  for (std::string& function : longest_functions(trace, code)) {
    std::vector<bool> frames = frames_of_function(trace.call_tree(), function);
    all.push_back({std::move(function), "function", {}, std::move(frames)});
  }
  for (PathId path = 1; options.call_paths && path < paths.size(); ++path) {
    all.push_back(path_target(paths.name(path), "call-path",
                              paths_below(paths, [&](PathId p) { return p == path; })));
  }
  for (std::int32_t rank = 0; options.ranks && rank < trace.ranks(); ++rank) {
    all.push_back({fmt::format("rank {}", rank), "rank",
                   [rank](std::int32_t r, PathId) { return r == rank; }});
  }
  return all;
}

/// The share of the computation that can go before nothing more is gained.
double saturation(const Envelope& envelope, const MakespanFunction& t) {
  const EnvelopePiece& first = envelope.pieces.front();
  return first.line.slope == 0 ? 1 - t.to_ns(first.to) : 1;
}

GainCurve curve(const Target& target, const SelectedComputation& selected,
                const ExecutionGraph& graph, const LinearCost& cost) {
  GainCurve result{.name = target.name, .kind = target.kind, .time_ns = selected.total_ns()};
  const SpeedupCost speedup(cost, selected);
  MakespanFunction t(graph, speedup);
  const Ticks as_it_is = t.base();
  const PathLine line = t.line_at(as_it_is, Side::left);
  const double makespan = t.value_ns(line, as_it_is);
  result.on_path_ns = static_cast<double>(line.slope);
  for (std::size_t i = 0; i < kGainSpeedups.size(); ++i) {
    const double remaining = (1 - kGainSpeedups[i]) * static_cast<double>(kFemtosPerNano);
    const Ticks x = t.from_fs(std::llround(remaining));
    result.gain_ns[i] = makespan - t.value_ns(t.line_at(x), x);
  }
  result.saturation = saturation(compute_envelope(t, t.from_fs(0), as_it_is), t);
  return result;
}

constexpr std::array<std::string_view, 5> kKinds{"computation", "region", "function", "call-path",
                                                 "rank"};

void sort(std::vector<GainCurve>& curves) {
  std::ranges::stable_sort(curves, {}, [](const GainCurve& c) {
    return std::pair(std::ranges::find(kKinds, c.kind) - kKinds.begin(), -c.gain_ns.back());
  });
}

}  // namespace

Gains gains(const Trace& trace, const ExecutionGraph& graph, const CallPaths& paths,
            const ModelChoice& choice, const GainOptions& options) {
  const ComputationCode code(trace, options.samples);
  const std::vector<Target> asked = targets(trace, paths, code, options);
  Gains result;
  result.curves.resize(asked.size());
  with_cost(graph, choice, {Parameter::latency}, [&](const LinearCost& cost) {
    MakespanFunction t(graph, cost);
    result.makespan_ns = t.value_ns(t.line_at(t.base()), t.base());
    parallel_for(asked.size(), [&](std::size_t i) {
      const SelectedComputation selected =
          asked[i].frames.empty() ? SelectedComputation(trace, graph, paths, asked[i].selected)
                                  : SelectedComputation(trace, graph, code, asked[i].frames);
      if (selected.total_ns() > 0) result.curves[i] = curve(asked[i], selected, graph, cost);
    });
  });
  std::erase_if(result.curves, [](const GainCurve& c) { return c.time_ns == 0; });
  const double all = result.curves.empty() ? 0 : static_cast<double>(result.curves.front().time_ns);
  for (GainCurve& c : result.curves) c.share = ratio_of(static_cast<double>(c.time_ns), all);
  sort(result.curves);
  return result;
}

namespace {

std::string speedup_name(double speedup) {
  return fmt::format("{:.0f}%", speedup * 100);
}

Json to_json(const GainCurve& c) {
  Json gain = Json::object();
  for (std::size_t i = 0; i < kGainSpeedups.size(); ++i) {
    gain[speedup_name(kGainSpeedups[i])] = c.gain_ns[i];
  }
  return {{"name", c.name},
          {"kind", c.kind},
          {"time_ns", c.time_ns},
          {"share", c.share},
          {"on_critical_path_ns", c.on_path_ns},
          {"gain_ns", std::move(gain)},
          {"saturation", c.saturation}};
}

Section gains_section(const Gains& gains, std::string_view kind, std::string title) {
  Table table{.id = "gains-" + std::string(kind),
              .title = std::move(title),
              .columns = {{std::string(kind)},
                          {"profile share", Unit::ratio, "of all ranks' computation"},
                          {"on critical path", Unit::ns}},
              .rows = {}};
  for (const double speedup : kGainSpeedups) {
    table.columns.push_back({fmt::format("{} less", speedup_name(speedup)), Unit::ns,
                             "reduction of the predicted run time"});
  }
  table.columns.push_back(
      {"saturation", Unit::ratio, "reduction beyond which nothing more is gained"});
  for (const GainCurve& c : gains.curves) {
    if (c.kind != kind) continue;
    std::vector<Value> row{c.name, c.share, c.on_path_ns};
    for (const double gain : c.gain_ns) row.emplace_back(gain);
    row.emplace_back(c.saturation);
    table.rows.push_back(std::move(row));
  }
  Section section{.id = "gains-" + std::string(kind), .title = "Gains by " + std::string(kind)};
  if (!table.rows.empty()) section.items.emplace_back(std::move(table));
  return section;
}

Paragraph headline(const Gains& gains) {
  const auto best = std::ranges::find(gains.curves, "region", &GainCurve::kind);
  const std::string time = format_time_ns(gains.makespan_ns);
  if (best == gains.curves.end()) {
    return {fmt::format(
        "Predicted run time {}. The trace has no code regions; only ranks can be distinguished.",
        time)};
  }
  return {fmt::format(
      "Predicted run time {}. Largest gain from one region: {}, {} shorter if it took no time, {} "
      "if it took half.",
      time, best->name, format_time_ns(best->gain_ns[3]), format_time_ns(best->gain_ns[2]))};
}

}  // namespace

Report describe(const Gains& gains) {
  Report report;
  Json list = Json::array();
  for (const GainCurve& c : gains.curves) list.push_back(to_json(c));
  report.result = {{"makespan_ns", gains.makespan_ns}, {"gains", std::move(list)}};
  Section summary{.id = "gains", .title = "Potential gains"};
  summary.items.emplace_back(headline(gains));
  report.sections.push_back(std::move(summary));
  for (const std::string_view kind : kKinds) {
    Section section = gains_section(gains, kind, "Gain from less computation");
    if (!section.items.empty()) report.sections.push_back(std::move(section));
  }
  return report;
}

}  // namespace slackline
