#include "analysis/summary/judgement.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/waits/cut_calls.h"
#include "base/arithmetic.h"
#include "base/units.h"
#include "calls/causality.h"
#include "calls/clock_correction.h"
#include "calls/clocks.h"

namespace slackline {
namespace {

constexpr double kLittleTime = 0.1;       // of the ranks' time: less is little to gain
constexpr double kMuchPolling = 0.05;     // of the ranks' time: more is worth a warning
constexpr double kMuchRecording = 0.01;   // of the ranks' time: less is not said
constexpr double kMuchOutside = 0.05;     // of the program: more is worth a warning
constexpr double kUncertainShare = 0.05;  // of the waits: more that were cut make them uncertain

/// Where the recording says when computation was off the processor, that is certain.
std::optional<Judgement> waited_for_processor(const TimeShares& shares) {
  const std::vector<double>& cpu = shares.on_processor;
  if (cpu.empty()) return std::nullopt;
  const auto least = std::ranges::min_element(cpu);
  if (*least >= kWholeProcessor) return std::nullopt;
  const auto few = std::ranges::count_if(cpu, [](double share) { return share < kWholeProcessor; });
  return Judgement{JudgementAspect::caution,
                   fmt::format("Oversubscribed: {} of {} ranks had a processor for less than {} of "
                               "their computation (least: rank {}, {}). Part of the MPI time is "
                               "scheduling delay.",
                               few, cpu.size(), format_percent(kWholeProcessor, 0),
                               least - cpu.begin(), format_percent(*least, 0)),
                   {"time_shares"}};
}

/// MPI libraries wait actively, so ranks with a processor of their own use all of it. Said unless
/// it is what limits the run anyway.
std::optional<Judgement> crowded(const Diagnosis& d) {
  if (!d.limits.empty() && d.limits.front().limit == Limit::processors) return std::nullopt;
  if (1 - d.shares.share(d.shares.sum_ns.compute) < kLittleTime) return std::nullopt;
  if (std::optional<Judgement> certain = waited_for_processor(d.shares)) return certain;
  const std::optional<double>& share = d.shares.processor_share;
  if (!share || *share >= kWholeProcessor) return std::nullopt;
  return Judgement{JudgementAspect::caution,
                   fmt::format("Mean CPU utilisation of the ranks is at most {}: the node was "
                               "oversubscribed, or the program or MPI sleeps while waiting. If it "
                               "was oversubscribed, part of the MPI time is scheduling delay.",
                               format_percent(*share, 0)),
                   {"time_shares"}};
}

/// A program that sleeps or spins between its polls waits there, but a trace cannot tell.
std::optional<Judgement> polls_in_computation(const Diagnosis& d) {
  const PollGaps& gaps = d.poll_gaps;
  const double share = d.shares.share(gaps.sum_ns);
  if (share < kMuchPolling) return std::nullopt;
  return Judgement{JudgementAspect::caution,
                   fmt::format("{} of rank time lies between failed polls, most on rank {} "
                               "between calls of {} ({}), and counts as useful computation. Where "
                               "the program only waits between its polls, it is waiting.",
                               format_percent(share), gaps.rank, mpi_name(gaps.operation),
                               format_time_ns(static_cast<double>(gaps.rank_ns))),
                   {"time_shares"}};
}

/// What the recorder took is no computation, but the others waited for it.
std::optional<Judgement> recording_took_time(const TimeShares& shares) {
  const double share = shares.share(shares.sum_ns.recording);
  if (share < kMuchRecording) return std::nullopt;
  return Judgement{
      JudgementAspect::caution,
      fmt::format("Recording took {} per call, {} of rank time, which is not computation.",
                  format_time_ns(recording_per_call_ns(shares)), format_percent(share)),
      {"time_shares"}};
}

/// Ranks that start or end apart leave a part of the program outside of what all have in common.
std::optional<Judgement> much_is_outside(const Diagnosis& d) {
  const TimeShares& s = d.shares;
  const std::int64_t outside = s.program.length_ns() - s.length_ns;
  if (s.extent != AnalysedExtent::common ||
      static_cast<double>(outside) < kMuchOutside * static_cast<double>(s.program.length_ns())) {
    return std::nullopt;
  }
  return Judgement{JudgementAspect::caution,
                   fmt::format("Ranks leave MPI_Init or enter MPI_Finalize up to {} apart; that "
                               "time is outside the analysed interval. Use --interval program to "
                               "include it.",
                               format_time_ns(static_cast<double>(outside))),
                   {"time_shares"}};
}

const Findings::Entry* find(const Findings& findings, std::string_view name) {
  const auto& entries = findings.entries();
  const auto found = std::ranges::find(entries, name, &Findings::Entry::name);
  return found == entries.end() ? nullptr : &*found;
}

std::string first_example(const Findings::Entry& entry) {
  return entry.examples.empty() ? std::string("no example") : entry.examples.front();
}

/// What was done about clocks that disagree, or why nothing was.
std::optional<Judgement> clocks_disagree(const Trace& trace) {
  const Findings& known = trace.findings();
  const auto caution = [](std::string sentence, const char* evidence) {
    return Judgement{JudgementAspect::caution, std::move(sentence), {evidence}};
  };
  if (const Findings::Entry* e = find(known, kClocksCorrected.name)) {
    return caution(fmt::format("The ranks' clocks disagreed and were corrected: {}. Waits across "
                               "clocks are known only as well as the feasible intervals.",
                               first_example(*e)),
                   "clocks");
  }
  if (const Findings::Entry* e = find(known, kClocksOfOneHost.name)) {
    return caution(fmt::format("Ranks of one host had times that differ by constants, which were "
                               "corrected: {}. Waits are known only as well as the feasible "
                               "intervals.",
                               first_example(*e)),
                   "clocks");
  }
  if (const Findings::Entry* e = find(known, kClocksInconsistent.name)) {
    return caution(fmt::format("Times across ranks are unreliable: {}, which no offset of the "
                               "clocks explains.",
                               first_example(*e)),
                   "findings");
  }
  if (const Findings::Entry* e = find(known, kClocksKept.name)) {
    return caution(fmt::format("Times across ranks are unreliable: {}; without --keep-clocks the "
                               "clocks would be corrected.",
                               first_example(*e)),
                   "findings");
  }
  if (const Findings::Entry* e = find(known, kLeftBeforeEnteredOnOneClock.name)) {
    return caution(fmt::format("Waits in collectives are unreliable: {} although both have one "
                               "clock, so calls are not matched as in the run.",
                               first_example(*e)),
                   "findings");
  }
  return std::nullopt;
}

/// A run that hung or was killed: where it stood.
std::optional<Judgement> ended_in_calls(const Diagnosis& d) {
  const Findings::Entry* const ended = find(d.findings, kEndedInCall.name);
  if (ended == nullptr || deadlock(d)) return std::nullopt;
  return Judgement{
      JudgementAspect::caution,
      fmt::format("The recording ended while {} in a call that had not returned ({}).",
                  ended->count == 1 ? "a rank was" : format_count(ended->count) + " ranks were",
                  first_example(*ended)),
      {"findings"}};
}

std::optional<Judgement> waits_are_clipped(const Diagnosis& d, const Trace& trace) {
  std::uint64_t waits = 0;
  for (const PatternSummary& p : d.waits.patterns) waits += p.count;
  const Findings::Entry* const clipped = find(d.findings, "waiting_clipped");
  if (clipped == nullptr ||
      static_cast<double>(clipped->count) < kUncertainShare * static_cast<double>(waits)) {
    return std::nullopt;
  }
  return Judgement{
      JudgementAspect::caution,
      fmt::format(
          "Wait times are unreliable: {} messages arrive before they are sent ({}).",
          format_count(clipped->count),
          have_one_clock(trace) ? "not matched as in the run" : "clock skew; try --fix-clocks"),
      {"findings"}};
}

std::optional<Judgement> something_lost(const Diagnosis& d, const Trace& trace) {
  Findings all = trace.findings();
  all.merge(new_findings(d.findings, all));
  const auto lost =
      std::ranges::find(all.entries(), Severity::data_loss, &Findings::Entry::severity);
  if (lost == all.entries().end()) return std::nullopt;
  return Judgement{
      JudgementAspect::caution,
      fmt::format(
          "Part of the recording could not be used ({}, {}); the results cover the rest only.",
          lost->name, lost->count == 1 ? "once" : format_count(lost->count) + " times"),
      {"findings"}};
}

}  // namespace

std::optional<Judgement> deadlock(const Diagnosis& d) {
  const Findings::Entry* const found = find(d.findings, kDeadlock.name);
  // An interval that was asked for may lie before it.
  if (found == nullptr || d.shares.extent == AnalysedExtent::asked) return std::nullopt;
  return Judgement{JudgementAspect::limit,
                   fmt::format("Deadlock when the recording ended: {}.", first_example(*found)),
                   {"findings"}};
}

double recording_per_call_ns(const TimeShares& shares) {
  std::uint64_t calls = 0;
  for (const TimeShares::OfCalls& c : shares.calls) calls += c.calls;
  return ratio_of(static_cast<double>(shares.sum_ns.recording), static_cast<double>(calls));
}

std::vector<Judgement> cautions(const Diagnosis& diagnosis, const Trace& trace) {
  std::vector<Judgement> sentences;
  const auto add = [&sentences](std::optional<Judgement> sentence) {
    if (sentence) sentences.push_back(std::move(*sentence));
  };
  add(crowded(diagnosis));
  add(polls_in_computation(diagnosis));
  add(recording_took_time(diagnosis.shares));
  add(much_is_outside(diagnosis));
  add(ended_in_calls(diagnosis));
  add(clocks_disagree(trace));
  add(waits_are_clipped(diagnosis, trace));
  add(something_lost(diagnosis, trace));
  return sentences;
}

}  // namespace slackline
