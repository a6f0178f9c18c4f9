#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "analysis/top/job_status.h"
#include "base/arithmetic.h"
#include "base/units.h"
#include "report/report.h"

namespace slackline {
namespace {

MpiSums sum_of(const JobStatus& job, MpiSums RankStatus::*sums) {
  return std::accumulate(job.ranks.begin(), job.ranks.end(), MpiSums{},
                         [&](MpiSums all, const RankStatus& r) { return all += r.*sums; });
}

double per_second(std::uint64_t count, double ns) {
  return ratio_of(static_cast<double>(count), ns / kNanosPerSecond);
}

/// An interval of the job.
struct JobPeriod {
  JobPeriod(const JobStatus& job, const TimeInterval& interval, MpiSums RankStatus::*of)
      : inputs(efficiency_inputs(job, interval, of)),
        factors(slackline::factors(inputs, EfficiencyVariant::multiplicative)),
        sums(sum_of(job, of)) {}
  double mean(std::int64_t MpiSums::*part) const {
    return ratio_of(static_cast<double>(sums.*part), inputs.ranks);
  }
  double share(std::int64_t MpiSums::*part) const {
    return ratio_of(mean(part), inputs.observed_ns);
  }

  EfficiencyInputs inputs;
  EfficiencyFactors factors;
  MpiSums sums;
};

auto job_factors_object(const EfficiencyFactors& f) {
  return Object{"parallel"_key = f.parallel, "load_balance"_key = f.load_balance,
                "communication"_key = f.communication};
}
std::optional<ReturnedBy<job_factors_object>> efficiency_or_null(const JobPeriod& period) {
  if (!period.inputs.has_time()) return std::nullopt;
  return job_factors_object(period.factors);
}

auto period_object(const JobPeriod& p) {
  return Object{"observed_ns"_key = p.inputs.observed_ns,
                "efficiency"_key = efficiency_or_null(p),
                "useful_mean_ns"_key = p.inputs.useful_mean_ns,
                "useful_max_ns"_key = p.inputs.useful_max_ns,
                "paused_mean_ns"_key = p.mean(&MpiSums::paused_ns),
                "mpi_mean_ns"_key = p.mean(&MpiSums::mpi_ns),
                "calls_per_s"_key = per_second(p.sums.calls, p.inputs.observed_ns),
                "bytes_per_s"_key = per_second(p.sums.bytes, p.inputs.observed_ns)};
}

auto sums_object(const MpiSums& s) {
  return Object{"useful_ns"_key = s.computation_ns, "paused_ns"_key = s.paused_ns,
                "mpi_ns"_key = s.mpi_ns, "calls"_key = s.calls, "bytes"_key = s.bytes};
}

auto busiest_function_object(const BusiestFunction& f) {
  return Object{"function"_key = f.function, "file"_key = known_text(f.file),
                "useful_ns"_key = f.computation_ns};
}

std::optional<std::string_view> operation_of(const RankStatus& rank) {
  if (rank.state != RankStatus::State::in_mpi) return std::nullopt;
  return mpi_name(rank.operation);
}

auto state_object(const JobStatus& job, const RankStatus& r) {
  return Object{"rank"_key = r.rank, "state"_key = to_string(r.state),
                "operation"_key = operation_of(r), "state_ns"_key = job.whole.end_ns - r.since_ns,
                "unheard_ns"_key = job.whole.end_ns - r.heard_ns};
}

auto rank_object(const JobStatus& job, const RankStatus& r) {
  return Object{state_object(job, r), "host"_key = r.host, "recent"_key = sums_object(r.recent),
                "whole"_key = sums_object(r.whole),
                "busiest_function"_key = optional_of(r.function, busiest_function_object)};
}

/// A rank for which the others can only wait.
struct LongestRank {
  const RankStatus* rank = nullptr;
  double time_ns = 0;  ///< of the rank, in computation or, if `paused`, outside MPI
  double mean_ns = 0;  ///< of all ranks
  bool paused = false;

  double excess_ns() const { return time_ns - mean_ns; }
};

LongestRank longest(const JobStatus& job, bool paused) {
  LongestRank late{.paused = paused};
  for (const RankStatus& rank : job.ranks) {
    const MpiSums& sums = rank.recent;
    const auto ns = static_cast<double>(sums.computation_ns + (paused ? sums.paused_ns : 0));
    late.mean_ns += ns / static_cast<double>(job.ranks.size());
    if (late.rank == nullptr || ns > late.time_ns) {
      late.rank = &rank;
      late.time_ns = ns;
    }
  }
  return late;
}

/// The rank that computes longest, else the one that is outside MPI longest, if that exceeds the
/// mean by a part of the interval that matters: one of equal ranks is the first, too.
std::optional<LongestRank> late_rank(const JobStatus& job) {
  constexpr double kLate = 0.02;
  const auto least = kLate * static_cast<double>(job.recent.length_ns());
  for (const bool paused : {false, true}) {
    const LongestRank late = longest(job, paused);
    if (late.rank != nullptr && least > 0 && late.excess_ns() >= least) return late;
  }
  return std::nullopt;
}

auto late_object(const LongestRank& late) {
  return Object{"rank"_key = late.rank->rank, "useful_ns"_key = late.rank->recent.computation_ns,
                "paused_ns"_key = late.rank->recent.paused_ns, "excess_ns"_key = late.excess_ns(),
                "busiest_function"_key = optional_of(late.rank->function, busiest_function_object)};
}

const Rows<EndedPhases> kEndedPhases{{"calls", &EndedPhases::calls},
                                     {"until_ns", &EndedPhases::until_ns},
                                     {"obstacle", [](auto& p) { return known_text(p.obstacle); }},
                                     {"regions", &EndedPhases::intervals, kFocusIntervals}};

std::vector<const RankStatus*> first_ranks(const JobStatus& job, std::size_t most) {
  std::vector<const RankStatus*> ranks;
  for (const RankStatus& r : job.ranks) {
    if (ranks.size() < most) ranks.push_back(&r);
  }
  return ranks;
}

/// The longest silence first.
std::vector<const RankStatus*> silent_ranks(const JobStatus& job) {
  std::vector<const RankStatus*> silent;
  for (const RankStatus& r : job.ranks) {
    if (is_silent(job, r)) silent.push_back(&r);
  }
  std::ranges::stable_sort(silent, {}, &RankStatus::heard_ns);
  return silent;
}

std::int64_t ranks_in(const JobStatus& job, RankStatus::State state) {
  return std::ranges::count(job.ranks, state, &RankStatus::state);
}

auto status_object(const JobStatus& job, const JobPeriod& recent, const JobPeriod& whole,
                   std::size_t most) {
  std::vector<const RankStatus*> silent = silent_ranks(job);
  const std::size_t silent_count = silent.size();
  silent.resize(std::min(silent_count, most));
  return Object{
      "time"_key = job.time,
      "state"_key = to_string(job.state),
      "program"_key = known_text(job.program),
      "started"_key = known_text(job.started),
      "world_size"_key = job.size,
      "recorded_ranks"_key = job.ranks.size(),
      "ended_ranks"_key = ranks_in(job, RankStatus::State::ended),
      "gone_ranks"_key = ranks_in(job, RankStatus::State::gone),
      "clock_error_ns"_key = job.clock_error_ns,
      "recent"_key = period_object(recent),
      "whole"_key = period_object(whole),
      "late_rank"_key = optional_of(late_rank(job), late_object),
      "by_rank"_key = list_of(first_ranks(job, most),
                              [&](const RankStatus* r) { return rank_object(job, *r); }),
      "silent_ranks"_key = silent_count,
      "silent"_key = list_of(silent, [&](const RankStatus* r) { return state_object(job, *r); }),
      "ended_phases"_key = optional_of(
          job.ended_phases, [](const EndedPhases& p) { return JsonBy<kEndedPhases>(p); })};
}

std::string function_name(const BusiestFunction& f) {
  const std::size_t slash = f.file.rfind('/');
  return f.file.empty() ? f.function : fmt::format("{} ({})", f.function, f.file.substr(slash + 1));
}

/// "64 ranks, 2 ended, 1 gone without MPI_Finalize"
std::string ranks_text(const JobStatus& job) {
  std::string text = count_of(static_cast<std::uint64_t>(job.size), "rank");
  const auto add = [&](std::int64_t count, std::string_view what) {
    if (count > 0) text += fmt::format(", {} {}", count, what);
  };
  add(job.size - static_cast<std::int64_t>(job.ranks.size()), "not recorded");
  add(ranks_in(job, RankStatus::State::ended), "ended");
  add(ranks_in(job, RankStatus::State::gone), "gone without MPI_Finalize");
  return text;
}

std::string rates_text(const JobPeriod& recent) {
  const double ns = recent.inputs.observed_ns;
  return fmt::format("{} calls/s, {}/s",
                     format_count(static_cast<std::uint64_t>(per_second(recent.sums.calls, ns))),
                     format_bytes(per_second(recent.sums.bytes, ns)));
}

Facts job_facts(const JobStatus& job, const JobPeriod& recent) {
  const bool ended = job.state == JobStatus::State::ended;
  Facts facts{{{"program", job.program},
               {"ranks", ranks_text(job)},
               {ended ? "ended after" : "running for", job.whole.length_ns(), Unit::ns},
               {"all ranks", rates_text(recent)}}};
  if (job.program.empty()) facts.facts.erase(facts.facts.begin());
  return facts;
}

Table period_table(const JobPeriod& recent, const JobPeriod& whole) {
  const auto length = [](const JobPeriod& p) { return format_time_ns(p.inputs.observed_ns); };
  Table shares{
      "top_efficiency",
      {},
      {{"efficiency"}, {"last " + length(recent), Unit::ratio}, {"since MPI_Init", Unit::ratio}},
      {}};
  const auto add = [&](std::string_view name, double a, double b) {
    shares.rows.push_back({std::string(name), a, b});
  };
  add("parallel efficiency", recent.factors.parallel, whole.factors.parallel);
  add("  load balance", recent.factors.load_balance, whole.factors.load_balance);
  add("  communication efficiency", recent.factors.communication, whole.factors.communication);
  using Sums = MpiSums;
  add("time in MPI", recent.share(&Sums::mpi_ns), whole.share(&Sums::mpi_ns));
  add("pauses outside MPI", recent.share(&Sums::paused_ns), whole.share(&Sums::paused_ns));
  return shares;
}

std::string late_text(const JobStatus& job) {
  const std::optional<LongestRank> late = late_rank(job);
  if (!late) return "No late rank: all ranks are outside MPI for about the same time.";
  const auto all = static_cast<double>(job.recent.length_ns());
  const MpiSums& sums = late->rank->recent;
  std::string text = fmt::format(
      "Late rank: {}, {} {}; mean {}", late->rank->rank, format_percent(late->time_ns / all),
      late->paused ? "outside MPI" : "computation", format_percent(late->mean_ns / all));
  if (late->paused) {
    text += fmt::format("; {} pauses (blocked, without a processor, or recording)",
                        format_percent(static_cast<double>(sums.paused_ns) / all));
  } else if (const auto& function = late->rank->function) {
    text += fmt::format("; {} of it in {}",
                        format_percent(ratio_of(static_cast<double>(function->computation_ns),
                                                static_cast<double>(sums.computation_ns))),
                        function_name(*function));
  }
  return text + ".";
}

/// "MPI_Recv for 12.1 s"
std::string state_text(const JobStatus& job, const RankStatus& r) {
  switch (r.state) {
    case RankStatus::State::ended:
      return "ended";
    case RankStatus::State::gone:
      return "gone";
    case RankStatus::State::in_mpi:
    case RankStatus::State::computing:
      break;
  }
  const bool in_mpi = r.state == RankStatus::State::in_mpi;
  return fmt::format("{} for {}", in_mpi ? mpi_name(r.operation) : "computing",
                     format_time_ns(static_cast<double>(job.whole.end_ns - r.since_ns)));
}

Table rank_table(const JobStatus& job, const JobPeriod& recent, std::size_t most) {
  Table table{"top_ranks",
              "Ranks with most computation",
              {{"rank"},
               {"host"},
               {"computation", Unit::ratio},
               {"MPI", Unit::ratio},
               {"pauses", Unit::ratio},
               {"calls/s"},
               {"now"},
               {"function"}},
              {}};
  const double all = recent.inputs.observed_ns;
  for (const RankStatus* r : first_ranks(job, most)) {
    const auto share = [&](std::int64_t ns) { return ratio_of(static_cast<double>(ns), all); };
    table.rows.push_back(
        {std::int64_t{r->rank}, r->host, share(r->recent.computation_ns), share(r->recent.mpi_ns),
         share(r->recent.paused_ns), static_cast<std::int64_t>(per_second(r->recent.calls, all)),
         state_text(job, *r), r->function ? function_name(*r->function) : std::string()});
  }
  return table;
}

std::string silent_text(const JobStatus& job, const JobPeriod& recent, std::size_t most) {
  const std::vector<const RankStatus*> silent = silent_ranks(job);
  if (silent.empty()) return {};
  std::string list;
  for (const RankStatus* r : std::span(silent).first(std::min(most, silent.size()))) {
    list += fmt::format("{}rank {} ({})", list.empty() ? "" : ", ", r->rank, state_text(job, *r));
  }
  return fmt::format("No call of {} has ended in the last {}: {}{}.",
                     count_of(silent.size(), "rank"), format_time_ns(recent.inputs.observed_ns),
                     list, silent.size() > most ? " and others" : "");
}

void add_ended_phases(const EndedPhases& phases, Section& section) {
  const std::string until = format_time_ns(static_cast<double>(phases.until_ns));
  if (!phases.intervals.empty()) {
    Table table = kFocusIntervals.table(phases.intervals);
    table.title = fmt::format("Phase intervals that have ended in the first {}", until);
    section.items.push_back(std::move(table));
  } else if (phases.obstacle.empty()) {
    section.items.push_back(Paragraph{fmt::format("No phase has ended in the first {}.", until)});
  }
  if (!phases.obstacle.empty()) {
    section.items.push_back(
        Paragraph{fmt::format("Phases are not analysed{}: {}.",
                              phases.until_ns > 0 ? " after " + until : "", phases.obstacle)});
  }
}

Section section(const JobStatus& job, const JobPeriod& recent, const JobPeriod& whole,
                std::size_t most) {
  Section section{"top", {}, {}};
  if (job.state == JobStatus::State::waiting) {
    section.items.push_back(Paragraph{"Waiting for the job: no rank has passed MPI_Init."});
    return section;
  }
  section.items.push_back(job_facts(job, recent));
  if (!recent.inputs.has_time()) return section;
  section.items.push_back(period_table(recent, whole));
  section.items.push_back(Paragraph{late_text(job)});
  const std::string silent = silent_text(job, recent, most);
  if (!silent.empty()) section.items.push_back(Paragraph{silent});
  section.items.push_back(rank_table(job, recent, most));
  if (job.ended_phases) add_ended_phases(*job.ended_phases, section);
  return section;
}

}  // namespace

const JsonType& declared_type(const JobStatusJsonTag*) {
  return json_type_by<status_object>();
}

Described<JobStatusJson> describe(const JobStatus& job, std::size_t most) {
  const JobPeriod recent(job, job.recent, &RankStatus::recent);
  const JobPeriod whole(job, job.whole, &RankStatus::whole);
  return {JobStatusJson(status_object(job, recent, whole, most)),
          {section(job, recent, whole, most)}};
}

}  // namespace slackline
