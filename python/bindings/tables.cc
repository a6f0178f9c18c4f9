#include "bindings/tables.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "calls/region_tree.h"

namespace slackline::python {
namespace {

/// By rank whether the filter lets it pass. Throws usage Error for a rank that does not exist.
std::vector<char> passing_ranks(const Trace& trace, const CallFilter& filter) {
  std::vector<char> passes(static_cast<std::size_t>(trace.ranks()), filter.ranks ? 0 : 1);
  if (!filter.ranks) return passes;
  for (const std::int32_t rank : *filter.ranks) {
    require_rank(trace, rank);
    passes[static_cast<std::size_t>(rank)] = 1;
  }
  return passes;
}

/// The numbers of 0 ... count-1 that pass.
template <class Passes>
std::vector<std::uint32_t> numbers_of(std::size_t count, const Passes& passes) {
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    if (passes(i)) numbers.push_back(static_cast<std::uint32_t>(i));
  }
  return numbers;
}

}  // namespace

std::vector<std::string> call_column_names() {
  const Trace none(0, true);
  std::vector<std::string> names;
  for (const TableColumn& column : slackline::calls_table(none).columns) {
    names.push_back(column.name);
  }
  return names;
}

Column call_column(const OpenedPtr& opened, const CallSelection& selection,
                   const std::string& name) {
  std::vector<TableRows> parts;
  for (const SelectedCalls& s : selection.of_ranks) {
    parts.push_back({s.rank, s.first, s.count, s.scattered ? s.scattered->data() : nullptr});
  }
  return column_of(opened->calls().column(name), parts, opened);
}

Columns messages_table(const Opened& opened, const CallFilter& filter) {
  const Trace& trace = opened.trace();
  const CallMatching& matching = opened.matching();
  const std::vector<char> passes = passing_ranks(trace, filter);
  const auto numbers = numbers_of(matching.messages().size(), [&](std::size_t i) {
    const MessageCalls& m = matching.messages()[i];
    if (passes[static_cast<std::size_t>(m.source)] == 0 &&
        passes[static_cast<std::size_t>(m.destination)] == 0) {
      return false;
    }
    const std::int64_t begin = trace.calls(m.source).begin_ns(m.send);
    return !filter.interval ||
           (begin >= filter.interval->begin_ns && begin < filter.interval->end_ns);
  });
  return columns_of(slackline::messages_table(trace, matching), &numbers);
}

Columns collectives_table(const Opened& opened, const CallFilter& filter) {
  const Trace& trace = opened.trace();
  const CallMatching& matching = opened.matching();
  const std::vector<char> passes = passing_ranks(trace, filter);
  const auto numbers = numbers_of(matching.collectives().size(), [&](std::size_t i) {
    const auto members = matching.members(matching.collectives()[i]);
    return !members.empty() && std::ranges::any_of(members, [&](const CollectiveMember& m) {
      return passes[static_cast<std::size_t>(m.rank)] != 0;
    });
  });
  return columns_of(slackline::collectives_table(trace, matching), &numbers);
}

Columns communicators_table(const Opened& opened) {
  const Trace& trace = opened.trace();
  const std::vector<Communicator>& all = trace.communicators();
  std::vector<std::string> names;
  for (const Communicator& c : all) names.push_back(c.name);
  using Row = std::size_t;
  TableBuilder table(all.size());
  const auto code = [](Row i) { return static_cast<std::int32_t>(i); };
  table.add<std::uint32_t>("comm", [](Row i) { return static_cast<std::uint32_t>(i); });
  table.add_text("name", std::move(names), code);
  table.add<std::uint32_t>("members", [&](Row i) {
    const std::size_t members = i == kCommSelf ? 1 : all[i].members.size();
    return static_cast<std::uint32_t>(members);
  });
  table.add<std::uint32_t>("remote_members",
                           [&](Row i) { return static_cast<std::uint32_t>(all[i].remote.size()); });
  return table.take();
}

Columns arguments_table(const Opened& opened, const CallFilter& filter) {
  const Trace& trace = opened.trace();
  const std::vector<char> passes = passing_ranks(trace, filter);
  struct Argument {
    std::int32_t rank;
    std::uint32_t call;
    std::int64_t value;
  };
  std::vector<Argument> rows;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    if (passes[static_cast<std::size_t>(rank)] == 0) continue;
    const RankCalls& calls = trace.calls(rank);
    for (std::uint32_t call = 0; call < calls.size(); ++call) {
      for (const std::int64_t value : calls.args(call)) rows.push_back({rank, call, value});
    }
  }
  using Row = std::size_t;
  TableBuilder table(rows.size());
  table.add<std::int32_t>("rank", [&](Row i) { return rows[i].rank; });
  table.add<std::uint32_t>("call", [&](Row i) { return rows[i].call; });
  table.add<std::int64_t>("value", [&](Row i) { return rows[i].value; });
  return table.take();
}

Columns regions_table(const Opened& opened, const CallFilter& filter) {
  const Trace& trace = opened.trace();
  const std::vector<char> passes = passing_ranks(trace, filter);
  std::vector<RegionVisit> visits = region_visits(trace);
  std::erase_if(visits, [&](const RegionVisit& v) {
    const bool outside = filter.interval && (v.end_ns <= filter.interval->begin_ns ||
                                             v.begin_ns >= filter.interval->end_ns);
    return outside || passes[static_cast<std::size_t>(v.rank)] == 0;
  });
  return columns_of(slackline::regions_table(trace, std::move(visits)));
}

Columns counters_table(const Opened& opened, const CallFilter& filter) {
  const Trace& trace = opened.trace();
  const std::vector<char> passes = passing_ranks(trace, filter);
  std::vector<std::pair<std::int32_t, std::uint32_t>> rows;
  for (std::int32_t rank = 0; rank < trace.ranks() && !trace.counters().empty(); ++rank) {
    if (passes[static_cast<std::size_t>(rank)] == 0) continue;
    for (std::uint32_t call = 0; call <= trace.calls(rank).size(); ++call) {
      rows.emplace_back(rank, call);
    }
  }
  using Row = std::size_t;
  TableBuilder table(rows.size());
  table.add<std::int32_t>("rank", [&](Row i) { return rows[i].first; });
  table.add<std::uint32_t>("before_call", [&](Row i) { return rows[i].second; });
  for (std::size_t c = 0; c < trace.counters().size(); ++c) {
    table.add<std::uint64_t>(trace.counters()[c], [&](Row i) {
      return trace.calls(rows[i].first).counter(c, rows[i].second);
    });
  }
  return table.take();
}

Columns samples_table(const Opened& opened, const CallFilter& filter) {
  const Trace& trace = opened.trace();
  const Samples& samples = opened.opened().samples;
  const std::vector<char> passes = passing_ranks(trace, filter);
  std::vector<std::pair<std::int32_t, Sample>> rows;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    if (passes[static_cast<std::size_t>(rank)] == 0) continue;
    for (const Sample& sample : samples.of(rank)) rows.emplace_back(rank, sample);
  }
  std::vector<std::string> functions{""};
  for (FrameId frame = 1; frame <= trace.call_tree().size(); ++frame) {
    functions.push_back(describe_frame(trace.call_tree(), frame));
  }
  using Row = std::size_t;
  TableBuilder table(rows.size());
  table.add<std::int32_t>("rank", [&](Row i) { return rows[i].first; });
  table.add<std::uint16_t>("thread", [&](Row i) { return rows[i].second.thread; });
  table.add<std::int64_t>("time_ns", [&](Row i) { return rows[i].second.time_ns; });
  table.add<std::int64_t>("cpu_ns", [&](Row i) { return rows[i].second.cpu_ns; });
  table.add<std::uint32_t>("before_call", [&](Row i) { return rows[i].second.before_call; });
  table.add_text("frame", std::move(functions),
                 [&](Row i) { return static_cast<std::int32_t>(rows[i].second.frame); });
  return table.take();
}

Columns findings_table(const Findings& findings) {
  return columns_of(slackline::findings_table(findings.entries()));
}

}  // namespace slackline::python
