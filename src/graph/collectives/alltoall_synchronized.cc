// Alltoall(v) in rounds that are kept in step, so that a late rank cannot make two rounds' messages
// meet on a link (Faraj and Yuan): as ring (to rank + i, from rank - i) or pairwise (rank ^ i, P a
// power of two, else the ring).
//
// - *_light_barrier: after a round each rank tells the one that sends to it next that it is ready,
//   with a message of one byte.
// - *_barriers: a whole barrier before every round, the first one included, in which each rank
// talks
//   to itself.
// - *_one_barrier: one barrier at the start.

#include "graph/collectives/algorithms.h"
#include "graph/collectives/exchanged_blocks.h"

namespace slackline::collectives::alltoall {
namespace {

enum class Sync : std::uint8_t { light, one, every };

template <class Partners>
void rounds(StepWriter& w, Sync sync, Partners partners) {
  const ExchangedBlocks blocks(w);
  const auto barrier = [&] { w.nested_chosen(w.part(Operation::barrier, 0), barrier::linear); };
  if (sync != Sync::light) barrier();
  for (std::int32_t i = 1; i < w.size(); ++i) {
    if (sync == Sync::every) barrier();
    const auto [to, from] = partners(i);
    w.exchange(to, blocks.to(to), from, blocks.from(from));
    if (sync == Sync::light && i + 1 < w.size()) {
      const auto [next_to, next_from] = partners(i + 1);
      w.exchange(next_from, 1, next_to, 1);
    }
  }
}

void ring_rounds(StepWriter& w, Sync sync) {
  rounds(w, sync, [&](std::int32_t i) {
    return std::pair{w.shift(w.rank(), i), w.shift(w.rank(), -i)};
  });
}

void pair_rounds(StepWriter& w, Sync sync, std::string_view otherwise, void (*ring)(StepWriter&)) {
  if (!is_power_of_two(w.size())) return w.instead(otherwise, ring);
  rounds(w, sync, [&](std::int32_t i) { return std::pair{w.rank() ^ i, w.rank() ^ i}; });
}

}  // namespace

void ring_light_barrier(StepWriter& w) {
  ring_rounds(w, Sync::light);
}
void ring_one_barrier(StepWriter& w) {
  ring_rounds(w, Sync::one);
}
void ring_barriers(StepWriter& w) {
  ring_rounds(w, Sync::every);
}
void pairwise_light_barrier(StepWriter& w) {
  pair_rounds(w, Sync::light, "ring_light_barrier", ring_light_barrier);
}
void pairwise_one_barrier(StepWriter& w) {
  pair_rounds(w, Sync::one, "ring_one_barrier", ring_one_barrier);
}
void pairwise_barriers(StepWriter& w) {
  pair_rounds(w, Sync::every, "ring_barriers", ring_barriers);
}

}  // namespace slackline::collectives::alltoall
