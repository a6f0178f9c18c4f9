#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/interrupt.h"
#include "base/output_target.h"

namespace slackline {

/// A file or folder that is gone with the object, and on an interrupt (base/interrupt.h).
class Temporary {
 public:
  explicit Temporary(std::filesystem::path path) : path_(std::move(path)), guard_(path_) {}
  ~Temporary();
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  TemporaryGuard guard_;
};

/// An output that is whole and lies beside its place.
struct FinishedOutput {
  std::filesystem::path from;        ///< `keeper`, or in it
  std::filesystem::path to;          ///< of a folder, or where a folder is in the way
  std::optional<OutputTarget> file;  ///< of a file
  std::shared_ptr<const Temporary> keeper;
};

/// Exchanges all of them with the files at their places, or none: what fails is undone. Throws
/// Error, also if two have the same place.
void place_all(const std::vector<FinishedOutput>& outputs);

/// The outputs of one command that appear together or not at all. While such an object lives,
/// commit_with_command() of OutputFile and OutputFiles leaves them to place(), without which
/// nothing of them stays. One at a time, in one thread.
class OutputsOfCommand {
 public:
  OutputsOfCommand();
  ~OutputsOfCommand();
  OutputsOfCommand(const OutputsOfCommand&) = delete;
  OutputsOfCommand& operator=(const OutputsOfCommand&) = delete;

  /// What waits in the object that lives, if one does. Throws Error.
  static void place();
  /// At once where no such object lives.
  static void add(std::vector<FinishedOutput> outputs);

 private:
  std::vector<FinishedOutput> waiting_;
  OutputsOfCommand* outer_;
};

/// Writes to the disk what the file, or all below the folder, has. Throws Error for the output
/// `path`.
void write_through(const std::filesystem::path& written, const std::filesystem::path& path);

}  // namespace slackline
