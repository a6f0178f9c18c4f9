// A training run as Perfetto's tracks: a process for each rank, below it its threads and streams on
// one axis. Slices of a track must nest. Records of a thread mostly do; one that does not goes to a
// further track of its location. Arrows lead from a launch to its activity, and join the kernels of
// one collective.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "formats/perfetto/perfetto.h"
#include "formats/perfetto/track_events.h"
#include "training/collectives.h"

namespace slackline {
namespace {

/// Categories of slices; also the names of those that have none.
constexpr std::array<std::string_view, 7> kCategories{
    "annotation", "module", "operator", "collective", "copy", "kernel", "runtime"};

/// Numbers of names, which are one list for all ranks.
class NameNumbers {
 public:
  explicit NameNumbers(const TrainingRun& run) {
    for (const ProfiledRank& rank : run.ranks) {
      for (const std::string& name : rank.names) numbers_.try_emplace(name, 0);
    }
    for (const std::string_view category : kCategories) numbers_.try_emplace(category, 0);
    std::uint64_t next = 0;
    for (auto& [name, number] : numbers_) number = ++next;
  }
  std::uint64_t of(std::string_view name) const { return numbers_.find(name)->second; }
  void write(TrackEvents& events) const {
    ProtoMessage data;
    for (const auto& [name, number] : numbers_) {
      TrackEvents::intern(data, interned::kEventNames, number, name);
    }
    events.names(data);
  }

 private:
  std::map<std::string_view, std::uint64_t> numbers_;
};

struct Slice {
  TimeSpan time{};
  std::uint32_t name = kNotRecorded;
  std::string_view category{};
  std::uint64_t starts = 0;  ///< numbers of arrows; 0: none
  std::uint64_t ends = 0;
  std::uint64_t joins = 0;
};

std::string_view category_of(CpuRangeKind kind) {
  if (kind == CpuRangeKind::annotation) return "annotation";
  return kind == CpuRangeKind::module ? "module" : "operator";
}

std::string_view category_of(GpuWork work) {
  if (work == GpuWork::communication) return "collective";
  return work == GpuWork::copy ? "copy" : "kernel";
}

/// The arrow of each collective, from 1 on, by rank's index and activity.
using CollectiveArrows = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>;

CollectiveArrows collective_arrows(const TrainingRun& run) {
  Findings known;
  CollectiveArrows arrows;
  std::uint64_t number = 0;
  for (const TrainingCollective& collective : match_collectives(run, known)) {
    ++number;
    for (const CollectiveKernel& kernel : collective.members) {
      arrows.emplace(std::pair(kernel.rank, kernel.activity), number);
    }
  }
  return arrows;
}

/// What one rank did, by location.
std::vector<std::vector<Slice>> slices_of(const ProfiledRank& rank, std::uint32_t index,
                                          const CollectiveArrows& collectives) {
  // Above the numbers of collectives, and other ones for each rank.
  const auto launch = [&](std::uint32_t call) {
    return (std::uint64_t{index} + 1) << 40 | (std::uint64_t{call} + 1);
  };
  std::vector<std::vector<Slice>> slices(rank.locations.size());
  for (const CpuRange& range : rank.cpu) {
    slices[range.location].push_back({range.time, range.name, category_of(range.kind)});
  }
  std::vector<bool> launches(rank.runtime_calls.size());
  for (std::uint32_t i = 0; i < rank.gpu.size(); ++i) {
    const GpuActivity& activity = rank.gpu[i];
    Slice slice{activity.time, activity.name, category_of(activity.work)};
    if (activity.launch != kNotRecorded) {
      launches[activity.launch] = true;
      slice.ends = launch(activity.launch);
    }
    const auto joined = collectives.find({index, i});
    if (joined != collectives.end()) slice.joins = joined->second;
    slices[activity.location].push_back(slice);
  }
  for (std::uint32_t i = 0; i < rank.runtime_calls.size(); ++i) {
    const RuntimeCall& call = rank.runtime_calls[i];
    slices[call.location].push_back({call.time, call.name, "runtime", launches[i] ? launch(i) : 0});
  }
  for (std::vector<Slice>& of_location : slices) {
    std::ranges::stable_sort(of_location, [](const Slice& a, const Slice& b) {
      return std::pair(a.time.begin_ns, -a.time.end_ns) <
             std::pair(b.time.begin_ns, -b.time.end_ns);
    });
  }
  return slices;
}

class RankTimeline {
 public:
  RankTimeline(const ProfiledRank& rank, const NameNumbers& names, TrackEvents& events)
      : rank_(rank),
        names_(names),
        events_(events),
        pid_(static_cast<std::uint64_t>(rank.rank) + 1) {
    events_.describe_process(pid_ << kTrackBits, pid_, fmt::format("rank {}", rank.rank));
  }

  void write(std::uint32_t location, const std::vector<Slice>& slices) {
    std::vector<Track> tracks;
    for (const Slice& slice : slices) {
      auto track = std::ranges::find_if(tracks, [&](Track& t) { return takes(t, slice); });
      if (track == tracks.end()) {
        tracks.push_back(add_track(location, tracks.size()));
        track = tracks.end() - 1;
      }
      begin(*track, slice);
    }
    for (Track& track : tracks) close(track, std::numeric_limits<std::int64_t>::max());
  }

 private:
  static constexpr int kTrackBits = 24;  // tracks of a rank

  struct Track {
    std::uint64_t uuid = 0;
    std::vector<std::int64_t>
        open_until_ns{};  // of the slices that have begun, the outermost first
  };

  Track add_track(std::uint32_t location, std::size_t number) {
    const std::uint64_t uuid = (pid_ << kTrackBits) + ++tracks_;
    std::string name = location_name(rank_, location);
    if (number > 0) name += fmt::format(" ({})", number + 1);
    events_.describe_thread(uuid, pid_, tracks_ == 1 ? pid_ : uuid, name);
    return {uuid};
  }

  /// Whether `slice` lies within what is open there, or after it.
  bool takes(Track& track, const Slice& slice) {
    close(track, slice.time.begin_ns);
    return track.open_until_ns.empty() || slice.time.end_ns <= track.open_until_ns.back();
  }

  void begin(Track& track, const Slice& slice) {
    const std::string_view name = rank_.name(slice.name);
    ProtoMessage& event =
        events_.begin(slice.time.begin_ns, track.uuid,
                      names_.of(name.empty() ? slice.category : name), slice.category);
    for (const std::uint64_t arrow : {slice.starts, slice.joins}) {
      if (arrow != 0) event.fixed64(event::kFlow, arrow);
    }
    if (slice.ends != 0) event.fixed64(event::kTerminatingFlow, slice.ends);
    events_.write();
    events_.flush();
    track.open_until_ns.push_back(slice.time.end_ns);
  }

  void close(Track& track, std::int64_t until_ns) {
    while (!track.open_until_ns.empty() && track.open_until_ns.back() <= until_ns) {
      events_.end(track.open_until_ns.back(), track.uuid);
      events_.write();
      track.open_until_ns.pop_back();
    }
  }

  const ProfiledRank& rank_;
  const NameNumbers& names_;
  TrackEvents& events_;
  std::uint64_t pid_;
  std::uint64_t tracks_ = 0;
};

std::int64_t first_ns(const TrainingRun& run) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  const auto look_at = [&](const auto& records) {
    if (!records.empty()) first = std::min(first, records.front().time.begin_ns);
  };
  for (const ProfiledRank& rank : run.ranks) {
    look_at(rank.gpu);
    look_at(rank.runtime_calls);
    look_at(rank.cpu);
  }
  return first == std::numeric_limits<std::int64_t>::max() ? 0 : first;
}

}  // namespace

void write_perfetto(const TrainingRun& run, const std::filesystem::path& path) {
  const NameNumbers names(run);
  const CollectiveArrows collectives = collective_arrows(run);
  const std::int64_t zero_ns = first_ns(run);
  OutputFile file(path);
  file.write_pieces(run.ranks.size() + 1, [&](std::size_t piece, FilePiece& out) {
    TrackEvents events(out, zero_ns);
    if (piece == 0) {
      names.write(events);
      return;
    }
    const auto index = static_cast<std::uint32_t>(piece - 1);
    const ProfiledRank& rank = run.ranks[index];
    const std::vector<std::vector<Slice>> slices = slices_of(rank, index, collectives);
    RankTimeline timeline(rank, names, events);
    for (std::uint32_t l = 0; l < slices.size(); ++l) timeline.write(l, slices[l]);
  });
  file.commit();
}

}  // namespace slackline
