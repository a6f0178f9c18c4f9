// Tables of sums over the whole trace.

#include <fmt/format.h>

#include "analysis/profile/message_profile.h"
#include "analysis/profile/time_profile.h"
#include "base/error.h"
#include "bindings/tables.h"
#include "calls/run_span.h"

namespace slackline::python {
namespace {

using RowNumber = std::size_t;

void require_times_of_calls(const Opened& opened) {
  if (opened.trace().timed()) return;
  throw usage_error("cannot profile the run", "the trace has no timestamps",
                    "Open it with on='predicted' or on='simulated'.");
}

std::vector<std::string> names_of_kinds(const ProfileKinds& kinds) {
  std::vector<std::string> names;
  for (const ProfileKinds::Kind& kind : kinds.kinds) names.push_back(kind.name);
  return names;
}

TimeInterval interval_of(const Opened& opened, const CallFilter& filter) {
  const TimeInterval interval = filter.interval ? *filter.interval : run_span(opened.trace()).whole;
  if (interval.length_ns() > 0) return interval;
  throw usage_error("cannot profile the interval", "it is empty", "Give one that is not.");
}

std::size_t at_least_one(std::int64_t bins) {
  if (bins > 0) return static_cast<std::size_t>(bins);
  throw usage_error(fmt::format("cannot divide into {} bins", bins), "there has to be at least one",
                    "Give more.");
}

Columns histogram_table(const Histogram& histogram, const std::string& unit) {
  TableBuilder table(histogram.messages.size());
  table.add<double>("begin_" + unit, [&](RowNumber i) { return histogram.edges[i]; });
  table.add<double>("end_" + unit, [&](RowNumber i) { return histogram.edges[i + 1]; });
  table.add<std::uint64_t>("messages", [&](RowNumber i) { return histogram.messages[i]; });
  table.add<std::uint64_t>("bytes", [&](RowNumber i) { return histogram.bytes[i]; });
  return table.take();
}

}  // namespace

Columns flat_profile_table(const Opened& opened) {
  require_times_of_calls(opened);
  const FlatProfile profile = flat_profile(opened.trace(), opened.paths());
  std::vector<std::pair<std::int32_t, std::int32_t>> rows;  // rank and kind
  for (std::size_t rank = 0; rank < profile.by_rank.size(); ++rank) {
    for (std::size_t kind = 0; kind < profile.kinds.kinds.size(); ++kind) {
      if (profile.by_rank[rank][kind].count == 0) continue;
      rows.emplace_back(static_cast<std::int32_t>(rank), static_cast<std::int32_t>(kind));
    }
  }
  const auto entry = [&](RowNumber i) -> const ProfileEntry& {
    return profile
        .by_rank[static_cast<std::size_t>(rows[i].first)][static_cast<std::size_t>(rows[i].second)];
  };
  TableBuilder table(rows.size());
  table.add<std::int32_t>("rank", [&](RowNumber i) { return rows[i].first; });
  table.add_text("name", names_of_kinds(profile.kinds),
                 [&](RowNumber i) { return rows[i].second; });
  table.add<bool>("mpi", [&](RowNumber i) {
    return profile.kinds.kinds[static_cast<std::size_t>(rows[i].second)].is_mpi;
  });
  table.add<std::uint64_t>("count", [&](RowNumber i) { return entry(i).count; });
  table.add<std::int64_t>("time_ns", [&](RowNumber i) { return entry(i).time_ns; });
  return table.take();
}

Columns time_profile_table(const Opened& opened, const CallFilter& filter, std::int64_t bins) {
  require_times_of_calls(opened);
  const WindowProfile profile = window_profile(opened.trace(), opened.paths(),
                                               interval_of(opened, filter), at_least_one(bins));
  TableBuilder table(profile.by_window_ns.size());
  table.add<std::int64_t>("begin_ns", [&](RowNumber i) { return profile.edges_ns[i]; });
  table.add<std::int64_t>("end_ns", [&](RowNumber i) { return profile.edges_ns[i + 1]; });
  for (std::size_t kind = 0; kind < profile.kinds.kinds.size(); ++kind) {
    table.add<std::int64_t>(profile.kinds.kinds[kind].name,
                            [&](RowNumber i) { return profile.by_window_ns[i][kind]; });
  }
  return table.take();
}

Columns call_tree_table(const Opened& opened) {
  const CallPaths& paths = opened.paths();
  const std::vector<PathProfile> profile = path_profile(opened.trace(), paths);
  const auto id = [](RowNumber i) { return static_cast<PathId>(i); };
  Categories innermost;
  std::vector<std::int32_t> name;
  for (PathId path = 0; path < paths.size(); ++path) {
    name.push_back(innermost.code(paths.innermost(path)));
  }
  TableBuilder table(paths.size());
  table.add_text("path", paths.names(), [](RowNumber i) { return static_cast<std::int32_t>(i); });
  table.add_text("name", innermost.take(), [&](RowNumber i) { return name[i]; });
  table.add<std::int32_t>("parent", [&](RowNumber i) {
    return i == 0 ? -1 : static_cast<std::int32_t>(paths.parent(id(i)));
  });
  table.add<std::uint32_t>("depth", [&](RowNumber i) { return paths.depth(id(i)); });
  table.add<std::uint64_t>("calls", [&](RowNumber i) { return profile[i].mpi.count; });
  table.add<std::int64_t>("mpi_ns", [&](RowNumber i) { return profile[i].mpi.time_ns; });
  table.add<std::int64_t>("computation_ns",
                          [&](RowNumber i) { return profile[i].computation.time_ns; });
  return table.take();
}

Columns comm_matrix_table(const Opened& opened) {
  const std::vector<PairTotals> pairs = sent_by_pair(opened.trace());
  TableBuilder table(pairs.size());
  table.add<std::int32_t>("source", [&](RowNumber i) { return pairs[i].source; });
  table.add<std::int32_t>("destination", [&](RowNumber i) { return pairs[i].destination; });
  table.add<std::uint64_t>("messages", [&](RowNumber i) { return pairs[i].messages; });
  table.add<std::uint64_t>("bytes", [&](RowNumber i) { return pairs[i].bytes; });
  return table.take();
}

Columns message_sizes_table(const Opened& opened, std::int64_t bins) {
  return histogram_table(messages_by_size(opened.trace(), at_least_one(bins)), "bytes");
}

Columns comm_over_time_table(const Opened& opened, const CallFilter& filter, std::int64_t bins) {
  require_times_of_calls(opened);
  return histogram_table(
      messages_by_time(opened.trace(), interval_of(opened, filter), at_least_one(bins)), "ns");
}

}  // namespace slackline::python
