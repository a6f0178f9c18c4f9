#pragma once

#include "base/findings.h"
#include "formats/reader_findings.h"

namespace slackline::liballprof {

inline constexpr FindingKind kTests{"tests_without_result", Severity::notice,
                                    "The recording does not contain the results of MPI_Test and "
                                    "similar calls; they are assumed to be unsuccessful."};
inline constexpr FindingKind kWildcards{
    "wildcards_without_source", Severity::notice,
    "Receives from any source; the recording does not contain the actual source."};

}  // namespace slackline::liballprof
