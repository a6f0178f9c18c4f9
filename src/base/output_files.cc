#include "base/output_files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/input_file.h"
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
  temporary_ = std::make_shared<const Temporary>(
      temporary_beside(path_.parent_path() / ("." + path_.filename().string())));
  constexpr mode_t kPrivate = S_IRWXU;
  if (::mkdir(temporary_->path().c_str(), kPrivate) != 0) throw failed_write(path_);
}

void OutputFiles::refuse_folder(const fs::path& to) const {
  if (!is_filled_folder(to)) return;
  if (holds_input(to)) {
    throw cannot_write(path_, fmt::format("the command reads what is in '{}'", to.string()),
                       "Choose another name.");
  }
  if (existing_ == Existing::replace) return;
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

std::vector<FinishedOutput> OutputFiles::finish() {
  if (stream_) return {};
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(temporary_->path())) all.push_back(entry.path());
  std::ranges::sort(all);
  std::ranges::stable_partition(all, [&](const fs::path& p) { return p != path(); });
  for (const fs::path& from : all) check_place(from);
  std::vector<FinishedOutput> outputs;
  for (const fs::path& from : all) {
    write_through(from, path_);
    FinishedOutput output{from, path_.parent_path() / from.filename(), {}, temporary_};
    if (fs::is_regular_file(from) && !fs::is_directory(fs::symlink_status(output.to))) {
      output.file.emplace(output.to);
    }
    outputs.push_back(std::move(output));
  }
  return outputs;
}

void OutputFiles::commit() {
  place_all(finish());
}

void OutputFiles::commit_with_command() {
  OutputsOfCommand::add(finish());
}

}  // namespace slackline
