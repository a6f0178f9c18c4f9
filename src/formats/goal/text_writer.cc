#include <fmt/compile.h>
#include <fmt/format.h>

#include <iterator>

#include "formats/goal/goal.h"

namespace slackline {
namespace {

void append_operation(const GoalOperation& op, std::uint32_t label, std::string& text) {
  auto out = std::back_inserter(text);
  const auto or_any = [](std::uint32_t value) {
    return value == kGoalAny ? std::int64_t{-1} : std::int64_t{value};
  };
  if (op.kind == GoalKind::calc) {
    fmt::format_to(out, FMT_COMPILE("l{}: calc {}"), label, op.size);
  } else {
    const bool send = op.kind == GoalKind::send;
    fmt::format_to(out, FMT_COMPILE("l{}: {} {}b {} {} tag {}"), label, send ? "send" : "recv",
                   op.size, send ? "to" : "from", or_any(op.peer), or_any(op.tag));
  }
  if (op.cpu != 0) fmt::format_to(out, FMT_COMPILE(" cpu {}"), op.cpu);
  if (op.nic != 0) fmt::format_to(out, FMT_COMPILE(" nic {}"), op.nic);
  text += '\n';
}

}  // namespace

void append_goal_block(const GoalRank& rank, std::uint32_t number, std::string& text) {
  fmt::format_to(std::back_inserter(text), FMT_COMPILE("\nrank {} {{\n"), number);
  for (std::uint32_t i = 0; i < rank.size(); ++i) append_operation(rank[i], i + 1, text);
  // After all operations: a dependency may name only labels that are already there.
  for (const GoalDependency& d : rank.dependencies()) {
    fmt::format_to(std::back_inserter(text), FMT_COMPILE("l{} {}requires l{}\n"), d.dependent + 1,
                   d.on_start ? "i" : "", d.on + 1);
  }
  text += "}\n";
}

}  // namespace slackline
