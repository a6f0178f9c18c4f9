// A walk over the stack by .eh_frame, in a process that is not ours to break.
//
// The unwinders at hand (libgcc's, libunwind, glibc's backtrace) trust the tables: a damaged one
// ends the program. And none tells what a walk depended on, which is what makes it possible to know
// later, by a few loads, that it would find the same again (call_path_cache.h).

#include "stack_walk.h"

#include <dlfcn.h>
#include <pthread.h>

#include "trace/sample_wire.h"
#include "unwind_tables.h"

namespace slackline::record {

namespace {

#ifdef DLFO_STRUCT_HAS_EH_DBASE  // glibc 2.35; at run time there may be an older one
const auto find_object =
    reinterpret_cast<decltype(&_dl_find_object)>(dlsym(RTLD_DEFAULT, "_dl_find_object"));
#endif

/// A register's content, and the word of the stack that it was restored from.
struct Register {
  std::uint64_t value;
  const std::uint64_t* from;
  bool known;
  bool verified;  ///< that word is among StackWalk::words
};

class Walker {
 public:
  /// Reads the stack from `stack_begin` on: what lies below may not even be mapped.
  Walker(const WalkContext& context, std::uint64_t stack_begin, StackWalk& walk)
      : context_(context), stack_{stack_begin, context.stack.end}, walk_(walk) {
    walk.depth = 0;
    walk.word_count = 0;
    walk.skipped = 0;
    walk.whole = false;
    walk.stale = false;
  }

  /// In the function that called the one with this frame. `own` is of the function that calls this.
  void start(const std::uint64_t* frame_pointer, const OwnRegisters& own) {
    if (!kLinkRegister) {
      registers_[kFramePointer] = {frame_pointer[0], frame_pointer, true, false};
      registers_[kStackPointer] = {address(frame_pointer + 2), nullptr, true, true};
      at_ = frame_pointer[1];
    } else if (!leave_frame(frame_pointer, own)) {
      for (Register& r : registers_) r = {};
      at_ = plain_address(frame_pointer[1]);
    }
  }

  void start(const ucontext_t& context) {
    std::uint64_t values[kRegisters] = {};
    at_ = interrupted_registers(context, values);
    for (unsigned i = 0; i < kRegisters; ++i) registers_[i] = {values[i], nullptr, true, true};
    if (!kLinkRegister) registers_[kReturnAddress] = {};
    signal_frame_ = true;
    check_modules_ = true;
  }

  void walk_outwards(const WalkLimits& limits) {
    add({at_, registers_[kStackPointer].value, {}});
    if (!stack_.holds(stack_.begin)) return;
    const std::size_t innermost = limits.innermost < kDeepestPath ? limits.innermost : kDeepestPath;
    while (walk_.depth < innermost) {
      if (!step()) return;
      add(frame());
    }
    if (limits.outermost > 0) add_outermost(limits.outermost);
  }

 private:
  static constexpr int kOperations = 64;
  static constexpr std::size_t kOperands = 16;
  static constexpr std::size_t kMostWords =
      sizeof StackWalk::words / sizeof StackWalk::words[0] - kOutermostFrames;

  struct Frame {
    std::uint64_t address;
    std::uint64_t stack_pointer;
    StackWord word;  ///< that has the address
  };

  static std::uint64_t address(const void* at) { return reinterpret_cast<std::uint64_t>(at); }

  void add(const Frame& frame) {
    walk_.stack_pointers[walk_.depth] = frame.stack_pointer;
    walk_.addresses[walk_.depth++] = frame.address;
  }
  /// The present one, to which a step has led.
  Frame frame() const { return {at_, registers_[kStackPointer].value, back_}; }

  /// Out of the function that has this frame, and those that it has called. Where the frame ends is
  /// known from its function's tables only: other than on x86-64, the saved frame pointer and the
  /// return address may stand anywhere in it.
  bool leave_frame(const std::uint64_t* frame_pointer, const OwnRegisters& own) {
    constexpr int kMostCalls = 16;
    at_ = own.instruction;
    registers_[kStackPointer] = {own.stack_pointer, nullptr, true, true};
    registers_[kFramePointer] = {own.frame_pointer, nullptr, true, true};
    signal_frame_ = true;  // this very instruction
    skipping_ = true;
    for (int i = 0; i < kMostCalls && registers_[kStackPointer].value <= address(frame_pointer);
         ++i) {
      if (!step()) return false;
    }
    skipping_ = false;
    // Registers that functions of the recorder have saved: where they did is overwritten by now.
    for (unsigned i = 0; i < kRegisters; ++i) {
      if (i != kFramePointer && i != kStackPointer) registers_[i] = {};
    }
    return back_.at == frame_pointer + 1;
  }

  /// The path goes on: up to the end of it, keeping the last frames only.
  void add_outermost(std::size_t count) {
    Frame last[kOutermostFrames];
    const std::uint64_t omitted_from = registers_[kStackPointer].value;
    skipping_ = true;
    while (walk_.skipped < kMostSkippedFrames && step()) last[walk_.skipped++ % count] = frame();
    if (!walk_.whole) return;
    std::size_t first = 0;
    if (walk_.skipped > count) {
      first = walk_.skipped - count;
      walk_.whole = false;
      add({SLK_PATH_OMITTED, omitted_from, {}});
    }
    for (std::size_t i = first; i < walk_.skipped; ++i) {
      add(last[i % count]);
      walk_.words[walk_.word_count++] = last[i % count].word;
    }
  }

  /// From the present frame to its caller's. False: there is none, or it cannot be found.
  bool step() {
    // A return address may stand behind the last instruction of its function.
    const std::uint64_t pc = signal_frame_ ? at_ : at_ - 1;
    if (check_modules_ && !is_up_to_date(pc)) {
      walk_.stale = true;
      return false;
    }
    rules_ = context_.rules.at(pc, context_.modules);
    if (rules_ == nullptr) return false;
    const bool interrupted = signal_frame_;
    signal_frame_ = rules_->signal_frame;
    std::uint64_t frame_address = 0;
    if (ends_here() || !find_frame_address(frame_address)) return false;
    const std::uint64_t before = registers_[kStackPointer].value;
    if (!restore_registers(frame_address)) return false;
    Register& back = registers_[kReturnAddress];
    if (!back.known || (back.from == nullptr && !back.verified)) return false;
    if (back.value == 0) {
      walk_.whole = true;
      return false;
    }
    // Only a signal may have come while the thread was on another stack.
    // The innermost function may have no frame.
    const bool leaf = kLinkRegister && interrupted;
    if (!signal_frame_ && !leaf && registers_[kStackPointer].value <= before) return false;
    if (!depend_on(back)) return false;
    at_ = plain_address(back.value);
    back_ = {back.from, back.value};
    // The caller has saved it before its call, or has no caller.
    if (kLinkRegister) back = {};
    return true;
  }

  bool load(std::uint64_t at, Register& into) const {
    if (!stack_.holds(at) || at % alignof(std::uint64_t) != 0) return false;
    const auto* const from = reinterpret_cast<const std::uint64_t*>(at);
    into = {*from, from, true, false};
    return true;
  }

  /// The rest of the path holds only while this register's word stays as it is.
  bool depend_on(Register& r) {
    if (!r.known) return false;
    if (r.verified || skipping_) return true;
    if (r.from == nullptr || walk_.word_count == kMostWords) return false;
    walk_.words[walk_.word_count++] = {r.from, r.value};
    r.verified = true;
    return true;
  }

  bool find_frame_address(std::uint64_t& result) {
    const Rule& rule = rules_->frame_address;
    if (rule.kind == RuleKind::value_expression) return evaluate(rule, nullptr, result);
    Register& base = registers_[rules_->base];
    if (!depend_on(base)) return false;
    result = base.value + static_cast<std::uint64_t>(rule.number);
    return true;
  }

  /// The thread's first function has no caller.
  bool ends_here() {
    for (std::uint32_t i = 0; i < rules_->count; ++i) {
      const PlaceRules::Changed& changed = rules_->changed()[i];
      if (changed.number == kReturnAddress && changed.rule.kind == RuleKind::undefined) {
        walk_.whole = true;
      }
    }
    return walk_.whole;
  }

  /// The registers in the caller's frame.
  bool restore_registers(std::uint64_t frame_address) {
    Register caller[kRegisters];  // of those that change
    bool knows_stack = false;
    for (std::uint32_t i = 0; i < rules_->count; ++i) {
      const PlaceRules::Changed& changed = rules_->changed()[i];
      if (!restore(changed.rule, frame_address, caller[i])) return false;
      knows_stack = knows_stack || changed.number == kStackPointer;
    }
    for (std::uint32_t i = 0; i < rules_->count; ++i) {
      registers_[rules_->changed()[i].number] = caller[i];
    }
    if (!knows_stack) registers_[kStackPointer] = {frame_address, nullptr, true, true};
    return true;
  }

  bool restore(const Rule& rule, std::uint64_t frame_address, Register& caller) {
    const std::uint64_t near = frame_address + static_cast<std::uint64_t>(rule.number);
    std::uint64_t result = 0;
    switch (rule.kind) {
      case RuleKind::same:
      case RuleKind::undefined:
        caller = {};
        return true;
      case RuleKind::offset:
        return load(near, caller);
      case RuleKind::value_offset:
        caller = {near, nullptr, true, true};
        return true;
      case RuleKind::in_register:
        if (rule.number < 0 || rule.number >= kRegisters) return false;
        caller = registers_[rule.number];
        return true;
      case RuleKind::expression:
        return evaluate(rule, &frame_address, result) && load(result, caller);
      case RuleKind::value_expression:
        if (!evaluate(rule, &frame_address, result)) return false;
        caller = {result, nullptr, true, true};
        return true;
    }
    return false;
  }

  /// `first` is on the operand stack when the expression begins.
  bool evaluate(const Rule& rule, const std::uint64_t* first, std::uint64_t& result) {
    const auto begin = static_cast<std::uint64_t>(rule.number);
    TableReader in(*rules_->module, begin, begin + rule.expression_bytes);
    std::uint64_t stack[kOperands];
    std::size_t depth = 0;
    if (first != nullptr) stack[depth++] = *first;
    for (int i = 0; i < kOperations && !in.at_end(); ++i) {
      if (!operation(in, stack, depth)) return false;
    }
    if (in.failed() || in.at() != in.end() || depth == 0) return false;
    result = stack[depth - 1];
    return true;
  }

  /// The operations that compilers and linkers use for frames. Branches are none of them.
  bool operation(TableReader& in, std::uint64_t* stack, std::size_t& depth) {
    const auto code = in.fixed<std::uint8_t>();
    if (code >= 0x70 && code <= 0x8f) return based(in, code - 0x70u, stack, depth);  // breg
    if (code == 0x92) return based(in, in.uleb(), stack, depth);                     // bregx
    std::uint64_t constant = 0;
    if (is_constant(in, code, constant)) return push(constant, stack, depth);
    if (depth == 0) return false;
    std::uint64_t& top = stack[depth - 1];
    switch (code) {
      case 0x06:  // deref
        return dereference(top);
      case 0x12:  // dup
        return push(top, stack, depth);
      case 0x13:  // drop
        --depth;
        return true;
      case 0x23:  // plus_uconst
        top += in.uleb();
        return true;
      default:
        return depth >= 2 && binary(code, stack, depth);
    }
  }

  static bool is_constant(TableReader& in, std::uint8_t code, std::uint64_t& value) {
    if (code >= 0x30 && code <= 0x4f) {  // lit
      value = code - 0x30u;
      return true;
    }
    switch (code) {
      case 0x08:
        value = in.fixed<std::uint8_t>();
        return true;
      case 0x09:
        value = static_cast<std::uint64_t>(std::int64_t{in.fixed<std::int8_t>()});
        return true;
      case 0x0a:
        value = in.fixed<std::uint16_t>();
        return true;
      case 0x0b:
        value = static_cast<std::uint64_t>(std::int64_t{in.fixed<std::int16_t>()});
        return true;
      case 0x0c:
        value = in.fixed<std::uint32_t>();
        return true;
      case 0x0d:
        value = static_cast<std::uint64_t>(std::int64_t{in.fixed<std::int32_t>()});
        return true;
      case 0x10:
        value = in.uleb();
        return true;
      case 0x11:
        value = static_cast<std::uint64_t>(in.sleb());
        return true;
      default:
        return false;
    }
  }

  static bool binary(std::uint8_t code, std::uint64_t* stack, std::size_t& depth) {
    const std::uint64_t right = stack[--depth];
    std::uint64_t& left = stack[depth - 1];
    switch (code) {
      case 0x1a:
        left &= right;
        return true;
      case 0x1c:
        left -= right;
        return true;
      case 0x1e:
        left *= right;
        return true;
      case 0x21:
        left |= right;
        return true;
      case 0x22:
        left += right;
        return true;
      case 0x24:
        left = right < 64 ? left << right : 0;
        return true;
      case 0x2a:  // ge, signed
        left = static_cast<std::int64_t>(left) >= static_cast<std::int64_t>(right) ? 1 : 0;
        return true;
      default:
        return false;
    }
  }

  static bool push(std::uint64_t value, std::uint64_t* stack, std::size_t& depth) {
    if (depth == kOperands) return false;
    stack[depth++] = value;
    return true;
  }

  bool based(TableReader& in, std::uint64_t number, std::uint64_t* stack, std::size_t& depth) {
    const auto offset = static_cast<std::uint64_t>(in.sleb());
    if (!kLinkRegister && number == kReturnAddress) {
      return push(at_ + offset, stack, depth);
    }
    if (number >= kRegisters || !depend_on(registers_[number])) return false;
    return push(registers_[number].value + offset, stack, depth);
  }

  bool dereference(std::uint64_t& top) {
    Register loaded{};
    if (!load(top, loaded) || !depend_on(loaded)) return false;
    top = loaded.value;
    return true;
  }

  /// Whether the loader has what we know at `pc`. It is asked lock-free, in a way made for
  /// unwinding in signal handlers.
  bool is_up_to_date(std::uint64_t pc) {
#ifdef DLFO_STRUCT_HAS_EH_DBASE
    dl_find_object found;
    if (find_object == nullptr) return false;
    const LoadedModule* const module = context_.modules.find(pc);
    const bool loaded = find_object(reinterpret_cast<void*>(pc), &found) == 0;
    if (!loaded || module == nullptr) return loaded == (module != nullptr);
    return reinterpret_cast<std::uint64_t>(found.dlfo_eh_frame) == module->eh_header;
#else
    static_cast<void>(pc);
    return false;
#endif
  }

  const WalkContext& context_;
  const StackRange stack_;
  StackWalk& walk_;
  std::uint64_t at_ = 0;               // the place of the present frame
  StackWord back_{};                   // where the last step found it
  const PlaceRules* rules_ = nullptr;  // of that place, once they are needed
  Register registers_[kRegisters] = {};
  bool signal_frame_ = false;
  bool check_modules_ = false;
  bool skipping_ = false;  // frames that are left out: what they depend on does not matter
};

}  // namespace

StackRange own_stack() {
  StackRange range;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return range;
  void* begin = nullptr;
  std::size_t size = 0;
  if (pthread_attr_getstack(&attributes, &begin, &size) == 0) {
    range.begin = reinterpret_cast<std::uint64_t>(begin);
    range.end = range.begin + size;
  }
  pthread_attr_destroy(&attributes);
  return range;
}

void walk_stack(const std::uint64_t* frame_pointer, const WalkLimits& limits,
                const WalkContext& context, StackWalk& walk) {
  const OwnRegisters own = own_registers();
  // What lies below the frames that are read may not even be mapped.
  const auto lowest =
      kLinkRegister ? own.stack_pointer : reinterpret_cast<std::uint64_t>(frame_pointer);
  Walker walker(context, lowest, walk);
  walker.start(frame_pointer, own);
  walker.walk_outwards(limits);
}

void walk_interrupted(const ucontext_t& interrupted, const WalkLimits& limits,
                      const WalkContext& context, StackWalk& walk) {
  std::uint64_t registers[kRegisters] = {};
  interrupted_registers(interrupted, registers);
  Walker walker(context, registers[kStackPointer], walk);
  walker.start(interrupted);
  walker.walk_outwards(limits);
}

}  // namespace slackline::record
