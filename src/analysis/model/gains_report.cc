#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/model/gains.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr std::array<std::string_view, 7> kGainKinds{
    "computation", "region", "function", "call-path", "rank", "operation", "network"};

bool is_communication(std::string_view kind) {
  return kind == "operation" || kind == "network";
}

std::string speedup_name(int percent) {
  return fmt::format("{}%", percent);
}

const Rows<GainCurve::Successor> kSuccessors{{"name", &GainCurve::Successor::name},
                                             {"kind", &GainCurve::Successor::kind},
                                             {"share", &GainCurve::Successor::share}};

JsonMap<double> gain_by_speedup(const GainCurve& c) {
  JsonMap<double> gain;
  for (std::size_t i = 0; i < kGainSpeedups.size(); ++i) {
    gain.add(speedup_name(kGainSpeedups[i]), c.gain_ns[i]);
  }
  return gain;
}

const GainCurve::Successor* successor_of(const GainCurve& c) {
  return c.takes_over.name.empty() ? nullptr : &c.takes_over;
}

const Rows<GainCurve> kGainCurves{{"name", &GainCurve::name},
                                  {"kind", &GainCurve::kind},
                                  {"time_ns", &GainCurve::time_ns},
                                  {"share", &GainCurve::share},
                                  {"on_critical_path_ns", &GainCurve::on_path_ns},
                                  {"gain_ns", gain_by_speedup},
                                  {"saturation", &GainCurve::saturation},
                                  {"takes_over", successor_of, kSuccessors}};

Section gains_section(const Gains& gains, std::string_view kind, std::string title) {
  Table table{.id = "gains-" + std::string(kind),
              .title = std::move(title),
              .columns = {{std::string(kind)},
                          {"profile share", Unit::ratio,
                           is_communication(kind) ? "of all communication costs of the model"
                                                  : "of all ranks' computation"},
                          {"on critical path", Unit::ns}},
              .rows = {}};
  for (const int speedup : kGainSpeedups) {
    table.columns.push_back({fmt::format("{} less", speedup_name(speedup)), Unit::ns,
                             "reduction of the predicted run time"});
  }
  table.columns.push_back(
      {"saturation", Unit::ratio, "reduction beyond which nothing more is gained"});
  table.columns.push_back(
      {"takes over", Unit::none, "largest part of the critical path from there on"});
  for (const GainCurve& c : gains.curves) {
    if (c.kind != kind) continue;
    std::vector<Value> row{c.name, c.share, c.on_path_ns};
    for (const double gain : c.gain_ns) row.emplace_back(gain);
    row.emplace_back(c.saturation);
    row.emplace_back(
        c.takes_over.name.empty()
            ? "-"
            : fmt::format("{} ({})", c.takes_over.name, format_percent(c.takes_over.share, 0)));
    table.rows.push_back(std::move(row));
  }
  Section section{.id = "gains-" + std::string(kind), .title = "Gains by " + std::string(kind)};
  if (!table.rows.empty()) section.items.emplace_back(std::move(table));
  return section;
}

Paragraph headline(const Gains& gains) {
  const auto has_name = [](const GainCurve& c) {
    return c.kind == "region" || c.kind == "function";
  };
  const auto best = std::ranges::find_if(gains.curves, has_name);
  const std::string time = format_time_ns(gains.makespan_ns);
  if (best == gains.curves.end()) {
    return {
        fmt::format("Predicted run time {}. The trace has neither code regions nor functions; of "
                    "computation, only ranks can be distinguished.",
                    time)};
  }
  return {fmt::format(
      "Predicted run time {}. Largest gain from one {}: {}, {} shorter if it took no time, {} "
      "if it took half.",
      time, best->kind, best->name, format_time_ns(best->gain_ns[3]),
      format_time_ns(best->gain_ns[2]))};
}

}  // namespace

const Rows<Gains> kGainRows{{"makespan_ns", &Gains::makespan_ns},
                            {"gains", &Gains::curves, kGainCurves}};

Described<GainsJson> describe(const Gains& gains) {
  Described<GainsJson> report{GainsJson(gains)};
  Section summary{.id = "gains", .title = "Potential gains"};
  summary.items.emplace_back(headline(gains));
  report.sections.push_back(std::move(summary));
  for (const std::string_view kind : kGainKinds) {
    Section section = gains_section(
        gains, kind,
        is_communication(kind) ? "Gain from cheaper communication" : "Gain from less computation");
    if (!section.items.empty()) report.sections.push_back(std::move(section));
  }
  return report;
}

}  // namespace slackline
