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

/// Calls that one edit may add to a program, so that a wrong number does not fill the memory.
inline constexpr std::uint64_t kMostAddedCalls = 100'000'000;

/// rewrite(rank, index, call, writer): writes what comes in the place of a call, or nothing.
using CallRewrite = std::function<void(std::int32_t, std::size_t, Call, RankWriter&)>;
/// before(rank, event, writer): writes what comes before a region is entered or left.
using BeforeRegion = std::function<void(std::int32_t, const RegionEvent&, RankWriter&)>;

/// Copies a program with other calls. Ranks are written in several threads, each in order.
Program with_calls(const ProgramView& program, const CallPaths& paths, const CallRewrite& rewrite,
                   const BeforeRegion& before_region = {});

/// The call without what it says of requests that `dropped` holds for. `call.args` may refer to
/// `storage` then.
enum class Leftover : std::uint8_t { unchanged, changed, nothing };
Leftover without_requests(Call& call, std::vector<std::int64_t>& storage,
                          const std::function<bool(std::uint32_t)>& dropped);

}  // namespace slackline
