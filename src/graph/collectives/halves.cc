// Rabenseifner's reduce and allreduce in his own first version (1997): vectors are halved element
// by element, with no blocks.
//
// P = 2^n + r: in the first r pairs each member combines one half, and the odd one hands its half
// over and rests; 2^n even members and single ranks go on. n rounds of halving with partners at
// distances 1, 2, 4, ..: each round the even side keeps the lower half. Then either the same rounds
// backwards as an allgather, and the odd members get the whole; or a gather to the root by the same
// partners, in which, unlike in a binomial tree, those that have given their part go on gathering
// for nobody. (As in SimGrid's rab.)

#include "graph/collectives/algorithms.h"
#include "graph/collectives/recursive_exchanges.h"

namespace slackline::collectives {
namespace {

struct Split {
  std::uint64_t even, odd;  // bytes
};

class Halves {
 public:
  explicit Halves(StepWriter& w)
      : w_(w), pairs_(w.size(), MergedPairs::Stays::even), me_(pairs_.participant_of(w.rank())) {}

  const MergedPairs& pairs() const { return pairs_; }
  std::int32_t me() const { return me_; }
  void play(std::int32_t participant) { me_ = participant; }

  void combine_pairs() {
    if (!pairs_.paired(w_.rank())) return;
    const Split whole = split(w_.elements());
    const std::int32_t partner = w_.rank() ^ 1;
    if (me_ >= 0) {
      w_.exchange(partner, whole.odd, whole.even);
      w_.recv(partner, whole.odd);
    } else {
      w_.exchange(partner, whole.even, whole.odd);
      w_.send(partner, whole.odd);
    }
  }

  void reduce_scatter() {
    if (me_ < 0) return;
    for (const Round& round : rounds(me_))
      w_.exchange(pairs_.rank_of(round.partner), round.give, round.keep);
  }

  struct Round {
    std::int32_t bit, partner;
    std::uint64_t keep, give;
  };
  std::vector<Round> rounds(std::int32_t participant) const {
    std::vector<Round> result;
    std::uint64_t elements = w_.elements();
    for (std::int32_t bit = 1; bit < pairs_.participants(); bit *= 2) {
      const Split halves = split(elements);
      const bool even = (participant & bit) == 0;
      result.push_back({bit, participant ^ bit, even ? halves.even : halves.odd,
                        even ? halves.odd : halves.even});
      elements = even ? elements / 2 : elements - elements / 2;
    }
    return result;
  }

 private:
  Split split(std::uint64_t elements) const {
    return {elements / 2 * w_.element_bytes(), (elements - elements / 2) * w_.element_bytes()};
  }

  StepWriter& w_;
  MergedPairs pairs_;
  std::int32_t me_;
};

}  // namespace

void allreduce::halves(StepWriter& w) {
  Halves halves(w);
  halves.combine_pairs();
  halves.reduce_scatter();
  if (halves.me() >= 0) {
    const auto rounds = halves.rounds(halves.me());
    for (std::size_t i = rounds.size(); i-- > 0;) {
      w.exchange(halves.pairs().rank_of(rounds[i].partner), rounds[i].keep, rounds[i].give);
    }
  }
  release_pairs(w, halves.pairs(), w.bytes());
}

void reduce::halves(StepWriter& w) {
  Halves halves(w);
  halves.combine_pairs();
  halves.reduce_scatter();
  const MergedPairs& pairs = halves.pairs();
  const bool root_rests = pairs.participant_of(w.root()) < 0;
  const std::int32_t target = root_rests ? 0 : pairs.participant_of(w.root());
  if (root_rests) {
    const auto rounds = halves.rounds(0);
    const std::uint64_t part = rounds.empty() ? w.bytes() : rounds.back().keep;
    if (halves.me() == 0) {
      w.send(w.root(), part);
      halves.play(-1);
    }
    if (w.rank() == w.root()) {
      w.recv(pairs.rank_of(0), part);
      halves.play(0);
    }
  }
  if (halves.me() < 0) return;
  const auto rounds = halves.rounds(halves.me());
  for (std::size_t i = rounds.size(); i-- > 0;) {
    const auto& [bit, partner, keep, give] = rounds[i];
    const std::int32_t peer = root_rests && partner == 0 ? w.root() : pairs.rank_of(partner);
    if ((halves.me() & bit) != (target & bit)) {
      w.send(peer, keep);
    } else {
      w.recv(peer, give);
    }
  }
}

}  // namespace slackline::collectives
