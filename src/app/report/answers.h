#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/model/overview.h"
#include "analysis/paths/path_functions.h"
#include "analysis/summary/diagnosis.h"
#include "analysis/waits/waits_in_code.h"
#include "report/object.h"
#include "report/report.h"

namespace slackline {

/// One of the questions that everybody asks first, beside what limits the run (its judgement).
struct Answer {
  std::string id;  ///< "late", "change", "latency", "path"
  std::string question;
  std::string text;
  std::vector<std::string> evidence;  ///< ids of tables or sections of the same report
};

/// Which rank is late, when does it change, how much latency may be added, what does the critical
/// path consist of. Every number is one of the results; what is not known is not answered.
std::vector<Answer> answers(const Diagnosis& measured, const CallPaths& paths,
                            const Overview& model);
/// The answers for a run that is known by its model only.
std::vector<Answer> answers(const Overview& model);

/// "+2 us for 1 % and +4 us for 2 % longer predicted run time."; empty where it is not known.
std::string tolerated_latency(const Tolerances& latency);
/// "No phase change detected." or when the measured behaviour changes, in efficiency with where
/// most time is lost, or from one iteration to the next; empty where no interval is known.
std::string change_over_time(const Diagnosis& measured);

using AnswersJson = JsonOf<struct AnswersJsonTag>;
const JsonType& declared_type(const AnswersJsonTag*);
/// Puts them before all sections, as one with the id `answers`. Returns the same for scripts;
/// nothing without answers.
std::optional<AnswersJson> add_answers(const std::vector<Answer>& answers,
                                       std::vector<Section>& sections);

/// What is known of a run by its code.
struct RunInCode {
  std::span<const WaitInCode> waits;        ///< largest first
  double waiting = 0;                       ///< share of the ranks' time
  std::span<const PathFunction> functions;  ///< of the critical path, longest first
};
/// Where in the code: the largest wait state and its cause, and what the critical path runs
/// through. Nothing without call paths.
std::optional<Answer> code_answer(const RunInCode& run, const CallTree& tree);

}  // namespace slackline
