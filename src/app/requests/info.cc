#include "app/requests/trace_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "app/load/input.h"
#include "app/load/large_trace.h"
#include "app/options/shared_options.h"
#include "app/requests/schemas.h"
#include "calls/summary.h"
#include "formats/open/open.h"
#include "report/report.h"

namespace slackline {
namespace {

Value number(std::uint64_t value) {
  return static_cast<std::int64_t>(
      std::min<std::uint64_t>(value, std::numeric_limits<std::int64_t>::max()));
}
Value number(std::int32_t value) {
  return std::int64_t{value};
}

auto spread_object(const RankSpread& spread) {
  return Object{"min"_key = spread.min, "mean"_key = spread.mean, "max"_key = spread.max,
                "min_rank"_key = spread.min_rank, "max_rank"_key = spread.max_rank};
}

auto operation_object(const OperationSummary& o) {
  return Object{"operation"_key = mpi_name(o.operation), "calls"_key = o.calls,
                "time_ns"_key = o.time_ns, "bytes"_key = o.bytes};
}

auto region_object(const RegionSummary& r) {
  return Object{"name"_key = r.name, "visits"_key = r.visits, "time_ns"_key = r.time_ns};
}

auto counter_object(const CounterSummary& c) {
  return Object{"name"_key = c.name, "gained"_key = spread_object(c.gained)};
}

constexpr std::array<std::string_view, kPauseKinds> kPauseRows{
    "cause not recorded", "in MPI calls that are not recorded", "without a processor",
    "blocked (asleep, I/O or a device)", "recorder"};

const RankSpread& of_kind(const std::array<RankSpread, kPauseKinds>& pauses, PauseKind kind) {
  return pauses[static_cast<std::size_t>(kind)];
}

auto pauses_object(const std::array<RankSpread, kPauseKinds>& pauses) {
  const auto spread_of = [&](PauseKind kind) { return spread_object(of_kind(pauses, kind)); };
  return Object{"no_processor_ns"_key = spread_of(PauseKind::no_processor),
                "blocked_ns"_key = spread_of(PauseKind::blocked),
                "in_mpi_ns"_key = spread_of(PauseKind::in_mpi),
                "recording_ns"_key = spread_of(PauseKind::recording),
                "other_ns"_key = spread_of(PauseKind::other)};
}

auto openmp_object(const TraceSummary& s) {
  return Object{"openmp_regions"_key = s.openmp_regions, "openmp_threads"_key = s.openmp_threads};
}

std::optional<ReturnedBy<openmp_object>> openmp_to_json(const TraceSummary& s) {
  if (s.openmp_regions == 0) return std::nullopt;
  return openmp_object(s);
}

auto summary_object(const TraceSummary& s) {
  return Object{"ranks"_key = s.ranks,
                "present_ranks"_key = s.present_ranks,
                "unfinalized_ranks"_key = s.unfinalized_ranks,
                "hosts"_key = s.hosts,
                "threads"_key = s.threads,
                "calls"_key = s.calls,
                "duration_ns"_key = s.duration_ns,
                "mpi_time_ns"_key = spread_object(s.mpi_time_ns),
                "compute_time_ns"_key = spread_object(s.compute_time_ns),
                "thread_mpi_time_ns"_key = spread_object(s.thread_mpi_time_ns),
                "pause_time_ns"_key = spread_object(s.pause_time_ns),
                "pauses"_key = pauses_object(s.pauses_ns),
                "messages"_key = s.messages,
                "message_bytes"_key = s.message_bytes,
                "collectives"_key = s.collectives,
                "collective_bytes"_key = s.collective_bytes,
                "one_sided"_key = s.one_sided,
                "wildcards"_key = s.wildcards,
                "communicators"_key = s.communicators,
                "clock_offset_ns"_key = s.clock_offset_ns,
                "clock_error_ns"_key = s.clock_error_ns,
                "operations"_key = list_of(s.operations, operation_object),
                "regions"_key = list_of(s.regions, region_object),
                "counters"_key = list_of(s.counters, counter_object),
                openmp_to_json(s)};
}

Section recording_section(const OpenedTrace& opened) {
  const TraceInfo& info = opened.trace.info();
  Facts facts;
  const auto text = [&](std::string_view label, const std::string& value) {
    if (!value.empty()) facts.facts.push_back({std::string(label), value});
  };
  text("program", info.program);
  text("MPI library", info.mpi_version.empty() ? info.mpi_library : info.mpi_version);
  text("recorded by", info.recorder);
  text("started", info.started);
  text("format", opened.format + (opened.trace.timed() ? ", timed" : ", untimed"));
  facts.facts.push_back({"size", number(opened.bytes), Unit::bytes});
  const std::uint64_t calls = opened.calls;
  if (calls > 0) {
    facts.facts.push_back({"size per call",
                           static_cast<double>(opened.bytes) / static_cast<double>(calls),
                           Unit::bytes});
  }
  if (info.cpu_ns > 0) {
    facts.facts.push_back({"CPU time of all ranks", std::int64_t{info.cpu_ns}, Unit::ns});
    facts.facts.push_back(
        {"of which recording overhead",
         static_cast<double>(info.recording_ns) / static_cast<double>(info.cpu_ns), Unit::ratio});
  }
  return {"recording", "Recording", {std::move(facts)}};
}

std::string rank_counts(const TraceSummary& s) {
  std::string text = fmt::format("{}", s.ranks);
  if (s.present_ranks < s.ranks) text += fmt::format(", {} of them recorded", s.present_ranks);
  if (s.unfinalized_ranks > 0) {
    text += fmt::format(", {} without MPI_Finalize", s.unfinalized_ranks);
  }
  return text;
}

Section contents_section(const TraceSummary& s) {
  Facts facts;
  const auto add = [&](std::string_view label, Value value, Unit unit, std::string_view why = {}) {
    facts.facts.push_back({std::string(label), std::move(value), unit, std::string(why)});
  };
  add("ranks", rank_counts(s), Unit::none);
  if (s.hosts > 0) add("hosts", number(s.hosts), Unit::count);
  if (s.threads > 1) add("threads that call MPI", std::int64_t{s.threads}, Unit::count);
  if (s.openmp_regions > 0) {
    add("OpenMP threads per rank", std::int64_t{s.openmp_threads}, Unit::count,
        "of the largest team");
    add("OpenMP parallel regions", number(s.openmp_regions), Unit::count);
  }
  add("duration", std::int64_t{s.duration_ns}, Unit::ns, "from the first start to the last end");
  add("calls", number(s.calls), Unit::count, "each unsuccessful test or probe counted");
  add("messages", number(s.messages), Unit::count, "point-to-point, counted at the sender");
  add("bytes in messages", number(s.message_bytes), Unit::bytes);
  add("collective calls", number(s.collectives), Unit::count, "counted once per rank");
  add("bytes in collectives", number(s.collective_bytes), Unit::bytes,
      "send-buffer bytes per rank, summed");
  if (s.one_sided > 0) add("one-sided calls", number(s.one_sided), Unit::count);
  if (s.wildcards > 0)
    add("wildcards", number(s.wildcards), Unit::count,
        "receives and probes with MPI_ANY_SOURCE or MPI_ANY_TAG");
  add("communicators", number(s.communicators), Unit::count,
      "beyond MPI_COMM_WORLD and MPI_COMM_SELF");
  if (s.clock_offset_ns > 0 || s.clock_error_ns > 0) {
    add("maximum clock correction", std::int64_t{s.clock_offset_ns}, Unit::ns);
    if (s.clock_error_ns > 0)
      add("clock synchronisation error", std::int64_t{s.clock_error_ns}, Unit::ns);
  }
  return {"contents", "Contents", {std::move(facts)}};
}

Section time_section(const TraceSummary& s) {
  Table table{"rank_time",
              "Time per rank",
              {{"part"},
               {"least", Unit::ns},
               {"least on rank"},
               {"mean", Unit::ns},
               {"most", Unit::ns},
               {"most on rank"}},
              {}};
  const auto row = [&](std::string name, const RankSpread& r) {
    table.rows.push_back(
        {std::move(name), r.min, number(r.min_rank), r.mean, r.max, number(r.max_rank)});
  };
  row("outside MPI", s.compute_time_ns);
  for (std::size_t kind = 0; kind < kPauseKinds; ++kind) {
    if (s.pauses_ns[kind].max > 0) {
      row(fmt::format("  of which {}", kPauseRows[kind]), s.pauses_ns[kind]);
    }
  }
  row("inside MPI", s.mpi_time_ns);
  if (s.thread_mpi_time_ns.max > 0) row("other threads in MPI, added up", s.thread_mpi_time_ns);
  return {"time", "Time", {std::move(table)}};
}

Section operations_section(const TraceSummary& s) {
  Table table{"operations",
              "Calls by operation",
              {{"operation"}, {"calls", Unit::count}, {"time", Unit::ns}, {"bytes", Unit::bytes}},
              {}};
  for (const OperationSummary& o : s.operations) {
    table.rows.push_back({std::string(mpi_name(o.operation)), number(o.calls),
                          std::int64_t{o.time_ns}, number(o.bytes)});
  }
  return {"operations", "Operations", {std::move(table)}};
}

Section regions_section(const TraceSummary& s) {
  Table table{
      "regions", "User regions", {{"region"}, {"visits", Unit::count}, {"time", Unit::ns}}, {}};
  for (const RegionSummary& r : s.regions) {
    table.rows.push_back({r.name, number(r.visits), std::int64_t{r.time_ns}});
  }
  return {"regions", "Regions", {std::move(table)}};
}

Section counters_section(const TraceSummary& s) {
  Table table{"counters",
              "Counters per rank, outside MPI",
              {{"counter"},
               {"least", Unit::count},
               {"least on rank"},
               {"mean", Unit::count},
               {"most", Unit::count},
               {"most on rank"}},
              {}};
  for (const CounterSummary& c : s.counters) {
    table.rows.push_back({c.name, c.gained.min, number(c.gained.min_rank), c.gained.mean,
                          c.gained.max, number(c.gained.max_rank)});
  }
  return {"counters", "Counters", {std::move(table)}};
}

std::vector<Section> info_sections(const TraceSummary& summary, const OpenedTrace& opened) {
  std::vector<Section> sections{recording_section(opened), contents_section(summary)};
  if (opened.trace.timed()) sections.push_back(time_section(summary));
  sections.push_back(operations_section(summary));
  if (!summary.counters.empty()) sections.push_back(counters_section(summary));
  if (!summary.regions.empty()) sections.push_back(regions_section(summary));
  return sections;
}

auto info_report(const TraceSummary& summary, const OpenedTrace& opened) {
  Described described{summary_object(summary), info_sections(summary, opened)};
  described.findings.merge(opened.trace.findings());
  return typed_report("info", fmt::format("info: {}", opened.path), Object{}, input_to_json(opened),
                      std::move(described));
}
using InfoReports = CommandReports<ReturnedBy<info_report>>;

}  // namespace

void declare(OptionList& options, InfoRequest& request) {
  declare_trace(options, request.trace, request.reading);
  options["--memory"].help =
      "Memory that the command may take (default: what is available); a larger native trace is "
      "read block by block";
  declare_clocks(options, request.reading);
}

Report execute(const InfoRequest& request) {
  if (const auto large = summarize_in_blocks(request.trace, request.reading)) {
    return InfoReports::untyped(info_report(large->summary, large->opened));
  }
  const OpenedTrace opened = open_input(request.trace, open_options(request.reading));
  return info_of(opened);
}

Report info_of(const OpenedTrace& opened) {
  return InfoReports::untyped(info_report(summarize(opened.trace), opened));
}

CommandSchema info_schema() {
  return InfoReports::schema();
}

}  // namespace slackline
