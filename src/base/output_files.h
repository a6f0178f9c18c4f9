#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "base/output_place.h"

namespace slackline {

/// Several files, or a folder, that appear together or not at all: they are written into a hidden
/// folder beside the final place and moved out of it by commit(), the one that was asked for last,
/// each as base/output_target.h says; if one cannot be moved, all others go back, and what they
/// replaced is there again. An interrupted run removes that folder (base/interrupt.h).
/// A stream is written through if there is only one file. Throws Error when that cannot be done.
class OutputFiles {
 public:
  /// What stands in the way: existing files are replaced as always; an existing folder that is not
  /// empty is refused, and a file where a folder is to be, or with `replace` replaced too.
  enum class Existing { refuse_folders, replace };

  /// What will be written: one file by OutputFile from its begin to its end, or anything.
  enum class Content { one_file, any };

  explicit OutputFiles(const std::filesystem::path& path,
                       Existing existing = Existing::refuse_folders,
                       Content content = Content::any);
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;

  /// Where to write instead of the final path: the same name, other files beside it. A stream's own
  /// path.
  std::filesystem::path path() const {
    return stream_ ? path_ : temporary_->path() / path_.filename();
  }
  bool is_stream() const { return stream_; }
  void commit();
  /// commit() together with the other outputs of the command (base/output_place.h).
  void commit_with_command();

 private:
  std::vector<FinishedOutput> finish();
  void check_place(const std::filesystem::path& from) const;
  void refuse_folder(const std::filesystem::path& to) const;

  std::filesystem::path path_;
  std::shared_ptr<const Temporary> temporary_;  // null: a stream
  Existing existing_;
  bool stream_ = false;
};

}  // namespace slackline
