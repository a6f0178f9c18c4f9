#pragma once

#include "base/findings.h"

namespace slackline {

inline constexpr FindingKind kRankGuessed{
    "rank_guessed", Severity::notice,
    "Profiles that do not say which rank they are of; the number that tells the files' names apart "
    "was taken, or else the next free rank in the order of names."};
inline constexpr FindingKind kRankTwice{
    "rank_twice", Severity::data_loss,
    "Profiles of a rank of which another one was read; they were omitted."};
inline constexpr FindingKind kOnlyNamedLikeCommunication{
    "kernels_named_like_collectives", Severity::notice,
    "Kernels named like a collective operation, but of no communication library that is known; "
    "they count as communication unless an operator that works inside one GPU (such as aten::) "
    "launched them."};
inline constexpr FindingKind kTruncatedRank{
    "truncated_rank", Severity::data_loss,
    "Ranks whose profile ends early, beside complete ones of other ranks; they were omitted."};

inline constexpr FindingKind kCutSteps{"cut_steps", Severity::data_loss,
                                       "Steps that go on after the end of a truncated profile; "
                                       "they were left out, but where it has no "
                                       "whole step, the first one counts as far as it is known."};

}  // namespace slackline
