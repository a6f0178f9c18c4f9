// The frames of a Python program, from the interpreter's structures.
//
// A thread that is interrupted may be about to change them, and what a pointer leads to may be
// gone. So memory is only read through the system, which refuses where there is none, and a frame
// counts only if what it calls its code is of the type of code objects.

#include "python_frames.h"

#include <cstring>

#include "memory_reader.h"

namespace slackline::record {

namespace {

/// In this many earlier frames, the code of a frame is looked for before it is read again.
constexpr std::size_t kRecentFrames = 8;
/// Instructions of one function, in bytes: more are not plausible.
constexpr std::uint64_t kMostInstructions = std::uint64_t{1} << 26;

/// A part of an object, read at once.
class Block {
 public:
  /// From `at` to the word that begins `last` bytes later.
  bool read(MemoryReader& memory, std::uint64_t at, std::size_t last) {
    return at % 8 == 0 && last + 8 <= sizeof bytes_ && memory.read(at, bytes_, last + 8);
  }
  std::uint64_t word(std::size_t offset) const {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes_ + offset, sizeof value);
    return value;
  }
  std::uint32_t half(std::size_t offset) const {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes_ + offset, sizeof value);
    return value;
  }
  std::uint8_t byte(std::size_t offset) const { return static_cast<std::uint8_t>(bytes_[offset]); }

 private:
  char bytes_[256] = {};
};

std::size_t largest(std::size_t a, std::size_t b) {
  return a > b ? a : b;
}
std::size_t aligned(std::size_t offset) {
  return offset & ~std::size_t{7};
}

class FrameReader {
 public:
  FrameReader(const PythonInterpreter& python, std::size_t deepest, PythonFrames& into)
      : python_(python), layout_(python.layout), deepest_(deepest), into_(into) {
    frame_bytes_ = largest(largest(layout_.frame_code, layout_.frame_previous),
                           largest(layout_.frame_instruction, aligned(layout_.frame_owner)));
    code_bytes_ = largest(largest(layout_.code_name, layout_.code_file), kPythonType);
  }

  void read() {
    into_.thread_state = python_.thread_state();
    if (into_.thread_state == nullptr) return;
    switch (layout_.chain) {
      case PythonChain::objects:
        return read_objects();
      case PythonChain::objects_and_activations:
        read_objects();
        return assign_activations();
      case PythonChain::activations:
        return read_activations();
      case PythonChain::markers:
        return read_to_markers();
    }
  }

 private:
  std::uint64_t thread() const { return reinterpret_cast<std::uint64_t>(into_.thread_state); }

  bool load(std::uint64_t at, std::uint64_t& value) {
    return at % 8 == 0 && memory_.read(at, &value, sizeof value);
  }
  bool depend(std::uint64_t at, std::uint64_t value) {
    if (into_.word_count == PythonFrames::kMostWords) return false;
    into_.words[into_.word_count++] = {reinterpret_cast<const std::uint64_t*>(at), value};
    return true;
  }
  bool load_and_depend(std::uint64_t at, std::uint64_t& value) {
    return load(at, value) && depend(at, value);
  }

  /// Adds the frame at `at` unless it is a marker, and finds its caller's. False: that was the
  /// last.
  bool add(std::uint64_t at, std::uint64_t activation, std::uint64_t& previous) {
    if (into_.depth == deepest_ || !block_.read(memory_, at, frame_bytes_)) return cut();
    previous = block_.word(layout_.frame_previous);
    if (is_marker()) {
      return (++markers_ < kDeepestPath && depend(at + layout_.frame_previous, previous)) || cut();
    }
    PythonFrame frame;
    frame.activation = activation;
    const std::uint64_t code = block_.word(layout_.frame_code);
    if (!depend(at + layout_.frame_code, code) || !identify(code, frame.code)) return cut();
    if (!find_instruction(code, frame.instruction)) return cut();
    const std::size_t instruction = layout_.frame_instruction;
    if (!depend(at + instruction, block_.word(instruction)) ||
        !depend(at + layout_.frame_previous, previous)) {
      return cut();
    }
    into_.frames[into_.depth++] = frame;
    return true;
  }
  bool cut() {
    into_.cut = true;
    return false;
  }

  bool find_instruction(std::uint64_t code, std::uint32_t& bytes) const {
    std::int64_t offset = 0;
    if (layout_.code_instructions != 0) {
      offset = static_cast<std::int64_t>(block_.word(layout_.frame_instruction) - code -
                                         layout_.code_instructions);
    } else {
      offset = static_cast<std::int32_t>(block_.half(layout_.frame_instruction));
      offset *= static_cast<std::int64_t>(layout_.instruction_bytes);
    }
    // Before the first one, of a function that is being called.
    if (offset < 0) offset = offset >= -8 ? 0 : static_cast<std::int64_t>(kMostInstructions);
    bytes = static_cast<std::uint32_t>(offset);
    return static_cast<std::uint64_t>(offset) < kMostInstructions;
  }

  bool identify(std::uint64_t at, PythonCode& code) {
    for (std::size_t i = 0; i < kRecentFrames && i < into_.depth; ++i) {
      code = into_.frames[into_.depth - 1 - i].code;
      if (code.at == at) return true;
    }
    const std::size_t first_line = aligned(layout_.code_first_line);
    Block block;
    if (!block.read(memory_, at, code_bytes_) || block.word(kPythonType) != python_.code_type)
      return false;
    code.at = at;
    code.name = block.word(layout_.code_name);
    code.first_line = block.word(first_line);
    return depend(at + layout_.code_name, code.name) &&
           load_and_depend(code.name + kPythonHash, code.name_hash) &&
           depend(at + first_line, code.first_line);
  }

  void read_objects() {
    std::uint64_t frame = 0;
    if (!load_and_depend(thread() + layout_.thread_frame, frame)) return;
    while (frame != 0 && add(frame, 0, frame)) continue;
  }

  /// The outermost activation runs the outermost frame. Innermost there may be one that has begun
  /// and has not linked its frame yet.
  void assign_activations() {
    std::uint64_t activations[kDeepestPath];
    std::size_t count = 0;
    std::uint64_t at = 0;
    const std::uint64_t root = thread() + layout_.thread_root;
    if (!load(thread() + layout_.thread_activation, at)) return;
    while (at != root && count < kDeepestPath) {
      activations[count++] = at;
      if (!load(at + layout_.activation_previous, at)) return;
    }
    const std::size_t skipped = !into_.cut && count > into_.depth ? count - into_.depth : 0;
    for (std::size_t i = 0; i < into_.depth && i + skipped < count; ++i) {
      into_.frames[i].activation = activations[i + skipped];
    }
  }

  void read_activations() {
    std::uint64_t activation = 0;
    std::uint64_t frame = 0;
    if (!load_and_depend(thread() + layout_.thread_activation, activation)) return;
    if (!load_and_depend(activation + layout_.activation_frame, frame)) return;
    while (frame != 0) {
      std::uint64_t outer = 0;
      std::uint64_t end = 0;
      if (!load(activation + layout_.activation_previous, outer) || outer == 0 ||
          !load(outer + layout_.activation_frame, end)) {
        cut();
        return;
      }
      while (frame != 0 && frame != end) {
        if (!add(frame, activation, frame)) return;
      }
      activation = outer;
    }
  }

  void read_to_markers() {
    std::uint64_t frame = 0;
    if (!load_and_depend(thread() + layout_.thread_frame, frame)) return;
    std::size_t first = 0;  // of the frames whose activation is not known yet
    while (frame != 0) {
      const std::uint64_t at = frame;
      if (!add(at, 0, frame)) return;
      if (!is_marker()) continue;
      for (; first < into_.depth; ++first) into_.frames[first].activation = at;
    }
  }

  /// Whether the frame that was read last is one.
  bool is_marker() const {
    return layout_.frame_owner != 0 && block_.byte(layout_.frame_owner) == kPythonMarker;
  }

  const PythonInterpreter& python_;
  const PythonLayout& layout_;
  const std::size_t deepest_;
  PythonFrames& into_;
  std::size_t frame_bytes_ = 0;
  std::size_t code_bytes_ = 0;
  std::size_t markers_ = 0;
  MemoryReader memory_;
  Block block_;
};

}  // namespace

void read_python_frames(const PythonInterpreter& python, std::size_t deepest, PythonFrames& into) {
  into.depth = 0;
  into.word_count = 0;
  into.cut = false;
  FrameReader(python, deepest < kDeepestPath ? deepest : kDeepestPath, into).read();
}

}  // namespace slackline::record
