#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace slackline {

/// A place in the program's code. What is not known is empty or 0.
struct CodeLocation {
  std::string function;
  std::string file;  ///< of the source
  std::uint32_t line = 0;
  std::string module{};  ///< the program or shared library that it is in
  bool inlined = false;  ///< its code stands in the function that called it

  auto operator<=>(const CodeLocation&) const = default;
};

/// Number of a frame of CallTree; 0 is outside of all.
using FrameId = std::uint32_t;

/// The call paths of a trace as a tree. A frame is a function that was called, with the line in it
/// from which the next inner one, or MPI, was called; its parent is the frame that called it. A
/// call of MPI names its innermost frame.
class CallTree {
 public:
  /// Frames without the root, 0.
  std::size_t size() const { return nodes_.size() - 1; }
  bool empty() const { return size() == 0; }
  /// Smaller than `frame`, which is not 0.
  FrameId parent(FrameId frame) const { return nodes_[frame].parent; }
  /// `frame` is not 0.
  const CodeLocation& location(FrameId frame) const { return locations_[nodes_[frame].location]; }
  /// How many frames a path to this one has; 0 of frame 0.
  std::uint32_t depth(FrameId frame) const { return nodes_[frame].depth; }
  /// From the outermost to `frame`; empty for 0.
  std::vector<FrameId> path_to(FrameId frame) const;

  /// The frame at `location` called from `parent`, added if new. `parent` is one of the tree.
  FrameId child(FrameId parent, const CodeLocation& location);

  bool operator==(const CallTree& other) const;

 private:
  struct Node {
    FrameId parent = 0;
    std::uint32_t location = 0;
    std::uint32_t depth = 0;
    bool operator==(const Node&) const = default;
  };
  std::uint32_t location_id(const CodeLocation& location);

  std::vector<CodeLocation> locations_;
  std::vector<Node> nodes_{Node{}};
  std::map<CodeLocation, std::uint32_t> location_ids_;
  std::map<std::pair<FrameId, std::uint32_t>, FrameId> children_;
};

/// "relax (halo.c:35)", "relax (libsolver.so)", "libsolver.so+0x1234": as much as is known, without
/// folders; empty for frame 0.
std::string describe_frame(const CallTree& tree, FrameId frame);
/// The text after the last slash.
std::string file_name(const std::string& path);
/// Whether a module is a runtime of OpenMP: GCC's, LLVM's or Intel's.
bool is_openmp_runtime(const std::string& module);

}  // namespace slackline
