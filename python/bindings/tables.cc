#include "bindings/tables.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "calls/collective_members.h"
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

void add_message_ends(TableBuilder& table, const Trace& trace,
                      const std::vector<const MessageCalls*>& of) {
  using Row = std::size_t;
  const auto source = [&](Row i) -> const RankCalls& { return trace.calls(of[i]->source); };
  const auto destination = [&](Row i) -> const RankCalls& {
    return trace.calls(of[i]->destination);
  };
  const auto sent = [&](Row i) { return of[i]->send_done != kNoCall; };
  const auto posted = [&](Row i) { return of[i]->receive != kNoCall; };
  const auto received = [&](Row i) { return of[i]->receive_done != kNoCall; };
  table.add<std::uint32_t>("send_call", [&](Row i) { return of[i]->send; });
  table.add_optional<std::uint32_t>(
      "send_done_call", [&](Row i) { return of[i]->send_done; }, sent);
  table.add_optional<std::uint32_t>(
      "receive_call", [&](Row i) { return of[i]->receive; }, posted);
  table.add_optional<std::uint32_t>(
      "receive_done_call", [&](Row i) { return of[i]->receive_done; }, received);
  table.add<std::int64_t>("send_begin_ns", [&](Row i) { return source(i).begin_ns(of[i]->send); });
  table.add_optional<std::int64_t>(
      "send_end_ns", [&](Row i) { return source(i).end_ns(of[i]->send_done); }, sent);
  table.add_optional<std::int64_t>(
      "receive_begin_ns", [&](Row i) { return destination(i).begin_ns(of[i]->receive); }, posted);
  table.add_optional<std::int64_t>(
      "receive_end_ns", [&](Row i) { return destination(i).end_ns(of[i]->receive_done); },
      received);
}

std::vector<std::string> names_of(const Trace& trace) {
  return {trace.regions().begin(), trace.regions().end()};
}

}  // namespace

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
  std::vector<const MessageCalls*> of(numbers.size());
  std::ranges::transform(numbers, of.begin(), [&](auto id) { return &matching.message(id); });
  using Row = std::size_t;
  TableBuilder table(of.size());
  table.add<std::int32_t>("source", [&](Row i) { return of[i]->source; });
  table.add<std::int32_t>("destination", [&](Row i) { return of[i]->destination; });
  table.add<std::uint64_t>("bytes", [&](Row i) { return std::uint64_t{of[i]->bytes}; });
  table.add<std::int32_t>("tag",
                          [&](Row i) { return sent_message(trace, matching, numbers[i]).tag; });
  table.add<std::uint32_t>("comm",
                           [&](Row i) { return sent_message(trace, matching, numbers[i]).comm; });
  add_message_ends(table, trace, of);
  return table.take();
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
  std::vector<CollectiveTimes> times;
  for (const std::uint32_t id : numbers) {
    times.push_back(collective_times(trace, matching, matching.collective(id)));
  }
  using Row = std::size_t;
  const auto of = [&](Row i) -> const CollectiveInstance& {
    return matching.collective(numbers[i]);
  };
  TableBuilder table(numbers.size());
  table.add_text("operation", operation_names(),
                 [&](Row i) { return static_cast<std::int32_t>(of(i).operation); });
  table.add<std::uint32_t>("comm", [&](Row i) { return of(i).comm; });
  table.add<std::int32_t>("root", [&](Row i) { return of(i).root; });
  table.add<std::uint32_t>("members", [&](Row i) { return of(i).member_count; });
  table.add<std::int64_t>("first_begin_ns", [&](Row i) { return times[i].first_begin_ns; });
  table.add<std::int64_t>("last_begin_ns", [&](Row i) { return times[i].last_begin_ns; });
  table.add<std::int32_t>("last_rank", [&](Row i) { return times[i].last_rank; });
  table.add_optional<std::int64_t>(
      "last_end_ns", [&](Row i) { return *times[i].last_end_ns; },
      [&](Row i) { return times[i].last_end_ns.has_value(); });
  return table.take();
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
  using Row = std::size_t;
  TableBuilder table(visits.size());
  table.add<std::int32_t>("rank", [&](Row i) { return visits[i].rank; });
  table.add_text("region", names_of(trace),
                 [&](Row i) { return static_cast<std::int32_t>(visits[i].region); });
  table.add<std::int32_t>("depth", [&](Row i) { return visits[i].depth; });
  table.add<std::int64_t>("begin_ns", [&](Row i) { return visits[i].begin_ns; });
  table.add<std::int64_t>("end_ns", [&](Row i) { return visits[i].end_ns; });
  return table.take();
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
  const auto& entries = findings.entries();
  std::vector<std::string> names, sentences, examples;
  for (const Findings::Entry& entry : entries) {
    names.push_back(entry.name);
    sentences.push_back(entry.sentence);
    std::string joined;
    for (const std::string& example : entry.examples) {
      joined += (joined.empty() ? "" : "; ") + example;
    }
    examples.push_back(std::move(joined));
  }
  std::vector<std::string> severities;
  for (const Severity s : {Severity::info, Severity::notice, Severity::data_loss}) {
    severities.emplace_back(to_string(s));
  }
  using Row = std::size_t;
  const auto own = [](Row i) { return static_cast<std::int32_t>(i); };
  TableBuilder table(entries.size());
  table.add_text("name", std::move(names), own);
  table.add_text("severity", std::move(severities),
                 [&](Row i) { return static_cast<std::int32_t>(entries[i].severity); });
  table.add<std::uint64_t>("count", [&](Row i) { return entries[i].count; });
  table.add_text("sentence", std::move(sentences), own);
  table.add_text("examples", std::move(examples), own);
  return table.take();
}

}  // namespace slackline::python
