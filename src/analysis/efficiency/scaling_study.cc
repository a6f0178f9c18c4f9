// Global efficiency is a product: load balance x serialisation x transfer x computation
// scalability, and the last one is instructions x IPC x frequency where counters are known. What
// degrades most from the reference to the largest run is thus the factor with the smallest
// quotient of the two, and the same holds one level below.

#include "analysis/efficiency/efficiency.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

#include "base/arithmetic.h"
#include "base/sentences.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr double kNoChange = 0.98;  // of the reference: a factor at least that does not degrade

/// A run's factors beside those of the reference.
struct ScaledRun {
  const Efficiency* run = nullptr;
  EfficiencyFactors factors;
  Scalability scalability;
  double speedup = 1;
  double ideal_speedup = 1;

  double global() const { return scalability.global(factors.parallel); }
  std::int32_t ranks() const { return run->analysed.ranks; }
};

/// By ranks, without runs that have no time.
std::vector<ScaledRun> scaled(const std::vector<Efficiency>& runs, Scaling scaling) {
  const EfficiencyInputs& reference = runs.front().analysed;
  std::vector<ScaledRun> all;
  for (const Efficiency& run : runs) {
    const EfficiencyInputs& in = run.analysed;
    if (!in.has_time() || !reference.has_time()) continue;
    ScaledRun s{&run, factors(in, EfficiencyVariant::multiplicative),
                slackline::scalability(in, reference, scaling)};
    s.ideal_speedup = ratio_of(in.ranks, reference.ranks);
    const double work = scaling == Scaling::weak ? s.ideal_speedup : 1;
    s.speedup = work * ratio_of(reference.observed_ns, in.observed_ns);
    all.push_back(s);
  }
  std::ranges::stable_sort(all, {}, &ScaledRun::ranks);
  return all;
}

struct Factor {
  std::string_view name;
  std::string_view key;
  std::function<double(const ScaledRun&)> value;
};

const std::vector<Factor>& leaf_factors() {
  static const std::vector<Factor> kFactors{
      {"load balance", "load_balance", [](const ScaledRun& s) { return s.factors.load_balance; }},
      {"serialisation efficiency", "serialisation",
       [](const ScaledRun& s) { return s.factors.serialisation; }},
      {"transfer efficiency", "transfer", [](const ScaledRun& s) { return s.factors.transfer; }},
      {"computation scalability", "computation",
       [](const ScaledRun& s) { return s.scalability.computation; }}};
  return kFactors;
}

/// What of the computation's time is behind its scalability.
std::string why_computation(const ScaledRun& s) {
  std::vector<std::string> parts;
  const auto add = [&](std::string_view name, const std::optional<double>& value) {
    if (value && *value < kNoChange) {
      parts.push_back(fmt::format("{} ({})", name, format_percent(*value)));
    }
  };
  add("more instructions", s.scalability.instructions);
  add("fewer instructions per cycle", s.scalability.ipc);
  add("a lower frequency", s.scalability.frequency);
  if (!parts.empty()) return ", through " + enumeration(parts);
  return s.scalability.instructions ? "" : " (no hardware counters in the traces to say why)";
}

std::string why_load_balance(const ScaledRun& s) {
  const std::vector<std::int64_t>& useful = s.run->useful_ns;
  const auto most = std::ranges::max_element(useful);
  if (most == useful.end()) return "";
  double sum = 0;
  for (const std::int64_t ns : useful) sum += static_cast<double>(ns);
  return fmt::format(
      ": rank {} computes {:.2f} x the mean", most - useful.begin(),
      ratio_of(static_cast<double>(*most) * static_cast<double>(useful.size()), sum));
}

std::string why(const Factor& factor, const ScaledRun& s) {
  if (factor.key == "computation") return why_computation(s);
  if (factor.key == "load_balance") return why_load_balance(s);
  return factor.key == "serialisation" ? ": ranks wait for each other also on an ideal network"
                                       : ": time is lost in data transfer and the MPI library";
}

double change(const Factor& factor, const ScaledRun& from, const ScaledRun& to) {
  const double before = factor.value(from);
  return before > 0 ? factor.value(to) / before : 1;
}

const Factor& most_degraded(const ScaledRun& from, const ScaledRun& to) {
  return *std::ranges::min_element(leaf_factors(), {},
                                   [&](const Factor& f) { return change(f, from, to); });
}

std::string ranks_of(const ScaledRun& s) {
  return count_of(static_cast<std::uint64_t>(s.ranks()), "rank");
}

std::string sentence(const ScaledRun& from, const ScaledRun& to) {
  const Factor& factor = most_degraded(from, to);
  std::string text = fmt::format(
      "From {} to {}, speed-up is {:.2f} (ideal: {:.2f}), and global efficiency goes from {} to "
      "{}.",
      ranks_of(from), ranks_of(to), to.speedup / from.speedup,
      to.ideal_speedup / from.ideal_speedup, format_percent(from.global()),
      format_percent(to.global()));
  if (change(factor, from, to) >= kNoChange) return text + " No factor degrades.";
  return text + fmt::format(" Largest loss: {}, from {} to {}{}.", factor.name,
                            format_percent(factor.value(from)), format_percent(factor.value(to)),
                            why(factor, to));
}

/// Start-up before MPI_Init grows with the ranks and is in no factor of the analysed interval.
std::string whole_run_sentence(const ScaledRun& s, const Efficiency& first, Scaling scaling) {
  const EfficiencyInputs& in = s.run->inputs;
  if (!in.has_time() || !first.inputs.has_time()) return "";
  ScaledRun whole = s;
  whole.scalability = slackline::scalability(in, first.inputs, scaling);
  const double computation = whole.scalability.computation;
  if (computation >= kNoChange * s.scalability.computation) return "";
  return fmt::format(
      "Over the whole run, with what comes before MPI_Init and after MPI_Finalize, computation "
      "scalability is {}{}.",
      format_percent(computation), why_computation(whole));
}

Series factor_series(const std::vector<ScaledRun>& runs) {
  Series series{
      "scaling_factors", "Efficiency factors over ranks", "ranks", Unit::count, {}, {}, {}};
  for (const ScaledRun& s : runs) series.x.push_back(s.ranks());
  const auto line = [&](std::string name, int panel,
                        const std::function<std::optional<double>(const ScaledRun&)>& value) {
    Line l{std::move(name), Unit::ratio, {}, false, panel};
    bool any = false;
    for (const ScaledRun& s : runs) {
      const std::optional<double> v = value(s);
      any = any || v.has_value();
      l.y.push_back(v.value_or(std::numeric_limits<double>::quiet_NaN()));
    }
    if (any) series.lines.push_back(std::move(l));
  };
  line("global efficiency", 0, [](const ScaledRun& s) { return s.global(); });
  line("parallel efficiency", 0, [](const ScaledRun& s) { return s.factors.parallel; });
  line("computation scalability", 0, [](const ScaledRun& s) { return s.scalability.computation; });
  line("load balance", 1, [](const ScaledRun& s) { return s.factors.load_balance; });
  line("serialisation efficiency", 1, [](const ScaledRun& s) { return s.factors.serialisation; });
  line("transfer efficiency", 1, [](const ScaledRun& s) { return s.factors.transfer; });
  line("instructions", 2, [](const ScaledRun& s) { return s.scalability.instructions; });
  line("IPC", 2, [](const ScaledRun& s) { return s.scalability.ipc; });
  line("frequency", 2, [](const ScaledRun& s) { return s.scalability.frequency; });
  return series;
}

Series speedup_series(const std::vector<ScaledRun>& runs) {
  Series series{"speedup", "Speed-up over ranks", "ranks", Unit::count, {}, {}, {}};
  Line measured{"speed-up", Unit::none, {}};
  Line ideal{"ideal speed-up", Unit::none, {}};
  for (const ScaledRun& s : runs) {
    series.x.push_back(s.ranks());
    measured.y.push_back(s.speedup);
    ideal.y.push_back(s.ideal_speedup);
  }
  series.lines = {std::move(measured), std::move(ideal)};
  return series;
}

auto scaled_object(const ScaledRun& run) {
  return Object{"ranks"_key = run.ranks(), "global_efficiency"_key = run.global(),
                "speedup"_key = run.speedup, "ideal_speedup"_key = run.ideal_speedup};
}

auto scaling_object(const std::vector<ScaledRun>& runs) {
  const Factor& factor = most_degraded(runs.front(), runs.back());
  const bool degrades = change(factor, runs.front(), runs.back()) < kNoChange;
  return Object{"sentence"_key = sentence(runs.front(), runs.back()),
                "degrading_factor"_key = known_if(degrades, factor.key),
                "runs"_key = list_of(runs, scaled_object)};
}

}  // namespace

const JsonType& declared_type(const ScalingJsonTag*) {
  return json_type_by<scaling_object>();
}

ScalingStudy scaling_study(const std::vector<Efficiency>& runs, Scaling scaling) {
  Section section{.id = "scalability", .title = "Scalability"};
  const std::vector<ScaledRun> all = scaled(runs, scaling);
  if (all.size() < 2) return {std::move(section)};
  section.items.emplace_back(Paragraph{sentence(all.front(), all.back())});
  const std::string whole = whole_run_sentence(all.back(), runs.front(), scaling);
  if (!whole.empty()) section.items.emplace_back(Paragraph{whole});
  section.items.emplace_back(factor_series(all));
  section.items.emplace_back(speedup_series(all));
  return {std::move(section), scaling_object(all)};
}

}  // namespace slackline
