#include "analysis/summary/gain_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/parallel.h"
#include "calls/program_steps.h"
#include "calls/run_span.h"
#include "trace/operation_kinds.h"

namespace slackline {
namespace {

/// Functions with less computation are not worth a curve.
constexpr double kLeastOfComputation = 0.001;
constexpr std::size_t kFunctionsWithGain = 200;

}  // namespace

/// Visits a rank's program as edits do (calls/program_steps.h), so that a gain is that of the edit.
struct GainOwners::Recorder {
  const Activities& run;
  const ComputationCode& code;
  const PolledGaps& polled;
  std::int32_t rank;
  OfRank& own;
  std::map<Code, std::uint32_t> known{};
  std::int64_t left_ns = 0;  // of the gap; calls of several threads may overlap

  void start(std::int64_t) {}
  void pause(std::int64_t, PauseKind) {}
  void region(const RegionEvent&, PathId) {}
  void call(std::size_t, PathId) {}

  void compute(const Computation& c) {
    const CallIndex call = c.before_call;
    if (call >= run.calls(rank)) return;
    if (own.first.size() <= call) {
      close_until(call);
      left_ns = polled.contains(rank, call) ? 0 : run.gap_ns(rank, call);
    }
    code.split_stretch(rank, call, c.ns, c.blocked, [&](FrameId frame, std::int64_t ns) {
      add(owner_of({c.path, frame}), std::clamp<std::int64_t>(left_ns, 0, ns));
      left_ns -= ns;
    });
  }

  /// The parts of calls up to this one begin here, or did before.
  void close_until(std::size_t call) {
    own.first.resize(call + 1, static_cast<std::uint32_t>(own.parts.size()));
  }

 private:
  std::uint32_t owner_of(const Code& of) {
    // Stretches that follow each other mostly have the same.
    if (!own.parts.empty() && own.owners[own.parts.back().owner] == of) {
      return own.parts.back().owner;
    }
    const auto [at, added] = known.try_emplace(of, static_cast<std::uint32_t>(own.owners.size()));
    if (added) own.owners.push_back(of);
    return at->second;
  }

  void add(std::uint32_t owner, std::int64_t ns) {
    constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
    for (; ns > 0; ns -= kMost) {
      own.parts.push_back({owner, static_cast<std::uint32_t>(std::min(ns, kMost))});
    }
  }
};

GainOwners::GainOwners(const Activities& run, const CallPaths& paths, const ComputationCode& code,
                       const PolledGaps& polled)
    : trace_(run.trace()), paths_(paths), ranks_(static_cast<std::size_t>(trace_.ranks())) {
  const std::int64_t zero_ns = run_span(trace_).analysed.begin_ns;
  parallel_for(ranks_.size(), [&](std::size_t r) {
    const auto rank = static_cast<std::int32_t>(r);
    Recorder recorder{run, code, polled, rank, ranks_[r]};
    walk_program(trace_, paths, rank, zero_ns, recorder);
    recorder.close_until(run.calls(rank));
  });
  for (OfRank& rank : ranks_) {
    rank.first_owner = static_cast<std::uint32_t>(size_);
    size_ += rank.owners.size();
  }
}

std::vector<std::int64_t> GainOwners::computation() const {
  std::vector<std::int64_t> ns(size_);
  for (const OfRank& rank : ranks_) {
    for (const Part& part : rank.parts) ns[rank.first_owner + part.owner] += part.ns;
  }
  return ns;
}

template <class GroupsOf>
std::vector<GainGroup> GainOwners::make_groups(std::size_t count, const std::string& kind,
                                               const std::vector<std::int64_t>& ns,
                                               GroupsOf groups_of) const {
  std::vector<GainGroup> all(count, {"", kind});
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    for (std::uint32_t i = 0; i < ranks_[r].owners.size(); ++i) {
      const std::uint32_t owner = ranks_[r].first_owner + i;
      if (ns[owner] == 0) continue;
      groups_of(r, ranks_[r].owners[i], [&](std::size_t group) {
        std::vector<std::uint32_t>& owners = all[group].owners;
        if (owners.empty() || owners.back() != owner) owners.push_back(owner);  // region in itself
      });
    }
  }
  return all;
}

/// Those with the most computation in themselves; outer ones contain theirs.
std::vector<std::string> GainOwners::long_functions(const std::vector<std::int64_t>& ns) const {
  std::map<std::string, std::int64_t> times;
  std::int64_t all = 0;
  for (const OfRank& rank : ranks_) {
    for (std::size_t i = 0; i < rank.owners.size(); ++i) {
      const FrameId frame = rank.owners[i].frame;
      const std::int64_t own = ns[rank.first_owner + i];
      if (frame != 0) times[trace_.call_tree().location(frame).function] += own;
      all += own;
    }
  }
  std::vector<std::pair<std::int64_t, std::string>> longest;
  for (const auto& [function, own] : times) {
    if (static_cast<double>(own) >= kLeastOfComputation * static_cast<double>(all)) {
      longest.emplace_back(-own, function);
    }
  }
  std::ranges::sort(longest);
  if (longest.size() > kFunctionsWithGain) longest.resize(kFunctionsWithGain);
  std::vector<std::string> names;
  for (auto& [own, function] : longest) names.push_back(std::move(function));
  return names;
}

std::vector<GainGroup> GainOwners::groups(const std::vector<std::int64_t>& ns,
                                          bool call_paths) const {
  std::vector<GainGroup> all;
  const auto add = [&](std::vector<GainGroup> some, auto name_of) {
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (some[i].owners.empty()) continue;
      some[i].name = name_of(i);
      all.push_back(std::move(some[i]));
    }
  };
  add(make_groups(1, "computation", ns, [](std::size_t, const Code&, auto put) { put(0); }),
      [](std::size_t) { return std::string("all computation"); });
  const auto by_region = [&](std::size_t, const Code& code, auto put) {
    for (PathId p = code.path; p != 0; p = paths_.parent(p)) {
      if (paths_.region(p) != kNoRegion) put(static_cast<std::size_t>(paths_.region(p)));
    }
  };
  add(make_groups(trace_.regions().size(), "region", ns, by_region),
      [&](std::size_t i) { return trace_.regions()[i]; });
  for (const std::string& function : long_functions(ns)) {
    const std::vector<bool> frames = frames_of_function(trace_.call_tree(), function);
    const auto in_it = [&](std::size_t, const Code& code, auto put) {
      if (frames[code.frame]) put(0);
    };
    add(make_groups(1, "function", ns, in_it), [&](std::size_t) { return function; });
  }
  const auto by_path = [&](std::size_t, const Code& code, auto put) {
    for (PathId p = code.path; p != 0; p = paths_.parent(p)) put(p);
  };
  if (call_paths) {
    add(make_groups(paths_.size(), "call-path", ns, by_path),
        [&](std::size_t i) { return paths_.name(static_cast<PathId>(i)); });
  }
  add(make_groups(ranks_.size(), "rank", ns,
                  [](std::size_t rank, const Code&, auto put) { put(rank); }),
      [](std::size_t i) { return fmt::format("rank {}", i); });
  for (std::uint32_t i = 0; i < kOperationCount; ++i) {
    if (ns[i] == 0) continue;
    all.push_back({std::string(mpi_name(static_cast<Operation>(i))), "operation", {i}});
  }
  return all;
}

}  // namespace slackline
