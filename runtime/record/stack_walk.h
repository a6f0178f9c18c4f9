#ifndef SLACKLINE_RUNTIME_RECORD_STACK_WALK_H
#define SLACKLINE_RUNTIME_RECORD_STACK_WALK_H

#include <cstddef>
#include <cstdint>

#include <ucontext.h>

#include "loaded_modules.h"
#include "rule_cache.h"

namespace slackline::record {

inline constexpr std::size_t kDeepestPath = 256;
/// Where a path is deeper than is wanted, this many outermost frames follow: those of the C
/// library, which starts the program or the thread, and main or the thread's function among them.
inline constexpr std::size_t kOutermostFrames = 6;
/// The outermost frames of a path are looked for this many frames beyond what is wanted, at most.
inline constexpr std::size_t kMostSkippedFrames = 4096;
/// The frames of a path at most: innermost, SLK_PATH_OMITTED, outermost.
inline constexpr std::size_t kMostFrames = kDeepestPath + 1 + kOutermostFrames;

/// A word of the stack on which the outer part of a call path depends.
struct StackWord {
  const std::uint64_t* at;
  std::uint64_t value;
};

/// Memory that may be read as stack: up to `end` from any live stack pointer in it.
struct StackRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool holds(std::uint64_t at) const { return at >= begin && at < end && end - at >= 8; }
};

/// The calling thread's own stack. Asks the system: some microseconds.
StackRange own_stack();

/// What a walk over the stack found.
struct StackWalk {
  /// Return addresses, innermost first, and SLK_PATH_OMITTED in place of frames that are left out;
  /// later maybe as many Python frames among them.
  std::uint64_t addresses[2 * kMostFrames];
  /// The stack pointer in each frame, that is, where its part of the stack begins; the next one's
  /// ends it.
  std::uint64_t stack_pointers[kMostFrames];
  std::size_t depth = 0;
  /// As long as these words are unchanged, the same walk would find the same addresses: each one's
  /// place follows from those before it. Of the outermost frames these are the return addresses,
  /// whose places do not move: nothing returns to frames further out before.
  StackWord words[3 * kDeepestPath + kOutermostFrames];
  std::size_t word_count = 0;
  std::size_t skipped = 0;  ///< frames met beyond the innermost ones that were wanted
  bool whole = false;       ///< it came to the thread's first function, and no frame is left out
  bool stale = false;       ///< it ended in a module that is not, or no longer, among those given
};

/// How many frames a walk is to find.
struct WalkLimits {
  std::size_t innermost;
  std::size_t outermost;  ///< of a path that is deeper; kOutermostFrames at most
};

/// What a walk reads, beside registers: code that it may go through, and the stack.
struct WalkContext {
  LoadedModules& modules;
  RuleCache& rules;
  StackRange stack;
};

/// The frame that `frame_pointer` points to: the caller's saved frame pointer, then the return
/// address. Walks
/// outwards by the modules' unwind tables (.eh_frame), which it does not
/// trust: all reads are checked to lie in the modules' segments and in the stack, and whatever is
/// odd ends the walk. Allocates nothing. Some 20 ns a frame that a walk has met already, else some
/// 500 ns.
void walk_stack(const std::uint64_t* frame_pointer, const WalkLimits& limits,
                const WalkContext& context, StackWalk& walk);

/// The same from where a signal has interrupted the thread; addresses[0] is that instruction
/// itself. To be called in the signal's handler. Frames outwards are looked for only in modules
/// that the loader still has at the same place; where it cannot be asked (glibc before 2.35) there
/// are none.
void walk_interrupted(const ucontext_t& interrupted, const WalkLimits& limits,
                      const WalkContext& context, StackWalk& walk);

}  // namespace slackline::record

#endif
