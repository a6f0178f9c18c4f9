#include "sim/simgrid/lazy_simulation.h"

#include <cstdint>
#include <memory>
#include <utility>

#include "sim/simgrid/actor_order.h"
#include "sim/simgrid/lazy_sharing.h"
#include "sim/simgrid/selective_sharing.h"

namespace slackline::simgrid {
namespace {

// With so few hosts SimGrid's own procedure costs next to nothing.
constexpr std::uint32_t kFewHosts = 128;

using Input = sim::Engine::Input;

MaxMinSharing::Options sharing_options(const Input& input) {
  return {.groups = !input.options.link_usage};
}

/// Nothing when ties whose order is a guess affect the result.
std::optional<Simulation> with_guessed_ties(const Input& input) {
  auto sharing = std::make_unique<LazySharing>(input.links, sharing_options(input),
                                               WorkAllowance(input.platform.host_count()));
  ActorOrder order(input.trace.ranks(), input.options.model.eager_below, sharing.get());
  return sim::Engine(input, std::move(sharing), &order).run();
}

Simulation in_exact_order(const Input& input) {
  const MaxMinSharing::Options options = sharing_options(input);
  const WorkAllowance allowance(input.platform.host_count());
  std::unique_ptr<BandwidthSharing> sharing;
  if (input.options.model.contention) {
    sharing = std::make_unique<SelectiveSharing>(input.links, options, allowance);
  } else {
    sharing = std::make_unique<LazySharing>(input.links, options, allowance);
  }
  ActorOrder order(input.trace.ranks(), input.options.model.eager_below, nullptr);
  return *sim::Engine(input, std::move(sharing), &order).run();
}

}  // namespace

Simulation simulate_lazily(const Input& input) {
  if (input.platform.host_count() > kFewHosts) {
    if (auto result = with_guessed_ties(input)) return std::move(*result);
  }
  return in_exact_order(input);
}

}  // namespace slackline::simgrid
