#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "calls/call_paths.h"
#include "trace/program.h"
#include "trace/trace.h"
#include "whatif/program_writer.h"

namespace slackline {

/// Copies a program, and hands every call to `rewrite`, which writes what comes in its place (or
/// nothing). `rewrite(rank, index, call, writer)` is called rank by rank in several threads, of
/// each rank in order.
Program with_calls(
    const ProgramView& program, const CallPaths& paths,
    const std::function<void(std::int32_t, std::size_t, Call, RankWriter&)>& rewrite);

/// The call without what it says of requests that `dropped` holds for. `call.args` may refer to
/// `storage` then.
enum class Leftover : std::uint8_t { unchanged, changed, nothing };
Leftover without_requests(Call& call, std::vector<std::int64_t>& storage,
                          const std::function<bool(std::uint32_t)>& dropped);

}  // namespace slackline
