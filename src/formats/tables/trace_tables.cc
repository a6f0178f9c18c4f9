#include "formats/tables/trace_tables.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "base/error.h"
#include "calls/collective_members.h"

namespace slackline {

const TableColumn& TraceTable::column(std::string_view wanted) const {
  const auto found = std::ranges::find(columns, wanted, &TableColumn::name);
  expects(found != columns.end(), "the table has the column");
  return *found;
}

TableRows TraceTable::at(std::size_t row) const {
  const auto part = std::ranges::upper_bound(first_row, row) - first_row.begin() - 1;
  return {.part = static_cast<std::int32_t>(part),
          .first = row - first_row[static_cast<std::size_t>(part)],
          .count = 1};
}

namespace {

/// A call, as columns take it.
struct CallAt {
  const RankCalls& calls;
  std::int32_t rank;
  std::uint32_t call;
};

/// A table that is not divided into parts.
TraceTable table_of(std::string name, std::size_t rows) {
  return {.name = std::move(name), .first_row = {0, rows}};
}

std::vector<std::size_t> first_calls(const Trace& trace) {
  std::vector<std::size_t> first{0};
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    first.push_back(first.back() + trace.calls(rank).size());
  }
  return first;
}

/// Adds a column that every rank has as an array.
template <class T>
void add_stored(TraceTable& table, const Trace& trace, std::string name,
                std::string_view explanation, std::span<const T> (RankCalls::*whole)() const) {
  TableColumn column{.name = std::move(name),
                     .explanation = explanation,
                     .bytes = sizeof(T),
                     .is_signed = std::is_signed_v<T>};
  column.stored = [&trace, whole](std::int32_t rank) {
    return (trace.calls(rank).*whole)().data();
  };
  column.fill = [&trace, whole](const TableRows& rows, char* to) {
    const T* const all = (trace.calls(rows.part).*whole)().data();
    if (rows.numbers == nullptr) {
      std::memcpy(to, all + rows.first, rows.count * sizeof(T));
      return;
    }
    for (std::size_t i = 0; i < rows.count; ++i) {
      std::memcpy(to + i * sizeof(T), all + rows.numbers[i], sizeof(T));
    }
  };
  table.columns.push_back(std::move(column));
}

/// Texts, and by the number of each thing that has one of them which it is.
struct CodedTexts {
  Texts texts{};
  std::vector<std::int32_t> codes{};
};

/// Only the operations that occur, in the order of their numbers.
CodedTexts coded_operations(const Trace& trace) {
  std::array<bool, kOperationCount> occurs{};
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    for (const Operation o : trace.calls(rank).operations()) {
      occurs[static_cast<std::size_t>(o)] = true;
    }
  }
  CodedTexts coded;
  for (std::size_t i = 0; i < kOperationCount; ++i) {
    coded.codes.push_back(static_cast<std::int32_t>(coded.texts.size()));
    if (occurs[i]) coded.texts.emplace_back(mpi_name(static_cast<Operation>(i)));
  }
  return coded;
}

/// The functions of the call tree's frames.
CodedTexts coded_functions(const CallTree& tree) {
  CodedTexts coded{{""}, {0}};
  std::map<std::string_view, std::int32_t> numbers{{"", 0}};
  for (FrameId frame = 1; frame <= tree.size(); ++frame) {
    const std::string& function = tree.location(frame).function;
    const auto [number, fresh] =
        numbers.try_emplace(function, static_cast<std::int32_t>(coded.texts.size()));
    if (fresh) coded.texts.push_back(function);
    coded.codes.push_back(number->second);
  }
  return coded;
}

/// text_of(i) for i from 0 to count - 1, which their columns have as codes.
template <class TextOf>
auto texts_of(std::size_t count, TextOf text_of) {
  return lazily([count, text_of] {
    Texts texts;
    for (std::size_t i = 0; i < count; ++i) texts.emplace_back(text_of(i));
    return texts;
  });
}

std::int32_t code(std::size_t i) {
  return static_cast<std::int32_t>(i);
}

std::optional<CallIndex> known(CallIndex call) {
  return call == kNoCall ? std::nullopt : std::optional(call);
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : "; ") + text;
  return all;
}

TraceTable communicator_members_table(const Trace& trace) {
  struct Member {
    std::uint32_t comm;
    std::uint32_t position;
    std::int32_t rank;
    bool remote;
  };
  auto members = std::make_shared<std::vector<Member>>();
  for (std::uint32_t comm = 0; comm < trace.communicators().size(); ++comm) {
    const Communicator& c = trace.communicators()[comm];
    for (const bool remote : {false, true}) {
      std::uint32_t position = 0;
      for (const std::int32_t rank : remote ? c.remote : c.members) {
        members->push_back({comm, position++, rank, remote});
      }
    }
  }
  TraceTable table = table_of("communicator_members", members->size());
  table.indices = {"comm", "rank"};
  const auto& comms = trace.communicators();
  ColumnsOf(table, [members](std::int32_t, std::size_t row) { return (*members)[row]; })
      .number("comm", "the communicator", [](const Member& m) { return m.comm; })
      .text("name", "its name",
            texts_of(comms.size(), [&comms](std::size_t i) { return comms[i].name; }),
            [](const Member& m) { return code(m.comm); })
      .number("position", "in its group", [](const Member& m) { return m.position; })
      .number("rank", "of MPI_COMM_WORLD", [](const Member& m) { return m.rank; })
      .number("remote", "1: of the second group of an intercommunicator",
              [](const Member& m) { return std::uint8_t{m.remote}; });
  return table;
}

TraceTable ranks_table(const Trace& trace) {
  TraceTable table = table_of("ranks", static_cast<std::size_t>(trace.ranks()));
  table.key = "rank";
  const auto host = [&trace](std::size_t r) { return trace.rank_info(code(r)).host; };
  ColumnsOf(table, [](std::int32_t, std::size_t row) { return code(row); })
      .number("rank", "of MPI_COMM_WORLD", [](std::int32_t r) { return r; })
      .text("host", "where it ran", texts_of(table.rows(), host), [](std::int32_t r) { return r; })
      .number("present", "0: nothing of it was recorded",
              [&trace](std::int32_t r) { return std::uint8_t{trace.rank_info(r).present}; })
      .number("start_ns", "when it starts",
              [&trace](std::int32_t r) { return trace.calls(r).start_ns(); })
      .number("stop_ns", "when it stops",
              [&trace](std::int32_t r) { return trace.calls(r).stop_ns(); });
  return table;
}

}  // namespace

TraceTable calls_table(const Trace& trace, std::function<const CallPaths&()> paths) {
  TraceTable table{.name = "calls", .first_row = first_calls(trace), .by_rank = true};
  table.key = "rank, call";
  table.indices = {"begin_ns", "operation"};
  if (!paths) paths = lazily([&trace] { return CallPaths::of_regions_or_functions(trace); });
  const auto known_paths = lazily([paths] { return &paths(); });
  const auto operations = lazily([&trace] { return coded_operations(trace); });
  const auto functions = lazily([&trace] { return coded_functions(trace.call_tree()); });
  ColumnsOf columns(table, [&trace](std::int32_t rank, std::size_t call) {
    return CallAt{trace.calls(rank), rank, static_cast<std::uint32_t>(call)};
  });
  columns.number("rank", "that makes it", [](const CallAt& c) { return c.rank; });
  columns.last().constant = [](std::int32_t rank) { return std::optional<std::int64_t>(rank); };
  columns.number("call", "its number within the rank, from 0 on",
                 [](const CallAt& c) { return c.call; });
  columns.number("thread", "that makes it", [](const CallAt& c) { return c.calls.thread(c.call); });
  columns.last().constant = [&trace](std::int32_t rank) {
    return trace.calls(rank).has_threads() ? std::nullopt : std::optional<std::int64_t>(0);
  };
  columns.text(
      "operation", "`MPI_Isend`", [operations]() -> const Texts& { return operations().texts; },
      [operations](const CallAt& c) {
        const auto operation = static_cast<std::size_t>(c.calls.operation(c.call));
        return static_cast<std::int16_t>(operations().codes[operation]);
      });
  add_stored(table, trace, "begin_ns", "when it begins", &RankCalls::begins_ns);
  add_stored(table, trace, "end_ns", "when it ends", &RankCalls::ends_ns);
  add_stored(table, trace, "bytes", "sent, received or contributed by it", &RankCalls::byte_counts);
  add_stored(
      table, trace, "peer",
      "destination, source or root as a world rank; -1 none, -2 MPI_PROC_NULL, -3 a wildcard "
      "that was never resolved, -4 MPI_ROOT",
      &RankCalls::peers);
  add_stored(table, trace, "tag", "of collectives the element's size in bytes", &RankCalls::tags);
  add_stored(table, trace, "comm",
             "the communicator; 0 is MPI_COMM_WORLD, 1 MPI_COMM_SELF, 4294967295 none",
             &RankCalls::comms);
  add_stored(table, trace, "request", "serial of the request that it starts or completes; 0 none",
             &RankCalls::requests);
  add_stored(table, trace, "flags", "as in `src/trace/wire.h`", &RankCalls::flags);
  columns.text(
      "region",
      "chain of user regions, or of functions where the recording has call paths and no regions: "
      "`main/solve`; empty outside of all",
      lazily([known_paths] { return known_paths()->names(); }), [known_paths](const CallAt& c) {
        return static_cast<std::int32_t>(known_paths()->at_call(c.rank, c.call));
      });
  columns.text(
      "function", "the function that makes the call; empty without call paths",
      [functions]() -> const Texts& { return functions().texts; },
      [functions](const CallAt& c) { return functions().codes[c.calls.frame(c.call)]; });
  return table;
}

TraceTable messages_table(const Trace& trace, const CallMatching& matching) {
  TraceTable table = table_of("messages", matching.messages().size());
  table.key = "message";
  table.indices = {"source", "destination", "send_begin_ns"};
  ColumnsOf(table, [](std::int32_t, std::size_t row) { return static_cast<std::uint32_t>(row); })
      .number("message", "its number", [](std::uint32_t id) { return id; })
      .number("source", "world rank that sends it",
              [&matching](std::uint32_t id) { return matching.message(id).source; })
      .number("destination", "world rank that receives it",
              [&matching](std::uint32_t id) { return matching.message(id).destination; })
      .number("bytes", "of the message, as sent",
              [&matching](std::uint32_t id) { return std::uint64_t{matching.message(id).bytes}; })
      .number("tag", "of the message, as sent",
              [&](std::uint32_t id) { return sent_message(trace, matching, id).tag; })
      .number("comm", "the communicator",
              [&](std::uint32_t id) { return sent_message(trace, matching, id).comm; });
  using Time = std::optional<std::int64_t>;
  const auto begin = [&trace](std::int32_t rank, CallIndex call) {
    return call == kNoCall ? std::nullopt : Time(trace.calls(rank).begin_ns(call));
  };
  const auto end = [&trace](std::int32_t rank, CallIndex call) {
    return call == kNoCall ? std::nullopt : Time(trace.calls(rank).end_ns(call));
  };
  using M = MessageCalls;
  ColumnsOf(
      table,
      [&matching](std::int32_t, std::size_t row) -> const M& { return matching.messages()[row]; })
      .number("send_call", "of the source: hands it over", [](const M& m) { return m.send; })
      .number("send_done_call", "of the source: completes the send; NULL where the trace has none",
              [](const M& m) { return known(m.send_done); })
      .number("receive_call",
              "of the destination: posts the receive; NULL where the trace has none",
              [](const M& m) { return known(m.receive); })
      .number("receive_done_call",
              "of the destination: completes it; NULL where the trace has none",
              [](const M& m) { return known(m.receive_done); })
      .number("send_begin_ns", "when `send_call` begins",
              [&trace](const M& m) { return trace.calls(m.source).begin_ns(m.send); })
      .number("send_end_ns", "when `send_done_call` ends",
              [=](const M& m) { return end(m.source, m.send_done); })
      .number("receive_begin_ns", "when `receive_call` begins",
              [=](const M& m) { return begin(m.destination, m.receive); })
      .number("receive_end_ns", "when `receive_done_call` ends",
              [=](const M& m) { return end(m.destination, m.receive_done); });
  return table;
}

TraceTable collectives_table(const Trace& trace, const CallMatching& matching) {
  TraceTable table = table_of("collectives", matching.collectives().size());
  table.key = "collective";
  table.indices = {"operation"};
  const auto instance = [&matching](std::int32_t, std::size_t row) -> const CollectiveInstance& {
    return matching.collectives()[row];
  };
  ColumnsOf(table, [](std::int32_t, std::size_t row) {
    return static_cast<std::uint32_t>(row);
  }).number("collective", "its number", [](std::uint32_t id) { return id; });
  using C = CollectiveInstance;
  const auto name = [](std::size_t i) { return mpi_name(static_cast<Operation>(i)); };
  ColumnsOf(table, instance)
      .text("operation", "in its blocking form", texts_of(kOperationCount, name),
            [](const C& c) { return static_cast<std::int16_t>(c.operation); })
      .number("comm", "the communicator", [](const C& c) { return c.comm; })
      .number("root", "the root as a world rank, -1 none", [](const C& c) { return c.root; })
      .number("members", "their number", [](const C& c) { return c.member_count; });
  ColumnsOf(table,
            [&](std::int32_t, std::size_t row) {
              return collective_times(trace, matching, matching.collectives()[row]);
            })
      .number("first_begin_ns", "when the first member enters",
              [](const CollectiveTimes& t) { return t.first_begin_ns; })
      .number("last_begin_ns", "when the last member enters",
              [](const CollectiveTimes& t) { return t.last_begin_ns; })
      .number("last_rank", "that enters last", [](const CollectiveTimes& t) { return t.last_rank; })
      .number("last_end_ns", "when the last member is done; NULL where one never is",
              [](const CollectiveTimes& t) { return t.last_end_ns; });
  return table;
}

TraceTable regions_table(const Trace& trace, std::vector<RegionVisit> visits) {
  const auto kept = std::make_shared<const std::vector<RegionVisit>>(std::move(visits));
  TraceTable table = table_of("regions", kept->size());
  table.indices = {"rank", "region"};
  using V = RegionVisit;
  ColumnsOf(table, [kept](std::int32_t, std::size_t row) -> const V& { return (*kept)[row]; })
      .number("rank", "that is in it", [](const V& v) { return v.rank; })
      .text(
          "region", "its name", [&trace]() -> const Texts& { return trace.regions(); },
          [](const V& v) { return code(v.region); })
      .number("depth", "regions that are open around it; 0: outermost",
              [](const V& v) { return v.depth; })
      .number("begin_ns", "when it is entered", [](const V& v) { return v.begin_ns; })
      .number("end_ns", "when it is left", [](const V& v) { return v.end_ns; });
  return table;
}

TraceTable findings_table(const std::vector<Findings::Entry>& all) {
  TraceTable table = table_of("findings", all.size());
  table.key = "name";
  const auto texts = [&all](auto text_of) {
    return texts_of(all.size(), [&all, text_of](std::size_t i) { return text_of(all[i]); });
  };
  using Entry = Findings::Entry;
  ColumnsOf(table, [](std::int32_t, std::size_t row) { return row; })
      .text("name", "for scripts", texts([](const Entry& e) { return e.name; }), code)
      .text("severity", "`info`, `notice`, `data_loss`",
            texts([](const Entry& e) { return to_string(e.severity); }), code)
      .number("count", "how often it was found", [&all](std::size_t i) { return all[i].count; })
      .text("sentence", "what it means", texts([](const Entry& e) { return e.sentence; }), code)
      .text("examples", "where, separated by semicolons",
            texts([](const Entry& e) { return joined(e.examples); }), code);
  return table;
}

std::vector<TraceTable> trace_tables(const Trace& trace, const CallMatching& matching) {
  return {calls_table(trace),
          messages_table(trace, matching),
          collectives_table(trace, matching),
          regions_table(trace, region_visits(trace)),
          communicator_members_table(trace),
          ranks_table(trace),
          findings_table(trace.findings().entries())};
}

}  // namespace slackline
