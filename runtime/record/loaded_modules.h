#ifndef SLACKLINE_RUNTIME_RECORD_LOADED_MODULES_H
#define SLACKLINE_RUNTIME_RECORD_LOADED_MODULES_H

#include <climits>
#include <cstddef>
#include <cstdint>

namespace slackline::record {

/// The program or one of its shared libraries, as it lies in memory.
struct LoadedModule {
  struct Segment {
    std::uint64_t begin;
    std::uint64_t end;
  };
  static constexpr std::size_t kSegments = 8;
  static constexpr std::size_t kBuildIdBytes = 24;  // SLK_MODULE_BUILD_ID_BYTES

  std::uint64_t begin;  ///< of all its segments
  std::uint64_t end;
  std::uint64_t bias;       ///< what was added to the addresses in its file
  std::uint64_t eh_header;  ///< its .eh_frame_hdr; 0: it has none
  Segment readable[kSegments];
  std::size_t segments;
  std::uint8_t build_id[kBuildIdBytes];
  std::size_t build_id_bytes;
  char* name;     ///< of its file; empty for the program itself
  bool recorded;  ///< the raw file has it

  /// The end of the segment that holds `at`; `at` itself where nothing may be read.
  std::uint64_t readable_end(std::uint64_t at) const {
    for (std::size_t i = 0; i < segments; ++i) {
      if (at >= readable[i].begin && at < readable[i].end) return readable[i].end;
    }
    return at;
  }
  bool may_read(std::uint64_t at, std::size_t bytes) const {
    return readable_end(at) - at >= bytes;
  }
};

/// Arguments of SLK_REC_MODULE at most.
inline constexpr std::size_t kModuleArguments = 7 + PATH_MAX / 8;
/// Writes them to `args`, which has room for kModuleArguments, and returns how many they are.
/// Async-signal-safe.
std::size_t module_arguments(const LoadedModule& module, std::int64_t* args);

/// The modules of the process, as they were when refresh() was called last. Of one thread.
class LoadedModules {
 public:
  /// Asks the loader for its list if that has changed since. 0.1 us if not. False without memory.
  bool refresh();
  /// The module that holds `address`; nullptr if there is none.
  LoadedModule* find(std::uint64_t address);
  std::size_t size() const { return list_.count; }
  const char* name(std::size_t i) const { return list_.modules[i].name; }
  /// Another one after each change of the list.
  std::uint64_t generation() const { return generation_; }
  /// How many times a module has gone that the raw file has.
  std::uint64_t removed() const { return removed_; }
  /// How many modules the process had ever loaded by then.
  unsigned long long ever_loaded() const { return adds_; }

  // For the loader's call-back.
  bool changed(unsigned long long adds, unsigned long long removals);
  bool add(const LoadedModule& module, const char* name);

 private:
  struct List {
    LoadedModule* modules = nullptr;
    std::size_t count = 0;
    std::size_t room = 0;
  };
  static void clear(List& list);
  bool had(const LoadedModule& module);
  void note_removed();

  List list_;
  List before_;  // the last change
  std::uint64_t removed_ = 0;
  std::size_t last_ = 0;  // found last
  std::uint64_t generation_ = 0;
  unsigned long long adds_ = 0;
  unsigned long long removals_ = 0;
};

/// Calls of MPI that go past the recorder.
struct UnseenCalls {
  /// File of a library whose references to functions of MPI lead to MPI's own library: the loader
  /// has looked there first, as with RTLD_DEEPBIND and -Bsymbolic.
  void (*library)(const char* name);
  /// A function that may communicate and that has no entry point here, as of a newer MPI.
  void (*function)(const char* name);
};

/// Finds those of the libraries that are loaded now, with the loader's lock held, which comes
/// before every other lock: a constructor that dlopen() runs may call MPI. `dynamic`: only that
/// library, by its dynamic section; null: all. References that are bound at their first call are
/// found after that. `preloaded`: an address in the library that has the entry points.
void find_unseen_calls(const void* preloaded, const void* dynamic, const UnseenCalls& found);

/// Adds `name` to a list of names, unless it is there or there is no room.
void add_name(const char* name, char* names, std::size_t room);

}  // namespace slackline::record

#endif
