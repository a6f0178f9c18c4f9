#pragma once

#include <functional>
#include <string>
#include <utility>

#include "sim/platform/builder.h"
#include "sim/platform/cluster.h"
#include "sim/platform/platform.h"

namespace slackline::testing {

/// A platform of one cluster "c", which is the root zone, with hosts "n" + the numbers of `radical`
/// and shared cables of 125 MB/s and 50 us. `change`: of the rest.
inline Platform cluster(
    ClusterShape shape, const std::string& radical,
    const std::function<void(ClusterSpec&)>& change = [](ClusterSpec&) {}) {
  PlatformBuilder builder;
  ClusterSpec spec;
  spec.name = "c";
  spec.prefix = "n";
  spec.numbers = parse_radical(radical, "radical");
  spec.host_spec = builder.add_spec({});
  spec.shape = std::move(shape);
  spec.cable = {125e6, 50e-6, Sharing::shared};
  change(spec);
  add_cluster(builder, spec, kNone, kNone);
  return std::move(builder).finish();
}

}  // namespace slackline::testing
