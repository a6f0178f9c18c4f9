#pragma once

#include "sim/engine/engine.h"

namespace slackline::simgrid {

/// Replays a trace as SimGrid does with its lazy update (network/optim:Lazy). On up to 128 hosts,
/// and on larger platforms where it affects the result and the work is bearable, in SimGrid's own
/// order of events; see doc/decisions/0005. Throws as sim::Engine::run().
Simulation simulate_lazily(const sim::Engine::Input& input);

}  // namespace slackline::simgrid
