#include "timing/link_load.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/units.h"

namespace slackline {
namespace {

constexpr double kNegligible = 0.01;  // of the run

}  // namespace

LinkLoad::LinkLoad(std::int32_t ranks)
    : sent_(static_cast<std::size_t>(ranks)), received_(static_cast<std::size_t>(ranks)) {}

void LinkLoad::add(const ExecutionGraph& graph, const Schedule& schedule,
                   const PicosecondCost& cost) {
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
      sent_[static_cast<std::size_t>(from)].transfers.push_back({left, slack, takes.bandwidth_ps});
      received_[static_cast<std::size_t>(rank_of[v])].transfers.push_back(
          {arrived, slack, takes.bandwidth_ps});
    });
  }
}

void LinkLoad::Link::settle(std::int64_t before_ps) {
  if (!std::ranges::is_sorted(transfers)) std::ranges::sort(transfers);
  const auto end = std::ranges::lower_bound(transfers, before_ps, {}, &Transfer::begin_ps);
  for (auto t = transfers.begin(); t != end; ++t) {
    const std::int64_t begin = std::max(free_at_ps, t->begin_ps);
    longest_ps = std::max(longest_ps, begin - t->begin_ps - t->slack_ps);
    free_at_ps = begin + t->length_ps;
  }
  transfers.erase(transfers.begin(), end);
}

void LinkLoad::settle(std::int64_t before_ps) {
  for (Link& link : sent_) link.settle(before_ps);
  for (Link& link : received_) link.settle(before_ps);
}

LinkDelay LinkLoad::longest() const {
  LinkDelay worst;
  for (std::size_t r = 0; r < sent_.size(); ++r) {
    for (const bool sending : {true, false}) {
      const std::int64_t delay = (sending ? sent_ : received_)[r].longest_ps;
      if (delay > worst.longest_ps) worst = {delay, static_cast<std::int32_t>(r), sending};
    }
  }
  return worst;
}

LinkDelay longest_link_delay(const ExecutionGraph& graph, const Schedule& schedule,
                             const PicosecondCost& cost) {
  LinkLoad load(graph.ranks());
  load.add(graph, schedule, cost);
  load.settle(std::numeric_limits<std::int64_t>::max());
  return load.longest();
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
