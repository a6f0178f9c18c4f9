#include "timing/network/node_placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/text_parsing.h"

namespace slackline {
namespace {

std::string host_in(std::string_view text) {
  return std::string(text.substr(0, text.find_first_of(" \t:")));
}

std::optional<std::int32_t> number_at_end(std::string_view host) {
  const std::size_t last = host.find_last_not_of("0123456789");
  return number_in<std::int32_t>(last == std::string_view::npos ? host : host.substr(last + 1));
}

Error unusable(const std::string& name, std::size_t line, std::string_view why) {
  return Error(fmt::format("cannot use {}:{} as placement", name, line), why,
               "Use one line per rank with its host, or Open MPI's \"rank N=HOST slot=S\".");
}

/// The host of every rank.
std::vector<std::string> hosts_of_ranks(std::string_view text, const std::string& name,
                                        std::int32_t ranks) {
  std::vector<std::string> hosts(static_cast<std::size_t>(ranks));
  std::int32_t next = 0;
  for_each_entry(text, [&](std::string_view line, std::size_t number) {
    std::int32_t rank = next;
    std::int32_t count = 1;
    if (line.starts_with("rank ")) {
      const std::size_t equals = line.find('=');
      const auto given = number_in<std::int32_t>(
          trimmed(line.substr(5, equals == std::string_view::npos ? equals : equals - 5)));
      if (equals == std::string_view::npos || !given) {
        throw unusable(name, number, "rank and host not found");
      }
      rank = *given;
      line = trimmed(line.substr(equals + 1));
    } else if (const std::size_t colon = line.find(':'); colon != std::string_view::npos) {
      count = number_in<std::int32_t>(line.substr(colon + 1)).value_or(0);
    }
    if (count < 1 || rank < 0 || rank > ranks - count) {
      throw unusable(name, number, fmt::format("there are ranks 0 to {}", ranks - 1));
    }
    next += count;
    for (; count > 0; --count) hosts[static_cast<std::size_t>(rank++)] = host_in(line);
  });
  for (std::size_t r = 0; r < hosts.size(); ++r) {
    if (!hosts[r].empty()) continue;
    throw Error(fmt::format("cannot use '{}' as placement", name),
                fmt::format("rank {} of {} has no host", r, ranks), "Add a line for every rank.");
  }
  return hosts;
}

}  // namespace

std::string NodePlacement::host(std::int32_t node) const {
  const auto i = static_cast<std::size_t>(node);
  return i < host_names.size() ? host_names[i] : fmt::format("node{}", node);
}

std::vector<std::int32_t> block_placement(std::int32_t ranks, std::int32_t ranks_per_node) {
  expects(ranks_per_node > 0, "a node holds ranks");
  std::vector<std::int32_t> node_of_rank;
  for (std::int32_t r = 0; r < ranks; ++r) node_of_rank.push_back(r / ranks_per_node);
  return node_of_rank;
}

std::vector<std::int32_t> cyclic_placement(std::int32_t ranks, std::int32_t ranks_per_node) {
  expects(ranks_per_node > 0, "a node holds ranks");
  const std::int32_t nodes = (ranks + ranks_per_node - 1) / ranks_per_node;
  std::vector<std::int32_t> node_of_rank;
  for (std::int32_t r = 0; r < ranks; ++r) node_of_rank.push_back(r % nodes);
  return node_of_rank;
}

std::vector<std::string> parse_hosts(std::string_view text) {
  std::vector<std::string> hosts;
  for_each_entry(text, [&](std::string_view line, std::size_t) { hosts.push_back(host_in(line)); });
  return hosts;
}

NodePlacement parse_placement(std::string_view text, const std::string& name, std::int32_t ranks,
                              const std::vector<std::string>& hosts) {
  const std::vector<std::string> of_rank = hosts_of_ranks(text, name, ranks);
  std::map<std::string, std::int32_t> node_of;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    node_of.try_emplace(hosts[i], static_cast<std::int32_t>(i));
  }
  if (hosts.empty()) {
    std::set<std::int32_t> numbers;
    const std::set<std::string> distinct(of_rank.begin(), of_rank.end());
    for (const std::string& host : distinct) {
      if (const auto number = number_at_end(host)) numbers.insert(*number);
    }
    const bool numbered = numbers.size() == distinct.size();
    for (const std::string& host : of_rank) {
      const auto next = static_cast<std::int32_t>(node_of.size());
      node_of.try_emplace(host, numbered ? *number_at_end(host) : next);
    }
  }
  NodePlacement placement;
  for (const auto& [host, node] : node_of) {
    const auto i = static_cast<std::size_t>(node);
    if (placement.host_names.size() <= i) placement.host_names.resize(i + 1);
    placement.host_names[i] = host;
  }
  for (const std::string& host : of_rank) {
    const auto found = node_of.find(host);
    if (found == node_of.end()) {
      throw Error(fmt::format("cannot use '{}' as placement", name),
                  fmt::format("host {} is not among the hosts of the topology", host),
                  "Correct the placement or --hosts.");
    }
    placement.node_of_rank.push_back(found->second);
  }
  return placement;
}

}  // namespace slackline
