#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <string>
#include <utility>

#include "analysis/openmp/openmp_use.h"
#include "base/arithmetic.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr std::size_t kRegionsShown = 15;
constexpr std::size_t kThreadsShown = 64;

Table factors_table(const OpenMPUse& use) {
  const HybridFactors f = factors(use);
  Table table{"hybrid_efficiency",
              "Hybrid efficiency (MPI x OpenMP), analysed interval",
              {{"factor"}, {"value", Unit::ratio}, {"meaning"}},
              {}};
  const auto row = [&](const char* name, double value, const char* meaning) {
    table.rows.push_back({name, value, meaning});
  };
  row("hybrid parallel efficiency", f.hybrid, "work of all threads / (threads x run time)");
  row("  MPI parallel efficiency", f.mpi, "thread time outside MPI / (threads x run time)");
  row("    MPI load balance", f.mpi_load_balance, "mean / largest time outside MPI of a rank");
  row("    MPI communication efficiency", f.mpi_communication,
      "largest time outside MPI of a rank / run time");
  row("  OpenMP parallel efficiency", f.openmp, "work / thread time outside MPI");
  row("    OpenMP serial efficiency", f.serial, "without threads that are in no parallel region");
  row("    OpenMP load balance", f.load_balance,
      "in regions: without waiting for the thread that works longest");
  row("    OpenMP synchronisation efficiency", f.synchronisation,
      "in regions: without other waiting at barriers, begin and end of regions");
  return table;
}

const Rows<HybridFactors> kFactors{{"hybrid_parallel", &HybridFactors::hybrid},
                                   {"mpi_parallel", &HybridFactors::mpi},
                                   {"mpi_load_balance", &HybridFactors::mpi_load_balance},
                                   {"mpi_communication", &HybridFactors::mpi_communication},
                                   {"openmp_parallel", &HybridFactors::openmp},
                                   {"openmp_serial", &HybridFactors::serial},
                                   {"openmp_load_balance", &HybridFactors::load_balance},
                                   {"openmp_synchronisation", &HybridFactors::synchronisation}};

const Rows<ThreadTime> kThreadTime{{"work_ns", &ThreadTime::work},
                                   {"serial_idle_ns", &ThreadTime::serial_idle},
                                   {"thread_imbalance_ns", &ThreadTime::imbalance},
                                   {"synchronisation_ns", &ThreadTime::synchronisation}};

const Rows<LocationUse> kLocations{{"work_ns", &LocationUse::work_ns},
                                   {"barrier_ns", &LocationUse::waiting_ns},
                                   {"not_begun_ns", &LocationUse::idle_ns}};

double share_of(const RankThreads& rank, std::int64_t ns) {
  return ratio_of(static_cast<double>(ns), static_cast<double>(rank.time.total()));
}

const Rows<RankThreads, OpenMPUse> kThreadedRanks{
    "openmp_ranks",
    "OpenMP by rank",
    {{kShown, "rank", Unit::none, [](auto& rank, auto& use) { return &rank - use.ranks.data(); }},
     {kShown, "threads", Unit::count, [](auto& rank) { return rank.locations.size(); }},
     {"serial_ns", "serial", Unit::ns, &RankThreads::serial_ns, "outside MPI and parallel regions"},
     {"parallel_ns", "parallel", Unit::ns, &RankThreads::parallel_ns,
      "in parallel regions, outside MPI"},
     {kSpliced, &RankThreads::time, kThreadTime},
     {"locations", &RankThreads::locations, kLocations},
     {kShown, "work", Unit::ratio, [](auto& rank) { return share_of(rank, rank.time.work); },
      "of the thread time outside MPI"},
     {kShown, "idle in serial part", Unit::ratio,
      [](auto& rank) { return share_of(rank, rank.time.serial_idle); },
      "of the thread time outside MPI"},
     {kShown, "load imbalance", Unit::ratio,
      [](auto& rank) { return share_of(rank, rank.time.imbalance); },
      "of the thread time outside MPI"},
     {kShown, "synchronisation", Unit::ratio,
      [](auto& rank) { return share_of(rank, rank.time.synchronisation); },
      "of the thread time outside MPI"}}};

Table ranks_table(const OpenMPUse& use) {
  return kThreadedRanks.table(
      use.ranks | std::views::filter([](auto& rank) { return !rank.locations.empty(); }), use);
}

Table threads_table(const OpenMPUse& use) {
  Table table{"openmp_threads",
              "Threads in parallel regions",
              {{"rank"},
               {"thread"},
               {"work", Unit::ns, "outside barriers and MPI"},
               {"waiting", Unit::ns, "at barriers"},
               {"idle", Unit::ns, "in the team, before its part begins"}},
              {}};
  for (std::size_t r = 0; r < use.ranks.size(); ++r) {
    const auto& locations = use.ranks[r].locations;
    for (std::size_t i = 0; i < locations.size(); ++i) {
      if (table.rows.size() == kThreadsShown) return table;
      const LocationUse& l = locations[i];
      table.rows.push_back({static_cast<std::int64_t>(r), static_cast<std::int64_t>(i), l.work_ns,
                            l.waiting_ns, l.idle_ns});
    }
  }
  return table;
}

std::string late_text(const RegionUse& region) {
  if (region.waiting_ns == 0) return "";
  if (!region.late_location) return "threads in turn";
  const std::string rank = region.late_rank ? fmt::format("rank {}, ", *region.late_rank) : "";
  return fmt::format("{}thread {} ({:.2f} x the mean work)", rank, *region.late_location,
                     region.late_work);
}

const Rows<RegionUse> kParallelRegions{
    "openmp_regions",
    "Waiting at barriers by parallel region",
    {{"code", &RegionUse::code},
     {kShown, "parallel region", Unit::none,
      [](auto& r) { return r.code.empty() ? std::string("(unknown)") : r.code; }},
     {"instances", Unit::count, &RegionUse::instances},
     {"team", "threads", Unit::count, &RegionUse::most_threads, "of its largest team"},
     {"parallel_ns", "time", Unit::ns, &RegionUse::length_ns, "all ranks, outside MPI"},
     {kSpliced, &RegionUse::time, kThreadTime},
     {"barrier_ns", "waiting", Unit::ns, &RegionUse::waiting_ns, "at barriers, all threads"},
     {kShown, "load imbalance", Unit::ns, [](auto& r) { return r.time.imbalance; },
      "of all threads, for the one that works longest"},
     {kShown, "synchronisation", Unit::ns, [](auto& r) { return r.time.synchronisation; },
      "other waiting, begin and end of the region"},
     {"late_thread", &RegionUse::late_location},
     {"late_rank", &RegionUse::late_rank},
     {"late_work", &RegionUse::late_work},
     {kShown, "late", Unit::none, late_text}}};

}  // namespace

const Rows<OpenMPUse> kOpenMPRows{
    {"hybrid_factors", [](auto& use) { return factors(use); }, kFactors},
    {kSpliced, &OpenMPUse::time, kThreadTime},
    {"ranks", &OpenMPUse::ranks, kThreadedRanks},
    {"parallel_regions", &OpenMPUse::regions, kParallelRegions}};

Section openmp_section(const OpenMPUse& use) {
  Section section{.id = "openmp", .title = "OpenMP"};
  section.items.emplace_back(factors_table(use));
  section.items.emplace_back(kParallelRegions.table(use.regions, kRegionsShown));
  section.items.emplace_back(ranks_table(use));
  section.items.emplace_back(threads_table(use));
  return section;
}

}  // namespace slackline
