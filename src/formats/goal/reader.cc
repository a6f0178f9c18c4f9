#include "formats/goal/reader.h"

#include <algorithm>

#include "formats/goal/binary.h"
#include "formats/goal/text.h"
#include "trace/goal/linearise.h"

namespace slackline {
namespace {

constexpr std::size_t kHeadBytes = 4096;

std::string_view head_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), kHeadBytes)};
}

}  // namespace

bool looks_like_goal(std::span<const std::byte> bytes) {
  return looks_like_goal_binary(bytes) || looks_like_goal_text(head_of(bytes));
}

GoalProgram read_goal(std::span<const std::byte> bytes, std::string_view name) {
  if (looks_like_goal_binary(bytes)) return read_goal_binary(bytes, name);
  return read_goal_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name);
}

Trace read_goal_as_trace(std::span<const std::byte> bytes, std::string_view name) {
  return linearise(read_goal(bytes, name), name);
}

}  // namespace slackline
