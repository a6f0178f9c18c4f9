#include "graph/training/recorded_network.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/units.h"

namespace slackline {
namespace {

constexpr std::size_t kLargestRing = 64;
// Where collectives of one size cannot tell them apart: a step of NCCL over NVLink, and its
// bandwidth.
constexpr double kUsualLatency_ns = 2'000;
constexpr double kUsualGap_ns = 0.01;

std::int64_t size_of(std::string_view data_type) {
  if (data_type == "Double" || data_type == "Long") return 8;
  if (data_type == "Float" || data_type == "Int") return 4;
  if (data_type == "Half" || data_type == "BFloat16" || data_type == "Short") return 2;
  return 1;
}

// Bytes of the whole buffer; 0 where they are not recorded.
std::int64_t bytes_of(const TrainingRun& run, const TrainingCollective& collective) {
  const CollectiveKernel& member = collective.members.front();
  const ProfiledRank& rank = run.ranks[member.rank];
  const std::uint32_t detail = rank.gpu[member.activity].collective;
  if (detail == kNotRecorded) return 0;
  const CollectiveDetail& found = rank.collectives[detail];
  return static_cast<std::int64_t>(std::max(found.in_elements, found.out_elements)) *
         size_of(found.data_type);
}

bool is_tree(const TrainingRun& run, const TrainingCollective& collective) {
  const CollectiveKernel& member = collective.members.front();
  const ProfiledRank& rank = run.ranks[member.rank];
  return rank.name(rank.gpu[member.activity].name).find("TREE") != std::string_view::npos;
}

// A step of a collective: its bytes, its time, and how many there are.
struct Step {
  double bytes;
  double time_ns;
  double count;
};

std::vector<Step> steps_of(const TrainingRun& run,
                           const std::vector<TrainingCollective>& collectives, bool& has_sizes) {
  std::vector<Step> steps;
  for (const TrainingCollective& collective : collectives) {
    const MessagePattern pattern = pattern_of(run, collective);
    const auto time = static_cast<double>(transfer_time_ns(collective));
    if (pattern.steps == 0 || time <= 0) continue;
    has_sizes = has_sizes || pattern.bytes > 0;
    steps.push_back({static_cast<double>(pattern.bytes), time / pattern.steps,
                     static_cast<double>(pattern.steps)});
  }
  if (has_sizes) std::erase_if(steps, [](const Step& step) { return step.bytes == 0; });
  std::ranges::sort(steps, [](const Step& a, const Step& b) {
    return a.bytes != b.bytes ? a.bytes < b.bytes : a.time_ns < b.time_ns;
  });
  return steps;
}

// The lower convex hull, by bytes.
std::vector<Step> lower_hull(const std::vector<Step>& steps) {
  std::vector<Step> hull;
  for (const Step& step : steps) {
    if (!hull.empty() && hull.back().bytes == step.bytes) continue;
    while (hull.size() >= 2) {
      const Step& a = hull[hull.size() - 2];
      const Step& b = hull.back();
      const double turn = (b.bytes - a.bytes) * (step.time_ns - a.time_ns) -
                          (b.time_ns - a.time_ns) * (step.bytes - a.bytes);
      if (turn > 0) break;
      hull.pop_back();
    }
    hull.push_back(step);
  }
  return hull;
}

RecordedNetwork network(double latency_ns, double gap_ns, bool has_sizes, bool assumed) {
  return {static_cast<std::int64_t>(latency_ns * static_cast<double>(kFemtosPerNano)),
          static_cast<std::int64_t>(gap_ns * static_cast<double>(kFemtosPerNano)), has_sizes,
          assumed};
}

}  // namespace

MessagePattern pattern_of(const TrainingRun& run, const TrainingCollective& collective) {
  const std::size_t ranks = collective.members.size();
  if (ranks < 2) return {};
  const std::int64_t size = bytes_of(run, collective);
  if (collective.point_to_point) return {1, size, false};
  const auto others = static_cast<std::int32_t>(ranks - 1);
  const bool all_reduce = collective.operation == "AllReduce";
  const bool whole = collective.operation == "Broadcast" || collective.operation == "Reduce";
  const std::int32_t steps = all_reduce ? 2 * others : others;
  const std::int64_t block = whole ? size : size / static_cast<std::int64_t>(ranks);
  if (ranks <= kLargestRing && !is_tree(run, collective)) return {steps, block, false};
  const auto doublings = static_cast<std::int32_t>(std::bit_width(ranks - 1));
  const std::int32_t rounds = all_reduce ? 2 * doublings : doublings;
  return {rounds, block * steps / rounds, true};
}

std::int64_t transfer_time_ns(const TrainingCollective& collective) {
  std::int64_t end = 0;
  for (const CollectiveKernel& member : collective.members) {
    end = std::max(end, member.time.end_ns);
  }
  return end - collective.members[collective.straggler].time.begin_ns;
}

RecordedNetwork recorded_network(const TrainingRun& run,
                                 const std::vector<TrainingCollective>& collectives) {
  bool has_sizes = false;
  const std::vector<Step> steps = steps_of(run, collectives, has_sizes);
  if (steps.empty()) return network(kUsualLatency_ns, kUsualGap_ns, false, true);
  double weight = 0;
  double sum = 0;
  for (const Step& step : steps) {
    weight += step.count;
    sum += step.count * step.bytes;
  }
  const double mean = sum / weight;
  const std::vector<Step> hull = lower_hull(steps);
  if (hull.size() == 1) {
    if (!has_sizes) return network(hull[0].time_ns, kUsualGap_ns, false, false);
    const double latency = std::min(kUsualLatency_ns, hull[0].time_ns / 2);
    return network(latency, (hull[0].time_ns - latency) / hull[0].bytes, true, true);
  }
  std::size_t k = 1;
  while (k + 1 < hull.size() && hull[k].bytes < mean) ++k;
  const Step& a = hull[k - 1];
  const Step& b = hull[k];
  const double gap = std::max(0.0, (b.time_ns - a.time_ns) / (b.bytes - a.bytes));
  const double latency = std::min(a.time_ns - gap * a.bytes, b.time_ns - gap * b.bytes);
  if (latency >= 0) return network(latency, gap, true, false);
  // The line through the origin below all steps.
  double least = hull.front().time_ns / hull.front().bytes;
  for (const Step& step : hull) least = std::min(least, step.time_ns / step.bytes);
  return network(0, least, true, false);
}

}  // namespace slackline
