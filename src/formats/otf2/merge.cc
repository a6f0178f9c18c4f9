// Calls of a rank's threads in one order: by begin, or as attributes say.

#include "formats/otf2/location_reader.h"

#include <algorithm>
#include <tuple>

#include "formats/otf2/findings.h"
#include "formats/raw/findings.h"

namespace slackline::otf2 {
namespace {

struct Place {
  std::uint64_t key;  // the order that attributes give, else the begin
  std::uint32_t location;
  std::uint32_t call;
};

// Indices of the main thread's calls among all threads' calls.
struct NewIndex {
  const std::vector<std::uint32_t>& of_main;
  std::uint32_t all;
};

std::uint64_t as_key(std::int64_t time) {
  return static_cast<std::uint64_t>(time) ^ (std::uint64_t{1} << 63);
}

std::vector<Place> order_of(const std::vector<LocationCalls>& locations) {
  std::vector<Place> order;
  for (std::uint32_t l = 0; l < locations.size(); ++l) {
    const LocationCalls& location = locations[l];
    for (std::uint32_t i = 0; i < location.calls.size(); ++i) {
      const bool told = i < location.order.size();
      order.push_back({told ? location.order[i] : as_key(location.calls.begin_ns(i)), l, i});
    }
  }
  std::ranges::stable_sort(order, {}, &Place::key);
  return order;
}

// Where in all threads' calls item `i` of the main thread belongs, which stands before its call
// `before_call`: as an attribute told, else before the same call.
std::uint32_t place(std::uint32_t before_call, std::size_t i,
                    const std::vector<std::uint64_t>& told, const NewIndex& calls) {
  if (i < told.size()) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(told[i], calls.all));
  }
  return before_call < calls.of_main.size() ? calls.of_main[before_call] : calls.all;
}

// The main thread's region events, put between the calls of all threads. Attributes may lie: the
// events stay in order all the same.
void place_regions(const LocationCalls& main, const NewIndex& new_index, RankCallsBuilder& calls) {
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < main.regions.size(); ++i) {
    RegionEvent event = main.regions[i];
    last = std::max(last, place(event.before_call, i, main.region_at, new_index));
    event.before_call = last;
    calls.append_region(event);
  }
}

// Pauses follow their call in the same way.
void place_pauses(const LocationCalls& main, const NewIndex& new_index, RankCallsBuilder& calls) {
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < main.pauses.size(); ++i) {
    Pause pause = main.pauses[i];
    last = std::max(last, place(pause.before_call, i, main.pause_at, new_index));
    pause.before_call = last;
    calls.append_pause(pause);
  }
}

// A gap before a call is that call's thread's; the last one is the main thread's.
std::vector<std::vector<std::uint64_t>> merge_counters(const std::vector<LocationCalls>& locations,
                                                       const std::vector<Place>& order) {
  std::vector<std::vector<std::uint64_t>> merged(locations.front().counters.size());
  for (std::size_t c = 0; c < merged.size(); ++c) {
    if (std::ranges::all_of(locations, [&](const auto& l) { return l.counters[c].empty(); })) {
      continue;
    }
    for (const Place& place : order) {
      const auto& values = locations[place.location].counters[c];
      merged[c].push_back(values.empty() ? 0 : values[place.call]);
    }
    const auto& main = locations.front().counters[c];
    if (!main.empty()) merged[c].push_back(main.back());
  }
  return merged;
}

void merge_calls(std::vector<LocationCalls>& locations, RankCallsRead& rank) {
  const auto order = order_of(locations);
  rank.calls.reserve(order.size());
  std::vector<std::vector<std::uint32_t>> new_index(locations.size());
  for (std::size_t l = 0; l < locations.size(); ++l) {
    new_index[l].resize(locations[l].calls.size());
  }
  std::int64_t last_end = 0;
  std::uint16_t last_thread = 0;
  const bool told = std::ranges::any_of(
      locations, [](const LocationCalls& l) { return !l.sent_after_ns.empty(); });
  for (const Place& place : order) {
    if (told) {
      const auto& sent = locations[place.location].sent_after_ns;
      rank.sent_after_ns.push_back(place.call < sent.size() ? sent[place.call] : 0);
    }
    const Call call = locations[place.location].calls[place.call];
    if (!rank.calls.empty() && call.begin_ns < last_end && call.thread != last_thread) {
      rank.findings.add(raw::kOverlappingThreads);
    }
    new_index[place.location][place.call] = static_cast<std::uint32_t>(rank.calls.size());
    rank.calls.append(call);
    last_end = std::max(last_end, call.end_ns);
    last_thread = call.thread;
  }
  for (std::size_t l = 0; l < locations.size(); ++l) {
    for (const std::uint32_t bare : locations[l].bare) rank.bare.push_back(new_index[l][bare]);
  }
  std::ranges::sort(rank.bare);
  const NewIndex of_main{new_index.front(), static_cast<std::uint32_t>(rank.calls.size())};
  place_regions(locations.front(), of_main, rank.calls);
  place_pauses(locations.front(), of_main, rank.calls);
  rank.counters = merge_counters(locations, order);
}

}  // namespace

RankCallsRead merge_locations(std::vector<LocationCalls> locations) {
  RankCallsRead rank;
  if (locations.empty()) return rank;
  std::optional<std::int64_t> start;
  std::optional<std::int64_t> stop;
  for (const LocationCalls& location : locations) {
    rank.findings.merge(location.findings);
    rank.initialized = rank.initialized || location.initialized;
    rank.finalized = rank.finalized || location.finalized;
    if (location.stop_ns) stop = std::max(stop.value_or(*location.stop_ns), *location.stop_ns);
    if (location.first_ns) start = start ? std::min(*start, *location.first_ns) : location.first_ns;
  }
  if (locations.size() == 1) {
    LocationCalls& only = locations.front();
    rank.calls = std::move(only.calls);
    rank.calls.set_regions(std::move(only.regions));
    for (const Pause& pause : only.pauses) rank.calls.append_pause(pause);
    rank.counters = std::move(only.counters);
    rank.bare = std::move(only.bare);
    rank.sent_after_ns = std::move(only.sent_after_ns);
  } else {
    merge_calls(locations, rank);
  }
  if (stop) rank.calls.set_stop_ns(*stop);
  rank.present = start.has_value();
  rank.calls.set_start_ns(start.value_or(0));
  rank.calls.shrink();
  return rank;
}

}  // namespace slackline::otf2
