#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace slackline {

/// The libraries that are preloaded into an MPI job.
struct RuntimeLibraries {
  std::filesystem::path preload;  ///< into everything the launcher starts
  std::filesystem::path yield;    ///< for oversubscribed MPICH; beside the other
};

/// Looks in $SLACKLINE_LIB, in lib/slackline beside the running binary (build tree) and in
/// lib/slackline beside its bin/ (installed). Throws Error when they are in none of these, or when
/// their path has a blank or a colon, at which LD_PRELOAD would split it.
RuntimeLibraries find_runtime_libraries();

/// The value of LD_PRELOAD for the ranks: ours before what is set already.
std::string preload_value(const RuntimeLibraries& libraries, bool yield);

/// The value of LD_PRELOAD with which `program` talks to the simulator: the library for `mpi`
/// ("openmpi", "mpich"), or where that is empty, for the MPI library that the program is linked
/// with; with `folds`, the library that folds large allocations, too. Throws Error when that cannot
/// be told, and when a library was not built.
std::string online_preload(const std::string& program, std::string_view mpi, bool folds);

}  // namespace slackline
