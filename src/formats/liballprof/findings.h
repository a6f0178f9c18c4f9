#pragma once

#include "base/findings.h"
#include "formats/reader_findings.h"

namespace slackline::liballprof {

inline constexpr FindingKind kTests{
    "tests_without_result", Severity::notice,
    "The recording does not say whether MPI_Test and its like found anything; they are taken to "
    "have found nothing."};
inline constexpr FindingKind kWildcards{
    "wildcards_without_source", Severity::notice,
    "Receives from any source; the recording does not say whose message they got."};

}  // namespace slackline::liballprof
