#include "base/output_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

Error cannot_write(const fs::path& path, const std::string& why, std::string_view hint = {}) {
  return Error(fmt::format("cannot write '{}'", path.string()), why, hint);
}

bool is_filled_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) && !fs::is_empty(path, ignored);
}

// "run/" is the folder "run".
fs::path without_slash(fs::path path) {
  return path.has_filename() ? path : path.parent_path();
}

}  // namespace

OutputFiles::OutputFiles(fs::path path, Existing existing)
    : path_(without_slash(std::move(path))), existing_(existing) {
  remove_existing(path_);
  temporary_ =
      path_.parent_path() / fmt::format(".{}.part{}", path_.filename().string(), ::getpid());
  guard_.emplace(temporary_);
  std::error_code failed;
  fs::create_directory(temporary_, failed);
  if (failed) throw cannot_write(path_, failed.message());
}

OutputFiles::~OutputFiles() {
  std::error_code ignored;
  fs::remove_all(temporary_, ignored);
}

// Only looks; what is in the way is moved when its replacement is ready.
void OutputFiles::remove_existing(const fs::path& to) {
  if (existing_ == Existing::replace || !is_filled_folder(to)) return;
  throw cannot_write(path_, fmt::format("the folder '{}' is not empty", to.string()),
                     "Choose another name, or overwrite it with --force.");
}

void OutputFiles::move_out(const fs::path& from) {
  const fs::path to = path_.parent_path() / from.filename();
  std::error_code failed;
  if (is_filled_folder(to) || (fs::is_directory(from, failed) && fs::is_regular_file(to, failed))) {
    fs::rename(to, temporary_ / ("replaced " + from.filename().string()), failed);
    if (failed) throw cannot_write(to, failed.message());
  }
  fs::rename(from, to, failed);
  if (failed) throw cannot_write(to, failed.message());
}

void OutputFiles::commit() {
  // What is replaced lies in the folder for a moment: better the folder stays than that it is lost.
  guard_.reset();
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(temporary_)) all.push_back(entry.path());
  std::ranges::sort(all);
  std::ranges::stable_partition(all, [&](const fs::path& p) { return p != path(); });
  for (const fs::path& from : all) remove_existing(path_.parent_path() / from.filename());
  for (const fs::path& from : all) move_out(from);
}

}  // namespace slackline
