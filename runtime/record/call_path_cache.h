#ifndef SLACKLINE_RUNTIME_RECORD_CALL_PATH_CACHE_H
#define SLACKLINE_RUNTIME_RECORD_CALL_PATH_CACHE_H

#include <cstddef>
#include <cstdint>

#include "loaded_modules.h"
#include "python_paths.h"
#include "stack_walk.h"

namespace slackline::record {

/// How much of each call's path is recorded; of the whole process.
struct CallPathOptions {
  std::size_t deepest = 0;  ///< frames; 0: nothing, 1: only where MPI was called
};
/// From SLACKLINE_CALL_PATHS (none, site, full) and SLACKLINE_CALL_PATH_DEPTH.
CallPathOptions call_path_options();

/// Receives modules, Python's code and paths when they occur for the first time.
class CallPathSink : public PythonSink {
 public:
  virtual void new_module(const LoadedModule& module) = 0;
  /// Path `id` has the return addresses and Python frames `addresses`, innermost first.
  virtual void new_path(std::uint16_t id, const std::uint64_t* addresses, std::size_t depth,
                        bool whole) = 0;

 protected:
  ~CallPathSink() = default;
};

/// Makes records of them (trace/wire.h).
class CallPathRecords : public CallPathSink {
 public:
  void new_module(const LoadedModule& module) final;
  void new_path(std::uint16_t id, const std::uint64_t* addresses, std::size_t depth,
                bool whole) final;
  bool new_python(const PythonInterpreter& python) final;
  bool new_python_code(std::uint32_t id, const std::int64_t* args, std::size_t n_args) final;

 protected:
  ~CallPathRecords() = default;
  /// False: there is no room for it.
  virtual bool write(const slk_record& record, const std::int64_t* args, std::size_t n_args) = 0;
};

/// The call paths of one thread, found again for the price of a few loads.
///
/// A walk over the stack takes microseconds. But where it went through is a list of words of the
/// stack (StackWalk::words), of which each one's place follows from the contents of those before
/// it. A call that is made from the same return address with the same frame address as one before,
/// and finds all those words unchanged, has the same path. Programs repeat themselves: the entry
/// that followed the last one the time before is tried first. The Python frames on a path are such
/// a list of words as well, of the interpreter's structures.
class CallPathCache {
 public:
  /// The calling thread's from now on.
  void attach();
  /// A library was closed: paths that went through it are others now.
  void forget_closed();
  /// The number of the path of the call whose wrapper has the frame at `frame_pointer`; 0: none.
  std::uint16_t find(const std::uint64_t* frame_pointer, const CallPathOptions& options,
                     CallPathSink& sink) {
    if (budget_ < kMostBudget) ++budget_;
    Entry* const likely = last_ == nullptr ? nullptr : last_->successor;
    if (__builtin_expect(likely != nullptr && matches(*likely, frame_pointer), 1)) {
      last_ = likely;
      return likely->path;
    }
    return find_elsewhere(frame_pointer, options, sink);
  }
  /// CPU time spent on walks so far, about.
  std::uint64_t walking_ns() const { return walking_ns_; }

 private:
  struct Entry {
    const std::uint64_t* frame_pointer;
    std::uint64_t return_address;
    Entry* successor;  ///< what was found after this the last time
    Entry* next;       ///< of the same bucket
    std::uint32_t word_count;
    std::uint16_t path;
    std::uint16_t python_word_count;  ///< behind the others; the first has the thread's state
    const StackWord* words() const { return reinterpret_cast<const StackWord*>(this + 1); }
  };
  struct Path {
    Path* next;  ///< of the same bucket
    std::uint64_t hash;
    std::uint16_t id;
    std::uint16_t depth;
    const std::uint64_t* addresses() const {
      return reinterpret_cast<const std::uint64_t*>(this + 1);
    }
  };

  // A walk costs as much as some hundred calls whose path is known. Where most calls are on new
  // paths (a stack that never lies at the same place twice), only this many are walked.
  static constexpr std::int32_t kWalkCost = 64;
  static constexpr std::int32_t kMostBudget = 1 << 20;
  static constexpr std::uint64_t kLongestWalkNs = 100'000;
  static constexpr std::size_t kBuckets = 4096;
  static constexpr std::size_t kArenaBytes = std::size_t{4} << 20;
  static constexpr std::uint16_t kMostPaths = 0xffff;

  static bool matches(const Entry& entry, const std::uint64_t* frame_pointer) {
    if (entry.frame_pointer != frame_pointer || entry.return_address != frame_pointer[1]) {
      return false;
    }
    const StackWord* const words = entry.words();
    if (!unchanged(words, entry.word_count)) return false;
    return __builtin_expect(entry.python_word_count == 0, 1) ||
           matches_python(words + entry.word_count, entry.python_word_count);
  }
  static bool matches_python(const StackWord* words, std::uint32_t count) {
    return python_interpreter()->thread_state() == static_cast<const void*>(words->at) &&
           unchanged(words + 1, count - 1);
  }
  /// In this order: each word may be read only because those before it are unchanged.
  static bool unchanged(const StackWord* words, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (*words[i].at != words[i].value) return false;
    }
    return true;
  }
  static std::size_t bucket_of(const std::uint64_t* frame_pointer) {
    const std::uint64_t key = reinterpret_cast<std::uint64_t>(frame_pointer) ^ frame_pointer[1];
    return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15u) >> 52);
  }

  std::uint16_t find_elsewhere(const std::uint64_t* frame_pointer, const CallPathOptions& options,
                               CallPathSink& sink);
  std::uint16_t walk(const std::uint64_t* frame_pointer, std::size_t deepest, CallPathSink& sink);
  void add_python_frames(std::size_t deepest, CallPathSink& sink);
  std::uint16_t path_id(const StackWalk& walk, CallPathSink& sink);
  void remember(const std::uint64_t* frame_pointer, std::uint16_t path, const StackWalk& walk);
  void tell_modules(const StackWalk& walk, CallPathSink& sink);
  bool make_tables();
  void forget_entries();
  void forget_paths();
  bool refresh_modules();
  void note_walk(std::uint64_t took_ns);

  Entry* last_ = nullptr;
  std::int32_t budget_ = kMostBudget;
  StackRange stack_;
  Entry** entries_ = nullptr;  // kBuckets lists
  Path** paths_ = nullptr;     // kBuckets lists
  char* arena_ = nullptr;      // of entries
  std::size_t arena_used_ = 0;
  StackWalk* walk_ = nullptr;
  RuleCache* rules_ = nullptr;
  PythonPaths* python_ = nullptr;  // once there is a Python interpreter
  std::uint16_t path_count_ = 0;
  std::uint64_t walking_ns_ = 0;
  bool unable_ = false;        // without memory
  std::uint64_t removed_ = 0;  // of the modules, when the paths were last begun anew
  LoadedModules modules_;
};

}  // namespace slackline::record

#endif
