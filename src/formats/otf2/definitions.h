#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/operation.h"

namespace slackline::otf2 {

/// The global definitions of an archive, as far as a Trace needs them. Plain data: no type of the
/// library.
struct Definitions {
  /// What entering a region means.
  enum class RegionKind : std::uint8_t {
    user,
    mpi,        ///< an MPI call; its operation may be none (MPI_Comm_rank)
    artificial  ///< of the measurement itself: says nothing of the program
  };
  struct Region {
    RegionKind kind = RegionKind::user;
    Operation operation = Operation::none;
    std::uint32_t order = 0;  ///< number of regions defined before it
    std::string name;
  };
  enum class GroupKind : std::uint8_t { other, comm_locations, comm_group, comm_self };
  struct Group {
    GroupKind kind = GroupKind::other;
    bool of_mpi = true;           ///< and of no other paradigm, such as CUDA
    std::string paradigm{};       ///< "CUDA"
    bool of_measurement = false;  ///< not the program's (Score-P's processes x threads)
    std::vector<std::uint64_t> members;
  };
  struct Comm {
    std::string name;
    std::uint32_t group = 0;
    std::uint32_t remote_group = 0;  ///< of an intercommunicator
    bool inter = false;
  };
  struct Location {
    std::uint64_t id = 0;
    std::uint32_t group = 0;  ///< its process
    std::uint64_t events = 0;
    bool is_thread = true;
    std::string name{};
  };
  /// A metric. Only those whose values are running totals, as counts of events are, can be kept.
  struct Metric {
    std::string name;
    bool accumulates = false;
  };
  struct Process {
    std::uint32_t id = 0;
    std::string name;
    std::string host;
    bool is_process = true;  ///< and no accelerator
  };

  std::uint64_t ticks_per_second = 1'000'000'000;
  std::uint64_t clock_zero = 0;
  std::uint64_t started_ns = 0;  ///< since 1970; 0 unknown
  std::unordered_map<std::uint32_t, std::string> strings;
  std::unordered_map<std::uint32_t, Region> regions;
  std::map<std::uint32_t, Group> groups;
  std::map<std::uint32_t, Comm> comms;
  std::vector<Location> locations;                            ///< in order of definition
  std::vector<Process> processes;                             ///< in order of definition
  std::unordered_map<std::uint32_t, std::string> attributes;  ///< names
  std::map<std::uint32_t, Metric> metrics;
  std::map<std::uint32_t, std::vector<std::uint32_t>> metric_classes;  ///< their metrics

  // From the anchor file.
  std::string creator;
  std::string description;
  std::string machine;
  std::map<std::string, std::string> properties;
};

/// Reads anchor and global definitions. Throws Error when the archive cannot be opened.
Definitions read_definitions(const std::filesystem::path& anchor);

/// The operation of a region called `name`: MPI_Send, or as Fortran's wrappers are called
/// (mpi_send_, MPI_SEND). `none` for other names.
Operation operation_of_region(std::string_view name);

}  // namespace slackline::otf2
