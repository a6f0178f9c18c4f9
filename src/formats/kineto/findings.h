#pragma once

#include "base/findings.h"

namespace slackline {

inline constexpr FindingKind kRankGuessed{
    "rank_guessed", Severity::notice,
    "Profiles that do not say which rank they are of; the last number of the file's name was "
    "taken, or else the next free rank."};
inline constexpr FindingKind kRankTwice{
    "rank_twice", Severity::data_loss,
    "Profiles of a rank of which another one was read; they were omitted."};
inline constexpr FindingKind kTruncatedRank{
    "truncated_rank", Severity::data_loss,
    "Ranks whose profile ends early, beside complete ones of other ranks; they were omitted."};

}  // namespace slackline
