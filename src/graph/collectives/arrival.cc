// Broadcast and reduce in the order of arrival (Patarasuk and Yuan, 2008): every rank reports to
// rank 0 with one byte; who has come forms a chain, which gets a list of itself (4 KiB) and then
// the vector, in 8 KiB segments; and so on until all are served.
//
// Who has come when rank 0 looks is not known before a simulation runs, and a schedule is. So all
// have come in the first round, in the order of their ranks; rank 0 spends time on looking once for
// each.
//
// - arrival: the list and a short vector go on together; a long one is passed on segment by
// segment.
// - arrival_wait: the same, with all of the root's sends posted at once.
// - arrival_scatter: the vector is scattered over the chain and gathered round a ring.

#include <algorithm>

#include "graph/collectives/algorithms.h"

namespace slackline::collectives {
namespace {

constexpr std::uint64_t kSegment = 8192;
constexpr std::uint64_t kReport = 1;
constexpr std::uint64_t kList = 4096;
constexpr std::uint64_t kShortList = 512;

/// How rank 0 looks: for all before it takes the reports, the same with a pause of a look's length
/// after each, or taking each report when it is found.
enum class Looking : std::uint8_t { all_first, slowly, one_by_one };

void report(StepWriter& w, Looking looking) {
  if (w.rank() != 0) return w.send(0, kReport);
  const std::int32_t others = w.size() - 1;
  if (looking != Looking::one_by_one) w.look(looking == Looking::slowly ? 2 * others : others);
  for (std::int32_t r = 1; r < w.size(); ++r) {
    if (looking == Looking::one_by_one) w.look(1);
    w.recv(r, kReport);
  }
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

/// Segments from `from` (-1: none), each on to `to` (-1: none) as it comes.
void pass_pieces(StepWriter& w, const Cut& cut, std::int32_t from, std::int32_t to) {
  std::vector<StepWriter::Request> posted;
  for (std::uint64_t i = 0; from >= 0 && w.single_waits() && i < cut.pieces; ++i) {
    posted.push_back(w.irecv(from, cut.bytes()));
  }
  for (std::uint64_t i = 0; i < cut.pieces; ++i) {
    if (!posted.empty() && to >= 0) w.wait(posted[i]);
    if (posted.empty() && from >= 0) w.recv(from, cut.bytes());
    if (to >= 0) w.isend(to, cut.bytes());
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

}  // namespace

namespace bcast {

void arrival(StepWriter& w) {
  bring_to_zero(w);
  report(w, Looking::all_first);
  const Cut cut(w);
  const std::int32_t next = w.rank() + 1 < w.size() ? w.rank() + 1 : -1;
  if (w.rank() == 0) {
    w.send(1, kList);
    for (std::uint64_t i = 0; i < cut.pieces; ++i) w.send(1, cut.bytes());
  } else {
    w.recv(w.rank() - 1, kList);
    if (cut.whole()) w.recv(w.rank() - 1, w.bytes());
    if (next >= 0) w.send(next, kList);
    if (cut.whole() && next >= 0) w.send(next, w.bytes());
    if (!cut.whole()) pass_pieces(w, cut, w.rank() - 1, next);
  }
  broadcast_rest(w, cut.rest);
}

void arrival_wait(StepWriter& w) {
  bring_to_zero(w);
  report(w, Looking::one_by_one);
  const Cut cut(w);
  const std::int32_t next = w.rank() + 1 < w.size() ? w.rank() + 1 : -1;
  if (w.rank() > 0) w.recv(w.rank() - 1, kList);
  if (next >= 0) w.send(next, kList);
  pass_pieces(w, cut, w.rank() - 1, next);
  broadcast_rest(w, cut.rest);
}

void arrival_scatter(StepWriter& w) {
  if (w.elements() < static_cast<std::uint64_t>(w.size())) {
    return w.nested_chosen(w.part(Operation::bcast, w.bytes(), w.root()), binomial);
  }
  bring_to_zero(w);
  report(w, Looking::one_by_one);
  const auto others = static_cast<std::uint64_t>(w.size() - 1);
  const std::uint64_t part = w.elements() / others * w.element_bytes();
  const auto bytes = [&](std::int32_t r) {
    return r + 1 == w.size() ? w.bytes() - part * (others - 1) : part;
  };
  if (w.rank() == 0) {
    for (std::int32_t r = 1; r < w.size(); ++r) w.send(r, kShortList);
    for (std::int32_t r = 1; r < w.size(); ++r) w.send(r, bytes(r));
    return;
  }
  w.recv(0, kShortList);
  w.recv(0, bytes(w.rank()));
  const std::int32_t n = w.size() - 1;
  const auto around = [&](std::int32_t distance) {
    return (w.rank() - 1 + distance + 2 * n) % n + 1;
  };
  for (std::int32_t i = 0; i + 1 < n; ++i) {
    w.exchange(around(1), bytes(around(-i)), around(-1), bytes(around(-i - 1)));
  }
}

}  // namespace bcast

void reduce::arrival(StepWriter& w) {
  const Cut cut(w);
  report(w, cut.whole() ? Looking::slowly : Looking::one_by_one);
  const std::int32_t next = w.rank() + 1 < w.size() ? w.rank() + 1 : 0;
  const std::int32_t previous = w.rank() > 1 ? w.rank() - 1 : -1;
  if (w.rank() == 0) {
    w.send(1, kList);
    for (std::uint64_t i = 0; i < cut.pieces; ++i) w.recv(w.size() - 1, cut.bytes());
  } else {
    w.recv(w.rank() - 1, kList);
    if (next != 0) w.send(next, kList);
    if (cut.whole()) {
      if (previous >= 0) w.recv(previous, w.bytes());
      w.send(next, w.bytes());
    } else {
      pass_pieces(w, cut, previous, next);
    }
  }
  if (w.root() != 0) {
    if (w.rank() == 0) w.send(w.root(), w.bytes());
    if (w.rank() == w.root()) w.recv(0, w.bytes());
  }
  if (cut.rest > 0) w.nested(w.part(Operation::reduce, cut.rest, w.root()), linear_isend);
}

}  // namespace slackline::collectives
