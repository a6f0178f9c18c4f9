// Hypotheses about computation.
//
// The causes of waiting that lie in computation differ in what can be done about them, so each has
// a hypothesis of its own: work that is shared out badly (balance over the run), work that varies
// (balance instance by instance), a processor that is slow (everything on some ranks takes longer
// by about the same factor), work that few ranks do for all, rare interruptions, and, when nothing
// of that holds, too much work.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "advice/hypotheses.h"
#include "base/arithmetic.h"
#include "base/statistics.h"
#include "base/units.h"
#include "whatif/computation_pieces.h"
#include "whatif/selection.h"

namespace slackline {
namespace {

/// Regions whose computation is examined, largest first.
constexpr std::size_t kRegions = 12;
/// What is smaller than this share of a rank's computation is not looked at.
constexpr double kLeastShare = 0.005;
/// A rank is slow if everything takes at least this many times as long as the median over ranks.
constexpr double kSlow = 1.05;
constexpr std::size_t kSlowRanks = 8;  // that have a hypothesis of their own, the slowest
/// An outlier takes this many times as long as the rank's median instance, and is rarer than that.
constexpr double kOutlier = 2;
constexpr double kOutlierShare = 0.1;
/// Several rare instances with a larger share of the time are another part of the program.
constexpr double kOutlierTime = 0.2;
constexpr std::size_t kFewestInstances = 10;
/// One exceptional instance is named alone if it takes this share of the time of all.
constexpr double kMostlyOne = 0.8;
/// What optimisation of a function may reach without a new algorithm.
constexpr double kLessComputation = 0.1;
/// A function that computes less of its time itself only calls those that are to be optimised.
constexpr double kOwnComputation = 0.5;

/// Computation that can be selected by an edit: all of it, or that of a region, or of a function
/// where the program has no regions, and what it calls.
struct Part {
  std::string region;  ///< empty: all
  PathId path = 0;
  std::vector<std::int64_t> ns;  ///< by rank
  bool function = false;
  std::int64_t own_ns = 0;  ///< of all ranks, without what it calls and time blocked

  bool computes_itself() const {
    const bool all = !function && !region.empty();
    return all || static_cast<double>(own_ns) >= kOwnComputation * static_cast<double>(sum());
  }
  std::int64_t sum() const { return std::accumulate(ns.begin(), ns.end(), std::int64_t{0}); }
  std::int64_t max() const { return *std::ranges::max_element(ns); }
  std::int32_t longest() const {
    return static_cast<std::int32_t>(std::ranges::max_element(ns) - ns.begin());
  }
  double mean() const {
    return ratio_of(static_cast<double>(sum()), static_cast<double>(ns.size()));
  }
  std::string name() const { return region.empty() ? "the program" : region; }
  Edit edit(std::string action) const {
    Edit edit{std::move(action)};
    if (!region.empty()) edit.arguments.emplace(function ? "function" : "region", region);
    return edit;
  }
};

/// The names of regions or functions, in the order of paths, and where they occur.
class NamedPaths {
 public:
  explicit NamedPaths(const CallPaths& paths) : name_of_(paths.size()), is_top_(paths.size()) {
    std::map<std::string, std::uint32_t, std::less<>> known;
    for (PathId path = 1; path < paths.size(); ++path) {
      const auto next = static_cast<std::uint32_t>(names_.size());
      const auto [at, fresh] = known.try_emplace(paths.innermost(path), next);
      if (fresh) {
        names_.push_back(at->first);
        first_.push_back(path);
      }
      name_of_[path] = at->second;
    }
    mark_tops(paths);
  }

  std::size_t size() const { return names_.size(); }
  const std::string& name(std::size_t i) const { return names_[i]; }
  /// The first path that it occurs in.
  PathId first(std::size_t i) const { return first_[i]; }
  std::uint32_t name_of(PathId path) const { return name_of_[path]; }

  /// Calls visit(name, ns) with the time below each topmost path of a name, own times given by
  /// path.
  template <class Visit>
  void for_inclusive(const CallPaths& paths, std::vector<std::int64_t> own, Visit visit) const {
    for (auto path = static_cast<PathId>(own.size()); path-- > 1;) {
      if (is_top_[path]) visit(name_of_[path], own[path]);
      own[paths.parent(path)] += own[path];
    }
  }

 private:
  /// A path of a name that none of the paths it continues has, found by going down the tree.
  void mark_tops(const CallPaths& paths) {
    std::vector<std::vector<PathId>> children(paths.size());
    for (PathId path = 1; path < paths.size(); ++path) {
      children[paths.parent(path)].push_back(path);
    }
    struct Visit {
      PathId path;
      std::size_t next_child = 0;
    };
    std::vector<std::uint32_t> open(names_.size());  // paths of that name that are being visited
    std::vector<Visit> stack{{0}};
    while (!stack.empty()) {
      Visit& at = stack.back();
      if (at.next_child < children[at.path].size()) {
        const PathId child = children[at.path][at.next_child++];
        is_top_[child] = open[name_of_[child]]++ == 0;
        stack.push_back({child});
      } else {
        if (at.path != 0) --open[name_of_[at.path]];
        stack.pop_back();
      }
    }
  }

  std::vector<std::string> names_;
  std::vector<PathId> first_;
  std::vector<std::uint32_t> name_of_;  // by path
  std::vector<bool> is_top_;
};

/// All computation, then the regions or functions with most of it. Each counts with everything that
/// is called from it, and its path is the first one that it occurs in. O(ranks * paths).
std::vector<Part> parts_of(const CallPaths& paths, const ProgramProfile& profile) {
  const NamedPaths named(paths);
  std::vector<std::int64_t> most(named.size());     // of a rank
  std::vector<std::int64_t> own_sum(named.size());  // of all ranks
  std::vector<std::uint32_t> ranks_whole(named.size());
  std::vector<std::int64_t> of_rank(named.size());
  const auto sum_up = [&](std::size_t rank) {
    std::ranges::fill(of_rank, 0);
    named.for_inclusive(paths, profile.path_ns[rank],
                        [&](std::uint32_t name, std::int64_t ns) { of_rank[name] += ns; });
  };
  for (std::size_t r = 0; r < profile.path_ns.size(); ++r) {
    sum_up(r);
    for (std::size_t i = 0; i < named.size(); ++i) {
      most[i] = std::max(most[i], of_rank[i]);
      if (of_rank[i] == profile.rank_ns[r]) ++ranks_whole[i];
    }
  }
  for (PathId path = 1; path < paths.size(); ++path) {
    own_sum[named.name_of(path)] += profile.computing_ns[path];
  }
  std::vector<std::size_t> largest;
  for (std::size_t i = 0; i < named.size(); ++i) {
    // What main() computes is what the program does, and an address says nothing to anybody.
    const bool nameless = named.name(i).find("+0x") != std::string::npos;
    const bool whole = ranks_whole[i] == profile.rank_ns.size();
    if (!paths.has_functions() || (!nameless && !whole)) largest.push_back(i);
  }
  std::ranges::stable_sort(largest, std::ranges::greater{}, [&](std::size_t i) { return most[i]; });
  if (largest.size() > kRegions) largest.resize(kRegions);
  const std::int64_t computing =
      std::reduce(profile.computing_ns.begin(), profile.computing_ns.end());
  std::vector<Part> parts{{"", 0, profile.rank_ns, false, computing}};
  for (const std::size_t i : largest) {
    parts.push_back({named.name(i), named.first(i), {}, paths.has_functions(), own_sum[i]});
  }
  for (std::size_t r = 0; r < profile.path_ns.size(); ++r) {
    sum_up(r);
    for (std::size_t k = 0; k < largest.size(); ++k) {
      parts[k + 1].ns.push_back(of_rank[largest[k]]);
    }
  }
  return parts;
}

std::string of_rank(const Part& part) {
  return fmt::format("{} on rank {}, {} on average",
                     format_time_ns(static_cast<double>(part.max())), part.longest(),
                     format_time_ns(part.mean()));
}

Hypothesis balance(const Part& part) {
  return {.problem = Problem::imbalance,
          .action = fmt::format("Balance the computation of {} over all ranks", part.name()),
          .place = part.region,
          .path = part.path,
          .rank = part.longest(),
          .edits = {part.edit("balance")},
          .evidence = fmt::format("Computation of {}: {}.", part.name(), of_rank(part)),
          .assumption = "the work can be divided evenly"};
}

/// The rank that is the longest most often, and how often.
std::pair<std::int32_t, std::size_t> most_often_longest(const VisitTimes& times) {
  std::vector<std::size_t> longest(times.size());
  for (std::size_t visit = 0; visit < times.front().size(); ++visit) {
    std::size_t rank = 0;
    for (std::size_t r = 1; r < times.size(); ++r) {
      if (times[r][visit] > times[rank][visit]) rank = r;
    }
    ++longest[rank];
  }
  const auto most = std::ranges::max_element(longest);
  return {static_cast<std::int32_t>(most - longest.begin()), *most};
}

/// All ranks have equally many instances.
Hypothesis even_out(const Part& part, VisitScope scope, const VisitTimes& times) {
  Edit edit = part.edit("balance");
  const bool collectives = scope == VisitScope::collective;
  edit.arguments.emplace("over", collectives ? "collective" : "visit");
  const auto [rank, count] = most_often_longest(times);
  const std::size_t instances = times.front().size();
  const bool always_one = 2 * count > instances;
  return {.problem = always_one ? Problem::imbalance : Problem::variation,
          .action = fmt::format(
              "Balance each {} over all ranks",
              collectives ? "stretch between two collectives" : "visit to " + part.region),
          .place = part.region,
          .path = part.path,
          .rank = always_one ? rank : -1,
          .each_instance = true,
          .edits = {std::move(edit)},
          .evidence =
              fmt::format("Rank {} takes longest in {} of {} {}, more often than any other.", rank,
                          count, instances, collectives ? "stretches" : "visits to " + part.region),
          .assumption = always_one ? "the work can be divided evenly each time"
                                   : "the variation is in the work, or its cause can be removed"};
}

Hypothesis compute_less(const Part& part) {
  Edit edit = part.edit("scale");
  edit.arguments.emplace("factor", fmt::format("{}", 1 - kLessComputation));
  return {.problem = Problem::computation,
          .action = fmt::format("Speed up the computation of {} by {:.0f} %", part.name(),
                                kLessComputation * 100),
          .place = part.region,
          .path = part.path,
          .edits = {std::move(edit)},
          .evidence = fmt::format("Computation of {}: {}.", part.name(), of_rank(part)),
          .assumption = "it can be optimised that far ('slackline gains' has other percentages)"};
}

std::string list_of(const std::vector<std::int32_t>& ranks) {
  std::string text;
  for (const std::int32_t rank : ranks) text += (text.empty() ? "" : ",") + std::to_string(rank);
  return text;
}

/// Ranks with computation in a part, if these are few.
std::optional<Hypothesis> divide(const Part& part) {
  std::vector<std::int32_t> ranks;
  for (std::size_t r = 0; r < part.ns.size(); ++r) {
    // Measurements leave a few nanoseconds where regions begin.
    if (static_cast<double>(part.ns[r]) > 0.01 * static_cast<double>(part.max())) {
      ranks.push_back(static_cast<std::int32_t>(r));
    }
  }
  if (part.region.empty() || ranks.empty() || ranks.size() * 4 > part.ns.size())
    return std::nullopt;
  Edit edit = part.edit("scale");
  edit.arguments.emplace("ranks", list_of(ranks));
  edit.arguments.emplace("factor",
                         fmt::format("{:.9g}", ratio_of(static_cast<double>(ranks.size()),
                                                        static_cast<double>(part.ns.size()))));
  return Hypothesis{
      .problem = Problem::serial,
      .action = fmt::format("Divide {}, which only {} out, over all ranks", part.region,
                            ranks.size() == 1 ? fmt::format("rank {} carries", ranks.front())
                                              : fmt::format("{} ranks carry", ranks.size())),
      .place = part.region,
      .path = part.path,
      .rank = part.longest(),
      .edits = {std::move(edit)},
      .evidence = fmt::format("{} takes {} on rank {}, and no time on {} of {} ranks.", part.region,
                              format_time_ns(static_cast<double>(part.max())), part.longest(),
                              part.ns.size() - ranks.size(), part.ns.size()),
      .assumption = "the work is parallel, and the other ranks do nothing else meanwhile"};
}

// --- Slow ranks -----------------------------------------------------------------------------

/// By which factor a rank takes longer than the median over ranks, if everything that it computes
/// does: two kinds of computation at least, all by about the same factor.
class Slowness {
 public:
  explicit Slowness(const ProgramProfile& profile) {
    const double all = static_cast<double>(profile.mean_ns());
    for (const auto& [kind, ns] : profile.kind_ns) {
      std::vector<double> values(ns.begin(), ns.end());
      const double middle = median(std::vector(values));
      if (middle < kLeastShare * all) continue;
      for (double& value : values) value /= middle;
      factors_.push_back(std::move(values));
    }
  }
  /// 1: not slow.
  double of_rank(std::size_t rank) const {
    if (factors_.size() < 2) return 1;
    double least = factors_.front()[rank];
    double largest = least;
    for (const std::vector<double>& factors : factors_) {
      least = std::min(least, factors[rank]);
      largest = std::max(largest, factors[rank]);
    }
    const bool uniform = least - 1 >= 0.6 * (largest - 1);
    return least >= kSlow && uniform ? least : 1;
  }

 private:
  std::vector<std::vector<double>> factors_;  // by kind and rank
};

Hypothesis speed_up(std::string key, const std::string& which, std::string who, double factor,
                    std::int32_t rank) {
  Edit edit{"scale"};
  edit.arguments.emplace("factor", fmt::format("{:.4f}", 1 / factor));
  const bool host = key == "host";
  edit.arguments.emplace(std::move(key), which);
  return {.problem = Problem::slow_ranks,
          .action = fmt::format("Run {} on {} as fast as the others", who,
                                host ? "a host" : "a processor"),
          .place = host ? which : who,
          .rank = rank,
          .edits = {std::move(edit)},
          .evidence = fmt::format("All that {} computes takes {:.2f} times as long as elsewhere.",
                                  who, factor),
          .assumption = "the processor is slow, not the work larger"};
}

std::vector<Hypothesis> slow_hosts_or_ranks(const Trace& trace, const ProgramProfile& profile) {
  const Slowness slowness(profile);
  std::map<std::string, std::vector<std::int32_t>> hosts;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) hosts[trace.rank_info(r).host].push_back(r);
  std::vector<Hypothesis> all;
  std::vector<std::pair<double, std::int32_t>> slow;
  for (const auto& [host, ranks] : hosts) {
    std::vector<double> factors;
    for (const std::int32_t r : ranks)
      factors.push_back(slowness.of_rank(static_cast<std::size_t>(r)));
    const bool whole = ranks.size() > 1 && hosts.size() > 1 && !host.empty();
    if (whole && std::ranges::min(factors) > 1) {
      all.push_back(speed_up("host", host, "host " + host, median(factors), ranks.front()));
      continue;
    }
    for (std::size_t k = 0; k < ranks.size(); ++k) {
      if (factors[k] <= 1) continue;
      slow.emplace_back(factors[k], ranks[k]);
    }
  }
  std::ranges::sort(slow, std::greater{});
  if (slow.size() > kSlowRanks) slow.resize(kSlowRanks);
  for (const auto& [factor, rank] : slow) {
    all.push_back(
        speed_up("ranks", std::to_string(rank), fmt::format("rank {}", rank), factor, rank));
  }
  return all;
}

// --- Instances ------------------------------------------------------------------------------

/// Rare long instances: how many, and the rank with most time in them.
struct Outliers {
  std::size_t count = 0;
  std::size_t instances = 0;
  std::int32_t rank = -1;
  std::int64_t rank_ns = 0;
  std::int64_t sum_ns = 0;  // of all exceptional instances
  std::int64_t all_ns = 0;  // of all instances
  std::int64_t longest_ns = 0;
  std::int32_t longest_rank = -1;
  std::size_t longest_index = 0;  // among the visits of its rank

  bool is_mostly_one() const {
    return static_cast<double>(longest_ns) >= kMostlyOne * static_cast<double>(sum_ns);
  }
};

Outliers outliers(const VisitTimes& times) {
  Outliers found;
  for (std::size_t r = 0; r < times.size(); ++r) {
    std::vector<double> visits;
    for (const std::int64_t ns : times[r]) {
      if (ns > 0) visits.push_back(static_cast<double>(ns));
    }
    if (visits.size() < kFewestInstances) continue;
    found.instances += visits.size();
    for (const std::int64_t ns : times[r]) found.all_ns += ns;
    const double limit = kOutlier * median(visits);
    std::int64_t excess_ns = 0;
    for (std::size_t i = 0; i < times[r].size(); ++i) {
      const std::int64_t ns = times[r][i];
      if (static_cast<double>(ns) <= limit) continue;
      ++found.count;
      excess_ns += ns;
      if (ns <= found.longest_ns) continue;
      found.longest_ns = ns;
      found.longest_rank = static_cast<std::int32_t>(r);
      found.longest_index = i;
    }
    found.sum_ns += excess_ns;
    if (excess_ns > found.rank_ns) {
      found.rank = static_cast<std::int32_t>(r);
      found.rank_ns = excess_ns;
    }
  }
  return found;
}

/// Whether all ranks have equally many instances, two at least, so that they can be compared one by
/// one.
bool have_equal_counts(const VisitTimes& times) {
  return !times.empty() && times.front().size() >= 2 &&
         std::ranges::all_of(
             times, [&](const auto& visits) { return visits.size() == times.front().size(); });
}

/// Whether most of the time of exceptional instances is in those that are so on all ranks alike:
/// that is what the program does there, such as its set-up.
bool are_of_all_ranks(const VisitTimes& times) {
  if (times.size() < 2 || !have_equal_counts(times)) return false;
  std::vector<double> limits;
  for (const auto& visits : times) {
    limits.push_back(kOutlier * static_cast<double>(median(std::vector<std::int64_t>(visits))));
  }
  double all_ns = 0;
  double alike_ns = 0;
  for (std::size_t visit = 0; visit < times.front().size(); ++visit) {
    double exceptional_ns = 0;
    std::size_t ranks = 0;
    for (std::size_t r = 0; r < times.size(); ++r) {
      const auto ns = static_cast<double>(times[r][visit]);
      if (ns <= limits[r]) continue;
      exceptional_ns += ns;
      ++ranks;
    }
    all_ns += exceptional_ns;
    if (ranks == times.size()) alike_ns += exceptional_ns;
  }
  return 2 * alike_ns > all_ns;
}

/// One exceptional instance is named; before everything else it is a late start.
std::string action_on(const Outliers& found, const Part& part, bool collectives) {
  if (!found.is_mostly_one()) {
    return fmt::format("Remove what makes rare instances of {} exceptionally long", part.name());
  }
  if (collectives && found.longest_index == 0) {
    return fmt::format("Start rank {} at the same time as the others", found.longest_rank);
  }
  return fmt::format("Shorten the one exceptionally long instance of {} on rank {}", part.name(),
                     found.longest_rank);
}

std::optional<Hypothesis> without_outliers(const Part& part, VisitScope scope,
                                           const VisitTimes& times) {
  const Outliers found = outliers(times);
  const double share =
      ratio_of(static_cast<double>(found.count), static_cast<double>(found.instances));
  const double time_share =
      ratio_of(static_cast<double>(found.sum_ns), static_cast<double>(found.all_ns));
  const bool rare = share <= kOutlierShare && (time_share <= kOutlierTime || found.is_mostly_one());
  if (found.count == 0 || !rare || are_of_all_ranks(times)) return std::nullopt;
  Edit edit = part.edit("limit");
  edit.arguments.emplace("factor", fmt::format("{}", kOutlier));
  const bool collectives = scope == VisitScope::collective;
  if (collectives) edit.arguments.emplace("over", "collective");
  return Hypothesis{
      .problem = Problem::outliers,
      .action = action_on(found, part, collectives),
      .place = part.region,
      .path = part.path,
      .rank = found.rank,
      .edits = {std::move(edit)},
      .evidence = fmt::format(
          "{} of {} {} take more than twice the rank's median; the longest, {}, is "
          "number {} of rank {}.",
          found.count, found.instances, collectives ? "stretches between collectives" : "visits",
          format_time_ns(static_cast<double>(found.longest_ns)), found.longest_index + 1,
          found.longest_rank),
      .assumption = found.is_mostly_one()
                        ? "it is an interruption or avoidable work"
                        : "they are interruptions (operating system, I/O, other jobs), not work"};
}

/// What is worth changing in a part. `whole`: it is all that there is.
std::vector<Hypothesis> hypotheses_about(const Part& part, bool whole, VisitScope scope,
                                         const VisitTimes& times) {
  std::vector<Hypothesis> all;
  if ((whole || !part.region.empty()) && part.computes_itself()) all.push_back(compute_less(part));
  if (part.ns.size() == 1) return all;
  all.push_back(balance(part));
  if (auto serial = divide(part)) all.push_back(std::move(*serial));
  if (have_equal_counts(times)) all.push_back(even_out(part, scope, times));
  if (auto rare = without_outliers(part, scope, times)) all.push_back(std::move(*rare));
  return all;
}

GapChanges changes_by(const Edit& edit, const Trace& trace, const SelectedPieces& pieces) {
  return pieces.changes(piece_lengths(edit, trace, pieces.times()));
}

void take_with(GapChanges changes, Hypothesis h, const TakeHypothesis& take) {
  h.change.gaps = std::make_shared<const GapChanges>(std::move(changes));
  h.of_computation = true;
  take(std::move(h));
}

}  // namespace

void computation_hypotheses(const ProgramView& program, const CallPaths& paths,
                            const ProgramProfile& profile, const TakeHypothesis& take) {
  const Trace& trace = program.trace;
  if (trace.ranks() == 0 || std::ranges::max(profile.rank_ns) == 0) return;
  const auto least = kLeastShare * static_cast<double>(std::ranges::max(profile.rank_ns));
  const std::vector<Part> parts = parts_of(paths, profile);
  for (const Part& part : parts) {
    if (static_cast<double>(part.max()) < least) continue;
    const VisitScope scope = part.region.empty() ? VisitScope::collective : VisitScope::region;
    const SelectedPieces pieces(part.edit("balance"), program, scope);
    for (Hypothesis& h : hypotheses_about(part, parts.size() == 1, scope, pieces.times())) {
      const Edit edit = h.edits.front();
      take_with(edit.has("ranks") ? gap_changes(edit, program) : changes_by(edit, trace, pieces),
                std::move(h), take);
    }
  }
  for (Hypothesis& slow : slow_hosts_or_ranks(trace, profile)) {
    GapChanges changes = gap_changes(slow.edits.front(), program);
    take_with(std::move(changes), std::move(slow), take);
  }
}

GapChanges gap_changes(const Edit& edit, const ProgramView& program) {
  const std::string* over = edit.find("over");
  const bool collectives = over != nullptr && *over == "collective";
  const SelectedPieces pieces(edit, program,
                              collectives ? VisitScope::collective : VisitScope::region);
  return changes_by(edit, program.trace, pieces);
}

}  // namespace slackline
