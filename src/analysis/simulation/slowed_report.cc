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

auto slowed_objects(const std::vector<SlowedMessage>& slowed, const Platform& platform) {
  return list_of(slowed, [&](const SlowedMessage& m) {
    return Object{"sender"_key = m.sender,
                  "receiver"_key = m.receiver,
                  "bytes"_key = m.bytes,
                  "within"_key = within(m),
                  "start_ns"_key = ns_of_seconds(m.began),
                  "actual_ns"_key = ns_of_seconds(m.lasted),
                  "alone_ns"_key = ns_of_seconds(m.alone),
                  "factor"_key = m.lasted / m.alone,
                  "link"_key = limited_by(m, platform)};
  });
}

}  // namespace

Table table_of(const std::vector<SlowedMessage>& slowed, const Platform& platform) {
  Table table{.id = "slowed",
              .title = "Messages most delayed by contention",
              .columns = {{"from", Unit::none, "the sender's rank"},
                          {"to", Unit::none, "the receiver's rank"},
                          {"bytes", Unit::bytes},
                          {"operation"},
                          {"start", Unit::ns, "relative to the start of the run"},
                          {"duration", Unit::ns, "until arrival"},
                          {"without contention", Unit::ns, "duration without contention"},
                          {"factor", Unit::none, "duration with / without contention"},
                          {"bottleneck link", Unit::none, "link that delayed it most"}},
              .rows = {}};
  for (const SlowedMessage& m : slowed) {
    table.rows.push_back({static_cast<std::int64_t>(m.sender),
                          static_cast<std::int64_t>(m.receiver), static_cast<std::int64_t>(m.bytes),
                          within(m), ns_of_seconds(m.began), ns_of_seconds(m.lasted),
                          ns_of_seconds(m.alone), m.lasted / m.alone, limited_by(m, platform)});
  }
  return table;
}

const JsonType& declared_type(const SlowedJsonTag*) {
  return json_type_by<slowed_objects>();
}

SlowedJson to_json(const std::vector<SlowedMessage>& slowed, const Platform& platform) {
  return slowed_objects(slowed, platform);
}

}  // namespace slackline
