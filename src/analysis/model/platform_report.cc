#include "analysis/model/platform_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "sim/platform/zone.h"

namespace slackline {
namespace {

std::string quantity(double value, std::string_view unit) {
  static constexpr std::array kPrefixes{"", "k", "M", "G", "T", "P", "E"};
  std::size_t prefix = 0;
  while (value >= 1000 && prefix + 1 < kPrefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  return fmt::format("{:.6g} {}{}", value, kPrefixes[prefix], unit);
}

double nanoseconds(double seconds) {
  return seconds * 1e9;
}

Value count(std::uint64_t number) {
  return static_cast<std::int64_t>(number);
}

/// Zones below each other, their members summed up unless they are zones.
class Tree {
 public:
  Tree(const Platform& platform, std::size_t most) : platform_(platform), most_(most) {}

  std::string text() {
    add(platform_.root(), "", "");
    if (lines_ > most_) text_ += fmt::format("... {} more zones\n", lines_ - most_);
    return text_;
  }

 private:
  void add(const NetZone& zone, const std::string& lead, const std::string& below) {
    if (++lines_ <= most_) {
      text_ += fmt::format("{}{}: {}, {}\n", lead, zone.name, zone.kind(), zone.figures());
    }
    std::vector<ZoneId> inner;
    for (std::uint32_t i = 0; i < zone.member_count(); ++i) {
      const Member member = zone.member(i);
      if (member.kind == Member::Kind::zone) inner.push_back(member.id);
    }
    for (std::size_t i = 0; i < inner.size(); ++i) {
      const bool last = i + 1 == inner.size();
      add(platform_.zone(inner[i]), below + (last ? "└─ " : "├─ "), below + (last ? "   " : "│  "));
    }
  }

  const Platform& platform_;
  std::size_t most_;
  std::size_t lines_ = 0;
  std::string text_;
};

/// Consecutive hosts that compute alike.
struct HostRange {
  HostId first, last;
};

std::vector<HostRange> host_ranges(const Platform& platform) {
  std::vector<HostRange> ranges;
  for (HostId host = 0; host < platform.host_count(); ++host) {
    const bool same =
        !ranges.empty() && &platform.host(host) == &platform.host(ranges.back().first);
    if (same) {
      ranges.back().last = host;
    } else {
      ranges.push_back({host, host});
    }
  }
  return ranges;
}

Section hosts_section(const Platform& platform, std::size_t shown) {
  Table table{
      "hosts",
      "Identical hosts",
      {{"from"}, {"to"}, {"hosts", Unit::count}, {"cores", Unit::count}, {"speed per core"}},
      {}};
  const std::vector<HostRange> ranges = host_ranges(platform);
  for (const HostRange& range : std::span(ranges).first(std::min(shown, ranges.size()))) {
    const HostSpec& spec = platform.host(range.first);
    table.rows.push_back({platform.host_name(range.first), platform.host_name(range.last),
                          count(range.last - range.first + 1), count(spec.cores),
                          quantity(spec.speed(), "flop/s")});
  }
  Section section{"hosts", "Hosts", {std::move(table)}};
  if (ranges.size() > shown) {
    section.items.emplace_back(Paragraph{fmt::format("{} more rows.", ranges.size() - shown)});
  }
  return section;
}

Section links_section(const Platform& platform, std::size_t shown) {
  Table table{
      "links",
      "Links by group",
      {{"group"}, {"links", Unit::count}, {"bandwidth"}, {"latency", Unit::ns}, {"sharing"}},
      {}};
  const std::vector<LinkGroup>& groups = platform.link_groups();
  for (const LinkGroup& group : std::span(groups).first(std::min(shown, groups.size()))) {
    const Link& link = platform.link(group.first);
    table.rows.push_back({group.name, count(group.count), quantity(link.bandwidth, "B/s"),
                          nanoseconds(link.latency), std::string(to_string(link.sharing))});
  }
  Section section{"links", "Links", {std::move(table)}};
  if (groups.size() > shown) {
    section.items.emplace_back(Paragraph{fmt::format("{} more rows.", groups.size() - shown)});
  }
  return section;
}

auto performance_object(const Link& link) {
  return Object{"bandwidth_bytes_per_s"_key = link.bandwidth,
                "latency_ns"_key = nanoseconds(link.latency),
                "sharing"_key = to_string(link.sharing)};
}

auto platform_link_object(const Platform& platform, LinkId id) {
  return Object{"link"_key = platform.link_name(id), performance_object(platform.link(id))};
}

auto group_object(const Platform& platform, const LinkGroup& group) {
  return Object{"group"_key = group.name, "links"_key = group.count,
                performance_object(platform.link(group.first))};
}

auto platform_object(const Platform& platform) {
  return Object{"hosts"_key = platform.host_count(), "links"_key = platform.link_count(),
                "link_groups"_key = list_of(platform.link_groups(), [&](const LinkGroup& group) {
                  return group_object(platform, group);
                })};
}

auto route_object(const Platform& platform, const FoundRoute& route) {
  return Object{
      "from"_key = platform.host_name(route.from), "to"_key = platform.host_name(route.to),
      "latency_ns"_key = nanoseconds(route.latency), "bandwidth_bytes_per_s"_key = route.bandwidth,
      "links"_key =
          list_of(route.links, [&](LinkId id) { return platform_link_object(platform, id); })};
}

}  // namespace

const JsonType& declared_type(const PlatformSummaryJsonTag*) {
  return json_type_by<platform_object>();
}

Described<PlatformSummaryJson> describe(const Platform& platform, std::size_t shown) {
  Described<PlatformSummaryJson> report{platform_object(platform)};
  Facts facts{{{"hosts", count(platform.host_count()), Unit::count},
               {"links", count(platform.link_count()), Unit::count}}};
  report.sections.push_back(
      {"platform", "Platform", {std::move(facts), Paragraph{Tree(platform, shown).text()}}});
  report.sections.push_back(hosts_section(platform, shown));
  report.sections.push_back(links_section(platform, shown));
  return report;
}

const JsonType& declared_type(const RouteJsonTag*) {
  return json_type_by<route_object>();
}

RouteJson add_route(std::vector<Section>& sections, const Platform& platform,
                    const FoundRoute& route) {
  Table table{"route",
              "Links along the route",
              {{"link"}, {"bandwidth"}, {"latency", Unit::ns}, {"sharing"}},
              {}};
  for (const LinkId id : route.links) {
    const Link& link = platform.link(id);
    table.rows.push_back({platform.link_name(id), quantity(link.bandwidth, "B/s"),
                          nanoseconds(link.latency), std::string(to_string(link.sharing))});
  }
  Facts facts{{{"latency", nanoseconds(route.latency), Unit::ns, "sum over the links"},
               {"bandwidth", quantity(route.bandwidth, "B/s"), Unit::none,
                "minimum over the links, without contention and before model factors"}}};
  sections.insert(sections.begin(),
                  Section{"route",
                          fmt::format("Route from {} to {}", platform.host_name(route.from),
                                      platform.host_name(route.to)),
                          {std::move(facts), std::move(table)}});
  return route_object(platform, route);
}

}  // namespace slackline
