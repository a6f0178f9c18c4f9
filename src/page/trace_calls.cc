#include "page/trace_calls.h"

#include <string>

#include "trace/operation_kinds.h"

namespace slackline {

std::vector<DrawnCalls::NamedOperation> TraceCalls::operations() const {
  std::vector<NamedOperation> all;
  for (const Operation operation : codes_.operations()) {
    const bool computation = operation == Operation::none;
    all.push_back({std::string(computation ? "computation" : mpi_name(operation)),
                   std::string(class_name(operation))});
  }
  return all;
}

bool TraceCalls::is_collective(std::int32_t row, std::size_t call) const {
  return slackline::is_collective(trace_.calls(row).operation(call));
}

DrawnCalls::Data TraceCalls::data(std::int32_t row, std::size_t call) const {
  const Call read = trace_.calls(row)[call];
  return {read.peer, read.bytes};
}

void TraceCalls::partners(std::int32_t row, std::size_t call, std::vector<Partner>& to) const {
  using Kind = CallMatching::Completion::Kind;
  matching_.for_completions(row, static_cast<CallIndex>(call),
                            [&](const CallMatching::Completion& c) {
                              if (c.kind == Kind::incoming) {
                                const MessageCalls& m = matching_.message(c.id);
                                to.push_back({.row = m.source, .send = m.send});
                              } else if (c.kind == Kind::collective) {
                                to.push_back({.collective = true, .id = c.id});
                              }
                            });
}

std::vector<std::string> TraceCalls::paths() const {
  std::vector<std::string> names;
  for (PathId path = 0; path < paths_.size(); ++path) names.push_back(paths_.name(path));
  return names;
}

}  // namespace slackline
