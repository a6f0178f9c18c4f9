#include "formats/sqlite/trace_tables.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "calls/call_paths.h"
#include "calls/collective_members.h"
#include "calls/region_tree.h"

namespace slackline {
namespace {

using Row = std::size_t;

SqlValue number(std::int64_t value) {
  return value;
}
SqlValue call_or_null(CallIndex call) {
  return call == kNoCall ? SqlValue() : SqlValue(std::int64_t{call});
}

/// Adds columns; `Of` gives of a row what the columns' functions take.
template <class Of>
class Columns {
 public:
  Columns(SqlTable& table, Of of) : table_(table), of_(std::move(of)) {}

  template <class ValueOf>
  Columns& integer(std::string name, ValueOf value) {
    return add(std::move(name), SqlType::integer, std::move(value));
  }
  template <class ValueOf>
  Columns& text(std::string name, ValueOf value) {
    return add(std::move(name), SqlType::text, std::move(value));
  }

 private:
  template <class ValueOf>
  Columns& add(std::string name, SqlType type, ValueOf value) {
    table_.columns.push_back(
        {std::move(name), type, [of = of_, value](Row row) { return SqlValue(value(of(row))); }});
    return *this;
  }
  SqlTable& table_;
  Of of_;
};

/// One call of the trace, by the row of the table of calls.
struct CallAt {
  const RankCalls* calls;
  std::int32_t rank;
  std::uint32_t call;
};

std::vector<Row> first_calls(const Trace& trace) {
  std::vector<Row> first{0};
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    first.push_back(first.back() + trace.calls(rank).size());
  }
  return first;
}

/// Names of all call paths; one more shared part of the tables.
struct PathNames {
  explicit PathNames(const Trace& trace) : paths(CallPaths::of_regions_or_functions(trace)) {
    for (PathId path = 0; path < paths.size(); ++path) names.push_back(paths.name(path));
  }
  std::string_view at(const CallAt& c) const {
    return paths.only_one() ? std::string_view() : names[paths.at_call(c.rank, c.call)];
  }
  CallPaths paths;
  std::vector<std::string> names{};
};

/// The function that makes the call; empty where that is not known.
std::string_view function_at(const CallTree& tree, const CallAt& c) {
  const FrameId frame = c.calls->frame(c.call);
  return frame == 0 ? std::string_view("") : std::string_view(tree.location(frame).function);
}

SqlTable calls_table(const Trace& trace) {
  SqlTable table{.name = "calls", .rows = trace.call_count()};
  table.first_row = first_calls(trace);
  table.rows = table.first_row.back();
  table.key = "rank, call";
  table.indices = {"begin_ns", "operation"};
  const auto of = [&trace, first = table.first_row](Row row) {
    const auto after = std::ranges::upper_bound(first, row);
    const auto rank = static_cast<std::int32_t>(after - first.begin()) - 1;
    const Row begin = first[static_cast<Row>(rank)];
    return CallAt{&trace.calls(rank), rank, static_cast<std::uint32_t>(row - begin)};
  };
  const auto names = std::make_shared<const PathNames>(trace);
  Columns(table, of)
      .integer("rank", [](const CallAt& c) { return number(c.rank); })
      .integer("call", [](const CallAt& c) { return number(c.call); })
      .integer("thread", [](const CallAt& c) { return number(c.calls->thread(c.call)); })
      .text("operation", [](const CallAt& c) { return mpi_name(c.calls->operation(c.call)); })
      .integer("begin_ns", [](const CallAt& c) { return number(c.calls->begin_ns(c.call)); })
      .integer("end_ns", [](const CallAt& c) { return number(c.calls->end_ns(c.call)); })
      .integer(
          "bytes",
          [](const CallAt& c) { return number(static_cast<std::int64_t>(c.calls->bytes(c.call))); })
      .integer("peer", [](const CallAt& c) { return number(c.calls->peer(c.call)); })
      .integer("tag", [](const CallAt& c) { return number(c.calls->tag(c.call)); })
      .integer("comm", [](const CallAt& c) { return number(c.calls->comm(c.call)); })
      .integer("request", [](const CallAt& c) { return number(c.calls->request(c.call)); })
      .integer("flags", [](const CallAt& c) { return number(c.calls->flags()[c.call]); })
      .text("region", [names](const CallAt& c) { return names->at(c); })
      .text("function", [&trace](const CallAt& c) { return function_at(trace.call_tree(), c); });
  return table;
}

SqlTable messages_table(const Trace& trace, const CallMatching& matching) {
  SqlTable table{.name = "messages", .rows = matching.messages().size()};
  table.key = "message";
  table.indices = {"source", "destination", "send_begin_ns"};
  const auto id = [](Row row) { return static_cast<std::uint32_t>(row); };
  Columns(table, id)
      .integer("message", [](std::uint32_t i) { return number(i); })
      .integer("source", [&](std::uint32_t i) { return number(matching.message(i).source); })
      .integer("destination",
               [&](std::uint32_t i) { return number(matching.message(i).destination); })
      .integer("bytes",
               [&](std::uint32_t i) {
                 return number(static_cast<std::int64_t>(std::uint64_t{matching.message(i).bytes}));
               })
      .integer("tag", [&](std::uint32_t i) { return number(sent_message(trace, matching, i).tag); })
      .integer("comm",
               [&](std::uint32_t i) { return number(sent_message(trace, matching, i).comm); });
  const auto of = [&matching](Row row) -> const MessageCalls& { return matching.messages()[row]; };
  const auto begin = [&trace](std::int32_t rank, CallIndex call) {
    return call == kNoCall ? SqlValue() : SqlValue(trace.calls(rank).begin_ns(call));
  };
  const auto end = [&trace](std::int32_t rank, CallIndex call) {
    return call == kNoCall ? SqlValue() : SqlValue(trace.calls(rank).end_ns(call));
  };
  Columns(table, of)
      .integer("send_call", [](const MessageCalls& m) { return call_or_null(m.send); })
      .integer("send_done_call", [](const MessageCalls& m) { return call_or_null(m.send_done); })
      .integer("receive_call", [](const MessageCalls& m) { return call_or_null(m.receive); })
      .integer("receive_done_call",
               [](const MessageCalls& m) { return call_or_null(m.receive_done); })
      .integer("send_begin_ns", [=](const MessageCalls& m) { return begin(m.source, m.send); })
      .integer("send_end_ns", [=](const MessageCalls& m) { return end(m.source, m.send_done); })
      .integer("receive_begin_ns",
               [=](const MessageCalls& m) { return begin(m.destination, m.receive); })
      .integer("receive_end_ns",
               [=](const MessageCalls& m) { return end(m.destination, m.receive_done); });
  return table;
}

SqlTable collectives_table(const Trace& trace, const CallMatching& matching) {
  SqlTable table{.name = "collectives", .rows = matching.collectives().size()};
  table.key = "collective";
  table.indices = {"operation"};
  const auto of = [&](Row row) {
    return std::pair(row, collective_times(trace, matching, matching.collectives()[row]));
  };
  using Timed = std::pair<Row, CollectiveTimes>;
  const auto instance = [&matching](const Timed& t) -> const CollectiveInstance& {
    return matching.collectives()[t.first];
  };
  Columns(table, of)
      .integer("collective",
               [](const Timed& t) { return number(static_cast<std::int64_t>(t.first)); })
      .text("operation", [=](const Timed& t) { return mpi_name(instance(t).operation); })
      .integer("comm", [=](const Timed& t) { return number(instance(t).comm); })
      .integer("root", [=](const Timed& t) { return number(instance(t).root); })
      .integer("members", [=](const Timed& t) { return number(instance(t).member_count); })
      .integer("first_begin_ns", [](const Timed& t) { return number(t.second.first_begin_ns); })
      .integer("last_begin_ns", [](const Timed& t) { return number(t.second.last_begin_ns); })
      .integer("last_rank", [](const Timed& t) { return number(t.second.last_rank); })
      .integer("last_end_ns", [](const Timed& t) {
        return t.second.last_end_ns ? SqlValue(*t.second.last_end_ns) : SqlValue();
      });
  return table;
}

SqlTable communicators_table(const Trace& trace) {
  struct Member {
    std::uint32_t comm;
    std::int64_t position;
    std::int32_t rank;
    bool remote;
  };
  auto members = std::make_shared<std::vector<Member>>();
  for (std::uint32_t comm = 0; comm < trace.communicators().size(); ++comm) {
    const Communicator& c = trace.communicators()[comm];
    for (const bool remote : {false, true}) {
      std::int64_t position = 0;
      for (const std::int32_t rank : remote ? c.remote : c.members) {
        members->push_back({comm, position++, rank, remote});
      }
    }
  }
  SqlTable table{.name = "communicator_members", .rows = members->size()};
  table.indices = {"comm", "rank"};
  const auto of = [members](Row row) { return (*members)[row]; };
  Columns(table, of)
      .integer("comm", [](const Member& m) { return number(m.comm); })
      .text("name",
            [&trace](const Member& m) {
              return std::string_view(trace.communicators()[m.comm].name);
            })
      .integer("position", [](const Member& m) { return number(m.position); })
      .integer("rank", [](const Member& m) { return number(m.rank); })
      .integer("remote", [](const Member& m) { return number(m.remote ? 1 : 0); });
  return table;
}

SqlTable regions_table(const Trace& trace) {
  const auto visits = std::make_shared<const std::vector<RegionVisit>>(region_visits(trace));
  SqlTable table{.name = "regions", .rows = visits->size()};
  table.indices = {"rank", "region"};
  const auto of = [visits](Row row) { return (*visits)[row]; };
  Columns(table, of)
      .integer("rank", [](const RegionVisit& v) { return number(v.rank); })
      .text("region",
            [&trace](const RegionVisit& v) { return std::string_view(trace.regions()[v.region]); })
      .integer("depth", [](const RegionVisit& v) { return number(v.depth); })
      .integer("begin_ns", [](const RegionVisit& v) { return number(v.begin_ns); })
      .integer("end_ns", [](const RegionVisit& v) { return number(v.end_ns); });
  return table;
}

SqlTable ranks_table(const Trace& trace) {
  SqlTable table{.name = "ranks", .rows = static_cast<Row>(trace.ranks())};
  table.key = "rank";
  const auto of = [](Row row) { return static_cast<std::int32_t>(row); };
  Columns(table, of)
      .integer("rank", [](std::int32_t r) { return number(r); })
      .text("host", [&](std::int32_t r) { return std::string_view(trace.rank_info(r).host); })
      .integer("present",
               [&](std::int32_t r) { return number(trace.rank_info(r).present ? 1 : 0); })
      .integer("start_ns", [&](std::int32_t r) { return number(trace.calls(r).start_ns()); })
      .integer("stop_ns", [&](std::int32_t r) { return number(trace.calls(r).stop_ns()); });
  return table;
}

SqlTable findings_table(const Trace& trace) {
  const std::vector<Findings::Entry>& entries = trace.findings().entries();
  SqlTable table{.name = "findings", .rows = entries.size()};
  table.key = "name";
  const auto of = [&entries](Row row) -> const Findings::Entry& { return entries[row]; };
  Columns(table, of)
      .text("name", [](const Findings::Entry& e) { return std::string_view(e.name); })
      .text("severity", [](const Findings::Entry& e) { return to_string(e.severity); })
      .integer("count",
               [](const Findings::Entry& e) { return number(static_cast<std::int64_t>(e.count)); })
      .text("sentence", [](const Findings::Entry& e) { return std::string_view(e.sentence); });
  return table;
}

}  // namespace

std::vector<SqlTable> trace_tables(const Trace& trace, const CallMatching& matching) {
  return {calls_table(trace),   messages_table(trace, matching), collectives_table(trace, matching),
          regions_table(trace), communicators_table(trace),      ranks_table(trace),
          findings_table(trace)};
}

}  // namespace slackline
