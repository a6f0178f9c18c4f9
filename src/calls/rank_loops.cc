// The iterations of one rank, from the order of its calls.
//
// A loop shows as a sequence of calls that repeats, but not to the letter: inner loops of a solver
// take as many rounds as they need, a tenth of the steps writes output, polling and wildcards come
// by chance. So sequences are compared by the set of kinds of calls in them (operation, partner,
// size class, call path), after calls of one kind that follow each other have become one run: this
// is the folding of repeated sequences into loop descriptions by which ScalaTrace compresses traces
// (Noeth, Ratn, Mueller, Schulz and de Supinski, J. Parallel Distrib. Comput. 69, 2009), reduced to
// the question where an iteration begins.
//
// Whatever is called once in an iteration is called as often as there are iterations. Hence kinds
// are grouped by how often they occur; the first kind of a group is a candidate for the call that
// begins an iteration (the anchor). The calls from one anchor to the next are a segment; the most
// frequent set of kinds among segments is the modal one. An anchor is accepted where most segments
// resemble the modal one (Jaccard's coefficient of the sets), and where the modal one has two
// thirds of the kinds that the loop has: else it is the anchor of an inner loop. (Not where nine
// tenths of the segments are alike: steps that now and then rebuild neighbour lists remain steps.)
// Among those accepted the one with most segments wins: outer repetitions consist of whole
// iterations of it, such as the ten steps between two outputs. But where another one's segments
// have calls of their own and hold a varying number of those, they are the rounds of an inner loop.
//
// Where one step differs from the next by turns (X-Y sweep, Y-X sweep with one more reduction), the
// segments' exact sequences have a period of a few segments, which is then the iteration.
//
// Calls may repeat without being what the time goes into (a hundred small messages in a step): the
// median segment times their number has to make up half of the loop's time.
//
// Segments that are far longer than the modal one, or hold a run of other calls that would be a
// loop by itself, contain another part of the program: the loop ends there, and what lies before
// and behind a loop is searched for other ones. Each candidate costs a walk over the runs, there
// are at most a few, and mostly the first one is accepted.

#include "calls/iterations.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "base/flat_map.h"
#include "base/statistics.h"
#include "calls/run_span.h"

namespace slackline {
namespace {

constexpr std::size_t kMostCandidates = 6;
constexpr std::size_t kMostLoops = 100;
constexpr double kAlikeSegments = 0.7;      // of all: the rest may be output, regridding, ...
constexpr double kAlikeSets = 0.5;          // Jaccard's coefficient of two alike segments
constexpr double kMostKinds = 2.0 / 3;      // of the loop's: else it is an inner loop
constexpr double kAlikeAlone = 0.9;         // of all segments: then the loop may have more kinds
constexpr std::uint32_t kFewestOfStep = 4;  // kinds of a segment that may be called a step then
constexpr double kCertain = 0.95;           // no better anchor is looked for
constexpr std::size_t kMuchLonger = 4;      // times the modal segment: not of the loop
constexpr std::size_t kLastingChange = 6;   // segments of another structure: a part of the loop
constexpr std::size_t kLongestTurn = 4;     // segments in which steps differ by turns
constexpr double kTurnsMatch = 0.9;
constexpr double kSteady = 0.6;   // of outer repetitions: have equally many inner ones
constexpr double kRegular = 0.5;  // of a loop's time: the median length times the number
constexpr std::size_t kGapsSampled = 255;

struct Range {
  std::size_t begin;
  std::size_t end;
  std::size_t size() const { return end - begin; }
};

/// From an anchor to the next one.
struct Segment {
  std::size_t begin;  // run
  std::size_t end;
  std::uint64_t kinds_hash = 0;  // of the set
  std::uint64_t exact_hash = 0;  // of the sequence
  std::uint32_t kinds = 0;
  bool complete = false;  // has all kinds of the modal segment
  bool alike = false;
};

struct Cut {
  std::vector<Segment> segments;  // the last one ends where the modal kinds end
  double alike = 0;               // share of the segments
  double kinds = 0;               // of the loop's, in the modal segment
};

class LoopSearch {
 public:
  LoopSearch(const RankCalls& calls, const CallRuns& runs)
      : calls_(calls),
        runs_(runs.runs),
        end_call_(runs.end_call),
        count_(runs.kinds),
        seen_(runs.kinds),
        modal_(runs.kinds) {}

  std::vector<RankLoop> all(std::int64_t shortest_ns) {
    shortest_ns_ = shortest_ns;
    search({0, runs_.size()});
    std::ranges::sort(found_, {}, [](const RankLoop& l) { return l.first_call.front(); });
    return std::move(found_);
  }

 private:
  std::uint32_t call_at(std::size_t run) const {
    return run < runs_.size() ? runs_[run].first_call : end_call_;
  }
  std::uint32_t calls_of(std::size_t run) const { return call_at(run + 1) - call_at(run); }
  std::int64_t time(const Range& r) const {
    if (r.size() == 0) return 0;
    return calls_.end_ns(call_at(r.end) - 1) - calls_.begin_ns(call_at(r.begin));
  }
  bool is_loop(std::size_t run) const {
    return calls_of(run) >= kFewestIterations && time({run, run + 1}) >= shortest_ns_;
  }
  bool stamp(std::vector<std::uint64_t>& stamps, std::uint32_t kind) const {
    return std::exchange(stamps[kind], stamp_) != stamp_;
  }

  void search(Range range) {
    if (range.size() == 0 || found_.size() >= kMostLoops || time(range) < shortest_ns_) {
      return;
    }
    std::optional<Cut> cut = best_cut(range);
    if (!cut) {
      search_run(range);
      return;
    }
    rotate(cut->segments, range);
    const Range loop{cut->segments.front().begin, cut->segments.back().end};
    if (time(loop) >= shortest_ns_) {
      found_.push_back(single_calls(*cut).value_or(loop_of(*cut)));
    }
    search({range.begin, loop.begin});
    search({loop.end, range.end});
  }

  /// Where nothing else repeats, a run of calls of one kind may be the loop: the one that takes
  /// longest of those with enough calls. (A single call may take longer.) What stands between it
  /// and others of its kind is output, unless it is a loop, too.
  void search_run(const Range& range) {
    std::optional<std::size_t> longest;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (calls_of(i) < kFewestIterations) continue;
      if (!longest || time({i, i + 1}) > time({*longest, *longest + 1})) longest = i;
    }
    if (!longest) return;
    const auto continues = [&](std::size_t run, std::size_t between) {
      return runs_[run].kind == runs_[*longest].kind && calls_of(run) >= kFewestIterations &&
             !is_loop(between);
    };
    Range loop{*longest, *longest + 1};
    while (loop.begin >= range.begin + 2 && continues(loop.begin - 2, loop.begin - 1)) {
      loop.begin -= 2;
    }
    while (loop.end + 1 < range.end && continues(loop.end + 1, loop.end)) loop.end += 2;
    if (time(loop) < shortest_ns_) return;
    RankLoop found = calls_of_kind(loop, runs_[*longest].kind);
    if (!regular(found)) return;
    found_.push_back(std::move(found));
    search({range.begin, loop.begin});
    search({loop.end, range.end});
  }

  /// As if each of them were an iteration.
  RankLoop calls_of_kind(const Range& range, std::uint32_t kind) const {
    RankLoop loop;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (runs_[i].kind != kind) continue;
      for (std::uint32_t call = call_at(i); call < call_at(i + 1); ++call) {
        loop.first_call.push_back(call);
      }
    }
    loop.structure.assign(loop.first_call.size(), 0);
    loop.first_call.push_back(call_at(range.end));
    return loop;
  }

  /// The anchor need not be the first call of an iteration: what stands before the first anchor and
  /// is of the modal kinds is part of the first iteration, and so what ends the segments belongs to
  /// the iteration that follows.
  void rotate(std::vector<Segment>& segments, const Range& range) {
    const std::size_t anchor = segments.front().begin;
    std::size_t longest = 0;
    std::uint32_t longest_run = 0;
    ++stamp_;
    const std::uint64_t of_loop = stamp_;
    const std::uint64_t usual = modal_kinds(segments);
    for (const Segment& s : segments) {
      if (s.kinds_hash != usual) continue;
      longest = std::max(longest, s.end - s.begin);
      for (std::size_t i = s.begin; i < s.end; ++i) {
        modal_[runs_[i].kind] = of_loop;
        longest_run = std::max(longest_run, calls_of(i));
      }
    }
    ++stamp_;
    std::size_t begin = anchor;
    while (begin > range.begin && anchor - begin < longest &&
           modal_[runs_[begin - 1].kind] == of_loop) {
      stamp(seen_, runs_[--begin].kind);
    }
    if (begin == anchor) return;
    const std::size_t end = segments.back().end;
    for (std::size_t k = segments.size(); k-- > 0;) {
      Segment& s = segments[k];
      const auto kind = [&](std::size_t run) { return runs_[run].kind; };
      const std::size_t closed = s.end;
      while (s.end > s.begin + 1 &&
             (seen_[kind(s.end - 1)] == stamp_ || modal_[kind(s.end - 1)] != of_loop)) {
        --s.end;
      }
      while (s.end < closed && modal_[kind(s.end)] != of_loop) ++s.end;
      if (k + 1 < segments.size()) segments[k + 1].begin = s.end;
    }
    segments.front().begin = begin;
    // What ends the last segment may begin one more iteration.
    Segment more = segments.back();
    more.begin = segments.back().end;
    more.end = end;
    for (std::size_t i = end; i < std::min(range.end, more.begin + 2 * longest); ++i) {
      const std::uint32_t kind = runs_[i].kind;
      if (seen_[kind] == stamp_ || calls_of(i) > kMuchLonger * longest_run) break;
      if (modal_[kind] == of_loop) more.end = i + 1;
    }
    if (more.begin < end && more.end > end) segments.push_back(more);
  }

  RankLoop loop_of(const Cut& cut) const {
    RankLoop loop;
    for (const Segment& s : cut.segments) {
      loop.first_call.push_back(call_at(s.begin));
      loop.structure.push_back(s.kinds_hash);
    }
    loop.first_call.push_back(call_at(cut.segments.back().end));
    return loop;
  }

  /// Where a step is a single call, those between two outputs are one run of calls, and the cut
  /// joins them: two kinds by turns, of which one is called equally often in most segments.
  std::optional<RankLoop> single_calls(const Cut& cut) const {
    const std::uint32_t step = longest_run(cut.segments.front());
    std::map<std::uint32_t, std::size_t> lengths;
    for (const Segment& s : cut.segments) {
      if (s.kinds > 2) return std::nullopt;
      for (std::size_t i = s.begin; i < s.end; ++i) {
        if (runs_[i].kind == step) ++lengths[calls_of(i)];
      }
    }
    const auto most = std::ranges::max_element(lengths, {}, [](const auto& l) { return l.second; });
    if (most == lengths.end() || most->first <= kLongestTurn ||
        static_cast<double>(most->second) < kSteady * static_cast<double>(cut.segments.size())) {
      return std::nullopt;
    }
    RankLoop loop = calls_of_kind({cut.segments.front().begin, cut.segments.back().end}, step);
    return regular(loop) ? std::optional(std::move(loop)) : std::nullopt;
  }
  /// The kind of the run with most calls.
  std::uint32_t longest_run(const Segment& s) const {
    std::size_t longest = s.begin;
    for (std::size_t i = s.begin; i < s.end; ++i) {
      if (calls_of(i) > calls_of(longest)) longest = i;
    }
    return runs_[longest].kind;
  }

  /// The first kind of each group of kinds that occur equally often; largest groups first.
  std::vector<std::uint32_t> candidates(const Range& range) {
    std::ranges::fill(count_, 0u);
    std::vector<std::uint32_t> kinds;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const std::uint32_t kind = runs_[i].kind;
      if (count_[kind]++ == 0) kinds.push_back(kind);
    }
    struct Group {
      std::size_t kinds = 0;
      std::uint32_t first = 0;
    };
    std::map<std::uint32_t, Group> groups;
    for (const std::uint32_t kind : kinds) {
      if (count_[kind] < kFewestIterations) continue;
      Group& group = groups[count_[kind]];
      if (group.kinds++ == 0) group.first = kind;
    }
    std::vector<std::pair<std::uint32_t, Group>> order(groups.begin(), groups.end());
    std::ranges::stable_sort(order, [](const auto& a, const auto& b) {
      return std::pair(a.second.kinds, a.first) > std::pair(b.second.kinds, b.first);
    });
    std::vector<std::uint32_t> anchors;
    for (const auto& [count, group] : order) {
      if (anchors.size() < kMostCandidates) anchors.push_back(group.first);
    }
    return anchors;
  }

  std::optional<Cut> best_cut(const Range& range) {
    std::vector<Cut> accepted;
    for (const std::uint32_t anchor : candidates(range)) {
      std::optional<Cut> cut = cut_at(anchor, range);
      if (!cut) continue;
      const bool certain = cut->alike >= kCertain && cut->kinds >= kCertain;
      accepted.push_back(std::move(*cut));
      if (certain) break;
    }
    if (accepted.empty()) return std::nullopt;
    std::ranges::stable_sort(accepted, std::greater{},
                             [](const Cut& cut) { return cut.segments.size(); });
    std::size_t best = 0;
    for (std::size_t i = 1; i < accepted.size(); ++i) {
      if (is_inner_loop(accepted[best], accepted[i])) best = i;
    }
    return std::move(accepted[best]);
  }

  /// Whether `inner` repeats as often as it needs within each repetition of `outer`, which has
  /// calls of its own. What repeats as often in each are steps between two outputs.
  static bool is_inner_loop(const Cut& inner, const Cut& outer) {
    if (outer.alike < kCertain || outer.kinds <= inner.kinds) return false;
    std::map<std::size_t, std::size_t> repetitions;  // of each number
    auto next = inner.segments.begin();
    for (const Segment& s : outer.segments) {
      std::size_t rounds = 0;
      while (next != inner.segments.end() && next->begin < s.begin) ++next;
      for (; next != inner.segments.end() && next->begin < s.end; ++next) ++rounds;
      ++repetitions[rounds];
    }
    const auto most =
        std::ranges::max_element(repetitions, {}, [](const auto& r) { return r.second; });
    return static_cast<double>(most->second) < kSteady * static_cast<double>(outer.segments.size());
  }

  std::vector<Segment> segments_at(std::uint32_t anchor, const Range& range) {
    std::vector<Segment> segments;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const std::uint32_t kind = runs_[i].kind;
      if (kind == anchor) {
        if (!segments.empty()) segments.back().end = i;
        segments.push_back({i, range.end});
        ++stamp_;
      }
      if (segments.empty()) continue;
      Segment& s = segments.back();
      const std::uint64_t calls = call_at(i + 1) - call_at(i);
      s.exact_hash = mix_bits(s.exact_hash ^ (calls << 32 | kind));
      if (!stamp(seen_, kind)) continue;
      ++s.kinds;
      s.kinds_hash += mix_bits(kind + 1);
    }
    return segments;
  }

  /// The most frequent set of kinds.
  static std::uint64_t modal_kinds(const std::vector<Segment>& segments) {
    std::vector<std::uint64_t> all;
    all.reserve(segments.size());
    for (const Segment& s : segments) all.push_back(s.kinds_hash);
    std::ranges::sort(all);
    std::pair<std::uint64_t, std::size_t> best{0, 0};
    for (std::size_t i = 0; i < all.size();) {
      std::size_t end = i;
      while (end < all.size() && all[end] == all[i]) ++end;
      if (end - i > best.second) best = {all[i], end - i};
      i = end;
    }
    return best.first;
  }

  std::optional<Cut> cut_at(std::uint32_t anchor, const Range& range) {
    std::vector<Segment> segments = segments_at(anchor, range);
    if (segments.size() < kFewestIterations) return std::nullopt;
    std::vector<Segment> closed(segments.begin(), segments.end() - 1);
    const std::uint64_t usual = modal_kinds(closed);
    const Segment& model = *std::ranges::find(closed, usual, &Segment::kinds_hash);
    ++stamp_;
    const std::uint64_t modal_stamp = stamp_;
    for (std::size_t i = model.begin; i < model.end; ++i) modal_[runs_[i].kind] = modal_stamp;
    std::size_t longest = 0;  // of the usual ones
    for (const Segment& s : closed) {
      if (s.kinds_hash == usual) longest = std::max(longest, s.end - s.begin);
    }
    end_last(segments.back(), longest, modal_stamp);
    for (Segment& s : segments) compare(s, model.kinds, usual, modal_stamp);
    Cut cut;
    cut.segments = main_stretch(segments, longest, modal_stamp);
    trim(cut.segments);
    if (cut.segments.size() < kFewestIterations) return std::nullopt;
    const auto alike = std::ranges::count_if(cut.segments, &Segment::alike);
    cut.alike = static_cast<double>(alike) / static_cast<double>(cut.segments.size());
    cut.kinds = static_cast<double>(model.kinds) /
                static_cast<double>(repeated_kinds(cut.segments, model.kinds));
    const bool rarely_more = model.kinds >= kFewestOfStep && cut.alike >= kAlikeAlone;
    if (cut.alike < kAlikeSegments || (cut.kinds < kMostKinds && !rarely_more)) return std::nullopt;
    join_turns(cut.segments);
    if (cut.segments.size() < kFewestIterations || !regular(cut.segments)) return std::nullopt;
    return cut;
  }

  /// Do repetitions of usual length, each of which begins with one of these calls, make up the
  /// time? Else they are what is repeated within a few long ones.
  bool regular(std::span<const std::uint32_t> begins) const {
    std::vector<double> lengths;
    for (std::size_t i = 1; i < begins.size(); ++i) {
      lengths.push_back(
          static_cast<double>(calls_.begin_ns(begins[i]) - calls_.begin_ns(begins[i - 1])));
    }
    const auto all =
        static_cast<double>(calls_.begin_ns(begins.back()) - calls_.begin_ns(begins.front()));
    const auto count = static_cast<double>(begins.size() - 1);
    return median(std::move(lengths)) * count >= kRegular * all;
  }
  bool regular(const RankLoop& loop) const {
    return regular(std::span(loop.first_call).first(loop.count()));
  }
  bool regular(const std::vector<Segment>& segments) const {
    std::vector<std::uint32_t> begins;
    begins.reserve(segments.size());
    for (const Segment& s : segments) begins.push_back(call_at(s.begin));
    return regular(std::span<const std::uint32_t>(begins));
  }

  /// Nothing closes the last segment: it goes on for the modal kinds, up to the longest of others.
  void end_last(Segment& s, std::size_t longest, std::uint64_t modal_stamp) {
    std::size_t end = s.begin;
    ++stamp_;
    s.kinds = 0;
    s.kinds_hash = 0;
    s.exact_hash = 0;
    while (end < s.end && end - s.begin < longest && modal_[runs_[end].kind] == modal_stamp) {
      const std::uint64_t calls = call_at(end + 1) - call_at(end);
      s.exact_hash = mix_bits(s.exact_hash ^ (calls << 32 | runs_[end].kind));
      if (stamp(seen_, runs_[end].kind)) {
        ++s.kinds;
        s.kinds_hash += mix_bits(runs_[end].kind + 1);
      }
      ++end;
    }
    s.end = end;
  }

  void compare(Segment& s, std::uint32_t modal_kinds, std::uint64_t usual,
               std::uint64_t modal_stamp) {
    if (s.kinds_hash == usual) {
      s.alike = s.complete = true;
      return;
    }
    ++stamp_;
    std::uint32_t common = 0;
    for (std::size_t i = s.begin; i < s.end; ++i) {
      if (stamp(seen_, runs_[i].kind) && modal_[runs_[i].kind] == modal_stamp) ++common;
    }
    s.complete = common == modal_kinds;
    s.alike = common >= kAlikeSets * static_cast<double>(s.kinds + modal_kinds - common);
  }

  /// Calls of one kind, which the loop does not have, that are one by themselves.
  bool holds_loop(const Segment& s, std::uint64_t modal_stamp) const {
    for (std::size_t i = s.begin; i < s.end; ++i) {
      if (modal_[runs_[i].kind] != modal_stamp && is_loop(i)) return true;
    }
    return false;
  }

  /// The longest sequence of segments without another part of the program among them.
  std::vector<Segment> main_stretch(const std::vector<Segment>& segments, std::size_t longest,
                                    std::uint64_t modal_stamp) const {
    Range best{0, 0};
    std::size_t begin = 0;
    const auto consider = [&](std::size_t end) {
      if (end > begin && end - begin > best.size()) best = {begin, end};
    };
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const std::size_t length = segments[i].end - segments[i].begin;
      if (length <= kMuchLonger * longest + kMuchLonger && !holds_loop(segments[i], modal_stamp)) {
        continue;
      }
      consider(i);
      begin = i + 1;
    }
    consider(segments.size());
    const auto at = [&](std::size_t i) {
      return segments.begin() + static_cast<std::ptrdiff_t>(i);
    };
    return {at(best.begin), at(best.end)};
  }

  /// Segments at both ends that lack kinds are what comes before and after the loop, but not where
  /// many of one structure follow each other.
  static void trim(std::vector<Segment>& segments) {
    const auto lasting = [](auto from, auto to) {
      std::size_t same = 0;
      for (auto s = from; s != to && s->kinds_hash == from->kinds_hash; ++s) ++same;
      return same >= kLastingChange;
    };
    while (!segments.empty() && !segments.back().complete &&
           !lasting(segments.rbegin(), segments.rend())) {
      segments.pop_back();
    }
    auto first = segments.begin();
    while (first != segments.end() && !first->complete && !lasting(first, segments.end())) ++first;
    segments.erase(segments.begin(), first);
  }

  /// Kinds in the segments that occur as often as iterations would have to.
  std::size_t repeated_kinds(const std::vector<Segment>& segments, std::size_t modal_kinds) {
    ++stamp_;
    std::size_t kinds = 0;
    for (std::size_t i = segments.front().begin; i < segments.back().end; ++i) {
      if (count_[runs_[i].kind] >= kFewestIterations && stamp(seen_, runs_[i].kind)) ++kinds;
    }
    return std::max(kinds, modal_kinds);
  }

  /// The share of segments whose calls are those of the segment `distance` before.
  static double matches(const std::vector<Segment>& segments, std::size_t distance) {
    std::size_t equal = 0;
    for (std::size_t i = distance; i < segments.size(); ++i) {
      equal += segments[i].exact_hash == segments[i - distance].exact_hash ? 1 : 0;
    }
    return static_cast<double>(equal) / static_cast<double>(segments.size() - distance);
  }

  /// Many equal segments beside others that differ by turns are a loop of their own. Keeps the
  /// longer one of both and tells whether it is that of equal segments.
  static bool keep_longer_part(std::vector<Segment>& segments, std::size_t turn) {
    Range equal{0, 0};
    for (std::size_t i = 0; i < segments.size();) {
      std::size_t end = i + 1;
      while (end < segments.size() && segments[end].exact_hash == segments[i].exact_hash) ++end;
      if (end - i > equal.size()) equal = {i, end};
      i = end;
    }
    if (equal.size() < kLastingChange * turn) return false;
    const auto at = [&](std::size_t i) {
      return segments.begin() + static_cast<std::ptrdiff_t>(i);
    };
    const std::size_t others = std::max(equal.begin, segments.size() - equal.end);
    if (equal.size() >= others) {
      segments = std::vector<Segment>(at(equal.begin), at(equal.end));
      return true;
    }
    if (equal.begin == others) {
      segments.erase(at(equal.begin), segments.end());
    } else {
      segments.erase(segments.begin(), at(equal.end));
    }
    return false;
  }

  static void join_turns(std::vector<Segment>& segments) {
    if (segments.size() < 2 * kFewestIterations || matches(segments, 1) >= kTurnsMatch) return;
    for (std::size_t turn = 2; turn <= kLongestTurn && segments.size() > 3 * turn; ++turn) {
      if (matches(segments, turn) < kTurnsMatch) continue;
      if (keep_longer_part(segments, turn)) return;
      std::vector<Segment> joined;
      for (std::size_t i = 0; i + turn <= segments.size(); i += turn) {
        joined.push_back(segments[i]);
        joined.back().end = segments[i + turn - 1].end;
        for (std::size_t k = 1; k < turn; ++k)
          joined.back().kinds_hash += segments[i + k].kinds_hash;
      }
      segments = std::move(joined);
      return;
    }
  }

  const RankCalls& calls_;
  const std::vector<CallRun>& runs_;
  std::uint32_t end_call_;
  std::vector<std::uint32_t> count_;  // by kind, in the range that is searched
  std::vector<std::uint64_t> seen_;   // by kind: the stamp of the segment in which it was seen
  std::vector<std::uint64_t> modal_;  // by kind: the stamp of the model of which it is
  std::uint64_t stamp_ = 0;
  std::int64_t shortest_ns_ = 0;
  std::vector<RankLoop> found_;
};

std::int64_t covered_ns(const RankCalls& calls, const std::vector<RankLoop>& loops) {
  std::int64_t sum = 0;
  for (const RankLoop& l : loops) {
    sum += calls.end_ns(l.first_call.back() - 1) - calls.begin_ns(l.first_call.front());
  }
  return sum;
}

}  // namespace

std::vector<RankLoop> rank_loops(const Trace& trace, const CallPaths& paths, std::int32_t rank,
                                 double shortest) {
  const RankCalls& calls = trace.calls(rank);
  const std::int64_t length = rank_span(calls).analysed.length_ns();
  if (length <= 0) return {};
  const auto shortest_ns = static_cast<std::int64_t>(shortest * static_cast<double>(length));
  std::vector<RankLoop> best;
  for (const CallDistinction distinction :
       {CallDistinction::by_partner, CallDistinction::by_operation}) {
    const CallRuns runs = call_runs(trace, paths, rank, distinction);
    std::vector<RankLoop> loops = LoopSearch(calls, runs).all(shortest_ns);
    if (best.empty() || covered_ns(calls, loops) > 2 * covered_ns(calls, best)) {
      best = std::move(loops);
    }
    if (2 * covered_ns(calls, best) > length) break;
  }
  for (RankLoop& loop : best) {
    for (std::size_t k = 0; k <= loop.count(); ++k) {
      loop.border_ns.push_back(iteration_begin_ns(calls, loop.first_call, k));
    }
  }
  return best;
}

std::int64_t iteration_begin_ns(const RankCalls& calls, const std::vector<std::uint32_t>& first,
                                std::size_t k) {
  const auto before = [&](std::uint32_t call) {
    return call == 0 ? calls.start_ns() : calls.end_ns(call - 1);
  };
  if (k > 0) return before(first[k]);
  std::vector<double> gaps;
  for (std::size_t i = 1; i + 1 < first.size() && gaps.size() < kGapsSampled; ++i) {
    gaps.push_back(static_cast<double>(calls.gap_ns(first[i])));
  }
  const auto usual = static_cast<std::int64_t>(median(std::move(gaps)));
  return std::max(before(first[0]), calls.begin_ns(first[0]) - usual);
}

}  // namespace slackline
