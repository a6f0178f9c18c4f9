#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/model/overview.h"
#include "analysis/summary/diagnosis.h"
#include "report/object.h"
#include "report/report.h"

namespace slackline {

/// What a sentence of judgement answers.
enum class JudgementAspect : std::uint8_t {
  limit,    ///< what holds the run back, and how much
  cause,    ///< where, by whom, since when
  gain,     ///< what could be gained at most, and what to look at next
  caution,  ///< what of the input makes the others uncertain
};
/// The name of an aspect in results.
std::string_view to_string(JudgementAspect aspect);

/// A sentence, and where the same report shows what it rests on.
struct Judgement {
  JudgementAspect aspect = JudgementAspect::limit;
  std::string sentence;
  std::vector<std::string> evidence;  ///< ids of tables, series or sections; the first one first
};

/// What a performance engineer would say of a measured run in two or three sentences. Every number
/// is one of the diagnosis; nothing is said of a run without length.
std::vector<Judgement> judgement(const Diagnosis& diagnosis, const Trace& trace,
                                 const CallPaths& paths);
/// The same of a run that is known by its model only (an untimed trace).
std::vector<Judgement> judgement(const Overview& overview);

using JudgementJson = JsonOf<struct JudgementJsonTag>;
const JsonType& declared_type(const JudgementJsonTag*);
/// Puts the sentences before all sections, as one with the id `judgement`. Returns the same for
/// scripts; nothing without sentences.
std::optional<JudgementJson> add_judgement(const std::vector<Judgement>& sentences,
                                           std::vector<Section>& sections);

/// The ranks that wait for each other at the end of a run that deadlocked; nothing else limits it.
std::optional<Judgement> deadlock(const Diagnosis& diagnosis);

/// What of the input makes a judgement uncertain: a machine with too few processors, clocks that
/// disagree, parts of the recording that were lost.
std::vector<Judgement> cautions(const Diagnosis& diagnosis, const Trace& trace);

/// What recording a call took on average; 0 without calls.
double recording_per_call_ns(const TimeShares& shares);

}  // namespace slackline
