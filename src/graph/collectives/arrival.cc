// Broadcast and reduce in the order of arrival (Patarasuk and Yuan, 2008): every rank reports to
// rank 0 with one byte, which rank 0 looks for; who has come by then forms a chain, which gets a
// list of itself (4 KiB) and then the vector, in 8 KiB segments; and so on until all are served.
//
// The problem: who has come when rank 0 looks depends on times, and a schedule is written before.
//
// The idea: without CollectiveCall::arrivals, all have come in the first round, in the order of
// their ranks. With it the steps are written as far as what is known goes, performed, and written
// again from the beginning with what rank 0 has found meanwhile (arrivals.h): the same algorithm,
// which returns where it would have to know more.
//
// - arrival: the list and a short vector go on together; a long one is passed on segment by
// segment. Where nobody has come, the first who has not been served is.
// - arrival_wait: rank 0 looks three times; all its sends are posted at once.
// - arrival_scatter: the vector is scattered over the chain and gathered round a ring.
//
// Cost: where arrivals are found out, rank 0's steps until then at each look or round of looks.

#include <algorithm>
#include <optional>
#include <utility>

#include "graph/collectives/algorithms.h"

namespace slackline::collectives {
namespace {

constexpr std::uint64_t kSegment = 8192;
constexpr std::uint64_t kReport = 1;
constexpr std::uint64_t kList = 4096;
constexpr std::uint64_t kShortList = 512;
constexpr std::uint64_t kPauseNs = 100'000;  // of the reduction, after a look

using From = StepWriter::From;
using Kind = CollectiveStep::Kind;

/// Who is served together: a list, or all but rank 0.
class Round {
 public:
  explicit Round(const StepWriter& w) : size_(w.size() - 1) {}
  explicit Round(const ArrivalRecord::Round& list)
      : size_(static_cast<std::int32_t>(list.size())), list_(&list) {}

  std::int32_t size() const { return size_; }
  std::int32_t operator[](std::int32_t place) const {
    return list_ == nullptr ? place + 1 : (*list_)[static_cast<std::size_t>(place)];
  }
  std::int32_t last() const { return (*this)[size_ - 1]; }
  std::int32_t place_of(std::int32_t rank) const {
    if (list_ == nullptr) return rank - 1;
    return static_cast<std::int32_t>(std::ranges::find(*list_, rank) - list_->begin());
  }
  /// Behind and before a place; -1: nobody.
  std::int32_t next(std::int32_t place) const {
    return place + 1 < size_ ? (*this)[place + 1] : -1;
  }
  std::int32_t previous(std::int32_t place) const { return place > 0 ? (*this)[place - 1] : -1; }

 private:
  std::int32_t size_;
  const ArrivalRecord::Round* list_ = nullptr;
};

/// The others, as rank 0 sees them.
struct Others {
  explicit Others(const StepWriter& w)
      : reported(static_cast<std::size_t>(w.size())), served(static_cast<std::size_t>(w.size())) {}

  std::int32_t first_without_report() {
    while (lowest < reported.size() && reported[lowest]) ++lowest;
    return static_cast<std::int32_t>(lowest);
  }

  std::vector<bool> reported;  ///< rank 0 has their report
  std::vector<bool> served;
  std::size_t lowest = 1;  ///< all below have reported
};

/// How rank 0 finds out who is served next: true when it knows that, which may be nobody.
using Look = bool (*)(StepWriter& w, Others& others, ArrivalRecord::Round& round);

void take_report(StepWriter& w, Others& others, std::int32_t rank) {
  w.recv(rank, kReport);
  others.reported[static_cast<std::size_t>(rank)] = true;
}

enum class Asks : std::uint8_t { nothing, the_time };

/// Looks for all who are not served, or (not only polling) for all, and then takes the reports.
bool look_at_all(StepWriter& w, Others& others, ArrivalRecord::Round& round, Kind kind,
                 std::uint64_t pause_ns, Asks asks) {
  std::vector<std::pair<std::int32_t, std::size_t>> looks;
  for (std::int32_t r = 1; r < w.size(); ++r) {
    const bool served = others.served[static_cast<std::size_t>(r)];
    if (served && kind == Kind::poll) continue;
    const std::size_t look = w.look(kind, r);
    if (!served) looks.emplace_back(r, look);
    if (pause_ns > 0) w.pause(pause_ns);
  }
  if (asks == Asks::the_time) w.ask_the_time();
  for (const auto& [rank, look] : looks) {
    const std::optional<bool> found = w.arrivals()->found(look);
    if (!found) return false;
    if (!*found) continue;
    take_report(w, others, rank);
    round.push_back(rank);
  }
  return true;
}

/// Takes each report when it finds it, and then begins again at `first`; gives up after this many
/// times round.
bool look_one_by_one(StepWriter& w, Others& others, ArrivalRecord::Round& round, int times,
                     std::int32_t first) {
  for (int i = 0; i < times; ++i) {
    for (std::int32_t r = others.first_without_report(); r < w.size(); ++r) {
      if (others.reported[static_cast<std::size_t>(r)]) continue;
      const std::optional<bool> found = w.arrivals()->found(w.look(Kind::poll, r));
      if (!found) return false;
      if (!*found) continue;
      take_report(w, others, r);
      r = std::max(others.first_without_report(), first) - 1;
    }
  }
  for (std::int32_t r = 1; r < w.size(); ++r) {
    const auto index = static_cast<std::size_t>(r);
    if (others.reported[index] && !others.served[index]) round.push_back(r);
  }
  return true;
}

/// Whoever is next, if nobody has come: that report is not taken.
template <Asks asks>
bool look_or_choose(StepWriter& w, Others& others, ArrivalRecord::Round& round) {
  if (!look_at_all(w, others, round, Kind::look, 0, asks)) return false;
  if (!round.empty()) return true;
  const auto first = std::ranges::find(others.served.begin() + 1, others.served.end(), false);
  round.push_back(static_cast<std::int32_t>(first - others.served.begin()));
  return true;
}

bool look_slowly(StepWriter& w, Others& others, ArrivalRecord::Round& round) {
  return look_at_all(w, others, round, Kind::poll, kPauseNs, Asks::nothing);
}

bool look_three_times(StepWriter& w, Others& others, ArrivalRecord::Round& round) {
  return look_one_by_one(w, others, round, 3, 1);
}

bool look_once(StepWriter& w, Others& others, ArrivalRecord::Round& round) {
  return look_one_by_one(w, others, round, 1, 2);
}

/// Rank 0: serves round after round, until all are served or more has to be known. Who of the
/// others has not reported is left in `others`.
template <class Serve>
void serve_rounds(StepWriter& w, Others& others, Look look, Serve serve) {
  if (w.arrivals() == nullptr) {
    for (std::int32_t r = 1; r < w.size(); ++r) take_report(w, others, r);
    return serve(Round(w));
  }
  const std::size_t collective = w.arrivals()->next_collective();
  w.arrivals()->rounds(collective).clear();
  for (std::int32_t left = w.size() - 1; left > 0;) {
    ArrivalRecord::Round round;
    if (!look(w, others, round)) return;
    if (round.empty()) continue;
    for (const std::int32_t r : round) others.served[static_cast<std::size_t>(r)] = true;
    left -= static_cast<std::int32_t>(round.size());
    serve(Round(round));
    w.arrivals()->rounds(collective).push_back(std::move(round));
  }
}

/// Another rank: reports, gets the list, and finds itself on it; nothing if that is not known yet.
std::optional<Round> round_of(StepWriter& w, std::uint64_t list_bytes, From from) {
  w.send(0, kReport);
  const std::int32_t sender = from == From::anyone ? w.rank() - 1 : 0;
  w.recv(sender, list_bytes, from);
  if (w.arrivals() == nullptr) return Round(w);
  const std::size_t collective = w.arrivals()->next_collective();
  for (const ArrivalRecord::Round& round : w.arrivals()->rounds(collective)) {
    if (std::ranges::find(round, w.rank()) != round.end()) return Round(round);
  }
  w.arrivals()->stop();
  return std::nullopt;
}

struct Cut {
  explicit Cut(const StepWriter& w) : segments(w.bytes(), w.element_bytes(), kSegment) {
    pieces = segments.count() == 1 ? 1 : w.bytes() / segments.bytes(0);
    rest = w.bytes() - pieces * segments.bytes(0);
  }
  std::uint64_t bytes() const { return segments.bytes(0); }
  bool whole() const { return segments.count() == 1; }

  Segments segments;
  std::uint64_t pieces;
  std::uint64_t rest;
};

/// Segments that `from` sends (-1: nobody, they are here), each on to `to` (-1: none) as it comes.
void pass_pieces(StepWriter& w, const Cut& cut, std::int32_t from, std::int32_t to, From source) {
  std::vector<StepWriter::Request> posted;
  for (std::uint64_t i = 0; from >= 0 && w.single_waits() && i < cut.pieces; ++i) {
    posted.push_back(w.irecv(from, cut.bytes(), source));
  }
  for (std::uint64_t i = 0; i < cut.pieces; ++i) {
    if (!posted.empty() && to >= 0) w.wait(posted[i]);
    if (posted.empty() && from >= 0) w.recv(from, cut.bytes(), source);
    if (to >= 0) w.isend(to, cut.bytes(), source);
  }
  w.wait_all();
}

void bring_to_zero(StepWriter& w) {
  if (w.root() == 0) return;
  if (w.rank() == w.root()) w.send(0, w.bytes());
  if (w.rank() == 0) w.recv(w.root(), w.bytes());
}

void broadcast_rest(StepWriter& w, std::uint64_t rest) {
  if (rest > 0) w.nested_chosen(w.part(Operation::bcast, rest, w.root()), bcast::binomial);
}

void host_arrival(StepWriter& w, const Cut& cut) {
  Others others(w);
  const Look look = cut.whole() ? look_or_choose<Asks::nothing> : look_or_choose<Asks::the_time>;
  serve_rounds(w, others, look, [&](const Round& round) {
    w.send(round[0], kList, From::anyone);
    for (std::uint64_t i = 0; i < cut.pieces; ++i) w.send(round[0], cut.bytes(), From::anyone);
  });
  // Blocks of a short vector stay for the next broadcast, which takes them for its own.
  for (std::int32_t r = 1; r < w.size() && !cut.whole(); ++r) {
    if (!others.reported[static_cast<std::size_t>(r)]) w.recv(r, kReport);
  }
}

void join_arrival(StepWriter& w, const Cut& cut) {
  const std::optional<Round> round = round_of(w, kList, From::anyone);
  if (cut.whole()) w.recv(w.rank() - 1, w.bytes(), From::anyone);
  if (!round) return;
  const std::int32_t next = round->next(round->place_of(w.rank()));
  if (next >= 0) w.send(next, kList, From::anyone);
  if (cut.whole() && next >= 0) w.send(next, w.bytes(), From::anyone);
  if (!cut.whole()) pass_pieces(w, cut, w.rank() - 1, next, From::anyone);
}

void host_arrival_wait(StepWriter& w, const Cut& cut) {
  Others others(w);
  serve_rounds(w, others, look_three_times, [&](const Round& round) {
    w.send(round[0], kList, From::anyone);
    pass_pieces(w, cut, -1, round[0], From::anyone);
  });
}

void join_arrival_wait(StepWriter& w, const Cut& cut) {
  const std::optional<Round> round = round_of(w, kList, From::anyone);
  if (!round) return;
  const std::int32_t place = round->place_of(w.rank());
  const std::int32_t next = round->next(place);
  if (next >= 0) w.send(next, kList, From::anyone);
  pass_pieces(w, cut, std::max(round->previous(place), 0), next, From::anyone);
}

/// The vector's part for each of a round; the last one also gets what is left over.
std::uint64_t part_of(const StepWriter& w, const Round& round, std::int32_t place) {
  const auto parts = static_cast<std::uint64_t>(round.size());
  const std::uint64_t part = w.elements() / parts * w.element_bytes();
  return place + 1 < round.size() ? part : w.bytes() - part * (parts - 1);
}

void host_arrival_scatter(StepWriter& w) {
  Others others(w);
  serve_rounds(w, others, look_three_times, [&](const Round& round) {
    for (std::int32_t i = 0; i < round.size(); ++i) w.send(round[i], kShortList);
    for (std::int32_t i = 0; i < round.size(); ++i) w.send(round[i], part_of(w, round, i));
  });
}

void join_arrival_scatter(StepWriter& w) {
  const std::optional<Round> found = round_of(w, kShortList, From::peer);
  if (!found) return;
  const Round& round = *found;
  const std::int32_t n = round.size();
  const std::int32_t place = round.place_of(w.rank());
  w.recv(0, part_of(w, round, place));
  const auto around = [&](std::int32_t distance) { return (place + distance + n) % n; };
  for (std::int32_t i = 0; i + 1 < n; ++i) {
    w.exchange(round[around(1)], part_of(w, round, around(-i)), round[around(-1)],
               part_of(w, round, around(-i - 1)));
  }
}

void host_reduction(StepWriter& w, const Cut& cut) {
  Others others(w);
  serve_rounds(w, others, cut.whole() ? look_slowly : look_once, [&](const Round& round) {
    w.send(round[0], kList, From::anyone);
    for (std::uint64_t i = 0; i < cut.pieces; ++i) w.recv(round.last(), cut.bytes());
  });
}

void join_reduction(StepWriter& w, const Cut& cut) {
  const std::optional<Round> round = round_of(w, kList, From::anyone);
  if (!round) return;
  const std::int32_t place = round->place_of(w.rank());
  const std::int32_t next = round->next(place);
  const std::int32_t previous = round->previous(place);
  if (next >= 0) w.send(next, kList, From::anyone);
  const std::int32_t to = std::max(next, 0);
  if (!cut.whole()) return pass_pieces(w, cut, previous, to, From::peer);
  if (previous >= 0) w.recv(previous, w.bytes());
  w.send(to, w.bytes());
}

}  // namespace

namespace bcast {

void arrival(StepWriter& w) {
  bring_to_zero(w);
  const Cut cut(w);
  w.rank() == 0 ? host_arrival(w, cut) : join_arrival(w, cut);
  broadcast_rest(w, cut.rest);
}

void arrival_wait(StepWriter& w) {
  bring_to_zero(w);
  const Cut cut(w);
  w.rank() == 0 ? host_arrival_wait(w, cut) : join_arrival_wait(w, cut);
  broadcast_rest(w, cut.rest);
}

void arrival_scatter(StepWriter& w) {
  if (w.elements() < static_cast<std::uint64_t>(w.size())) {
    return w.nested_chosen(w.part(Operation::bcast, w.bytes(), w.root()), binomial);
  }
  bring_to_zero(w);
  w.rank() == 0 ? host_arrival_scatter(w) : join_arrival_scatter(w);
}

}  // namespace bcast

void reduce::arrival(StepWriter& w) {
  const Cut cut(w);
  w.rank() == 0 ? host_reduction(w, cut) : join_reduction(w, cut);
  if (w.root() != 0) {
    if (w.rank() == 0) w.send(w.root(), w.bytes());
    if (w.rank() == w.root()) w.recv(0, w.bytes());
  }
  if (cut.rest > 0) w.nested(w.part(Operation::reduce, cut.rest, w.root()), linear_isend);
}

}  // namespace slackline::collectives
