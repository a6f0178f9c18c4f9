#include "analysis/simulation/slowed_report.h"

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

Json to_json(const std::vector<SlowedMessage>& slowed, const Platform& platform) {
  Json rows = Json::array();
  for (const SlowedMessage& m : slowed) {
    rows.push_back({{"sender", m.sender},
                    {"receiver", m.receiver},
                    {"bytes", m.bytes},
                    {"within", within(m)},
                    {"start_ns", ns_of_seconds(m.began)},
                    {"actual_ns", ns_of_seconds(m.lasted)},
                    {"alone_ns", ns_of_seconds(m.alone)},
                    {"factor", m.lasted / m.alone},
                    {"link", limited_by(m, platform)}});
  }
  return rows;
}

}  // namespace slackline
