#include "whatif/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/sentences.h"
#include "base/units.h"
#include "calls/computation_code.h"

namespace slackline {
namespace {

constexpr std::array<std::string_view, 9> kKeys{"region", "function", "call-path", "ranks", "rank",
                                                "host",   "node",     "after",     "before"};

/// The key of two spellings that was given; the first where neither was.
std::string_view given(const Edit& edit, std::string_view key, std::string_view other) {
  if (edit.has(key) && edit.has(other)) {
    refuse(edit, key, fmt::format("{} is given as well", other), "Use one of them.");
  }
  return edit.has(other) ? other : key;
}

std::string known_regions(const Trace& trace, const std::string& wanted) {
  if (trace.regions().empty()) return "The trace has no regions.";
  return "The nearest regions: " + nearest_names(wanted, trace.regions()) + ".";
}

}  // namespace

void require_rank(const Edit& edit, std::string_view key, std::int32_t rank, const Trace& trace) {
  if (rank < trace.ranks()) return;
  refuse(
      edit, key,
      fmt::format("the trace has {}", count_of(static_cast<std::uint64_t>(trace.ranks()), "rank")));
}

bool Selection::knows(std::string_view key) {
  return std::ranges::find(kKeys, key) != kKeys.end();
}

Selection::Selection(const Edit& edit, const ProgramView& program, const CallPaths& paths)
    : ranks_(static_cast<std::size_t>(program.trace.ranks()), true), paths_(paths.size(), true) {
  select_paths(edit, program, paths);
  select_ranks(edit, program.trace);
  after_ns_ = edit.time_ns("after").value_or(after_ns_);
  before_ns_ = edit.time_ns("before").value_or(before_ns_);
}

void Selection::select_paths(const Edit& edit, const ProgramView& program, const CallPaths& paths) {
  const Trace& trace = program.trace;
  const std::string_view key = given(edit, "region", "function");
  const std::string* region = edit.find(key);
  const std::string* chain = edit.find("call-path");
  by_region_ = region != nullptr || chain != nullptr;
  const bool known =
      region != nullptr && std::ranges::find(trace.regions(), *region) != trace.regions().end();
  if (region != nullptr && !known && key == "function" && !trace.call_tree().empty()) {
    select_function(edit, *region, program);
  } else if (region != nullptr) {
    if (!known) {
      refuse(edit, key, "the trace has no region of that name", known_regions(trace, *region));
    }
    for (PathId path = 0; path < paths.size(); ++path) {
      const std::string name = "/" + paths.name(path) + "/";
      paths_[path] = name.find("/" + *region + "/") != std::string::npos;
    }
  }
  if (chain == nullptr) return;
  bool found = false;
  for (PathId path = 0; path < paths.size(); ++path) {
    const bool below = (paths.name(path) + "/").starts_with(*chain + "/");
    found = found || below;
    paths_[path] = paths_[path] && below;
  }
  if (found) return;
  std::vector<std::string> names;
  for (PathId path = 1; path < paths.size(); ++path) names.push_back(paths.name(path));
  refuse(edit, "call-path", "the trace has no such call path",
         names.empty() ? "The trace has no regions."
                       : "The nearest ones: " + nearest_names(*chain, std::move(names)) + ".");
}

void Selection::select_function(const Edit& edit, const std::string& function,
                                const ProgramView& program) {
  const CallTree& tree = program.trace.call_tree();
  frames_ = frames_of_function(tree, function);
  if (std::ranges::find(frames_, true) == frames_.end()) {
    std::vector<std::string> names = program.trace.regions();
    for (FrameId frame = 1; frame <= tree.size(); ++frame) {
      names.push_back(tree.location(frame).function);
    }
    refuse(edit, "function", "the trace has no function or region of that name",
           "The nearest names: " + nearest_names(function, std::move(names)) +
               ". 'slackline hotspots' lists the functions.");
  }
  code_ = std::make_shared<const ComputationCode>(program.trace, &program.samples);
}

void Selection::select_ranks(const Edit& edit, const Trace& trace) {
  const std::string_view key = given(edit, "ranks", "rank");
  if (const auto listed = edit.ranks(key)) {
    std::fill(ranks_.begin(), ranks_.end(), false);
    for (const std::int32_t rank : *listed) {
      require_rank(edit, key, rank, trace);
      ranks_[static_cast<std::size_t>(rank)] = true;
    }
  }
  const std::string_view where = given(edit, "host", "node");
  const std::string* host = edit.find(where);
  if (host == nullptr) return;
  bool found = false;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    const bool here = trace.rank_info(rank).host == *host;
    found = found || here;
    ranks_[static_cast<std::size_t>(rank)] = ranks_[static_cast<std::size_t>(rank)] && here;
  }
  if (!found) refuse(edit, where, "no rank ran on a host of that name");
}

}  // namespace slackline
