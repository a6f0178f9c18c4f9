#include "bindings/trace_from_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/error.h"
#include "base/units.h"
#include "bindings/call_selection.h"
#include "trace/trace_builder.h"

namespace slackline::python {
namespace {

void require_rank(std::int32_t rank, std::int32_t ranks) {
  if (rank >= 0 && rank < ranks) return;
  throw usage_error(
      fmt::format("rank {} does not exist", rank),
      fmt::format("the trace has {}", count_of(static_cast<std::uint64_t>(ranks), "rank")),
      "Number ranks from 0 on, or give 'ranks'.");
}

void add_communicators(TraceBuilder& trace,
                       const std::vector<std::vector<std::int32_t>>& communicators) {
  for (const auto& members : communicators) {
    for (const std::int32_t member : members) require_rank(member, trace.ranks());
    trace.add_communicator({.members = members, .remote = {}, .name = {}});
  }
}

/// Where a column is not given, the field keeps its default.
template <class Value, class Field>
void take(const std::vector<Value>& column, std::size_t row, Field& field) {
  if (!column.empty()) field = column[row];
}

Call call_of(const CallColumns& columns, const std::vector<Operation>& operations,
             std::size_t row) {
  Call call;
  call.operation = operations[static_cast<std::size_t>(columns.operation[row])];
  call.begin_ns = columns.begin_ns[row];
  call.end_ns = columns.end_ns[row];
  take(columns.bytes, row, call.bytes);
  take(columns.peer, row, call.peer);
  take(columns.tag, row, call.tag);
  take(columns.comm, row, call.comm);
  take(columns.request, row, call.request);
  take(columns.thread, row, call.thread);
  take(columns.flags, row, call.flags);
  if (!columns.first_arg.empty()) {
    const auto first = static_cast<std::size_t>(columns.first_arg[row]);
    const auto last = static_cast<std::size_t>(columns.first_arg[row + 1]);
    call.args = std::span(columns.args).subspan(first, last - first);
  }
  return call;
}

std::vector<Operation> operations_of(const CallColumns& columns) {
  std::vector<Operation> operations;
  for (const std::string& name : columns.operations) operations.push_back(operation_named(name));
  return operations;
}

/// `what`: "row" of calls, or "row of regions".
void require_order(std::int64_t begin_ns, std::int64_t end_ns, const char* what, std::size_t row) {
  if (begin_ns <= end_ns) return;
  throw usage_error(fmt::format("cannot use {} {}", what, row),
                    fmt::format("it ends ({} ns) before it begins ({} ns)", end_ns, begin_ns),
                    "Correct begin_ns or end_ns.");
}

void require_valid(const Call& call, std::size_t row, const Trace& trace) {
  if (!is_time(call.begin_ns) || !is_time(call.end_ns)) {
    throw usage_error(fmt::format("cannot use row {}", row), "its time is out of range",
                      "Times are nanoseconds.");
  }
  require_order(call.begin_ns, call.end_ns, "row", row);
  if (call.comm >= trace.communicators().size() && call.comm != kCommNull) {
    throw usage_error(fmt::format("cannot use row {}", row),
                      fmt::format("there is no communicator {}", call.comm),
                      "Number 0 is MPI_COMM_WORLD; give the members of those from 2 on.");
  }
  if (call.peer >= trace.ranks()) require_rank(call.peer, trace.ranks());
}

struct RegionEdge {
  std::int32_t rank;
  RegionEvent event;
  std::int64_t other_ns;  ///< where the visit ends or began: outer regions are entered first
};

void add_regions(TraceBuilder& trace, const RegionColumns& columns) {
  std::vector<std::uint32_t> ids;
  for (const std::string& name : columns.regions) ids.push_back(trace.region_id(name));
  std::vector<RegionEdge> edges;
  for (std::size_t row = 0; row < columns.rank.size(); ++row) {
    require_rank(columns.rank[row], trace.ranks());
    const std::uint32_t id = ids[static_cast<std::size_t>(columns.region[row])];
    const std::int64_t begin = columns.begin_ns[row];
    const std::int64_t end = columns.end_ns[row];
    require_order(begin, end, "row of regions", row);
    edges.push_back({columns.rank[row], {begin, id, 0, true}, end});
    edges.push_back({columns.rank[row], {end, id, 0, false}, begin});
  }
  // At one time regions are left before others are entered, the inner ones first.
  std::ranges::stable_sort(edges, {}, [](const RegionEdge& e) {
    return std::tuple(e.rank, e.event.time_ns, e.event.enter, -e.other_ns);
  });
  for (RegionEdge& edge : edges) {
    RankCallsBuilder& calls = trace.calls(edge.rank);
    edge.event.before_call = static_cast<std::uint32_t>(calls.first_from(edge.event.time_ns));
    calls.append_region(edge.event);
  }
}

}  // namespace

Trace trace_from_columns(std::int32_t ranks, const CallColumns& columns,
                         const RegionColumns& regions,
                         const std::vector<std::vector<std::int32_t>>& communicators) {
  TraceBuilder trace(ranks, true);
  trace.info().recorder = "slackline.from_arrow";
  add_communicators(trace, communicators);
  const std::vector<Operation> operations = operations_of(columns);
  for (std::size_t row = 0; row < columns.rank.size(); ++row) {
    require_rank(columns.rank[row], ranks);
    const Call call = call_of(columns, operations, row);
    require_valid(call, row, trace);
    trace.calls(columns.rank[row]).append(call);
  }
  add_regions(trace, regions);
  return std::move(trace).build();
}

Trace with_columns(Trace from, const CallColumns& columns) {
  TraceBuilder trace = std::move(from);
  const std::vector<Operation> operations = operations_of(columns);
  std::size_t row = 0;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    RankCallsBuilder& calls = trace.calls(rank);
    std::vector<std::int64_t> times;
    times.reserve(2 * calls.size());
    for (std::size_t i = 0; i < calls.size(); ++i, ++row) {
      Call call = call_of(columns, operations, row);
      require_valid(call, row, trace);
      call.frame = calls.frame(i);
      calls.replace(i, call);
      times.insert(times.end(), {call.begin_ns, call.end_ns});
    }
    calls.retime(times);
  }
  trace.info().recorder = "slackline.Trace.edited";
  return std::move(trace).build();
}

}  // namespace slackline::python
