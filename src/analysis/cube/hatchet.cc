#include "analysis/cube/profile_writers.h"

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "analysis/cube/severity_cube.h"
#include "report/json.h"

namespace slackline {
namespace {

constexpr double kNanosPerSecondOfLiteral = 1e9;

class LiteralWriter {
 public:
  LiteralWriter(const SeverityCube& cube, const std::string& program)
      : cube_(cube), tree_(call_tree_of(cube)), children_(tree_.size()) {
    tree_.front().name = program;
    for (const auto& [key, values] : cube.severities()) metrics_.insert(key.metric);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < tree_.size(); ++i) {
      open.resize(tree_[i].depth);
      if (!open.empty()) children_[open.back()].push_back(i);
      open.push_back(i);
    }
  }

  std::string tree_of(std::int32_t rank) const {
    std::vector<Node> nodes(tree_.size());
    // Children stand behind their parents.
    for (std::size_t i = tree_.size(); i-- > 0;) {
      nodes[i] = node_of(i, rank);
      for (const std::size_t child : children_[i]) {
        nodes[i].inclusive_s += nodes[child].inclusive_s;
        nodes[i].there = nodes[i].there || nodes[child].there;
      }
    }
    return text_of(0, nodes, rank);
  }

 private:
  struct Node {
    bool there = false;
    std::map<std::string, double> values{};  ///< by metric; times in s
    double exclusive_s = 0;
    double inclusive_s = 0;
  };

  /// Without its children.
  Node node_of(std::size_t index, std::int32_t rank) const {
    Node node;
    for (const std::string& metric : metrics_) {
      const auto found = cube_.severities().find({metric, tree_[index].call_path});
      double value =
          found == cube_.severities().end() ? 0 : found->second[static_cast<std::size_t>(rank)];
      node.there = node.there || value != 0;
      const bool time = metric != "calls" && metric != "bytes";
      if (time) value /= kNanosPerSecondOfLiteral;
      if (time) node.exclusive_s += value;
      node.values.emplace(metric, value);
    }
    node.inclusive_s = node.exclusive_s;
    return node;
  }

  /// As deep a recursion as there are frames, 256 at most.
  std::string text_of(std::size_t index, const std::vector<Node>& nodes, std::int32_t rank) const {
    std::string text = element(tree_[index], nodes[index], rank);
    std::string children;
    for (const std::size_t child : children_[index]) {
      if (!nodes[child].there) continue;
      children += (children.empty() ? "" : ",") + text_of(child, nodes, rank);
    }
    if (!children.empty()) text += ",\"children\":[" + children + "]";
    return text + "}";
  }

  /// Without its end, before which its children may follow.
  static std::string element(const CallTreeNode& node, const Node& values, std::int32_t rank) {
    const auto number = [](double value) { return json_text(Json(value)); };
    std::string text = "{\"frame\":{\"name\":" + json_text(Json(node.name)) +
                       ",\"type\":\"function\"},\"metrics\":{\"rank\":" + std::to_string(rank) +
                       ",\"time\":" + number(values.exclusive_s) +
                       ",\"time (inc)\":" + number(values.inclusive_s);
    for (const auto& [metric, value] : values.values) {
      text += "," + json_text(Json(metric)) + ":" + number(value);
    }
    return text + "}";
  }

  const SeverityCube& cube_;
  std::vector<CallTreeNode> tree_;
  std::vector<std::vector<std::size_t>> children_;  ///< by node
  std::set<std::string> metrics_;
};

}  // namespace

void write_hatchet(const SeverityCube& cube, const std::string& program,
                   const std::function<void(std::string_view)>& write) {
  const LiteralWriter literal(cube, program);
  for (std::int32_t rank = 0; rank < cube.ranks(); ++rank) {
    write((rank == 0 ? "[" : ",\n") + literal.tree_of(rank));
  }
  write("]\n");
}

}  // namespace slackline
