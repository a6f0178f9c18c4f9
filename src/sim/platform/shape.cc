#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <numeric>

#include "base/arithmetic.h"
#include "base/error.h"
#include "base/text_parsing.h"
#include "base/units.h"
#include "sim/platform/cluster.h"

namespace slackline {
namespace {

class ParameterReader {
 public:
  ParameterReader(std::string_view topology, std::string_view text, std::string_view example)
      : topology_(topology), text_(text), example_(example) {}

  /// The lists between semicolons.
  std::vector<std::vector<std::uint32_t>> lists() const {
    std::vector<std::vector<std::uint32_t>> result;
    for_each_part(text_, ';', [&](std::string_view part) {
      result.emplace_back();
      for_each_part(part, ',',
                    [&](std::string_view number) { result.back().push_back(value(number)); });
    });
    return result;
  }

  [[noreturn]] void refuse(std::string_view why) const {
    throw usage_error(fmt::format("cannot use '{}' as parameters of {}", text_, topology_), why,
                      fmt::format("Example: {}.", example_));
  }

 private:
  template <class Take>
  static void for_each_part(std::string_view text, char separator, Take take) {
    while (true) {
      const std::size_t end = text.find(separator);
      take(text.substr(0, end));
      if (end == std::string_view::npos) return;
      text.remove_prefix(end + 1);
    }
  }

  std::uint32_t value(std::string_view text) const {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    const std::uint32_t number = number_in<std::uint32_t>(text).value_or(0);
    if (number == 0) refuse(fmt::format("'{}' is not a positive integer", text));
    return number;
  }

  std::string_view topology_;
  std::string_view text_;
  std::string_view example_;
};

/// Saturates.
std::uint64_t product(std::initializer_list<std::uint64_t> numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{1}, saturated_product);
}
std::uint64_t product(const std::vector<std::uint32_t>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{1}, saturated_product);
}

/// What a shape has of switches and cables, each at most kMostLinks + 1.
class Parts {
 public:
  void add(std::initializer_list<std::uint64_t> factors) {
    count_ = std::min(kMostLinks + 1, count_ + std::min(kMostLinks + 1, product(factors)));
  }
  std::uint64_t count() const { return count_; }

 private:
  std::uint64_t count_ = 0;
};

std::uint64_t parts_of(const FatTreeShape& tree) {
  Parts parts;
  std::uint64_t nodes = product(tree.children);
  for (std::size_t level = 0; level < tree.children.size(); ++level) {
    parts.add({nodes, tree.parents[level], tree.cables[level]});
    nodes = saturated_product(nodes / tree.children[level], tree.parents[level]);
    parts.add({nodes});
  }
  return parts.count();
}

std::uint64_t parts_of(const TorusShape& torus) {
  Parts parts;
  parts.add({product(torus.sides), torus.sides.size()});
  return parts.count();
}

std::uint64_t parts_of(const DragonflyShape& fly) {
  const auto pairs = [](std::uint64_t n) { return saturated_product(n, n - 1) / 2; };
  Parts parts;
  parts.add({fly.groups, fly.chassis, fly.routers});
  parts.add({fly.groups, fly.chassis, pairs(fly.routers)});
  parts.add({fly.groups, pairs(fly.chassis), fly.routers});
  parts.add({pairs(fly.groups)});
  return parts.count();
}

std::uint64_t parts_of(const FlatShape&) {
  return 0;
}

ClusterShape fat_tree(std::string_view parameters) {
  const ParameterReader reader("FAT_TREE", parameters, "2;4,4;1,2;1,2");
  auto lists = reader.lists();
  if (lists.size() != 4 || lists[0].size() != 1) {
    reader.refuse("the syntax is levels;children..;parents..;cables..");
  }
  for (std::size_t i = 1; i < 4; ++i) {
    if (lists[i].size() != lists[0][0]) {
      reader.refuse(
          fmt::format("{} levels need {} numbers in each list", lists[0][0], lists[0][0]));
    }
  }
  return FatTreeShape{std::move(lists[1]), std::move(lists[2]), std::move(lists[3])};
}

ClusterShape torus(std::string_view parameters) {
  const ParameterReader reader("TORUS", parameters, "4,4,4");
  auto lists = reader.lists();
  if (lists.size() != 1) reader.refuse("the syntax is one list of sides");
  return TorusShape{std::move(lists[0])};
}

ClusterShape dragonfly(std::string_view parameters) {
  const ParameterReader reader("DRAGONFLY", parameters, "3,4;3,2;3,1;2");
  const auto lists = reader.lists();
  if (lists.size() != 4 || lists[0].size() != 2 || lists[1].size() != 2 || lists[2].size() != 2 ||
      lists[3].size() != 1) {
    reader.refuse("the syntax is groups,cables;chassis,cables;routers,cables;hosts");
  }
  return DragonflyShape{lists[0][0], lists[0][1], lists[1][0], lists[1][1],
                        lists[2][0], lists[2][1], lists[3][0]};
}

}  // namespace

ClusterShape parse_shape(std::string_view topology, std::string_view parameters) {
  ClusterShape shape;
  if (topology == "FAT_TREE") {
    shape = fat_tree(parameters);
  } else if (topology == "TORUS") {
    shape = torus(parameters);
  } else if (topology == "DRAGONFLY") {
    shape = dragonfly(parameters);
  } else if (topology != "FLAT") {
    throw usage_error(fmt::format("cannot use '{}' as a topology", topology), "no such name",
                      "Choose FLAT, FAT_TREE, TORUS or DRAGONFLY.");
  }
  const bool small = std::visit([](const auto& s) { return parts_of(s) <= kMostLinks; }, shape);
  if (!small || hosts_of(shape).value_or(0) > kMostHosts) {
    throw usage_error(fmt::format("cannot use '{}' as parameters of {}", parameters, topology),
                      fmt::format("a platform has at most {} hosts and {} links",
                                  format_count(kMostHosts), format_count(kMostLinks)),
                      "Reduce its size.");
  }
  return shape;
}

std::optional<std::uint64_t> hosts_of(const ClusterShape& shape) {
  if (const auto* tree = std::get_if<FatTreeShape>(&shape)) return product(tree->children);
  if (const auto* torus = std::get_if<TorusShape>(&shape)) return product(torus->sides);
  if (const auto* fly = std::get_if<DragonflyShape>(&shape)) {
    return product({fly->groups, fly->chassis, fly->routers, fly->hosts});
  }
  return std::nullopt;
}

}  // namespace slackline
