#pragma once

#include <string>
#include <string_view>

namespace slackline {

/// The value of LD_PRELOAD with which `program` talks to the simulator: the library for `mpi`
/// ("openmpi", "mpich"), or where that is empty, for the MPI library that the program is linked
/// with; with `folds`, the library that folds large allocations, too. Throws Error when that cannot
/// be told, and when a library was not built.
std::string online_preload(const std::string& program, std::string_view mpi, bool folds);

}  // namespace slackline
