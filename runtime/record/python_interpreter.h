#ifndef SLACKLINE_RUNTIME_RECORD_PYTHON_INTERPRETER_H
#define SLACKLINE_RUNTIME_RECORD_PYTHON_INTERPRETER_H

#include <cstddef>
#include <cstdint>

#include "loaded_modules.h"
#include "trace/wire.h"

namespace slackline::record {

/// How the frames of a thread are linked.
enum class PythonChain : std::uint8_t {
  /// 3.9: each is an object, run by an activation of the interpreter's loop of its own.
  objects,
  /// 3.10: the same, and each activation is linked by a structure on its stack, too (CFrame).
  objects_and_activations,
  /// 3.11, 3.12: an activation may run several frames; its CFrame has the innermost of them.
  activations,
  /// 3.13: frames only. The outermost one of an activation is a mere marker on its stack.
  markers
};

/// Where CPython of one version keeps what a call path needs: offsets in bytes.
struct PythonLayout {
  PythonChain chain{};
  std::size_t thread_frame = 0;       ///< in the thread's state: its innermost frame
  std::size_t thread_activation = 0;  ///< ... or its innermost activation
  std::size_t thread_root = 0;        ///< ... of which the outermost is this, and runs nothing
  std::size_t activation_frame = 0;
  std::size_t activation_previous = 0;
  std::size_t frame_code = 0;
  std::size_t frame_previous = 0;
  std::size_t frame_instruction = 0;
  std::size_t frame_owner = 0;        ///< one byte; 0: it says nothing about markers
  std::size_t code_instructions = 0;  ///< 0: a frame has the index, and no pointer
  std::size_t instruction_bytes = 0;  ///< of an index
  std::size_t code_first_line = 0;
  std::size_t code_file = 0;
  std::size_t code_name = 0;
  std::size_t code_lines = 0;
  std::size_t ascii_text = 0;  ///< in a string of ASCII
  std::size_t other_text = 0;  ///< in any other string
};

// The same in all these versions.
inline constexpr std::size_t kPythonType = 8;         // in an object
inline constexpr std::size_t kPythonLength = 16;      // in bytes and strings
inline constexpr std::size_t kPythonHash = 24;        // in a string
inline constexpr std::size_t kPythonStringKind = 32;  // in a string
inline constexpr std::size_t kPythonBytes = 32;       // in bytes: the first
inline constexpr std::uint8_t kPythonMarker = 3;      // a frame's owner: the stack of C

/// The CPython that is loaded in this process.
struct PythonInterpreter {
  std::uint32_t version = 0;  ///< PY_VERSION_HEX
  slk_python state{};         ///< everything else is known only with SLK_PYTHON_FRAMES
  PythonLayout layout;
  const void* (*thread_state)() = nullptr;  ///< the calling thread's; null if it has none
  std::uint64_t code_type = 0;              ///< the type of code objects
  std::uint64_t loop_begin = 0;             ///< the interpreter's loop: its machine code
  std::uint64_t loop_end = 0;
};

/// The layout of a version; false if it is not known. `runtime` is _PyRuntime, which describes
/// itself since 3.13, or null.
bool python_layout(std::uint32_t version, const void* runtime, PythonLayout& layout);

/// Looks whether the modules that have been loaded since it looked last have a Python interpreter.
/// Not in a signal's handler.
void look_for_python(const LoadedModules& modules);

/// What was found; null: none so far. Async-signal-safe.
const PythonInterpreter* python_interpreter();

}  // namespace slackline::record

#endif
