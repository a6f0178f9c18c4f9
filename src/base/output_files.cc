#include "base/output_files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/output_target.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

bool is_filled_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) && !fs::is_empty(path, ignored);
}

// "run/" is the folder "run".
fs::path without_slash(fs::path path) {
  return path.has_filename() ? path : path.parent_path();
}

}  // namespace

OutputFiles::OutputFiles(const fs::path& path, Existing existing, Content content)
    : path_(without_links(without_slash(path))), existing_(existing) {
  std::error_code ignored;
  if (!fs::is_directory(path_, ignored)) stream_ = OutputTarget(path_).is_stream();
  if (stream_ && content == Content::one_file) return;
  if (stream_) {
    throw cannot_write(path_, "it is a stream, and this format needs files", "Name a file.");
  }
  refuse_folder(path_);
  temporary_ = temporary_beside(path_.parent_path() / ("." + path_.filename().string()));
  guard_.emplace(temporary_);
  constexpr mode_t kPrivate = S_IRWXU;
  if (::mkdir(temporary_.c_str(), kPrivate) != 0) throw cannot_write(path_, errno_text());
}

OutputFiles::~OutputFiles() {
  std::error_code ignored;
  if (!stream_) fs::remove_all(temporary_, ignored);
}

void OutputFiles::refuse_folder(const fs::path& to) const {
  if (existing_ == Existing::replace || !is_filled_folder(to)) return;
  throw cannot_write(path_, fmt::format("the folder '{}' is not empty", to.string()),
                     "Choose another name, or overwrite it with --force.");
}

// Only looks; what is in the way is moved when its replacement is ready.
void OutputFiles::check_place(const fs::path& from) const {
  const fs::path to = path_.parent_path() / from.filename();
  refuse_folder(to);
  std::error_code ignored;
  const bool folder_there = fs::is_directory(to, ignored);
  if (!fs::is_regular_file(from)) {
    if (folder_there || existing_ == Existing::replace || !fs::exists(to, ignored)) return;
    throw cannot_write(to, "it is a file, and a folder of that name is to be written",
                       "Choose another name, or overwrite it with --force.");
  }
  if (folder_there) return;
  if (OutputTarget(to).is_stream())
    throw cannot_write(to, "it is not a file", "Choose another name.");
}

void OutputFiles::move_out(const fs::path& from) {
  const fs::path to = path_.parent_path() / from.filename();
  std::error_code failed;
  const fs::file_status in_the_way = fs::symlink_status(to, failed);
  const bool is_file = fs::is_regular_file(from);
  if (fs::is_directory(in_the_way) ? is_filled_folder(to)
                                   : !is_file && fs::is_regular_file(in_the_way)) {
    fs::rename(to, temporary_ / ("replaced " + from.filename().string()), failed);
    if (failed) throw cannot_write(to, failed.message());
  }
  if (is_file) return OutputTarget(to).replace_by(from);
  fs::rename(from, to, failed);
  if (failed) throw cannot_write(to, failed.message());
}

void OutputFiles::commit() {
  if (stream_) return;
  // What is replaced lies in the folder for a moment: better the folder stays than that it is lost.
  guard_.reset();
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(temporary_)) all.push_back(entry.path());
  std::ranges::sort(all);
  std::ranges::stable_partition(all, [&](const fs::path& p) { return p != path(); });
  for (const fs::path& from : all) check_place(from);
  for (const fs::path& from : all) move_out(from);
}

}  // namespace slackline
