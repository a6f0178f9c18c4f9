#pragma once

#include <filesystem>
#include <memory>

#include "parallel/launched_process.h"
#include "parallel/process_group.h"

namespace slackline {

/// Joins the other processes that the launcher has started, through the library for its MPI in
/// `libraries`, once in a process: MPI_Init. MPI ends with the object, for which all processes
/// have to come. Throws Error where the library was not built, or cannot be loaded, or where MPI
/// says something else than the environment.
std::unique_ptr<ProcessGroup> join_processes(const LaunchedProcess& me,
                                             const std::filesystem::path& libraries);

}  // namespace slackline
