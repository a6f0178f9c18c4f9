#include "graph/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "graph/graph_builder.h"
#include "graph/message_log.h"
#include "graph/program_walk.h"

namespace slackline {
namespace {

struct ProtocolName {
  Rendezvous protocol;
  std::string_view name;
};

constexpr std::array kProtocols{ProtocolName{Rendezvous::handshake, "handshake"},
                                ProtocolName{Rendezvous::rdma_read, "rdma-read"},
                                ProtocolName{Rendezvous::sync, "sync"},
                                ProtocolName{Rendezvous::loggopsim, "loggopsim"}};

/// Room that is not used costs address space only; too little costs a copy of the whole.
void reserve_room(const Trace& trace, GraphBuilder& builder) {
  const double ranks = trace.ranks();
  const double per_collective = 4 * std::ceil(std::log2(ranks + 1));
  double vertices = ranks;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const auto op_class = operation_class(calls.operation(i));
      const bool collective = op_class == OperationClass::collective ||
                              op_class == OperationClass::icollective ||
                              op_class == OperationClass::comm_create;
      vertices += collective ? per_collective : 1;
    }
  }
  builder.reserve(static_cast<std::size_t>(vertices), static_cast<std::size_t>(2 * vertices));
}

/// `log`: null for the graph that the options ask for; else every message is eager.
ExecutionGraph walk_program(const Trace& trace, const GraphOptions& options, MessageLog* log,
                            const RunPart& part = {}) {
  std::vector<std::uint32_t> calls;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    calls.push_back(static_cast<std::uint32_t>(trace.calls(r).size()));
  }
  GraphBuilder builder(calls);
  if (options.most_vertices > 0) builder.set_most_vertices(options.most_vertices);
  reserve_room(trace, builder);
  GraphOptions effective = options;
  effective.collectives.resolve_automatic(trace.info().mpi_library);
  ProgramWalk(trace, effective, builder, log, part).run();
  return std::move(builder).finish();
}

}  // namespace

std::string_view to_string(Rendezvous protocol) {
  for (const ProtocolName& p : kProtocols) {
    if (p.protocol == protocol) return p.name;
  }
  return "handshake";
}

Rendezvous parse_rendezvous(std::string_view name) {
  for (const ProtocolName& p : kProtocols) {
    if (p.name == name) return p.protocol;
  }
  throw usage_error(fmt::format("unknown rendezvous protocol '{}'", name), "no such name",
                    "Choose handshake, rdma-read, sync or loggopsim.");
}

ExecutionGraph build_graph(const Trace& trace, const GraphOptions& options) {
  return walk_program(trace, options, nullptr);
}

ExecutionGraph build_graph(const Trace& trace, const GraphOptions& options, const RunPart& part) {
  return walk_program(trace, options, nullptr, part);
}

EagerGraph build_eager_graph(const Trace& trace, const GraphOptions& options) {
  MessageLog messages;
  ExecutionGraph graph = walk_program(trace, options, &messages);
  return {std::move(graph), std::move(messages)};
}

std::uint64_t TransferCosts::bytes(std::uint64_t size) const {
  if (pieces_.empty() || size == 0) return size;
  const auto after = std::ranges::upper_bound(pieces_, size, {}, &Piece::from_bytes);
  const Piece& piece = after == pieces_.begin() ? *after : *(after - 1);
  const double cost = piece.offset_bytes + piece.slope * static_cast<double>(size);
  constexpr double kMost = 0x1p62;
  return static_cast<std::uint64_t>(std::llround(std::clamp(cost, 1.0, kMost)));
}

}  // namespace slackline
