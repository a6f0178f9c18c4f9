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
#include "report/rows.h"

namespace slackline {
namespace {

Value number(std::uint64_t value) {
  return static_cast<std::int64_t>(
      std::min<std::uint64_t>(value, std::numeric_limits<std::int64_t>::max()));
}
Value number(std::int32_t value) {
  return std::int64_t{value};
}

const Rows<OperationSummary> kOperationRows{
    "operations",
    "Calls by operation",
    {{"operation", Unit::none, [](auto& o) { return mpi_name(o.operation); }},
     {"calls", Unit::count, &OperationSummary::calls},
     {"time_ns", "time", Unit::ns, &OperationSummary::time_ns},
     {"bytes", &OperationSummary::bytes},
     {kShown, "bytes", Unit::bytes, [](auto& o) { return number(o.bytes); }}}};

const Rows<RegionSummary> kRegionRows{"regions",
                                      "User regions",
                                      {{"name", "region", Unit::none, &RegionSummary::name},
                                       {"visits", Unit::count, &RegionSummary::visits},
                                       {"time_ns", "time", Unit::ns, &RegionSummary::time_ns}}};

const Rows<RankSpread> kSpread{{"min", &RankSpread::min},
                               {"mean", &RankSpread::mean},
                               {"max", &RankSpread::max},
                               {"min_rank", &RankSpread::min_rank},
                               {"max_rank", &RankSpread::max_rank}};

const Rows<CounterSummary> kCounterRows{
    "counters",
    "Counters per rank, outside MPI",
    {{"name", "counter", Unit::none, &CounterSummary::name},
     {"gained", &CounterSummary::gained, kSpread},
     {kShown, "least", Unit::count, [](auto& c) { return c.gained.min; }},
     {kShown, "least on rank", Unit::none, [](auto& c) { return c.gained.min_rank; }},
     {kShown, "mean", Unit::count, [](auto& c) { return c.gained.mean; }},
     {kShown, "most", Unit::count, [](auto& c) { return c.gained.max; }},
     {kShown, "most on rank", Unit::none, [](auto& c) { return c.gained.max_rank; }}}};

constexpr std::size_t kShownBlockingCalls = 20;  // in tables

const Rows<BlockingSummary> kBlockingRows{
    "blocking_calls",
    "I/O and other waiting outside MPI",
    {{"kind", Unit::none, [](auto& r) { return to_string(r.sum.kind); }},
     {"function", "call", Unit::none, [](auto& r) -> auto& { return r.sum.function; }},
     {"path", "file", Unit::none, [](auto& r) -> auto& { return r.sum.file; }},
     {"calls", Unit::count, [](auto& r) { return r.sum.calls; }},
     {"bytes", [](auto& r) { return r.sum.bytes; }},
     {kShown, "bytes", Unit::bytes, [](auto& r) { return number(r.sum.bytes); }},
     {"time_ns", "time", Unit::ns, [](auto& r) { return r.sum.time_ns; }},
     {"blocked_ns", [](auto& r) { return r.sum.blocked_ns; }},
     {"bytes_per_s", [](auto& r) { return r.rate(); }},
     {kShown, "bytes/s", Unit::bytes, [](auto& r) { return r.rate(); }},
     {"ranks", &BlockingSummary::ranks},
     {"where", Unit::none, &BlockingSummary::where}}};

constexpr std::array<std::string_view, kPauseKinds> kPauseRows{
    "cause not recorded", "in MPI calls that are not recorded", "without a processor",
    "blocked (asleep, I/O or a device)", "recorder"};

template <PauseKind kind>
const RankSpread& of_kind(const TraceSummary& s) {
  return s.pauses_ns[static_cast<std::size_t>(kind)];
}

const Rows<TraceSummary> kPauses{{"no_processor_ns", of_kind<PauseKind::no_processor>, kSpread},
                                 {"blocked_ns", of_kind<PauseKind::blocked>, kSpread},
                                 {"in_mpi_ns", of_kind<PauseKind::in_mpi>, kSpread},
                                 {"recording_ns", of_kind<PauseKind::recording>, kSpread},
                                 {"other_ns", of_kind<PauseKind::other>, kSpread}};

const Rows<TraceSummary> kTraceSummary{
    {"ranks", &TraceSummary::ranks},
    {"present_ranks", &TraceSummary::present_ranks},
    {"unfinalized_ranks", &TraceSummary::unfinalized_ranks},
    {"hosts", &TraceSummary::hosts},
    {"threads", &TraceSummary::threads},
    {"calls", &TraceSummary::calls},
    {"duration_ns", &TraceSummary::duration_ns},
    {"mpi_time_ns", &TraceSummary::mpi_time_ns, kSpread},
    {"compute_time_ns", &TraceSummary::compute_time_ns, kSpread},
    {"thread_mpi_time_ns", &TraceSummary::thread_mpi_time_ns, kSpread},
    {"pause_time_ns", &TraceSummary::pause_time_ns, kSpread},
    {"pauses", [](auto& s) -> auto& { return s; }, kPauses},
    {"messages", &TraceSummary::messages},
    {"message_bytes", &TraceSummary::message_bytes},
    {"collectives", &TraceSummary::collectives},
    {"collective_bytes", &TraceSummary::collective_bytes},
    {"one_sided", &TraceSummary::one_sided},
    {"wildcards", &TraceSummary::wildcards},
    {"communicators", &TraceSummary::communicators},
    {"clock_offset_ns", &TraceSummary::clock_offset_ns},
    {"clock_error_ns", &TraceSummary::clock_error_ns},
    {"operations", &TraceSummary::operations, kOperationRows},
    {"regions", &TraceSummary::regions, kRegionRows},
    {"counters", &TraceSummary::counters, kCounterRows},
    {"blocking_calls", &TraceSummary::blocking_calls, kBlockingRows},
    {kIfKnown, "openmp_regions",
     [](auto& s) { return known_if(s.openmp_regions > 0, s.openmp_regions); }},
    {kIfKnown, "openmp_threads",
     [](auto& s) { return known_if(s.openmp_regions > 0, s.openmp_threads); }}};

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

std::vector<Section> info_sections(const TraceSummary& summary, const OpenedTrace& opened) {
  std::vector<Section> sections{recording_section(opened), contents_section(summary)};
  if (opened.trace.timed()) sections.push_back(time_section(summary));
  sections.push_back({"operations", "Operations", {kOperationRows.table(summary.operations)}});
  if (!summary.blocking_calls.empty()) {
    std::vector<BlockingSummary> most = summary.blocking_calls;
    if (most.size() > kShownBlockingCalls) most.resize(kShownBlockingCalls);
    sections.push_back({"blocking_calls", "I/O and other waiting", {kBlockingRows.table(most)}});
  }
  if (!summary.counters.empty()) {
    sections.push_back({"counters", "Counters", {kCounterRows.table(summary.counters)}});
  }
  if (!summary.regions.empty()) {
    sections.push_back({"regions", "Regions", {kRegionRows.table(summary.regions)}});
  }
  return sections;
}

auto info_report(const TraceSummary& summary, const OpenedTrace& opened) {
  Described described{JsonBy<kTraceSummary>(summary), info_sections(summary, opened)};
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
