#include "base/read_files.h"

#include <mutex>
#include <set>
#include <system_error>
#include <utility>

namespace slackline {
namespace {

namespace fs = std::filesystem;

/// Hard and symbolic links are names of one file.
using FileId = std::pair<dev_t, ino_t>;

FileId id_of(const struct stat& file) {
  return {file.st_dev, file.st_ino};
}

struct Files {
  std::mutex mutex;
  int commands = 0;
  std::set<FileId> inputs;
  std::set<FileId> own;
};

Files& files() {
  static Files all;
  return all;
}

}  // namespace

ReadFiles::ReadFiles() {
  const std::scoped_lock lock(files().mutex);
  ++files().commands;
}

ReadFiles::~ReadFiles() {
  const std::scoped_lock lock(files().mutex);
  if (--files().commands > 0) return;
  files().inputs.clear();
  files().own.clear();
}

void note_input(const struct stat& file) {
  const std::scoped_lock lock(files().mutex);
  if (files().commands > 0) files().inputs.insert(id_of(file));
}

void note_own_file(const struct stat& file) {
  const std::scoped_lock lock(files().mutex);
  if (files().commands > 0) files().own.insert(id_of(file));
}

bool is_input(const struct stat& file) {
  const std::scoped_lock lock(files().mutex);
  return files().inputs.contains(id_of(file)) && !files().own.contains(id_of(file));
}

bool holds_input(const fs::path& folder) {
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end;
       at.increment(failed)) {
    struct stat status {};
    if (::lstat(at->path().c_str(), &status) == 0 && is_input(status)) return true;
  }
  return false;
}

}  // namespace slackline
