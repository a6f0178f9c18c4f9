#pragma once

#include <filesystem>
#include <optional>

#include "base/interrupt.h"

namespace slackline {

/// Several files, or a folder, that appear together or not at all: they are written into a hidden
/// folder beside the final place and moved out of it by commit(), the one that was asked for last.
/// An interrupted run removes that folder (base/interrupt.h).
/// Throws Error when that cannot be done.
class OutputFiles {
 public:
  /// What stands in the way: existing files are replaced as always; an existing folder that is not
  /// empty is refused, or with `replace` replaced too.
  enum class Existing { refuse_folders, replace };

  explicit OutputFiles(std::filesystem::path path, Existing existing = Existing::refuse_folders);
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;
  ~OutputFiles();  ///< removes whatever was not committed

  /// Where to write instead of the final path: the same name, other files beside it.
  std::filesystem::path path() const { return temporary_ / path_.filename(); }
  void commit();

 private:
  void move_out(const std::filesystem::path& from);
  void remove_existing(const std::filesystem::path& to);

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  std::optional<TemporaryGuard> guard_;
  Existing existing_;
};

}  // namespace slackline
