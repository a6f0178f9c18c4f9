#include "training/training_rows.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

#include "training/rank_work.h"

namespace slackline {
namespace {

constexpr std::size_t kMostPaths = 4096;

WorkClass class_of(GpuWork work) {
  if (work == GpuWork::communication) return WorkClass::communication;
  return work == GpuWork::copy ? WorkClass::copy : WorkClass::computation;
}

/// A slash separates the parts of a call path.
std::string path_part(std::string_view name) {
  std::string text(name);
  for (std::size_t at = 0; (at = text.find('/', at)) != std::string::npos;) {
    text.replace(at, 1, "\u2215");
  }
  return text;
}

class PathNames {
 public:
  /// Parts from the outermost on; those that are empty are left out.
  std::uint32_t add(std::initializer_list<std::string_view> parts) {
    std::string name;
    for (const std::string_view text : parts) {
      if (text.empty()) continue;
      if (!name.empty()) name += '/';
      name += path_part(text);
    }
    return ids_.try_emplace(std::move(name), static_cast<std::uint32_t>(ids_.size())).first->second;
  }
  std::size_t size() const { return ids_.size(); }
  std::vector<std::string> names() const {
    std::vector<std::string> all(ids_.size());
    for (const auto& [name, id] : ids_) all[id] = name;
    return all;
  }

 private:
  std::map<std::string, std::uint32_t> ids_{{"", 0}};
};

/// Operators of one thread that no other one encloses, and annotations and modules in which none
/// is. What encloses an operator is its path.
class OuterRanges {
 public:
  OuterRanges(const ProfiledRank& rank, std::uint32_t location, PathNames& paths, bool modules)
      : rank_(rank), paths_(paths), modules_(modules) {
    for (std::uint32_t i = 0; i < rank.cpu.size(); ++i) {
      if (rank.cpu[i].location == location) add(i);
    }
    while (!open_.empty()) close();
    std::ranges::stable_sort(calls_, {}, [](const Ranged& r) { return r.call.time.begin_ns; });
  }

  std::vector<RowCall> take() {
    std::vector<RowCall> calls;
    std::uint32_t last = kNotRecorded;
    for (Ranged& ranged : calls_) {
      if (ranged.within == last && last != kNotRecorded) ranged.call.before = context_path(last);
      last = ranged.within;
      calls.push_back(ranged.call);
    }
    return calls;
  }

 private:
  struct Ranged {
    RowCall call{};
    std::uint32_t within = kNotRecorded;  ///< innermost annotation or module
  };
  struct Open {
    std::uint32_t range = 0;
    bool empty = true;
  };

  void add(std::uint32_t index) {
    const CpuRange& range = rank_.cpu[index];
    while (!open_.empty() && rank_.cpu[open_.back().range].time.end_ns <= range.time.begin_ns) {
      close();
    }
    if (range.time.begin_ns < operator_end_ns_) return;
    if (!open_.empty()) open_.back().empty = false;
    if (range.kind == CpuRangeKind::operation) {
      operator_end_ns_ = range.time.end_ns;
      append(index);
    } else {
      open_.push_back({index});
    }
  }

  void close() {
    const Open closed = open_.back();
    open_.pop_back();
    if (closed.empty) append(closed.range);
  }

  void append(std::uint32_t index) {
    const CpuRange& range = rank_.cpu[index];
    const std::uint32_t within = open_.empty() ? kNotRecorded : open_.back().range;
    calls_.push_back({{.time = range.time,
                       .operation = WorkClass::operation,
                       .path = paths_.add({context(within), rank_.name(range.name)})},
                      within});
  }

  std::string_view context(std::uint32_t within) const {
    return within == kNotRecorded || !modules_ ? std::string_view()
                                               : rank_.name(rank_.cpu[within].name);
  }
  std::uint32_t context_path(std::uint32_t within) { return paths_.add({context(within)}); }

  const ProfiledRank& rank_;
  PathNames& paths_;
  bool modules_;
  std::vector<Open> open_;
  std::int64_t operator_end_ns_ = std::numeric_limits<std::int64_t>::min();
  std::vector<Ranged> calls_;
};

class RowBuilder {
 public:
  RowBuilder(const TrainingRun& run, const std::vector<TrainingCollective>& collectives) {
    read(run, true);
    // Modules have a number in each layer, operators and kernels do not.
    if (paths_.size() > kMostPaths) read(run, false);
    join(collectives);
    number_by_time();
  }
  TrainingRows take() { return std::move(out_); }

 private:
  void read(const TrainingRun& run, bool modules) {
    paths_ = {};
    out_.rows.clear();
    out_.activities.clear();
    for (const ProfiledRank& rank : run.ranks) add_rank(rank, modules);
  }

  /// Threads in the order of their numbers, and then streams.
  static std::vector<std::uint32_t> order(const ProfiledRank& rank) {
    std::vector<std::uint32_t> order(rank.locations.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, {}, [&](std::uint32_t i) {
      const TrainingLocation& location = rank.locations[i];
      return std::tuple(location.stream, location.device, location.id, i);
    });
    return order;
  }

  void add_rank(const ProfiledRank& rank, bool modules) {
    std::vector<bool> launches(rank.locations.size());
    for (const RuntimeCall& call : rank.runtime_calls) launches[call.location] = true;
    const bool only_one = std::ranges::count(launches, true) == 1;
    const RankWork work(rank);
    std::vector<CallPlace> calls(rank.runtime_calls.size());
    out_.activities.emplace_back(rank.gpu.size());
    for (const std::uint32_t location : order(rank)) {
      if (rank.locations[location].stream) {
        add_stream(rank, location, work, modules, calls);
      } else if (launches[location]) {
        add_thread(rank, location, work, modules, only_one, calls);
      }
    }
  }

  TrainingRow& add_row(const ProfiledRank& rank, std::string name, bool stream = false) {
    out_.rows.push_back({rank.rank, std::move(name), stream, whole_profile(rank)});
    return out_.rows.back();
  }
  CallPlace next_place() const {
    return {static_cast<std::int32_t>(out_.rows.size()) - 1,
            static_cast<std::uint32_t>(out_.rows.back().calls.size())};
  }

  /// In which module and operator a call was made. Without an operator, in which annotation.
  std::uint32_t path_of(const ProfiledRank& rank, const RankWork& work, std::uint32_t call,
                        bool modules, std::uint32_t name) {
    const RankWork::Place place =
        call == kNotRecorded ? RankWork::Place{} : work.launch_place(call);
    const bool in_operator = place.operation != kNotRecorded;
    return paths_.add({modules ? rank.name(place.module) : std::string_view(),
                       rank.name(in_operator ? place.operation : place.annotation),
                       rank.name(name)});
  }

  void add_thread(const ProfiledRank& rank, std::uint32_t location, const RankWork& work,
                  bool modules, bool only_one, std::vector<CallPlace>& calls) {
    const std::string prefix = only_one ? std::string() : location_name(rank, location) + ", ";
    std::vector<RowCall> outer = OuterRanges(rank, location, paths_, modules).take();
    if (!outer.empty()) {
      add_row(rank, prefix + "operators").calls = std::move(outer);
    }
    TrainingRow& row = add_row(rank, prefix + "launches");
    for (std::uint32_t i = 0; i < rank.runtime_calls.size(); ++i) {
      const RuntimeCall& call = rank.runtime_calls[i];
      if (call.location != location) continue;
      calls[i] = next_place();
      row.calls.push_back(
          {.time = call.time,
           .operation = call.synchronises ? WorkClass::synchronization : WorkClass::launch,
           .path = path_of(rank, work, i, modules, call.name)});
    }
  }

  void add_stream(const ProfiledRank& rank, std::uint32_t location, const RankWork& work,
                  bool modules, const std::vector<CallPlace>& calls) {
    TrainingRow& row = add_row(rank, location_name(rank, location), true);
    for (std::uint32_t i = 0; i < rank.gpu.size(); ++i) {
      const GpuActivity& activity = rank.gpu[i];
      if (activity.location != location) continue;
      const CallPlace here = next_place();
      RowCall drawn{.time = activity.time,
                    .operation = class_of(activity.work),
                    .path = path_of(rank, work, activity.launch, modules, activity.name)};
      if (activity.launch != kNotRecorded) {
        const CallPlace& from = calls[activity.launch];
        drawn.launch_row = from.row;
        drawn.launch = from.call;
        out_.rows[static_cast<std::size_t>(from.row)].calls[from.call].peer = here.row;
      }
      out_.activities.back()[i] = here;
      row.calls.push_back(drawn);
    }
  }

  void join(const std::vector<TrainingCollective>& collectives) {
    for (std::uint32_t id = 0; id < collectives.size(); ++id) {
      for (const CollectiveKernel& kernel : collectives[id].members) {
        const CallPlace& place = out_.activities[kernel.rank][kernel.activity];
        out_.rows[static_cast<std::size_t>(place.row)].calls[place.call].collective = id;
      }
    }
  }

  /// Levels of detail tell only so many paths apart: those that take most time have low numbers.
  void number_by_time() {
    std::vector<std::int64_t> time(paths_.size());
    for (const TrainingRow& row : out_.rows) {
      for (const RowCall& call : row.calls) time[call.path] += call.time.duration_ns();
    }
    std::vector<std::uint32_t> order(time.size());
    std::iota(order.begin(), order.end(), std::uint32_t{0});
    std::stable_sort(order.begin() + 1, order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return time[a] > time[b]; });
    std::vector<std::uint32_t> number(order.size());
    std::vector<std::string> names = paths_.names();
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      number[order[i]] = i;
      out_.paths.push_back(std::move(names[order[i]]));
    }
    for (TrainingRow& row : out_.rows) {
      for (RowCall& call : row.calls) {
        call.path = number[call.path];
        call.before = number[call.before];
      }
    }
  }

  TrainingRows out_;
  PathNames paths_;
};

}  // namespace

TrainingRows training_rows(const TrainingRun& run,
                           const std::vector<TrainingCollective>& collectives) {
  return RowBuilder(run, collectives).take();
}

}  // namespace slackline
