#ifndef SLACKLINE_RUNTIME_RECORD_PYTHON_FRAMES_H
#define SLACKLINE_RUNTIME_RECORD_PYTHON_FRAMES_H

#include <cstddef>
#include <cstdint>

#include "python_interpreter.h"
#include "stack_walk.h"

namespace slackline::record {

/// A code object, and what tells it from another one that lay at its address before.
struct PythonCode {
  std::uint64_t at = 0;
  std::uint64_t name = 0;        ///< the function's, a string
  std::uint64_t name_hash = 0;   ///< of its content
  std::uint64_t first_line = 0;  ///< with what is beside it
  bool operator==(const PythonCode& other) const {
    return at == other.at && name == other.name && name_hash == other.name_hash &&
           first_line == other.first_line;
  }
};

struct PythonFrame {
  PythonCode code;
  std::uint32_t instruction = 0;  ///< bytes from the first one
  /// An address on the stack within the frame of the interpreter's loop that executes this one; 0:
  /// not known.
  std::uint64_t activation = 0;
};

/// The Python frames of a thread.
struct PythonFrames {
  static constexpr std::size_t kMostWords = 6 * kDeepestPath + 8;

  PythonFrame frames[kDeepestPath];  ///< innermost first
  std::size_t depth = 0;
  bool cut = false;  ///< there are more, or they could not be read
  const void* thread_state = nullptr;
  /// While the thread has this state and these words are unchanged, it has the same frames. Each
  /// one may be read only if those before it are unchanged, and by the thread itself in a function
  /// that it called.
  StackWord words[kMostWords];
  std::size_t word_count = 0;
};

/// Reads at most `deepest` frames of the calling thread, innermost first. What is read may be half
/// made, as in a signal's handler: all of it is checked, and whatever is odd ends the list.
/// Allocates nothing. Some 0.1 us a frame.
void read_python_frames(const PythonInterpreter& python, std::size_t deepest, PythonFrames& into);

}  // namespace slackline::record

#endif
