#include "training/training_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/units.h"
#include "report/rows.h"

namespace slackline {
namespace {

constexpr std::size_t kCollectivesShown = 10;
constexpr std::string_view kOutsideOperators = "Python, outside of operators";

/// A time of a rank or step on a GPU; unknown where the profile has no kernels.
std::optional<std::int64_t> of_gpu(const auto& time, std::int64_t ns) {
  return known_if(time.has_gpu, ns);
}

/// A cell of such a time.
Value gpu_cell(const auto& time, std::int64_t ns) {
  return time.has_gpu ? Value(static_cast<double>(ns)) : Value(std::string("-"));
}

const Rows<StepTime> kStepTimes{
    {"duration_ns", [](auto& t) { return t.time.duration_ns(); }},
    {"computation_ns", [](auto& t) { return of_gpu(t, t.computation_ns); }},
    {"exposed_communication_ns", [](auto& t) { return of_gpu(t, t.exposed_communication_ns); }},
    {"exposed_copy_ns", [](auto& t) { return of_gpu(t, t.exposed_copy_ns); }},
    {"overlap_ns", [](auto& t) { return of_gpu(t, t.overlap_ns); }},
    {"idle_ns", [](auto& t) { return of_gpu(t, t.idle.total_ns()); }},
    {"launch_bound_ns", [](auto& t) { return of_gpu(t, t.idle.launch_bound_ns); }},
    {"synchronization_ns", [](auto& t) { return of_gpu(t, t.idle.synchronization_ns); }},
    {"data_loading_ns", [](auto& t) { return of_gpu(t, t.idle.data_loading_ns); }},
    {"queued_ns", [](auto& t) { return of_gpu(t, t.idle.queued_ns); }},
    {"idle_unknown_ns", [](auto& t) { return of_gpu(t, t.idle.unknown_ns); }}};

using OfRank = TrainingStep::OfRank;
const Rows<OfRank> kRankSteps{
    "training_ranks",
    "Step time by rank (computation, exposed communication, exposed copies and GPU idle add up to "
    "it)",
    {{"rank", Unit::count, &OfRank::rank},
     {kSpliced, &OfRank::time, kStepTimes},
     {kShown, "step time", Unit::ns,
      [](auto& r) { return static_cast<double>(r.time.time.duration_ns()); }},
     {kShown, "computation", Unit::ns,
      [](auto& r) { return gpu_cell(r.time, r.time.computation_ns); }},
     {kShown, "exposed communication", Unit::ns,
      [](auto& r) { return gpu_cell(r.time, r.time.exposed_communication_ns); }},
     {kShown, "exposed copies", Unit::ns,
      [](auto& r) { return gpu_cell(r.time, r.time.exposed_copy_ns); }},
     {kShown, "GPU idle", Unit::ns,
      [](auto& r) { return gpu_cell(r.time, r.time.idle.total_ns()); }},
     {kShown, "launch-bound", Unit::ns,
      [](auto& r) { return gpu_cell(r.time, r.time.idle.launch_bound_ns); }},
     {kShown, "overlap", Unit::ns, [](auto& r) { return gpu_cell(r.time, r.time.overlap_ns); }},
     {kShown, "waiting in collectives", Unit::ns,
      [](auto& r) { return gpu_cell(r.time, r.waiting_ns); }},
     {"waiting_ns", &OfRank::waiting_ns},
     {"caused_ns", &OfRank::caused_ns}}};

/// The last column exists only for several ranks.
const Rows<TrainingStep> kTrainingSteps{
    "training_steps",
    "Steps (duration: longest rank; shares: mean of the ranks)",
    {{"step", Unit::count, &TrainingStep::step},
     {"duration_ns", &TrainingStep::duration_ns},
     {kShown, "duration", Unit::ns, [](auto& s) { return static_cast<double>(s.duration_ns); }},
     {"exposed_communication_ns", [](auto& s) { return of_gpu(s, s.exposed_communication_ns); }},
     {kShown, "exposed communication", Unit::ns,
      [](auto& s) { return gpu_cell(s, s.exposed_communication_ns); }},
     {"idle_ns", [](auto& s) { return of_gpu(s, s.idle_ns); }},
     {kShown, "GPU idle", Unit::ns, [](auto& s) { return gpu_cell(s, s.idle_ns); }},
     {"straggler_rank", &TrainingStep::straggler_rank},
     {kShown, "straggler rank", Unit::count,
      [](auto& s) {
        return s.straggler_rank ? cell_of(s.straggler_rank) : Value(std::string("-"));
      }},
     {"ranks", &TrainingStep::ranks, kRankSteps}}};

// A cell of the place's operator, in words.
std::string operator_of(const Straggler& straggler) {
  if (!straggler.place) return "-";
  return straggler.place->operation.empty() ? std::string(kOutsideOperators)
                                            : straggler.place->operation;
}

std::string module_or_dash(const Straggler& straggler) {
  const bool has_module = straggler.place && !straggler.place->module.empty();
  return has_module ? straggler.place->module : "-";
}

const Rows<Straggler> kStragglers{
    "training_stragglers",
    "Ranks that others waited for, by that waiting",
    {{"rank", Unit::count, &Straggler::rank},
     {kShown, "waiting for it", Unit::ns, [](auto& s) { return static_cast<double>(s.caused_ns); }},
     {"share", Unit::ratio, &Straggler::share},
     {"operator", [](auto& s) { return known_text(s.place.value_or(TrainingPlace{}).operation); }},
     {"module", [](auto& s) { return known_text(s.place.value_or(TrainingPlace{}).module); }},
     {"caused_ns", &Straggler::caused_ns},
     {"collectives", Unit::count, &Straggler::collectives},
     {"excess_ns", &Straggler::excess_ns},
     {kShown, "operator with the longest excess", Unit::none, operator_of},
     {kShown, "module", Unit::none, module_or_dash}}};

std::string straggler_sentence(const Straggler& worst) {
  std::string text = fmt::format(
      "Rank {} is the main straggler: the other ranks waited {} for it in collectives, {} of all "
      "waiting.",
      worst.rank, format_time_ns(static_cast<double>(worst.caused_ns)),
      format_percent(worst.share));
  if (worst.place) {
    text += fmt::format(" Before these, it spent {} more than the first rank to come in {}",
                        format_time_ns(static_cast<double>(worst.excess_ns)), operator_of(worst));
    text += worst.place->module.empty() ? "." : fmt::format(" ({}).", worst.place->module);
  }
  return text;
}

Table step_table(const TrainingRun& run, const TrainingAnalysis& analysis) {
  Table table = kTrainingSteps.table(analysis.steps);
  if (run.ranks.size() > 1) return table;
  table.title = "Steps";
  remove_column(table, "straggler rank");
  return table;
}

// The run as one rank: sums over the ranks whose profiles have kernels.
TrainingStep::OfRank sum_of(const TrainingAnalysis& analysis) {
  TrainingStep::OfRank sum;
  sum.time.has_gpu = false;
  for (const TrainingStep::OfRank& of : rank_sums(analysis)) {
    if (!of.time.has_gpu) continue;
    sum.time.has_gpu = true;
    sum.time.time.end_ns += of.time.time.duration_ns();
    sum.time.computation_ns += of.time.computation_ns;
    sum.time.exposed_communication_ns += of.time.exposed_communication_ns;
    sum.time.idle.launch_bound_ns += of.time.idle.launch_bound_ns;
    sum.time.idle.unknown_ns += of.time.idle.total_ns() - of.time.idle.launch_bound_ns;
    sum.exposed_waiting_ns += of.exposed_waiting_ns;
    sum.exposed_matched_ns += of.exposed_matched_ns;
  }
  return sum;
}

double share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string share_sentence(const TrainingStep::OfRank& sum, bool several) {
  const StepTime& time = sum.time;
  const std::int64_t whole = time.time.duration_ns();
  std::string text = fmt::format(
      "{} {} computation, {} exposed communication and {} idle GPU ({} of that launch-bound).",
      several ? "On average over the ranks, step time is" : "Step time is",
      format_percent(share(time.computation_ns, whole)),
      format_percent(share(time.exposed_communication_ns, whole)),
      format_percent(share(time.idle.total_ns(), whole)),
      format_percent(share(time.idle.launch_bound_ns, time.idle.total_ns())));
  if (several && time.exposed_communication_ns > 0) {
    text += fmt::format(
        " Collectives whose kernels are matched between ranks are {} of the exposed communication.",
        format_percent(share(sum.exposed_matched_ns, time.exposed_communication_ns)));
  }
  return text;
}

struct TimeCause {
  std::int64_t time_ns;
  const char* text;
};

// What takes the most time beside computation; empty if that is not material.
std::string most_time_sentence(const std::vector<TimeCause>& causes, std::int64_t step_time_ns) {
  const TimeCause& most = *std::ranges::max_element(causes, {}, &TimeCause::time_ns);
  const double of_step = share(most.time_ns, step_time_ns);
  if (of_step < kMaterialShare) return {};
  return fmt::format("Beside computation, the most time goes to {}: {} of the step time.",
                     most.text, format_percent(of_step));
}

std::string one_rank_sentence(const TrainingStep::OfRank& sum) {
  return most_time_sentence({{sum.time.exposed_communication_ns, "exposed communication"},
                             {sum.time.idle.launch_bound_ns, "launching kernels"}},
                            sum.time.time.duration_ns());
}

// What takes the most time beside computation where no single rank is the cause.
std::string no_straggler_sentence(const TrainingStep::OfRank& sum) {
  const std::string most = most_time_sentence(
      {{sum.exposed_matched_ns - sum.exposed_waiting_ns, "the transfers of collectives"},
       {sum.exposed_waiting_ns,
        "waiting in collectives that no single rank causes, such as the bubble of a pipeline"},
       {sum.time.exposed_communication_ns - sum.exposed_matched_ns,
        "collectives that are not matched between ranks"},
       {sum.time.idle.launch_bound_ns, "launching kernels"}},
      sum.time.time.duration_ns());
  const std::string none =
      2 * sum.exposed_matched_ns < sum.time.exposed_communication_ns
          ? "No straggler is named, because less than half of the exposed communication is matched."
          : fmt::format(
                "No straggler among the recorded ranks: none delays the others by more than {} of "
                "the step time.",
                format_percent(kMaterialShare));
  return most.empty() ? none : none + " " + most;
}

const Straggler* named_straggler(const TrainingAnalysis& analysis) {
  const auto rank = straggler_of(rank_sums(analysis));
  if (!rank) return nullptr;
  const auto at = std::ranges::find(analysis.stragglers, *rank, &Straggler::rank);
  return at == analysis.stragglers.end() ? nullptr : &*at;
}

struct Sentence {
  std::string_view aspect;
  std::string text;
  std::string evidence;  ///< id of a table
};

/// What to say first, in the report's common form.
std::vector<Sentence> judgement(const TrainingRun& run, const TrainingAnalysis& analysis) {
  const TrainingStep::OfRank sum = sum_of(analysis);
  if (!sum.time.has_gpu) {
    return {{"limit",
             "No GPU was profiled: the profile has no GPU kernels, so that it is unknown what GPUs "
             "computed and communicated. Profile with the activities of CPU and GPU.",
             "training_ranks"}};
  }
  const bool several = run.ranks.size() > 1;
  const Straggler* const straggler = named_straggler(analysis);
  std::vector<Sentence> sentences{{"limit", share_sentence(sum, several), "training_ranks"}};
  if (straggler != nullptr) {
    sentences.push_back({"cause", straggler_sentence(*straggler), "training_stragglers"});
  } else if (several) {
    sentences.push_back({"cause", no_straggler_sentence(sum), "training_ranks"});
  } else if (std::string most = one_rank_sentence(sum); !most.empty()) {
    sentences.push_back({"cause", std::move(most), "training_ranks"});
  }
  return sentences;
}

auto sentence_object(const Sentence& sentence) {
  return Object{"aspect"_key = sentence.aspect, "sentence"_key = sentence.text,
                "evidence"_key = std::array{sentence.evidence}};
}

auto training_object(const TrainingRun& run, const TrainingAnalysis& analysis,
                     const std::vector<Sentence>& judgement) {
  const TrainingStep::OfRank sum = sum_of(analysis);
  const std::int64_t exposed_ns = sum.time.exposed_communication_ns;
  const auto matched = optional_of(exposed_ns == 0 ? nullptr : &exposed_ns, [&](std::int64_t all) {
    return share(sum.exposed_matched_ns, all);
  });
  return Object{"straggler_rank"_key = optional_of(named_straggler(analysis),
                                                   [](const Straggler& s) { return s.rank; }),
                "exposed_communication_matched_share"_key = matched,
                "judgement"_key = list_of(judgement, sentence_object),
                "world_size"_key = run.world_size,
                "steps"_key = list_of(analysis.steps, kJsonBy<kTrainingSteps>),
                "stragglers"_key = list_of(analysis.stragglers, kJsonBy<kStragglers>),
                "collective_count"_key = analysis.collectives.size(),
                "collective_waiting_ns"_key = analysis.waiting_ns};
}

Table collective_table(const TrainingRun& run, const TrainingAnalysis& analysis) {
  Table table{"training_collectives",
              "Collectives with the longest waiting",
              {{"collective", Unit::count},
               {"operation"},
               {"ranks", Unit::count},
               {"waiting of all ranks", Unit::ns},
               {"transfer", Unit::ns},
               {"straggler rank", Unit::count}},
              {}};
  std::vector<std::size_t> order(analysis.collectives.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t i) { return analysis.collectives[i].waiting_ns; });
  order.resize(std::min(order.size(), kCollectivesShown));
  for (const std::size_t i : order) {
    const TrainingCollective& collective = analysis.collectives[i];
    const std::int32_t straggler = run.ranks[collective.members[collective.straggler].rank].rank;
    table.rows.push_back({static_cast<std::int64_t>(i), collective.operation,
                          static_cast<std::int64_t>(collective.members.size()),
                          static_cast<double>(collective.waiting_ns),
                          static_cast<double>(collective.transfer_ns), std::int64_t{straggler}});
  }
  return table;
}

}  // namespace

const JsonType& declared_type(const TrainingJsonTag*) {
  return json_type_by<training_object>();
}

Described<TrainingJson> describe(const TrainingRun& run, const TrainingAnalysis& analysis) {
  const std::vector<Sentence> sentences = judgement(run, analysis);
  Described<TrainingJson> report{training_object(run, analysis, sentences)};
  Section first{"judgement", "Diagnosis"};
  for (const Sentence& sentence : sentences) first.items.emplace_back(Paragraph{sentence.text});
  report.sections.push_back(std::move(first));
  report.sections.push_back({"training_steps_section",
                             "Step time",
                             {step_table(run, analysis), kRankSteps.table(rank_sums(analysis))}});
  if (!analysis.stragglers.empty()) {
    report.sections.push_back(
        {"training_stragglers_section",
         "Waiting by causing rank",
         {kStragglers.table(analysis.stragglers), collective_table(run, analysis)}});
  }
  report.findings.merge(run.findings);
  report.findings.merge(analysis.findings);
  return report;
}

}  // namespace slackline
