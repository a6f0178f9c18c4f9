#include "sim/platform/rank_map.h"

#include <fmt/format.h>

#include <optional>

#include "base/error.h"
#include "base/file.h"
#include "base/text_parsing.h"
#include "base/units.h"

namespace slackline {
namespace {

std::optional<std::uint32_t> positive(std::string_view text) {
  const auto value = number_in<std::uint32_t>(text);
  return value == 0u ? std::nullopt : value;
}

struct Entry {
  std::string_view host;
  std::optional<std::uint32_t> count;
};

/// "host", "host:4" or "host slots=4". A host's name may have a colon of its own.
Entry entry_of(std::string_view line, const Platform& platform) {
  if (platform.find_host(line)) return {line, 1};
  if (const std::size_t slots = line.find("slots="); slots != std::string_view::npos) {
    return {trimmed(line.substr(0, slots)), positive(trimmed(line.substr(slots + 6)))};
  }
  if (const std::size_t colon = line.rfind(':'); colon != std::string_view::npos) {
    return {line.substr(0, colon), positive(line.substr(colon + 1))};
  }
  return {line, 1};
}

}  // namespace

RankMap parse_hostfile(std::string_view text, std::string_view name, const Platform& platform,
                       std::uint32_t ranks) {
  RankMap map;
  std::uint64_t places = 0;
  for_each_entry(text, [&](std::string_view line, std::size_t number) {
    const Entry entry = entry_of(line, platform);
    const auto host = platform.find_host(entry.host);
    if (!host) {
      throw Error(fmt::format("{}:{}: unknown host '{}'", name, number, entry.host),
                  "the platform has no host of that name",
                  fmt::format("Use names of its hosts, such as '{}'.", platform.host_name(0)));
    }
    if (!entry.count) {
      throw Error(fmt::format("{}:{}: cannot use '{}'", name, number, line),
                  "the number of ranks is not a positive integer", "Example: host:4.");
    }
    places += *entry.count;
    for (std::uint32_t i = 0; i < *entry.count && map.size() < ranks; ++i) map.push_back(*host);
  });
  if (map.size() < ranks) {
    throw Error(fmt::format("cannot place {}", count_of(ranks, "rank")),
                fmt::format("'{}' has slots for {}", name, places),
                "Add hosts, write host:4 for four ranks, or use --map.");
  }
  return map;
}

RankMap read_hostfile(const std::filesystem::path& path, const Platform& platform,
                      std::uint32_t ranks) {
  const MappedFile file(path);
  return parse_hostfile(file.text(), path.string(), platform, ranks);
}

RankMap place_ranks(std::string_view how, const Platform& platform, std::uint32_t ranks) {
  const std::string_view kind = how.substr(0, how.find(':'));
  const bool counted = kind.size() < how.size();
  // 0: as many as the host has cores.
  const std::uint32_t each = counted ? positive(how.substr(kind.size() + 1)).value_or(0) : 0;
  if ((kind != "block" && kind != "cyclic") || (counted && each == 0)) {
    throw usage_error(fmt::format("cannot use '{}' as a placement of ranks", how),
                      "no such placement",
                      "Choose block, cyclic, or with ranks per host block:4, cyclic:2.");
  }
  const auto takes = [&](HostId host) { return each != 0 ? each : platform.host(host).cores; };
  RankMap map;
  map.reserve(ranks);
  std::uint64_t places = 0;
  for (HostId host = 0; host < platform.host_count(); ++host) places += takes(host);
  if (places < ranks) {
    throw Error(fmt::format("cannot place {}", count_of(ranks, "rank")),
                fmt::format("the {} hosts have slots for {}", platform.host_count(), places),
                fmt::format("Give the number of ranks per host, for example {}:{}.", kind,
                            (ranks + platform.host_count() - 1) / platform.host_count()));
  }
  if (kind == "block") {
    for (HostId host = 0; map.size() < ranks; ++host) {
      for (std::uint32_t i = 0; i < takes(host) && map.size() < ranks; ++i) map.push_back(host);
    }
    return map;
  }
  for (std::uint32_t round = 0; map.size() < ranks; ++round) {
    for (HostId host = 0; host < platform.host_count() && map.size() < ranks; ++host) {
      if (takes(host) > round) map.push_back(host);
    }
  }
  return map;
}

}  // namespace slackline
