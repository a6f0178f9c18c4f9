#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "trace/call_tree.h"
#include "trace/operation.h"

namespace slackline::paraver {

/// What the files beside a .prv say of its numbers.
struct Names {
  std::map<std::int64_t, std::string> functions;  ///< of user functions (event type 60000019)
  std::map<std::int64_t, std::string> counters;   ///< by the types of their events
  std::map<std::int64_t, std::string> callers;    ///< functions that called MPI, or their callers
  std::map<std::int64_t, CodeLocation> caller_lines;  ///< the lines they called from; no function
  std::map<std::int64_t, Operation> operations;       ///< MPI values beyond those everybody uses
  std::vector<std::string> nodes;                     ///< host names, of nodes from 1
  std::string mpi_library;                            ///< empty if not given
};

/// Reads the .pcf and .row files beside `prv` (x.prv or x.prv.gz), as far as they are there and
/// make sense.
Names read_names(const std::filesystem::path& prv);

}  // namespace slackline::paraver
