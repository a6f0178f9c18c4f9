#include "sim/engine/contention_statistics.h"

#include <algorithm>

namespace slackline::sim {
namespace {

constexpr double kSlowed = 1.01;  // times its time alone, from where on a message counts as slowed

}  // namespace

void ContentionStatistics::add(const Network::Arrival& arrival, const Transfer& transfer,
                               double now) {
  const double lasted = now - arrival.started;
  Contention& c = result_.contention;
  ++c.messages;
  c.alone_seconds += arrival.alone;
  c.actual_seconds += lasted;
  if (arrival.alone > 0) c.worst_ratio = std::max(c.worst_ratio, lasted / arrival.alone);
  if (lasted <= kSlowed * arrival.alone) return;
  ++c.slowed;
  if (!slowed_.wants(lasted - arrival.alone)) return;
  slowed_.add({.sender = transfer.sender,
               .receiver = transfer.channel.destination,
               .bytes = transfer.bytes,
               .within = operation_of(transfer.channel),
               .began = arrival.started,
               .lasted = lasted,
               .alone = arrival.alone,
               .limited_by = arrival.limited_by});
}

}  // namespace slackline::sim
