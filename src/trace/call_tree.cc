#include "trace/call_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace slackline {

std::vector<FrameId> CallTree::path_to(FrameId frame) const {
  std::vector<FrameId> path(depth(frame));
  for (auto at = path.rbegin(); at != path.rend(); ++at) {
    *at = frame;
    frame = parent(frame);
  }
  return path;
}

std::uint32_t CallTree::location_id(const CodeLocation& location) {
  const auto [at, fresh] =
      location_ids_.try_emplace(location, static_cast<std::uint32_t>(locations_.size()));
  if (fresh) locations_.push_back(location);
  return at->second;
}

FrameId CallTree::child(FrameId parent, const CodeLocation& location) {
  const std::uint32_t id = location_id(location);
  const auto [at, fresh] = children_.try_emplace({parent, id}, static_cast<FrameId>(nodes_.size()));
  if (fresh) nodes_.push_back({parent, id, nodes_[parent].depth + 1});
  return at->second;
}

bool CallTree::operator==(const CallTree& other) const {
  return nodes_ == other.nodes_ && locations_ == other.locations_;
}

std::string file_name(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

bool is_openmp_runtime(const std::string& module) {
  constexpr std::array<std::string_view, 3> kFiles{"libgomp", "libomp.", "libiomp"};
  const std::string file = file_name(module);
  return std::ranges::any_of(kFiles, [&](std::string_view name) { return file.starts_with(name); });
}

std::string describe_frame(const CallTree& tree, FrameId frame) {
  if (frame == 0) return {};
  const CodeLocation& at = tree.location(frame);
  if (!at.file.empty() && at.line > 0) {
    return fmt::format("{} ({}:{})", at.function, file_name(at.file), at.line);
  }
  const std::string module = file_name(at.module);
  // A function that is named by its module and offset says all of it.
  if (module.empty() || at.function.starts_with(module + "+")) return at.function;
  return fmt::format("{} ({})", at.function, module);
}

}  // namespace slackline
