#include "app/report/run_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/summary/judgement.h"
#include "analysis/summary/limits.h"
#include "app/report/answers.h"
#include "base/arithmetic.h"
#include "base/printable.h"
#include "base/sentences.h"
#include "base/units.h"
#include "calls/blocking_summary.h"
#include "calls/run_span.h"

namespace slackline {
namespace {

constexpr int kBarColumns = 60;
constexpr double kShownCause = 0.05;    // of the rank time
constexpr double kEqual = 0.005;        // of the longest computation: ranks do not differ
constexpr std::size_t kMostCauses = 2;  // beside the first
constexpr std::size_t kMostCallers = 3;
constexpr std::size_t kMostBlocking = 3;  // kinds of it

struct Part {
  std::string_view mark;
  std::string_view name;
  std::int64_t ns;
};

std::vector<Part> parts_of(const RankTime& t) {
  std::vector<Part> parts{{"█", "computation", t.compute},
                          {"▓", "waiting for ranks", t.wait},
                          {"▒", "other MPI", t.mpi},
                          {"░", "no processor", t.no_processor},
                          {"·", "blocked", t.blocked},
                          {"+", "recording", t.recording},
                          {" ", "outside the program", t.outside}};
  const auto least = kShownPart * static_cast<double>(t.total());
  std::erase_if(parts, [&](const Part& p) { return static_cast<double>(p.ns) < least; });
  return parts;
}

/// Marks for each part, to the nearest column.
std::string bar(const std::vector<Part>& parts, std::int64_t total) {
  std::string line;
  std::int64_t before = 0;
  int columns = 0;
  for (const Part& p : parts) {
    before += p.ns;
    const double end =
        kBarColumns * ratio_of(static_cast<double>(before), static_cast<double>(total));
    for (; columns < static_cast<int>(std::lround(end)); ++columns) line += p.mark;
  }
  return line;
}

class ScreenRows {
 public:
  void add(std::string label, std::string text) {
    if (!text.empty()) facts_.facts.push_back({std::move(label), std::move(text)});
  }
  Facts take() { return std::move(facts_); }

 private:
  Facts facts_;
};

void add_time(const TimeShares& shares, ScreenRows& rows) {
  const std::vector<Part> parts = parts_of(shares.sum_ns);
  rows.add("rank time", bar(parts, shares.sum_ns.total()));
  std::vector<std::string> legend;
  for (const Part& p : parts) {
    legend.push_back(fmt::format("{} {} {}", p.mark, p.name, format_percent(shares.share(p.ns))));
  }
  rows.add("", fmt::format("{}", fmt::join(legend, "  ")));
  rows.add("interval", fmt::format("{} {}", format_time_ns(static_cast<double>(shares.length_ns)),
                                   meaning(shares.extent, shares.ends)));
}

/// What ranks did outside of MPI beside computing, whether that took the processor or not. It is
/// known of the whole run.
void add_blocking(const TimeShares& shares, const Trace& trace, ScreenRows& rows) {
  const double all_ns = static_cast<double>(shares.run_ns) * static_cast<double>(shares.present);
  std::vector<std::string> texts;
  for (const BlockingShare& of :
       blocking_shares(trace, all_ns, kShownPart, &BlockingCalls::time_ns)) {
    if (texts.size() < kMostBlocking) texts.push_back(of.share + of.detail);
  }
  rows.add("outside MPI", fmt::format("{}", fmt::join(texts, "; ")));
}

/// How much shorter the run would be without it, or, where that is not known, what is lost.
double worth(const LimitingCause& c) {
  return c.gain ? c.gain->share : c.share;
}

void add_limits(const std::vector<LimitingCause>& limits, const CallTree& tree, ScreenRows& rows) {
  if (limits.empty()) return;
  constexpr std::string_view kHead = "Limited by ";
  rows.add("limited by", sentence(limits.front(), tree).substr(kHead.size()));
  std::vector<std::string> others;
  for (std::size_t i = 1; i < limits.size() && others.size() < kMostCauses; ++i) {
    const LimitingCause& c = limits[i];
    if (worth(c) < kShownCause || c.limit == Limit::computation) continue;
    const std::string where = c.frame == 0 ? "" : " in " + describe_frame(tree, c.frame);
    others.push_back(fmt::format(
        "{} {}{}{}", name(c.limit),
        c.gain ? "(gain " + format_percent(c.gain->share) + ")" : format_percent(c.share), where,
        c.ranks.empty() ? "" : ", " + named_ranks(c.ranks)));
  }
  rows.add("also", fmt::format("{}", fmt::join(others, "; ")));
}

/// "assemble (plate.c:42), called by step (plate.c:80), main (plate.c:101)"
std::string call_path(const CallTree& tree, FrameId frame) {
  const std::string text = describe_frame(tree, frame);
  std::vector<std::string> callers;
  for (FrameId f = tree.parent(frame); f != 0 && callers.size() < kMostCallers;
       f = tree.parent(f)) {
    callers.push_back(describe_frame(tree, f));
  }
  return callers.empty() ? text : fmt::format("{}, called by {}", text, fmt::join(callers, ", "));
}

/// The place of the first cause on the screen that has one.
void add_code(const std::vector<LimitingCause>& limits, const CallTree& tree, ScreenRows& rows) {
  for (const LimitingCause& c : limits) {
    if (&c != &limits.front() && worth(c) < kShownCause) return;
    if (c.frame != 0) return rows.add("code", call_path(tree, c.frame));
  }
}

std::string computation_of_ranks(const TimeShares& shares, const Trace& trace) {
  std::optional<std::pair<std::int64_t, std::size_t>> least, most;
  for (std::size_t r = 0; r < shares.ranks_ns.size(); ++r) {
    if (trace.calls(static_cast<std::int32_t>(r)).empty()) continue;
    const std::pair of_rank(shares.ranks_ns[r].compute, r);
    if (!least || of_rank.first < least->first) least = of_rank;
    if (!most || of_rank.first > most->first) most = of_rank;
  }
  if (!most || most->first == 0 || least->second == most->second) return "";
  const auto low = static_cast<double>(least->first), high = static_cast<double>(most->first);
  if (high - low < kEqual * high) return fmt::format("compute {} each", format_time_ns(high));
  return fmt::format("compute from {} (rank {}) to {} (rank {})", format_time_ns(low),
                     least->second, format_time_ns(high), most->second);
}

std::string of_answer(const std::vector<Answer>& answers, std::string_view id) {
  const auto found = std::ranges::find(answers, id, &Answer::id);
  return found == answers.end() ? "" : found->text;
}

bool lacks_processors(const Diagnosis* d) {
  return d != nullptr && !d->limits.empty() && d->limits.front().limit == Limit::processors;
}

std::string advice_text(const FirstScreenInputs& in) {
  if (in.advice == nullptr) return "";
  const Advice& advice = *in.advice;
  if (advice.hypotheses == 0) return "";
  const std::string_view run = advice.measured ? "run" : "predicted run time";
  if (advice.proposals.empty()) {
    return fmt::format("None of {} changes gains more than 0.1 % of the {}.", advice.hypotheses,
                       run);
  }
  const Proposal& best = advice.proposals.front();
  return fmt::format("{}: {} shorter ({} of the {}). Verify: {}", best.hypothesis.action,
                     format_time_ns(best.gain_ns),
                     format_percent(ratio_of(best.gain_ns, advice.run_ns)), run, best.command);
}

/// Which prediction the tolerance rests on, and what makes the rest uncertain.
std::string trust(const FirstScreenInputs& in) {
  std::string text;
  if (in.measured == nullptr) return text;
  const auto measured_ns = static_cast<double>(run_span(in.trace).analysed.length_ns());
  if (measured_ns > 0) {
    text = fmt::format("Predicted / measured run time {:.2f} ({} / {}).",
                       in.latency.makespan_ns / measured_ns, format_time_ns(in.latency.makespan_ns),
                       format_time_ns(measured_ns));
  }
  for (const Judgement& caution : cautions(*in.measured, in.trace)) text += " " + caution.sentence;
  return text;
}

}  // namespace

Section first_screen(const FirstScreenInputs& in) {
  ScreenRows rows;
  const Diagnosis* d = in.measured;
  const CallTree& tree = in.trace.call_tree();
  if (in.model == nullptr) {
    add_time(d->shares, rows);
    if (const auto stuck = deadlock(*d)) {
      rows.add("limited by", stuck->sentence);
    } else {
      add_limits(d->limits, tree, rows);
      add_code(d->limits, tree, rows);
    }
    add_blocking(d->shares, in.trace, rows);
    rows.add("ranks", computation_of_ranks(d->shares, in.trace));
    // Where ranks lack processors, other programs change what these do.
    if (!lacks_processors(d)) rows.add("when", change_over_time(*d));
  } else {
    for (const Judgement& j : judgement(*in.model)) {
      rows.add(j.aspect == JudgementAspect::limit ? "limited by" : "", j.sentence);
    }
    rows.add("ranks", of_answer(answers(*in.model), "late"));
  }
  if (d == nullptr || !deadlock(*d)) rows.add("advice", advice_text(in));
  rows.add("network", tolerated_latency(in.latency));
  rows.add("trust", trust(in));
  rows.add("more", fmt::format("slackline report {} with --all, with --section time,waits,path, or "
                               "as a page with -o report.html",
                               shell_word(in.path)));
  return {.id = "first_screen", .title = "", .items = {rows.take()}};
}

}  // namespace slackline
