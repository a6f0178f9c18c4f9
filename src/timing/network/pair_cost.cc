#include "timing/network/pair_cost.h"

#include <numeric>

#include "base/units.h"

namespace slackline {

PairCost::PairCost(const ExecutionGraph& graph, const LogGPS& model, const PairNetwork& network,
                   const PairParameter& parameter)
    : graph_(&graph), network_(&network), parameter_(parameter) {
  const RouteTable& table = *network.routes;
  const bool latency = parameter.kind == Parameter::latency && !parameter.classes.empty();
  const bool gap = parameter.kind == Parameter::gap_per_byte && !parameter.classes.empty();
  for (const RouteKind& kind : table.kinds()) {
    Route r{.latency = kind.own_latency_fs, .gap = kind.own_gap_fs};
    for (std::size_t c = 0; c < table.latency_classes().size(); ++c) {
      if (latency && parameter.classes[c]) {
        r.latency_multiples += kind.latency_counts[c];
      } else {
        r.latency += kind.latency_counts[c] * table.latency_classes()[c].base_fs;
      }
    }
    if (gap && kind.gap_class && parameter.classes[*kind.gap_class]) {
      r.gap_multiples = 1;
    } else if (kind.gap_class) {
      r.gap = table.gap_classes()[*kind.gap_class].base_fs;
    }
    if (parameter.added) {
      (parameter.kind == Parameter::latency ? r.latency_multiples : r.gap_multiples) = 1;
    }
    routes_.push_back(r);
  }
  if (parameter.kind == Parameter::overhead) {
    overhead_multiples_ = 1;
  } else {
    overhead_ = model.overhead_fs;
  }
  tick_fs_ = std::gcd(kFemtosPerNano, overhead_);
  for (const Route& r : routes_) tick_fs_ = std::gcd(std::gcd(tick_fs_, r.latency), r.gap);
  ticks_per_ns_ = kFemtosPerNano / tick_fs_;
  overhead_ /= tick_fs_;
  for (Route& r : routes_) {
    r.latency /= tick_fs_;
    r.gap /= tick_fs_;
  }
}

PairCost::Route PairCost::route(RankPair pair) const {
  Route r = routes_[network_->kind(pair.from, pair.to)];
  if (parameter_.is_pair() && pair.from == parameter_.from_rank && pair.to == parameter_.to_rank) {
    if (parameter_.kind == Parameter::latency) {
      r.latency = 0;
      r.latency_multiples = 1;
    } else {
      r.gap = 0;
      r.gap_multiples = 1;
    }
  }
  return r;
}

LinearTerm PairCost::term(const Edge& e, std::int32_t from_rank, std::int32_t to_rank) const {
  LinearTerm term{Int128{e.nanoseconds} * ticks_per_ns_ + Int128{e.overheads} * overhead_,
                  e.overheads * overhead_multiples_};
  if (e.latencies == 0 && e.bytes == 0) return term;
  const Route r = route(graph_->pair_of(e, from_rank, to_rank));
  const std::int64_t bytes = multiples(e, Parameter::gap_per_byte);
  term.fixed_ticks += Int128{e.latencies} * r.latency + Int128{bytes} * r.gap;
  term.multiples += e.latencies * r.latency_multiples + bytes * r.gap_multiples;
  return term;
}

}  // namespace slackline
