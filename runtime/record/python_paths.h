#ifndef SLACKLINE_RUNTIME_RECORD_PYTHON_PATHS_H
#define SLACKLINE_RUNTIME_RECORD_PYTHON_PATHS_H

#include <cstddef>
#include <cstdint>

#include "python_frames.h"
#include "python_interpreter.h"
#include "stack_walk.h"

namespace slackline::record {

/// Receives what is new about Python. False: it could not be kept.
class PythonSink {
 public:
  virtual bool new_python(const PythonInterpreter& python) = 0;
  /// Arguments of SLK_REC_PYTHON_CODE.
  virtual bool new_python_code(std::uint32_t id, const std::int64_t* args, std::size_t n_args) = 0;

 protected:
  ~PythonSink() = default;
};

/// What is looked for of a path of which a number of frames is wanted. Python's frames are limited
/// apart, and lie in native ones that would be left out.
WalkLimits limits_of(std::size_t deepest);

/// Puts Python's frames into walks over the stack, and numbers their code objects. For the records
/// of one file. Zeroed memory is one that knows nothing yet; allocates nothing.
class PythonPaths {
 public:
  /// Replaces each frame of the interpreter's loop in `walk`, of the calling thread as it is now,
  /// by the at most `deepest` Python frames that it executes, as SLK_PATH_PYTHON has them. Where
  /// the walk could not go on, those further out follow.
  void add_frames(StackWalk& walk, std::size_t deepest, const PythonInterpreter& python,
                  PythonSink& sink);
  /// What was read last.
  const PythonFrames& frames() const { return frames_; }

 private:
  static constexpr std::size_t kCodes = 2048;
  // A record fits into the file's stage.
  static constexpr std::size_t kTextBytes = std::size_t{40} << 10;
  static constexpr std::size_t kArguments = SLK_CODE_TEXT_AT + kTextBytes / 8;

  struct Known {
    PythonCode code;
    std::uint32_t id;  // 0: the place is free
  };
  struct Content {
    std::uint64_t hash;
    std::uint32_t id;
  };

  void forget_codes();
  std::uint32_t number_of(const PythonCode& code, const PythonInterpreter& python,
                          PythonSink& sink);
  std::uint32_t number_of_content(std::size_t n_args, PythonSink& sink);
  std::size_t describe(const PythonCode& code, const PythonLayout& layout);
  std::size_t frames_of(const StackWalk& walk, std::size_t native, std::size_t next) const;
  std::size_t without_frames(const StackWalk& walk) const;
  void merge(StackWalk& walk);

  bool told_ = false;
  std::uint32_t code_count_ = 0;  // ids given
  std::size_t known_ = 0;
  Known codes_[kCodes];
  Content contents_[kCodes];
  PythonFrames frames_;
  std::uint64_t encoded_[kDeepestPath];  // of frames_, as in a path
  std::uint64_t native_[kMostFrames];
  std::uint64_t loop_begin_ = 0;
  std::uint64_t loop_end_ = 0;
  std::int64_t args_[kArguments];
};

/// Heads of their records.
slk_record python_record(const PythonInterpreter& python);
slk_record python_code_record(std::uint32_t id);

}  // namespace slackline::record

#endif
