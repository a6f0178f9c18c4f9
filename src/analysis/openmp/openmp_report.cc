#include <fmt/format.h>

#include <algorithm>
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

Table ranks_table(const OpenMPUse& use) {
  Table table{"openmp_ranks",
              "OpenMP by rank",
              {{"rank"},
               {"threads", Unit::count},
               {"serial", Unit::ns, "outside MPI and parallel regions"},
               {"parallel", Unit::ns, "in parallel regions, outside MPI"},
               {"work", Unit::ratio, "of the thread time outside MPI"},
               {"idle in serial part", Unit::ratio, "of the thread time outside MPI"},
               {"load imbalance", Unit::ratio, "of the thread time outside MPI"},
               {"synchronisation", Unit::ratio, "of the thread time outside MPI"}},
              {}};
  for (std::size_t r = 0; r < use.ranks.size(); ++r) {
    const RankThreads& rank = use.ranks[r];
    if (rank.locations.empty()) continue;
    const auto share = [&](std::int64_t ns) {
      return ratio_of(static_cast<double>(ns), static_cast<double>(rank.time.total()));
    };
    table.rows.push_back({static_cast<std::int64_t>(r),
                          static_cast<std::int64_t>(rank.locations.size()), rank.serial_ns,
                          rank.parallel_ns, share(rank.time.work), share(rank.time.serial_idle),
                          share(rank.time.imbalance), share(rank.time.synchronisation)});
  }
  return table;
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

Table regions_table(const OpenMPUse& use) {
  Table table{"openmp_regions",
              "Waiting at barriers by parallel region",
              {{"parallel region"},
               {"instances", Unit::count},
               {"threads", Unit::count, "of its largest team"},
               {"time", Unit::ns, "all ranks, outside MPI"},
               {"waiting", Unit::ns, "at barriers, all threads"},
               {"load imbalance", Unit::ns, "of all threads, for the one that works longest"},
               {"synchronisation", Unit::ns, "other waiting, begin and end of the region"},
               {"late"}},
              {}};
  for (const RegionUse& r : use.regions) {
    if (table.rows.size() == kRegionsShown) break;
    table.rows.push_back({r.code.empty() ? "(unknown)" : r.code,
                          static_cast<std::int64_t>(r.instances),
                          static_cast<std::int64_t>(r.most_threads), r.length_ns, r.waiting_ns,
                          r.time.imbalance, r.time.synchronisation, late_text(r)});
  }
  return table;
}

auto factors_object(const HybridFactors& f) {
  return Object{"hybrid_parallel"_key = f.hybrid,
                "mpi_parallel"_key = f.mpi,
                "mpi_load_balance"_key = f.mpi_load_balance,
                "mpi_communication"_key = f.mpi_communication,
                "openmp_parallel"_key = f.openmp,
                "openmp_serial"_key = f.serial,
                "openmp_load_balance"_key = f.load_balance,
                "openmp_synchronisation"_key = f.synchronisation};
}

auto thread_time_object(const ThreadTime& t) {
  return Object{"work_ns"_key = t.work, "serial_idle_ns"_key = t.serial_idle,
                "thread_imbalance_ns"_key = t.imbalance,
                "synchronisation_ns"_key = t.synchronisation};
}

auto location_object(const LocationUse& l) {
  return Object{"work_ns"_key = l.work_ns, "barrier_ns"_key = l.waiting_ns,
                "not_begun_ns"_key = l.idle_ns};
}

auto rank_object(const RankThreads& rank) {
  return Object{"serial_ns"_key = rank.serial_ns, "parallel_ns"_key = rank.parallel_ns,
                thread_time_object(rank.time),
                "locations"_key = list_of(rank.locations, location_object)};
}

auto region_object(const RegionUse& r) {
  return Object{"code"_key = r.code,
                "instances"_key = r.instances,
                "team"_key = r.most_threads,
                "parallel_ns"_key = r.length_ns,
                thread_time_object(r.time),
                "barrier_ns"_key = r.waiting_ns,
                "late_thread"_key = r.late_location,
                "late_rank"_key = r.late_rank,
                "late_work"_key = r.late_work};
}

auto openmp_object(const OpenMPUse& use) {
  return Object{"hybrid_factors"_key = factors_object(factors(use)), thread_time_object(use.time),
                "ranks"_key = list_of(use.ranks, rank_object),
                "parallel_regions"_key = list_of(use.regions, region_object)};
}

}  // namespace

Section openmp_section(const OpenMPUse& use) {
  Section section{.id = "openmp", .title = "OpenMP"};
  section.items.emplace_back(factors_table(use));
  section.items.emplace_back(regions_table(use));
  section.items.emplace_back(ranks_table(use));
  section.items.emplace_back(threads_table(use));
  return section;
}

const JsonType& declared_type(const OpenMPJsonTag*) {
  return json_type_by<openmp_object>();
}

OpenMPJson openmp_to_json(const OpenMPUse& use) {
  return openmp_object(use);
}

}  // namespace slackline
