#include "trace/trace_builder.h"

#include <fmt/format.h>

namespace slackline {

TraceBuilder::TraceBuilder(Trace&& trace) : Trace(std::move(trace)) {
  for (std::size_t id = 0; id < regions().size(); ++id) {
    region_ids_.emplace(regions()[id], static_cast<std::uint32_t>(id));
  }
}

TraceBuilder TraceBuilder::without_calls(const Trace& trace, bool timed) {
  Trace copy(trace.ranks(), timed);
  copy.job_ = trace.job_;
  copy.job_.counters.clear();
  copy.job_.timed = timed;
  return copy;
}

void TraceBuilder::reserve_calls(std::span<const std::size_t> of_rank) {
  RankColumns::reserve_joined(columns_of_ranks(), of_rank);
}

void TraceBuilder::join_columns() {
  RankColumns::join(columns_of_ranks());
}

std::vector<RankColumns*> TraceBuilder::columns_of_ranks() {
  std::vector<RankColumns*> columns;
  for (RankCallsBuilder& calls : calls_) columns.push_back(calls.columns());
  return columns;
}

std::uint32_t TraceBuilder::add_communicator(Communicator communicator) {
  job_.communicators.push_back(std::move(communicator));
  return static_cast<std::uint32_t>(job_.communicators.size() - 1);
}

namespace {

constexpr FindingKind kLongName{
    "region_name_shortened", Severity::notice,
    "Names of code regions longer than 4,096 bytes: shortened, with a hash of the whole."};
constexpr std::size_t kShownOfLongName = 40;

/// Different names stay different. FNV-1a.
std::string shortened_name(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  std::string text(name.substr(0, TraceBuilder::kLongestRegionName - 20));
  // Not in the middle of a character of UTF-8.
  constexpr unsigned char kFirstLead = 0xc0;
  for (bool in_character = true; in_character && !text.empty();) {
    const auto last = static_cast<unsigned char>(text.back());
    if (last < 0x80) break;
    text.pop_back();
    in_character = last < kFirstLead;
  }
  return text + fmt::format("...{:016x}", hash);
}

}  // namespace

std::uint32_t TraceBuilder::region_id(std::string_view name) {
  if (name.size() > kLongestRegionName) {
    findings().add(kLongName, std::string(name.substr(0, kShownOfLongName)));
    return region_id(shortened_name(name));
  }
  const auto found = region_ids_.find(name);
  if (found != region_ids_.end()) return found->second;
  const auto id = static_cast<std::uint32_t>(job_.regions.size());
  job_.regions.emplace_back(name);
  region_ids_.emplace(name, id);
  return id;
}

std::size_t TraceBuilder::add_counter(std::string_view name) {
  job_.counters.emplace_back(name);
  return job_.counters.size() - 1;
}

}  // namespace slackline
