#include "analysis/cube/cube_call_tree.h"

#include <algorithm>
#include <set>

namespace slackline {

std::vector<std::string> frames_of(const std::string& call_path) {
  std::vector<std::string> frames;
  for (std::size_t at = 0; !call_path.empty() && at <= call_path.size();) {
    const std::size_t slash = std::min(call_path.find('/', at), call_path.size());
    frames.push_back(call_path.substr(at, slash - at));
    at = slash + 1;
  }
  return frames;
}

std::vector<CallTreeNode> call_tree_of(const SeverityCube& cube) {
  // Lists of frames in alphabetical order stand in preorder.
  std::set<std::vector<std::string>> paths{{}};
  for (const auto& [key, values] : cube.severities()) {
    std::vector<std::string> frames = frames_of(key.call_path);
    while (paths.insert(frames).second) frames.pop_back();
  }
  std::vector<CallTreeNode> nodes;
  for (const std::vector<std::string>& frames : paths) {
    CallTreeNode node{.name = {}, .call_path = {}, .depth = frames.size()};
    if (!frames.empty()) node.name = frames.back();
    for (std::size_t i = 0; i < frames.size(); ++i)
      node.call_path += (i > 0 ? "/" : "") + frames[i];
    nodes.push_back(std::move(node));
  }
  return nodes;
}

}  // namespace slackline
