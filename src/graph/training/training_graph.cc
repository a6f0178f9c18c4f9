#include "graph/training/training_graph.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>

#include "base/statistics.h"
#include "base/units.h"
#include "graph/training/moments.h"
#include "graph/training/rank_moments.h"
#include "training/training_run.h"

namespace slackline {
namespace {

template <class T>
std::int64_t first_begin(const std::vector<T>& all, std::int64_t before) {
  for (const T& one : all) before = std::min(before, one.time.begin_ns);
  return before;
}

std::int64_t begin_of(const TrainingRun& run) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const ProfiledRank& rank : run.ranks) {
    first = first_begin(rank.steps, first_begin(rank.cpu, first));
    first = first_begin(rank.gpu, first_begin(rank.runtime_calls, first));
  }
  return first == std::numeric_limits<std::int64_t>::max() ? 0 : first;
}

class GraphOfRun {
 public:
  GraphOfRun(const TrainingRun& run, TrainingEdit edit)
      : run_(run), edit_(edit), collectives_(match_collectives(run, ignored_)) {
    network_ = recorded_network(run_, collectives_);
  }

  TrainingGraph build() {
    add_ranks();
    for (const TrainingCollective& collective : collectives_) add_messages(collective);
    moments_.fit();
    apply_edit();
    std::vector<std::uint32_t> starts;
    std::vector<std::uint32_t> ends;
    TrainingGraph result{{}, network_, 0};
    for (const RankMoments& rank : ranks_) {
      starts.push_back(rank.start());
      ends.push_back(rank.end());
      result.measured_ns = std::max(result.measured_ns, moments_.time_ns(rank.end()));
    }
    result.graph = moments_.graph(starts, ends, result.moments);
    return result;
  }

 private:
  void add_ranks() {
    const std::int64_t first = begin_of(run_);
    for (const ProfiledRank& rank : run_.ranks) in_collective_.emplace_back(rank.gpu.size());
    for (const TrainingCollective& collective : collectives_) {
      for (const CollectiveKernel& member : collective.members) {
        in_collective_[member.rank][member.activity] = true;
      }
    }
    ranks_.reserve(run_.ranks.size());
    for (std::uint32_t i = 0; i < run_.ranks.size(); ++i) {
      ranks_.emplace_back(run_.ranks[i], i, in_collective_[i], first, moments_);
    }
  }

  // Bytes of a message: what is recorded, or what the transfer took beyond latency.
  std::int64_t message_bytes(const TrainingCollective& collective,
                             const MessagePattern& pattern) const {
    if (pattern.bytes > 0 || network_.gap_per_byte_fs == 0) return pattern.bytes;
    const std::int64_t step_fs = transfer_time_ns(collective) * kFemtosPerNano / pattern.steps;
    return std::max<std::int64_t>(step_fs - network_.latency_fs, 0) / network_.gap_per_byte_fs;
  }

  void add_messages(const TrainingCollective& collective) {
    const MessagePattern pattern = pattern_of(run_, collective);
    const std::int64_t bytes = pattern.steps == 0 ? 0 : message_bytes(collective, pattern);
    std::vector<std::uint32_t> at;
    for (const CollectiveKernel& member : collective.members) {
      at.push_back(ranks_[member.rank].begin_of(member.activity));
    }
    for (std::int32_t step = 0; step < pattern.steps; ++step) {
      const std::size_t round = static_cast<std::size_t>(step) % 63;
      const std::size_t n = at.size();
      const std::size_t distance = pattern.doubling ? (std::size_t{1} << round) % n : 1;
      at = next_step(collective, at, std::max<std::size_t>(distance, 1), bytes);
    }
    const bool together = pattern.steps > 0 && leave_together(collective);
    const std::uint32_t all = together ? join(collective, at) : kNoVertex;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const CollectiveKernel& member = collective.members[i];
      const std::uint32_t end = ranks_[member.rank].end_of(member.activity);
      moments_.follow(moments_.edge({.from = at[i], .to = end}));
      if (together) moments_.edge({.from = all, .to = end});
    }
  }

  // NCCL's chunks go round together, so that no rank is done before the last one is.
  static bool leave_together(const TrainingCollective& collective) {
    if (collective.point_to_point) return !is_buffered(collective);
    return needs(collective, 0, 1);
  }

  std::uint32_t join(const TrainingCollective& collective, const std::vector<std::uint32_t>& at) {
    std::int64_t last_fs = 0;
    for (const std::uint32_t moment : at) last_fs = std::max(last_fs, moments_.time_fs(moment));
    const CollectiveKernel& first = collective.members.front();
    const std::uint32_t all =
        moments_.add({first.rank, last_fs, MomentKind::transfer, first.activity}, false);
    for (const std::uint32_t moment : at) moments_.edge({.from = moment, .to = all});
    return all;
  }

  // Each rank has received a message when the sender had it, a crossing later, and when its own
  // link has been free for that long.
  std::vector<std::uint32_t> next_step(const TrainingCollective& collective,
                                       const std::vector<std::uint32_t>& at, std::size_t distance,
                                       std::int64_t bytes) {
    std::vector<std::uint32_t> next;
    const std::int64_t busy_fs = bytes * network_.gap_per_byte_fs;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const std::size_t sender = (i + at.size() - distance) % at.size();
      // A buffered send does not wait for its receiver.
      const bool waits = !collective.point_to_point || i == 1 || !is_buffered(collective);
      const std::int64_t own_fs = moments_.time_fs(at[i]) + busy_fs;
      const std::int64_t sent_fs = moments_.time_fs(at[sender]) + busy_fs + network_.latency_fs;
      const CollectiveKernel& member = collective.members[i];
      const std::uint32_t moment =
          moments_.add({member.rank, waits ? std::max(own_fs, sent_fs) : own_fs,
                        MomentKind::transfer, member.activity},
                       false);
      moments_.follow(moments_.edge({.from = at[i], .to = moment}));
      moments_.edge({.from = at[i], .to = moment, .bytes = bytes});
      if (waits) {
        moments_.edge({.from = at[sender], .to = moment, .bytes = bytes, .latencies = 1});
      }
      next.push_back(moment);
    }
    return next;
  }

  static bool is_buffered(const TrainingCollective& collective) {
    return collective.members[0].time.end_ns < collective.members[1].time.begin_ns;
  }

  void apply_edit() {
    if (edit_ == TrainingEdit::no_straggler) balance();
    if (edit_ == TrainingEdit::no_launch_time) remove_launch_time();
    if (edit_ == TrainingEdit::full_overlap) free_computation();
  }

  // Ranks with as many calls and activities do the same; call by call they get the median.
  void balance() {
    using Key = std::tuple<std::size_t, std::size_t, WorkKind, std::uint32_t>;
    std::map<Key, std::map<std::uint32_t, std::int64_t>> work;
    const auto key_of = [&](const MomentEdge& edge) {
      const ProfiledRank& rank = run_.ranks[moments_.rank(edge.to)];
      return Key{rank.runtime_calls.size(), rank.gpu.size(), edge.work, edge.call};
    };
    for (const MomentEdge& edge : moments_.edges()) {
      if (edge.work == WorkKind::none || edge.call == kNotRecorded) continue;
      std::int64_t& most = work[key_of(edge)][moments_.rank(edge.to)];
      most = std::max(most, edge.work_ns);
    }
    for (MomentEdge& edge : moments_.edges()) {
      if (edge.work == WorkKind::none || edge.call == kNotRecorded) continue;
      std::vector<std::int64_t> all;
      for (const auto& [rank, ns] : work[key_of(edge)]) all.push_back(ns);
      edge.work_ns = std::min(edge.work_ns, lower_median(all));
    }
  }

  void remove_launch_time() {
    std::vector<TimeSpans> loading;
    for (const ProfiledRank& rank : run_.ranks) {
      std::vector<TimeSpan> all;
      for (const CpuRange& range : rank.cpu) {
        const bool loads = rank.name(range.name).find(kDataLoader) != std::string_view::npos;
        if (loads && range.kind == CpuRangeKind::annotation) all.push_back(range.time);
      }
      loading.push_back(united(std::move(all)));
    }
    for (MomentEdge& edge : moments_.edges()) {
      if (edge.work != WorkKind::cpu) continue;
      const std::uint32_t rank = moments_.rank(edge.to);
      const std::int64_t begin = run_.ranks[rank].runtime_calls[edge.call].time.begin_ns;
      edge.work_ns = total_ns(clipped(loading[rank], {begin - edge.work_ns, begin}));
    }
  }

  // What computes no longer waits for the end of a collective.
  void free_computation() {
    std::vector<bool> ends;
    std::vector<bool> computes;
    const auto mark = [](std::vector<bool>& marked, std::uint32_t moment) {
      if (moment >= marked.size()) marked.resize(moment + std::size_t{1});
      marked[moment] = true;
    };
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      for (std::uint32_t i = 0; i < in_collective_[r].size(); ++i) {
        if (in_collective_[r][i]) mark(ends, ranks_[r].end_of(i));
        if (!in_collective_[r][i]) mark(computes, ranks_[r].begin_of(i));
      }
    }
    const auto has = [](const std::vector<bool>& marked, std::uint32_t moment) {
      return moment < marked.size() && marked[moment];
    };
    for (MomentEdge& edge : moments_.edges()) {
      if (!has(ends, edge.from) || !has(computes, edge.to)) continue;
      edge.from = ranks_[moments_.rank(edge.to)].start();
      edge.rest_ns = 0;
    }
  }

  const TrainingRun& run_;
  TrainingEdit edit_;
  Findings ignored_;  // the analysis has them
  std::vector<TrainingCollective> collectives_;
  RecordedNetwork network_;
  Moments moments_;
  std::vector<std::vector<bool>> in_collective_;
  std::vector<RankMoments> ranks_;
};

}  // namespace

TrainingGraph build_training_graph(const TrainingRun& run, TrainingEdit edit) {
  return GraphOfRun(run, edit).build();
}

}  // namespace slackline
