// Finding CPython in the process, and what is known of its versions.
//
// The problem: the functions of a Python program are no functions of the machine; they are frames
// that the interpreter keeps. Its interface to them allocates, counts references and needs the
// interpreter's lock, which a thread inside MPI has given up and a signal's handler must not take.
// The idea: read the interpreter's own structures. These are frozen within each minor version, so
// that a table says where in them everything lies; from 3.13 on the interpreter says so itself.

#include "python_interpreter.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstdlib>
#include <cstring>

#include "memory_reader.h"

namespace slackline::record {

namespace {

PythonInterpreter found;
const PythonInterpreter* published = nullptr;
unsigned long long looked_at = 0;  // how many modules had ever been loaded

constexpr PythonLayout objects_layout(bool activations) {
  PythonLayout l;
  l.chain = activations ? PythonChain::objects_and_activations : PythonChain::objects;
  l.thread_frame = 24;
  l.thread_activation = 48;
  l.thread_root = 264;
  l.activation_previous = 8;
  l.frame_previous = 24;
  l.frame_code = 32;
  l.frame_instruction = activations ? 96 : 104;
  l.instruction_bytes = activations ? 2 : 1;
  l.code_first_line = 40;
  l.code_file = 104;
  l.code_name = 112;
  l.code_lines = 120;
  l.ascii_text = 48;
  l.other_text = 72;
  return l;
}

constexpr PythonLayout layout_311() {
  PythonLayout l;
  l.chain = PythonChain::activations;
  l.thread_activation = 56;
  l.activation_frame = 8;
  l.activation_previous = 16;
  l.frame_code = 32;
  l.frame_previous = 48;
  l.frame_instruction = 56;
  l.code_first_line = 72;
  l.code_file = 112;
  l.code_name = 128;  // the qualified one
  l.code_lines = 136;
  l.code_instructions = 184;
  l.ascii_text = 48;
  l.other_text = 72;
  return l;
}

constexpr PythonLayout layout_312() {
  PythonLayout l = layout_311();
  l.activation_frame = 0;
  l.activation_previous = 8;
  l.frame_code = 0;
  l.frame_previous = 8;
  l.frame_owner = 70;
  l.code_first_line = 68;
  l.code_instructions = 192;
  l.ascii_text = 40;
  l.other_text = 56;
  return l;
}

/// Where _PyRuntime of 3.13 says what lies where (_Py_DebugOffsets): 8 bytes each.
enum DebugOffset : std::size_t {
  kCookie = 0,
  kVersion = 8,
  kFreeThreaded = 16,
  kThreadFrame = 184,
  kFramePrevious = 232,
  kFrameCode = 240,
  kFrameInstruction = 248,
  kFrameOwner = 264,
  kCodeFile = 280,
  kCodeName = 296,
  kCodeLines = 304,
  kCodeFirstLine = 312,
  kCodeInstructions = 344,
  kObjectType = 360,
  kBytesLength = 520,
  kBytesText = 528,
  kStringKind = 544,
  kStringLength = 552,
  kAsciiText = 560,
  kDebugOffsetsEnd = 568
};

/// Offsets that are larger than this are none.
constexpr std::uint64_t kLargestOffset = 1024;

class DebugOffsets {
 public:
  explicit DebugOffsets(const void* runtime) : at_(static_cast<const char*>(runtime)) {}
  std::uint64_t word(DebugOffset which) const {
    std::uint64_t value = 0;
    std::memcpy(&value, at_ + which, sizeof value);
    return value;
  }
  std::size_t offset(DebugOffset which) {
    const std::uint64_t value = word(which);
    if (value > kLargestOffset) plausible_ = false;
    return static_cast<std::size_t>(value);
  }
  bool is_of(std::uint32_t version) const {
    return std::memcmp(at_ + kCookie, "xdebugpy", 8) == 0 && word(kVersion) == version &&
           word(kFreeThreaded) == 0;
  }
  /// What the table takes for the same everywhere.
  bool is_usual() const {
    return word(kObjectType) == kPythonType && word(kBytesLength) == kPythonLength &&
           word(kBytesText) == kPythonBytes && word(kStringLength) == kPythonLength &&
           word(kStringKind) == kPythonStringKind;
  }
  bool plausible() const { return plausible_; }

 private:
  const char* at_;
  bool plausible_ = true;
};

bool described_layout(std::uint32_t version, const void* runtime, PythonLayout& l) {
  if (runtime == nullptr) return false;
  DebugOffsets offsets(runtime);
  if (!offsets.is_of(version) || !offsets.is_usual()) return false;
  l.chain = PythonChain::markers;
  l.thread_frame = offsets.offset(kThreadFrame);
  l.frame_previous = offsets.offset(kFramePrevious);
  l.frame_code = offsets.offset(kFrameCode);
  l.frame_instruction = offsets.offset(kFrameInstruction);
  l.frame_owner = offsets.offset(kFrameOwner);
  l.code_first_line = offsets.offset(kCodeFirstLine);
  l.code_file = offsets.offset(kCodeFile);
  l.code_name = offsets.offset(kCodeName);
  l.code_lines = offsets.offset(kCodeLines);
  l.code_instructions = offsets.offset(kCodeInstructions);
  l.ascii_text = offsets.offset(kAsciiText);
  l.other_text = l.ascii_text + 16;
  return offsets.plausible();
}

/// What the program or a library exports: of those that everything sees, or of an interpreter that
/// was loaded for one plug-in only.
struct Symbols {
  void* handle = RTLD_DEFAULT;
  void* operator()(const char* name) const { return dlsym(handle, name); }
};

/// "3.11.2 (main, ...": the version as a number.
std::uint32_t parse_version(const char* text) {
  char* end = nullptr;
  const auto major = static_cast<std::uint32_t>(std::strtoul(text, &end, 10));
  if (*end != '.') return 0;
  const auto minor = static_cast<std::uint32_t>(std::strtoul(end + 1, &end, 10));
  const auto micro =
      *end == '.' ? static_cast<std::uint32_t>(std::strtoul(end + 1, nullptr, 10)) : 0;
  return major << 24 | (minor & 0xff) << 16 | (micro & 0xff) << 8;
}

std::uint32_t version_of(const Symbols& symbols) {
  if (const void* number = symbols("Py_Version")) {
    return static_cast<std::uint32_t>(*static_cast<const unsigned long*>(number));
  }
  void* const text = symbols("Py_GetVersion");
  return text == nullptr ? 0 : parse_version(reinterpret_cast<const char* (*)()>(text)());
}

void find_loop(const Symbols& symbols) {
  const void* const loop = symbols("_PyEval_EvalFrameDefault");
  Dl_info info;
  void* entry = nullptr;
  if (loop == nullptr || dladdr1(loop, &info, &entry, RTLD_DL_SYMENT) == 0 || entry == nullptr) {
    return;
  }
  dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);  // whatever happens, it stays loaded
  found.loop_begin = reinterpret_cast<std::uint64_t>(loop);
  found.loop_end = found.loop_begin + static_cast<const ElfW(Sym)*>(entry)->st_size;
}

bool describe(const Symbols& symbols) {
  void* const thread_state = symbols("PyGILState_GetThisThreadState");
  if (thread_state == nullptr) return false;
  found.version = version_of(symbols);
  found.thread_state = reinterpret_cast<const void* (*)()>(thread_state);
  found.code_type = reinterpret_cast<std::uint64_t>(symbols("PyCode_Type"));
  find_loop(symbols);
  const bool known = python_layout(found.version, symbols("_PyRuntime"), found.layout) &&
                     found.code_type != 0 && found.loop_begin != 0;
  if (!known) {
    found.state = SLK_PYTHON_UNKNOWN_VERSION;
  } else if (!MemoryReader::usable()) {
    found.state = SLK_PYTHON_UNREADABLE;
  } else {
    found.state = SLK_PYTHON_FRAMES;
  }
  return true;
}

bool is_library_of_python(const char* file) {
  const char* const slash = std::strrchr(file, '/');
  return std::strncmp(slash == nullptr ? file : slash + 1, "libpython", 9) == 0;
}

}  // namespace

bool python_layout(std::uint32_t version, const void* runtime, PythonLayout& layout) {
  switch (version >> 16) {
    case 0x0309:
      layout = objects_layout(false);
      return true;
    case 0x030a:
      layout = objects_layout(true);
      return true;
    case 0x030b:
      layout = layout_311();
      return true;
    case 0x030c:
      layout = layout_312();
      return true;
    case 0x030d:
      return described_layout(version, runtime, layout);
    default:
      return false;
  }
}

void look_for_python(const LoadedModules& modules) {
  if (python_interpreter() != nullptr) return;
  if (__atomic_exchange_n(&looked_at, modules.ever_loaded(), __ATOMIC_ACQ_REL) ==
      modules.ever_loaded()) {
    return;
  }
  static bool looking = false;
  if (__atomic_test_and_set(&looking, __ATOMIC_ACQUIRE)) return;
  bool described = describe(Symbols{});
  for (std::size_t i = 0; i < modules.size() && !described; ++i) {
    if (!is_library_of_python(modules.name(i))) continue;
    void* const handle = dlopen(modules.name(i), RTLD_LAZY | RTLD_NOLOAD);
    if (handle != nullptr) described = describe(Symbols{handle});
  }
  if (described) __atomic_store_n(&published, &found, __ATOMIC_RELEASE);
  __atomic_clear(&looking, __ATOMIC_RELEASE);
}

const PythonInterpreter* python_interpreter() {
  return __atomic_load_n(&published, __ATOMIC_ACQUIRE);
}

}  // namespace slackline::record
