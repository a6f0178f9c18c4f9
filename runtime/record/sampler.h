#ifndef SLACKLINE_RUNTIME_RECORD_SAMPLER_H
#define SLACKLINE_RUNTIME_RECORD_SAMPLER_H

#include <signal.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdint>

#include "blocking_calls.h"
#include "cpu_timer.h"
#include "loaded_modules.h"
#include "python_paths.h"
#include "raw_file.h"
#include "stack_walk.h"
#include "trace/sample_wire.h"

namespace slackline::record {

/// Which signal samples the threads of this process, and how often.
struct SamplingOptions {
  std::uint64_t interval_ns = 0;  ///< of CPU time; 0: no samples
  int signal = 0;                 ///< 0: there is none that could be used
};

/// Finds where one thread computes: a timer of its CPU time sends it a signal, whose handler walks
/// the stack and writes what it found into a file of its own.
///
/// The handler may interrupt anything, a malloc or the recorder itself. So it takes no lock and no
/// memory, and shares nothing with the thread but flags: the file, the tables of paths and the list
/// of modules are the handler's alone, made before the timer starts. The list of modules is renewed
/// by the thread when it next calls MPI, with the handler locked out by a flag.
class Sampler final : PythonSink {
 public:
  /// Starts sampling the calling thread, by `signal`; its file is made the first time. False, with
  /// errno, where there is no file, memory or timer.
  bool start(const char* path, const slk_raw_header& header, std::uint16_t thread,
             const SamplingOptions& options);
  /// No signal is sent any more.
  void stop();
  /// The same until resume(). Nothing where it does not run.
  void suspend();
  void resume(int signal);
  /// Says in the file how far the thread was sampled.
  void set_state(slk_sampling state) {
    if (tables_ != nullptr) sampling().state = state;
  }
  bool running() const { return running_; }

  /// Whether a sample lay in a module that is not known yet: then refresh() should be called.
  bool wants_modules() const { return wants_modules_; }
  /// Until then nothing is sampled, as a name may be of a library that is no longer there. In the
  /// handler.
  void want_modules() {
    wants_modules_ = true;
    outdated_ = true;
  }
  void refresh();

  /// In the signal's handler. `expirations` of the timer that this one stands for; `idle`: the
  /// thread is where nothing is to be sampled.
  void on_signal(const ucontext_t& context, std::uint64_t expirations, bool idle);

  /// The thread itself comes back from a function that may block. A short call may be counted where
  /// the one before it was made; false if it cannot.
  bool count_again(const BlockingCall& call) {
    // Python's functions share frames of the stack.
    return running_ && python_interpreter() == nullptr && tables_->blocking.add_again(call);
  }
  /// Finds where it was made, of any that took time.
  void take_blocking(const BlockingCall& call);
  /// Writes what is left of such calls.
  void finish();

  /// CPU time of the samples so far.
  std::uint64_t taking_ns() const { return taking_ns_; }

 private:
  struct Path {
    Path* next;  ///< of the same bucket
    std::uint64_t hash;
    std::uint32_t id;
    std::uint32_t depth;
    const std::uint64_t* addresses() const {
      return reinterpret_cast<const std::uint64_t*>(this + 1);
    }
  };
  static constexpr std::size_t kBuckets = 1024;
  static constexpr std::size_t kArenaBytes = std::size_t{1} << 20;

  struct Tables {
    StackWalk walk;
    RuleCache rules;
    PythonPaths python;
    BlockingCalls blocking;
    std::int64_t module[kModuleArguments];
    Path* buckets[kBuckets];
    alignas(Path) char arena[kArenaBytes];
  };

  slk_sampling_header& sampling() {
    auto* const page = reinterpret_cast<char*>(&file_.header());
    return *reinterpret_cast<slk_sampling_header*>(page + SLK_SAMPLING_HEADER_AT);
  }
  bool make_file(const char* path, const slk_raw_header& header, std::uint16_t thread);
  void take(const ucontext_t& context, std::uint64_t expirations);
  bool write_sample(std::uint8_t op, std::uint64_t time_ns, std::uint64_t stands_for_ns,
                    std::uint32_t path);
  void write_calls(BlockingCalls::Sum& sum);
  std::uint32_t place();
  void add_python_frames();
  bool new_python(const PythonInterpreter& python) override;
  bool new_python_code(std::uint32_t id, const std::int64_t* args, std::size_t n_args) override;
  std::uint32_t path_id();
  void forget_paths();
  bool write(const slk_record& record, const std::int64_t* args, std::size_t n_args);
  bool tell_modules();

  RawFile file_;
  LoadedModules modules_;
  StackRange stack_;
  Tables* tables_ = nullptr;
  std::size_t arena_used_ = 0;
  std::uint64_t removed_ = 0;  // of the modules, when the paths were last begun anew
  std::uint32_t path_count_ = 0;
  std::uint64_t interval_ns_ = 0;
  std::uint64_t taking_ns_ = 0;
  CpuTimer timer_;
  bool running_ = false;
  bool suspended_ = false;
  volatile sig_atomic_t locked_ = 0;  // the modules are being renewed
  volatile bool wants_modules_ = false;
  volatile bool outdated_ = false;
};

}  // namespace slackline::record

#endif
