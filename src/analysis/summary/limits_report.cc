#include "analysis/summary/limits.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "analysis/efficiency/time_shares.h"
#include "analysis/paths/path_functions.h"
#include "base/sentences.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, kLimits> kLimitNames{
    {{"computation", "computation"},
     {"imbalance", "load imbalance"},
     {"serialisation", "serialisation"},
     {"transfer", "data transfer"},
     {"message_rate", "message rate"},
     {"io", "I/O"},
     {"blocked", "time blocked outside MPI"},
     {"processors", "lack of processors"},
     {"openmp_serial", "OpenMP serial part"},
     {"openmp_imbalance", "OpenMP load imbalance"},
     {"openmp_synchronisation", "OpenMP synchronisation"},
     {"unknown", "time of unknown cause"}}};

std::optional<double> gain_of(const LimitingCause& c, double LimitGain::*part) {
  return c.gain ? std::optional(*c.gain.*part) : std::nullopt;
}

auto limiting_cause_object(const LimitingCause& c, const CallTree& tree) {
  return Object{"limit"_key = to_string(c.limit),
                "share"_key = c.share,
                "gain"_key = gain_of(c, &LimitGain::share),
                "gain_low"_key = gain_of(c, &LimitGain::low),
                "gain_high"_key = gain_of(c, &LimitGain::high),
                "ranks"_key = c.ranks,
                location_to_json(tree, c.frame),
                "operation"_key = known_if(c.operation != Operation::none, mpi_name(c.operation)),
                "interval"_key =
                    Object{"begin_ns"_key = c.interval.begin_ns, "end_ns"_key = c.interval.end_ns},
                "confidence"_key = to_string(c.confidence),
                "evidence"_key = c.evidence};
}

auto limiting_causes_object(const std::vector<LimitingCause>& causes, const CallTree& tree) {
  const std::vector<LimitingCause> others(causes.begin() + 1, causes.end());
  return Object{limiting_cause_object(causes.front(), tree),
                "alternatives"_key = list_of(others, [&](const LimitingCause& c) {
                  return limiting_cause_object(c, tree);
                })};
}

std::string in_code(const LimitingCause& c, const CallTree& tree) {
  return c.frame == 0 ? "" : " in " + describe_frame(tree, c.frame);
}

std::string of_ranks(const LimitingCause& c) {
  return c.ranks.empty() ? "" : ", mostly on " + named_ranks(c.ranks);
}

std::string loss_text(const LimitingCause& c, const CallTree& tree) {
  const bool polls = c.between_polls >= kShownPart;
  const std::string share =
      format_percent(c.share) +
      (polls ? fmt::format(", and {} between polls,", format_percent(c.between_polls)) : "");
  const std::string code = in_code(c, tree);
  const std::string op =
      c.operation == Operation::none
          ? ""
          : fmt::format(", {}in {}", c.only_operation ? "" : "mostly ", mpi_name(c.operation));
  switch (c.limit) {
    case Limit::computation:
      return fmt::format("computation is {} of rank time, most of it{}", share,
                         code.empty() ? " in code that is not known" : code);
    case Limit::imbalance:
      if (c.by_cpu_time) {
        return fmt::format("{} of rank time is what {} computes longer than the others{} ({})",
                           share, named_ranks(c.ranks), code, c.evidence);
      }
      return c.ranks.empty()
                 ? fmt::format("{} of rank time is waiting for ranks that are late in turn{}{}",
                               share, code, op)
                 : fmt::format("{} of rank time is waiting for {}, {}{}", share,
                               named_ranks(c.ranks),
                               c.late_start   ? "which started late"
                               : c.blocked    ? "blocked outside MPI" + code
                               : code.empty() ? "late in computation"
                                              : "late" + code,
                               op);
    case Limit::serialisation:
      return fmt::format("{} of rank time is idle while {} {}{}{}", share,
                         c.ranks.empty() ? "another rank" : named_ranks(c.ranks),
                         c.ranks.size() > 1 ? "work" : "works", code, op);
    case Limit::processors:
      return fmt::format("{} of rank time is lost because ranks had no processor ({}){}", share,
                         c.evidence,
                         c.doubts_others ? "; predictions and other causes are uncertain" : "");
    case Limit::openmp_serial:
      return fmt::format("{} of thread time is idle while one thread computes{}{} ({})", share,
                         code, of_ranks(c), c.evidence);
    case Limit::openmp_imbalance:
      return fmt::format("{} of thread time is waiting at barriers for the busiest thread{}{} ({})",
                         share, code, of_ranks(c), c.evidence);
    case Limit::openmp_synchronisation:
      return fmt::format(
          "{} of thread time is barriers, begin and end of parallel regions{}{} ({})", share, code,
          of_ranks(c), c.evidence);
    case Limit::transfer:
    case Limit::message_rate:
    case Limit::io:
    case Limit::blocked:
    case Limit::unknown:
      break;
  }
  // The evidence names the operations where there are several, each with its own part.
  return fmt::format("{} of rank time{}{} ({})", share,
                     op.empty() || !c.only_operation ? "" : op.substr(1), code, c.evidence);
}

/// "; without it the run would be 21.1 % shorter (20.9 to 21.7 %)"
std::string gain_text(const LimitingCause& c) {
  if (!c.gain) return "";
  const auto percent = [](double share) { return format_percent(share); };
  const std::string low = percent(c.gain->low);
  const std::string high = percent(c.gain->high);
  const std::string number = low.substr(0, low.find(' '));
  return fmt::format("; without it the run would be {} shorter{}", percent(c.gain->share),
                     low == high ? "" : fmt::format(" ({} to {})", number, high));
}

}  // namespace

std::string_view to_string(Limit limit) {
  return kLimitNames[static_cast<std::size_t>(limit)].first;
}

std::string_view name(Limit limit) {
  return kLimitNames[static_cast<std::size_t>(limit)].second;
}

std::string_view to_string(Confidence confidence) {
  constexpr std::array<std::string_view, 3> kWords{"certain", "likely", "weak"};
  return kWords[static_cast<std::size_t>(confidence)];
}

const JsonType& declared_type(const DiagnosisJsonTag*) {
  return json_type_by<limiting_causes_object>();
}

std::optional<DiagnosisJson> diagnosis_to_json(const std::vector<LimitingCause>& causes,
                                               const CallTree& tree) {
  if (causes.empty()) return std::nullopt;
  return limiting_causes_object(causes, tree);
}

std::string sentence(const LimitingCause& cause, const CallTree& tree) {
  return fmt::format("Limited by {}: {}{}.", name(cause.limit), loss_text(cause, tree),
                     gain_text(cause));
}

Table limits_table(const std::vector<LimitingCause>& causes, const CallTree& tree) {
  Table table{.id = "limits",
              .title = "What the rank time is lost to",
              .columns = {{"loss"},
                          {"share", Unit::ratio, "of the rank time"},
                          {"gain", Unit::ratio, "how much shorter the run would be without it"},
                          {"at least", Unit::ratio, "error bar of the gain"},
                          {"at most", Unit::ratio},
                          {"ranks"},
                          {"code"},
                          {"operation"},
                          {"evidence"}},
              .rows = {}};
  for (const LimitingCause& c : causes) {
    const auto gain = [&](double LimitGain::*part) -> Value {
      return c.gain ? Value(*c.gain.*part) : Value();
    };
    table.rows.push_back({std::string(name(c.limit)), c.share, gain(&LimitGain::share),
                          gain(&LimitGain::low), gain(&LimitGain::high), named_ranks(c.ranks),
                          c.frame == 0 ? "" : describe_frame(tree, c.frame),
                          c.operation == Operation::none ? "" : std::string(mpi_name(c.operation)),
                          c.evidence});
  }
  return table;
}

}  // namespace slackline
