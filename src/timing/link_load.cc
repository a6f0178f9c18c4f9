#include "timing/link_load.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "base/units.h"

namespace slackline {
namespace {

constexpr double kNegligible = 0.01;  // of the run

struct Transfer {
  std::int64_t begin_ps;
  std::int64_t length_ps;
  std::int64_t slack_ps;  ///< by which it may come later without its receiver's noticing
};

std::int64_t longest_delay(std::vector<Transfer>& transfers) {
  if (!std::ranges::is_sorted(transfers, {}, &Transfer::begin_ps)) {
    std::ranges::stable_sort(transfers, {}, &Transfer::begin_ps);
  }
  std::int64_t free_at = 0;
  std::int64_t longest = 0;
  for (const Transfer& t : transfers) {
    const std::int64_t begin = std::max(free_at, t.begin_ps);
    longest = std::max(longest, begin - t.begin_ps - t.slack_ps);
    free_at = begin + t.length_ps;
  }
  return longest;
}

}  // namespace

LinkDelay longest_link_delay(const ExecutionGraph& graph, const Schedule& schedule,
                             const PicosecondCost& cost) {
  const auto ranks = static_cast<std::size_t>(graph.ranks());
  std::vector<std::vector<Transfer>> sent(ranks);
  std::vector<std::vector<Transfer>> received(ranks);
  const std::vector<std::int32_t> rank_of = vertex_ranks(graph);
  const auto vertices = static_cast<VertexId>(graph.vertex_count());
  for (VertexId v = 0; v < vertices; ++v) {
    graph.for_in_edges(v, [&](const Edge& e) {
      const std::int32_t from = rank_of[e.from];
      if (e.bytes == 0 || from == rank_of[v]) return;
      const EdgeCost takes = cost(e, v);
      if (takes.bandwidth_ps == 0) return;
      const std::int64_t left = schedule.time_ps[e.from];
      const std::int64_t arrived = left + takes.total_ps() - takes.bandwidth_ps;
      const std::int64_t slack = schedule.time_ps[v] - left - takes.total_ps();
      sent[static_cast<std::size_t>(from)].push_back({left, takes.bandwidth_ps, slack});
      received[static_cast<std::size_t>(rank_of[v])].push_back(
          {arrived, takes.bandwidth_ps, slack});
    });
  }
  LinkDelay worst;
  for (std::int32_t r = 0; r < graph.ranks(); ++r) {
    for (const bool sending : {true, false}) {
      const std::int64_t delay =
          longest_delay((sending ? sent : received)[static_cast<std::size_t>(r)]);
      if (delay > worst.longest_ps) worst = {delay, r, sending};
    }
  }
  return worst;
}

bool is_negligible(const LinkDelay& delay, std::int64_t makespan_ps) {
  return static_cast<double>(delay.longest_ps) <= kNegligible * static_cast<double>(makespan_ps);
}

LinkDelay material_link_delay(const ExecutionGraph& graph, const Schedule& schedule,
                              const PicosecondCost& cost) {
  const LinkDelay delay = longest_link_delay(graph, schedule, cost);
  return is_negligible(delay, schedule.makespan_ps) ? LinkDelay{} : delay;
}

std::string describe(const LinkDelay& delay) {
  return fmt::format("rank {} {}: up to {} later", delay.rank, delay.sending ? "sends" : "receives",
                     format_time_ns(static_cast<double>(delay.longest_ps) / kPicosPerNano));
}

std::string sentence(const LinkDelay& delay) {
  return fmt::format(
      "Messages that rank {} {} at the same time exceed the bandwidth of its link: one after the "
      "other, they would arrive up to {} later, which the model does not include.",
      delay.rank, delay.sending ? "sends" : "receives",
      format_time_ns(static_cast<double>(delay.longest_ps) / kPicosPerNano));
}

}  // namespace slackline
