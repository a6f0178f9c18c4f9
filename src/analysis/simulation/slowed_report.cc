#include "analysis/simulation/simulation_report.h"

#include <string>

#include "base/units.h"
#include "trace/operation.h"

namespace slackline {
namespace {

std::string limited_by(const SlowedMessage& m, const Platform& platform) {
  return m.limited_by == kNoLink ? std::string() : platform.link_name(m.limited_by);
}

std::string within(const SlowedMessage& m) {
  const bool collective = m.within != Operation::send;
  return collective ? std::string(mpi_name(m.within)) : "point to point";
}

}  // namespace

const Rows<SlowedMessage, Platform> kSlowedRows{
    "slowed",
    "Messages most delayed by contention",
    {{"sender", "from", Unit::none, &SlowedMessage::sender, "the sender's rank"},
     {"receiver", "to", Unit::none, &SlowedMessage::receiver, "the receiver's rank"},
     {"bytes", Unit::bytes, &SlowedMessage::bytes},
     {"within", "operation", Unit::none, within},
     {"start_ns", "start", Unit::ns, [](auto& m) { return ns_of_seconds(m.began); },
      "relative to the start of the run"},
     {"actual_ns", "duration", Unit::ns, [](auto& m) { return ns_of_seconds(m.lasted); },
      "until arrival"},
     {"alone_ns", "without contention", Unit::ns, [](auto& m) { return ns_of_seconds(m.alone); },
      "duration without contention"},
     {"factor", Unit::none, [](auto& m) { return m.lasted / m.alone; },
      "duration with / without contention"},
     {"link", "bottleneck link", Unit::none, limited_by, "link that delayed it most"}}};

}  // namespace slackline
