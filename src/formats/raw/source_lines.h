#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trace/call_tree.h"

namespace slackline::raw {

/// What is known of the code of one program or shared library, from its file and its debug
/// information: beside it, below /usr/lib/debug by its build id, and from a debuginfod server only
/// if DEBUGINFOD_URLS names one. Without libdw nothing is known.
class SourceLines {
 public:
  enum class State : std::uint8_t {
    readable,
    missing,     ///< the file is gone, or is no ELF file
    changed,     ///< it is another build than the one recorded
    unsupported  ///< this slackline was built without libdw
  };

  /// `build_id` is that of the recorded one; empty: not known, and then taken to be the same.
  SourceLines(const std::filesystem::path& file, std::span<const std::uint8_t> build_id);
  ~SourceLines();
  SourceLines(SourceLines&&) noexcept;

  State state() const { return state_; }
  /// The functions that the instruction at `address` of the file belongs to: the innermost inlined
  /// one first, the one that is not inlined last. At least one; what is not known of it is empty. A
  /// function without a symbol is named by its file and its begin, "libsolver.so+0x1200".
  std::vector<CodeLocation> at(std::uint64_t address) const;

  /// A function's jump to another one as its last action, where a call would leave a frame.
  struct TailCall {
    std::vector<CodeLocation> locations;  ///< of the jump, as at() gives them
    std::uint64_t target = 0;  ///< begin of the other function; 0: of another file, or not known
  };
  /// A function of this file.
  struct Function {
    CodeLocation location;  ///< of its begin
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::vector<TailCall> tail_calls{};  ///< as far as the debug information has them
    bool holds(std::uint64_t address) const { return address >= begin && address < end; }
  };
  /// The begin of the function that the call ending at `return_address` names, if it is one of this
  /// file. Calls through pointers and into other files name none.
  std::optional<std::uint64_t> called_before(std::uint64_t return_address) const;
  /// The function that begins there.
  std::optional<Function> function_at(std::uint64_t begin) const;

  /// What a function returns, by its debug information.
  enum class Returns : std::uint8_t { unknown, nothing, integer, real, address, other };
  struct Symbol {
    std::uint64_t begin = 0, bytes = 0;
    std::string name;  ///< as people write it
    Returns returns = Returns::unknown;
  };
  /// The functions that this file has symbols of, each once, ascending by begin. Cost: reads all of
  /// the file's debug information.
  std::vector<Symbol> functions() const;

 private:
  struct Module;
  std::unique_ptr<Module> module_;
  State state_ = State::missing;
};

}  // namespace slackline::raw
