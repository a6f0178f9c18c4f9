// Which frame of the stack executes which Python frames?
//
// The walk over the stack knows where each frame's part of the stack lies, and the interpreter
// links structures that lie in those of its loop: whichever holds the one of a Python frame
// executes it. This needs no symbols, and holds where the compiler has split or inlined the loop.
// Only 3.9 has no such structures: there each frame of the loop, found by the address, executes one
// Python frame.

#include "python_paths.h"

#include <cstring>

#include "clock.h"
#include "memory_reader.h"

namespace slackline::record {

namespace {

constexpr std::size_t kNameBytes = 1024;
constexpr std::size_t kFileBytes = 4096;

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

/// Writes text as UTF-8 into memory of a given size; what does not fit is left out.
class TextWriter {
 public:
  TextWriter(char* into, std::size_t room) : into_(into), room_(room) {}
  bool add(std::uint32_t character) {
    // Python has characters that UTF-8 has not: halves of pairs.
    const bool is_half = character >= 0xd800 && character < 0xe000;
    if (is_half || character > 0x10ffff) character = 0xfffd;
    char bytes[4];
    const std::size_t n = encode(character, bytes);
    if (used_ + n > room_) return false;
    std::memcpy(into_ + used_, bytes, n);
    used_ += n;
    return true;
  }
  std::size_t used() const { return used_; }

 private:
  static std::size_t encode(std::uint32_t c, char* bytes) {
    const auto tail = [&](unsigned shift) {
      return static_cast<char>(0x80 | ((c >> shift) & 0x3f));
    };
    if (c < 0x80) {
      bytes[0] = static_cast<char>(c);
      return 1;
    }
    if (c < 0x800) {
      bytes[0] = static_cast<char>(0xc0 | c >> 6);
      bytes[1] = tail(0);
      return 2;
    }
    if (c < 0x10000) {
      bytes[0] = static_cast<char>(0xe0 | c >> 12);
      bytes[1] = tail(6);
      bytes[2] = tail(0);
      return 3;
    }
    bytes[0] = static_cast<char>(0xf0 | (c >> 18 & 7));
    bytes[1] = tail(12);
    bytes[2] = tail(6);
    bytes[3] = tail(0);
    return 4;
  }

  char* into_;
  std::size_t room_;
  std::size_t used_ = 0;
};

/// Copies the string at `at`; returns its bytes in UTF-8, 0 if it is none.
std::size_t copy_string(MemoryReader& memory, std::uint64_t at, const PythonLayout& layout,
                        char* into, std::size_t room) {
  constexpr std::size_t kChunk = 256;
  std::uint64_t length = 0;
  std::uint32_t kind = 0;
  if (!memory.read(at + kPythonLength, &length, sizeof length) ||
      !memory.read(at + kPythonStringKind, &kind, sizeof kind)) {
    return 0;
  }
  const std::size_t width = kind >> 2 & 7;
  const bool compact = (kind >> 5 & 1) != 0;
  const bool ascii = (kind >> 6 & 1) != 0;
  if (!compact || (width != 1 && width != 2 && width != 4)) return 0;
  std::uint64_t from = at + (ascii ? layout.ascii_text : layout.other_text);
  if (length > room) length = room;
  TextWriter text(into, room);
  char chunk[kChunk];
  while (length > 0) {
    const std::size_t n = length < kChunk / width ? length : kChunk / width;
    if (!memory.read(from, chunk, n * width)) return 0;
    for (std::size_t i = 0; i < n; ++i) {
      std::uint32_t character = 0;
      std::memcpy(&character, chunk + i * width, width);
      if (!text.add(character)) return text.used();
    }
    from += n * width;
    length -= n;
  }
  return text.used();
}

std::size_t copy_bytes(MemoryReader& memory, std::uint64_t at, char* into, std::size_t room) {
  std::uint64_t length = 0;
  if (!memory.read(at + kPythonLength, &length, sizeof length)) return 0;
  if (length > room) length = room;
  return memory.read(at + kPythonBytes, into, length) ? length : 0;
}

}  // namespace

void PythonPaths::forget_codes() {
  std::memset(static_cast<void*>(codes_), 0, sizeof codes_);
  std::memset(static_cast<void*>(contents_), 0, sizeof contents_);
  known_ = 0;
}

/// Writes the arguments of the code's record to args_; how many, 0 if it cannot be read.
std::size_t PythonPaths::describe(const PythonCode& code, const PythonLayout& layout) {
  std::uint32_t first_line = 0;
  std::uint64_t file = 0;
  std::uint64_t lines = 0;
  MemoryReader memory;
  if (!memory.read(code.at + layout.code_first_line, &first_line, sizeof first_line) ||
      !memory.read(code.at + layout.code_file, &file, sizeof file) ||
      !memory.read(code.at + layout.code_lines, &lines, sizeof lines)) {
    return 0;
  }
  auto* const text = reinterpret_cast<char*>(args_ + SLK_CODE_TEXT_AT);
  const std::size_t name = copy_string(memory, code.name, layout, text, kNameBytes);
  if (name == 0) return 0;
  const std::size_t path = copy_string(memory, file, layout, text + name, kFileBytes);
  const std::size_t room = kTextBytes - name - path;
  const std::size_t table = copy_bytes(memory, lines, text + name + path, room);
  const std::size_t bytes = name + path + table;
  const std::size_t padded = (bytes + 7) / 8 * 8;
  std::memset(text + bytes, 0, padded - bytes);
  args_[0] = first_line;
  args_[1] = static_cast<std::int64_t>(name);
  args_[2] = static_cast<std::int64_t>(path);
  args_[3] = static_cast<std::int64_t>(table);
  return SLK_CODE_TEXT_AT + padded / 8;
}

/// The number of the code object that args_ describes. Those that are equal, as made by executing a
/// string again, have one number. 0: it could not be kept.
std::uint32_t PythonPaths::number_of_content(std::size_t n_args, PythonSink& sink) {
  std::uint64_t hash = n_args;
  for (std::size_t i = 0; i < n_args; ++i) hash = mix(hash, static_cast<std::uint64_t>(args_[i]));
  std::size_t slot = hash % kCodes;
  for (; contents_[slot].id != 0; slot = (slot + 1) % kCodes) {
    if (contents_[slot].hash == hash) return contents_[slot].id;
  }
  if (!sink.new_python_code(code_count_ + 1, args_, n_args)) return 0;
  contents_[slot] = {hash, ++code_count_};
  return code_count_;
}

/// 0: it could not be kept.
std::uint32_t PythonPaths::number_of(const PythonCode& code, const PythonInterpreter& python,
                                     PythonSink& sink) {
  const auto first_slot = [&] { return mix(code.at, code.name_hash) % kCodes; };
  std::size_t slot = first_slot();
  for (; codes_[slot].id != 0; slot = (slot + 1) % kCodes) {
    if (codes_[slot].code == code) return codes_[slot].id;
  }
  if (known_ >= kCodes / 2) {
    forget_codes();
    slot = first_slot();
  }
  const std::size_t n_args = describe(code, python.layout);
  const std::uint32_t id = n_args == 0 ? 0 : number_of_content(n_args, sink);
  if (id == 0) return 0;
  codes_[slot] = {code, id};
  ++known_;
  return id;
}

/// How many frames, from `next` on, the native frame `native` executes.
std::size_t PythonPaths::frames_of(const StackWalk& walk, std::size_t native,
                                   std::size_t next) const {
  if (next < frames_.depth && frames_.frames[next].activation == 0) {
    const std::uint64_t pc = native_[native] - (native == 0 ? 0 : 1);
    return pc >= loop_begin_ && pc < loop_end_ ? 1 : 0;
  }
  if (native + 1 == walk.depth) return 0;  // where its part of the stack ends is not known
  std::size_t count = 0;
  for (; next + count < frames_.depth; ++count) {
    const std::uint64_t at = frames_.frames[next + count].activation;
    if (at < walk.stack_pointers[native] || at >= walk.stack_pointers[native + 1]) break;
  }
  return count;
}

/// How many of the interpreter's loops, innermost ones, have begun and have no frame yet.
std::size_t PythonPaths::without_frames(const StackWalk& walk) const {
  if (frames_.depth == 0 || frames_.frames[0].activation != 0 || frames_.cut || !walk.whole) {
    return 0;
  }
  std::size_t loops = 0;
  for (std::size_t i = 0; i < walk.depth; ++i) loops += frames_of(walk, i, 0);
  return loops > frames_.depth ? loops - frames_.depth : 0;
}

WalkLimits limits_of(std::size_t deepest) {
  const bool whole_path = deepest > 1 && python_interpreter() == nullptr;
  return {deepest, whole_path ? kOutermostFrames : 0};
}

void PythonPaths::merge(StackWalk& walk) {
  std::memcpy(native_, walk.addresses, walk.depth * sizeof native_[0]);
  std::size_t skipped = without_frames(walk);
  std::size_t next = 0;
  std::size_t depth = 0;
  const auto add = [&](std::size_t count) {
    for (; count > 0; --count) walk.addresses[depth++] = encoded_[next++];
  };
  for (std::size_t i = 0; i < walk.depth; ++i) {
    std::size_t count = frames_of(walk, i, next);
    if (count > 0 && skipped > 0) {
      --skipped;
      count = 0;
    }
    if (count == 0) walk.addresses[depth++] = native_[i];
    add(count);
    if (count > 0 && next == frames_.depth && frames_.cut) {
      walk.whole = false;
      break;
    }
  }
  if (!walk.whole) add(frames_.depth - next);
  walk.depth = depth;
}

void PythonPaths::add_frames(StackWalk& walk, std::size_t deepest, const PythonInterpreter& python,
                             PythonSink& sink) {
  told_ = told_ || sink.new_python(python);
  frames_.depth = 0;
  frames_.word_count = 0;
  if (python.state != SLK_PYTHON_FRAMES || !told_) return;
  loop_begin_ = python.loop_begin;
  loop_end_ = python.loop_end;
  read_python_frames(python, deepest, frames_);
  for (std::size_t i = 0; i < frames_.depth; ++i) {
    const PythonFrame& frame = frames_.frames[i];
    const std::uint32_t id = number_of(frame.code, python, sink);
    if (id == 0) {
      frames_.depth = i;
      frames_.cut = true;
      break;
    }
    encoded_[i] = SLK_PATH_PYTHON | std::uint64_t{id} << SLK_PATH_CODE_SHIFT | frame.instruction;
  }
  merge(walk);
}

slk_record python_record(const PythonInterpreter& python) {
  const std::uint64_t now = now_ns();
  slk_record r{now, now, python.state, SLK_PEER_NONE, 0, 0, 0, 0, 0, 0, SLK_REC_PYTHON};
  r.tag = static_cast<std::int32_t>(python.version);
  return r;
}

slk_record python_code_record(std::uint32_t id) {
  const std::uint64_t now = now_ns();
  return slk_record{now, now, 0, SLK_PEER_NONE, 0, 0, id, 0, 0, 0, SLK_REC_PYTHON_CODE};
}

}  // namespace slackline::record
