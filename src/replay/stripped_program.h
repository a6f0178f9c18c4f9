#pragma once

#include <cstdint>
#include <string>

#include "trace/samples.h"
#include "trace/trace.h"

namespace slackline {

/// Does an operation need more than a trace tells, so that a replay cannot make it? Partitioned
/// messages, processes that the program starts or meets.
bool is_beyond_replay(Operation operation);

struct SkippedCalls {
  Program program;
  std::uint64_t count = 0;
  std::string example{};
};

/// The program without those calls; their time is computation. Where the program's windows cannot
/// be made again (WindowPlan::refusal), without any call at windows; the same of files. Linear.
SkippedCalls without_unsupported(const ProgramView& program);

/// The communication and computation of a program without anything that tells what it is: no names
/// of programs, hosts, functions, files, regions and communicators, no date, no hardware counters.
/// What replays and simulations need is kept. Linear.
Trace skeleton(const Trace& trace);

}  // namespace slackline
