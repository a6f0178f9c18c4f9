#include "sim/platform/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "base/units.h"

namespace slackline {
namespace {

// SimGrid's defaults of network/loopback-bw and network/loopback-lat.
constexpr Link kImplicitLoopback{10e9, 0, Sharing::fatpipe};

void check(const Link& link, std::string_view name) {
  if (!(link.bandwidth > 0) || !std::isfinite(link.bandwidth)) {
    throw usage_error(fmt::format("cannot use link '{}'", name), "its bandwidth is not positive",
                      "Set its bandwidth.");
  }
  if (!(link.latency >= 0) || !std::isfinite(link.latency)) {
    throw usage_error(fmt::format("cannot use link '{}'", name), "its latency is negative",
                      "Set a latency of zero or more.");
  }
}

}  // namespace

PlatformBuilder::PlatformBuilder() {
  parts_.implicit_loopback =
      add_links("loopback", 1, kImplicitLoopback, [](std::uint32_t) { return "__loopback__"; });
}

ZoneId PlatformBuilder::add_zone(std::unique_ptr<NetZone> zone, std::string name, ZoneId parent,
                                 std::uint32_t member_in_parent) {
  const auto id = static_cast<ZoneId>(parts_.zones.size());
  zone->name = std::move(name);
  zone->id = id;
  zone->parent = parent;
  zone->member_in_parent = member_in_parent;
  parts_.zones.push_back(std::move(zone));
  return id;
}

std::uint32_t PlatformBuilder::add_spec(HostSpec spec) {
  if (spec.speeds.empty() || spec.pstate >= spec.speeds.size()) {
    throw usage_error(fmt::format("cannot use pstate {}", spec.pstate),
                      fmt::format("the host has {} speeds", spec.speeds.size()),
                      "Count pstates from 0.");
  }
  const double speed = spec.speeds[spec.pstate];
  if (!(speed > 0) || !std::isfinite(speed)) {
    throw usage_error("cannot use a host's speed", "it is not positive", "Set its speed.");
  }
  if (spec.cores == 0)
    throw usage_error("cannot use a host", "it has no core", "Set its number of cores.");
  parts_.specs.push_back(std::move(spec));
  return static_cast<std::uint32_t>(parts_.specs.size() - 1);
}

HostId PlatformBuilder::add_host(std::string name, std::uint32_t spec, Point point) {
  const HostId id = parts_.host_names.count();
  parts_.host_names.add(std::move(name));
  parts_.hosts.push_back({point, spec});
  return id;
}

HostId PlatformBuilder::add_hosts(std::string prefix, std::string suffix,
                                  const std::vector<NumberRange>& numbers, std::uint32_t spec,
                                  ZoneId zone, std::uint32_t first_member) {
  std::uint64_t all = parts_.host_names.count();
  for (const NumberRange& range : numbers) all += range.count();
  if (all > kMostHosts) {
    throw usage_error("cannot build the platform",
                      fmt::format("it has more than {} hosts", format_count(kMostHosts)),
                      "Reduce its size.");
  }
  const HostId first = parts_.host_names.count();
  parts_.host_names.add(std::move(prefix), std::move(suffix), numbers);
  const std::uint32_t count = parts_.host_names.count() - first;
  parts_.hosts.reserve(parts_.hosts.size() + count);
  for (std::uint32_t i = 0; i < count; ++i) {
    parts_.hosts.push_back({{zone, first_member + i}, spec});
  }
  return first;
}

std::optional<HostId> PlatformBuilder::find_host(std::string_view name) const {
  return parts_.host_names.find(name);
}

LinkId PlatformBuilder::add_links(std::string group, std::uint32_t count, const Link& link,
                                  PlatformParts::NameOfLink name) {
  check(link, group);
  if (parts_.links.size() + count > kMostLinks) {
    throw usage_error("cannot build the platform",
                      fmt::format("it has more than {} links", format_count(kMostLinks)),
                      "Reduce its size.");
  }
  const auto first = static_cast<LinkId>(parts_.links.size());
  parts_.links.insert(parts_.links.end(), count, link);
  parts_.link_groups.push_back({std::move(group), first, count});
  parts_.link_names.push_back(std::move(name));
  return first;
}

std::vector<LinkId> PlatformBuilder::find_links(std::string_view name) const {
  std::vector<LinkId> found;
  const std::string up = fmt::format("{}_UP", name);
  const std::string down = fmt::format("{}_DOWN", name);
  for (std::size_t g = 0; g < parts_.link_groups.size(); ++g) {
    for (std::uint32_t i = 0; i < parts_.link_groups[g].count; ++i) {
      const std::string own = parts_.link_names[g](i);
      if (own == name || own == up || own == down) {
        found.push_back(parts_.link_groups[g].first + i);
      }
    }
  }
  return found;
}

void PlatformBuilder::add_profile(Profiled what, std::uint32_t id, const Profile& profile) {
  const auto same = [&](const ResourceProfile& p) { return p.what == what && p.id == id; };
  if (std::ranges::any_of(parts_.profiles, same)) {
    constexpr std::array<std::string_view, 5> kSet{"speed", "bandwidth", "latency", "state",
                                                   "state"};
    const bool of_host = what == Profiled::speed || what == Profiled::host_state;
    throw usage_error(fmt::format("cannot add a profile of the {} of {} '{}'",
                                  kSet[static_cast<std::size_t>(what)], of_host ? "host" : "link",
                                  of_host ? host_name(id) : parts_.link_name(id)),
                      "it has another one", "Remove one of them.");
  }
  parts_.profiles.push_back({what, id, profile});
}

void PlatformBuilder::add_config(std::string name, std::string value) {
  parts_.config.emplace_back(std::move(name), std::move(value));
}

Platform PlatformBuilder::finish() && {
  if (parts_.hosts.empty()) {
    throw usage_error("cannot use the platform", "it has no host", "Add hosts or a cluster.");
  }
  parts_.hosts.shrink_to_fit();
  parts_.links.shrink_to_fit();
  return Platform(std::move(parts_));
}

}  // namespace slackline
