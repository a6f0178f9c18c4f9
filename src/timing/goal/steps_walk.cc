// From the steps of single ranks to one reduction.
//
// A contraction (contraction.h) wants vertices in topological order, and a good order follows one
// rank for as long as it can. Here each rank simply goes through its steps; where one needs a
// message that has not been sent, the rank that sends it goes on up to there, and so on: a stack of
// ranks. What was decided within a rank (rank_contraction.cc) is decided once more with all that is
// known now: a step of two terms that one rank waits for is taken apart, and messages of one source
// may dominate each other.
//
// A rank that is asked for in the middle of its own waiting is the end of this: perhaps it could
// send first what stands later in its block. Then the walk gives up, and whoever called it orders
// single operations by a general search (or finds the cycle).

#include "timing/goal/steps_walk.h"

#include <algorithm>
#include <atomic>

#include "base/parallel.h"

namespace slackline {

namespace {

/// Finds out where the messages of each channel that a rank receives from lie at their sender.
bool join_channels(std::vector<RankSteps>& ranks, std::uint32_t receiver) {
  for (RankSteps::Channel& mine : ranks[receiver].from) {
    RankSteps& sender = ranks[mine.name.peer];
    const std::uint32_t* id = sender.to_ids.find({receiver, mine.name.tag});
    if (id == nullptr || sender.to[*id - 1].messages != mine.messages) return false;
    mine.begin = sender.to[*id - 1].begin;
  }
  return true;
}

/// Each edge that begins at a message now begins at the step that sent it.
void join_edges(const std::vector<RankSteps>& ranks, std::uint32_t receiver, RankSteps& mine) {
  const std::size_t count = mine.edges.edges.size();
  mine.source_ranks.assign(count, receiver);
  for (std::size_t i = 0; i < count; ++i) {
    passes::LogGPSEdge& edge = mine.edges.edges[i];
    if (edge.source < RankSteps::kMessage) continue;
    const RankSteps::Receive r = mine.receives[edge.source - RankSteps::kMessage];
    const RankSteps::Channel& channel = mine.from[r.channel];
    const PackedEdges& sends = ranks[channel.name.peer].sends;
    const passes::LogGPSEdge& sent = sends.edges[channel.begin + r.ordinal];
    LogGPSForm form = unpack(edge, mine.edges.wide.data());
    form += unpack(sent, sends.wide.data());
    mine.source_ranks[i] = channel.name.peer;
    mine.edges.set(i, sent.source, form);
  }
}

}  // namespace

bool join_messages(std::vector<RankSteps>& ranks, unsigned threads) {
  std::atomic<bool> complete{true};
  const auto for_ranks = [&](auto work) {
    parallel_for(
        ranks.size(), [&](std::size_t r) { work(static_cast<std::uint32_t>(r)); }, threads);
  };
  for_ranks([&](std::uint32_t r) {
    if (!join_channels(ranks, r)) complete = false;
  });
  // Equal sums: no channel is left to which nobody listens.
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  for (const RankSteps& rank : ranks) {
    sent += rank.sends.edges.size();
    received += rank.receives.size();
  }
  if (!complete || sent != received) return false;
  for_ranks([&](std::uint32_t r) { join_edges(ranks, r, ranks[r]); });
  for_ranks([&](std::uint32_t r) {
    ranks[r].sends = {};
    ranks[r].receives = {};
    ranks[r].to = {};
    ranks[r].from = {};
    ranks[r].to_ids = {};
  });
  return true;
}

StepsWalk::StepsWalk(std::vector<RankSteps>& ranks)
    : ranks_(ranks), progress_(ranks.size()), core_(writer_) {
  std::size_t nodes = 1;
  std::size_t edges = ranks.size();
  for (const RankSteps& rank : ranks) {
    nodes += rank.size();
    edges += rank.edges.edges.size();
  }
  writer_.reserve(nodes, edges);
}

std::optional<ReducedLogGPS> StepsWalk::run() {
  const auto ranks = static_cast<std::uint32_t>(ranks_.size());
  for (RankSteps& rank : ranks_) ++rank.uses.back();
  for (std::uint32_t r = 0; r < ranks; ++r) {
    if (!follow(r)) return std::nullopt;
  }
  core_.open();
  for (const RankSteps& rank : ranks_) core_.from(rank.uses.back(), {});
  core_.close_last();
  return std::move(writer_).finish(core_.slots());
}

/// Takes a rank to its end, and others as far as it needs them. False: they need it too.
bool StepsWalk::follow(std::uint32_t rank) {
  stack_.assign(1, {rank, ranks_[rank].size()});
  progress_[rank].running = true;
  while (!stack_.empty()) {
    const Run run = stack_.back();
    if (advance(run)) {
      progress_[run.rank].running = false;
      stack_.pop_back();
      continue;
    }
    if (progress_[wanted_.rank].running) return false;
    progress_[wanted_.rank].running = true;
    stack_.push_back(wanted_);
  }
  return true;
}

/// False: something is missing, wanted_.
bool StepsWalk::advance(const Run& run) {
  RankSteps& steps = ranks_[run.rank];
  Progress& progress = progress_[run.rank];
  for (; progress.done < run.until; ++progress.done) {
    const std::uint32_t count = steps.edge_counts[progress.done];
    if (!make_available(steps, progress, count)) return false;
    evaluate(steps, progress, count);
    progress.available = 0;
    progress.edge += count;
  }
  return true;
}

bool StepsWalk::make_available(const RankSteps& steps, Progress& progress, std::uint32_t count) {
  const passes::LogGPSEdge* edges = steps.edges.edges.data() + progress.edge;
  const std::uint32_t* ranks = steps.source_ranks.data() + progress.edge;
  for (; progress.available < count; ++progress.available) {
    const std::uint32_t rank = ranks[progress.available];
    const std::uint32_t needed = edges[progress.available].source;
    if (needed <= progress_[rank].done) continue;
    wanted_ = {rank, needed};
    return false;
  }
  return true;
}

void StepsWalk::evaluate(RankSteps& steps, const Progress& progress, std::uint32_t count) {
  core_.open();
  for (std::size_t i = progress.edge; i < progress.edge + count; ++i) {
    const passes::LogGPSEdge& edge = steps.edges.edges[i];
    const LogGPSForm form = unpack(edge, steps.edges.wide.data());
    if (edge.source == 0) {
      core_.from_start(form);
    } else {
      core_.from(ranks_[steps.source_ranks[i]].uses[edge.source - 1], form);
    }
  }
  std::uint32_t& uses = steps.uses[progress.done];
  uses = core_.close(uses);
}

}  // namespace slackline
