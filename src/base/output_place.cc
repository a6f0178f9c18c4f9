#include "base/output_place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/interrupt.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

OutputsOfCommand* of_command = nullptr;

fs::path place_of(const FinishedOutput& output) {
  return output.file ? output.file->path() : output.to;
}

Undo placed(const FinishedOutput& output) {
  if (output.file) return output.file->exchange_with(output.from);
  const fs::file_status in_the_way = fs::symlink_status(output.to);
  if (fs::is_directory(in_the_way) || fs::is_regular_file(in_the_way)) {
    if (const int error = swap_names(output.from, output.to)) {
      errno = error;
      throw failed_write(output.to);
    }
    return undo_of_swap(output.from, output.to);
  }
  if (::rename(output.from.c_str(), output.to.c_str()) != 0) {
    throw failed_write(output.to);
  }
  return [=] {
    ::rename(output.to.c_str(), output.from.c_str());
    return std::nullopt;
  };
}

void refuse_common_place(const std::vector<FinishedOutput>& outputs) {
  std::set<fs::path> places;
  for (const FinishedOutput& output : outputs) {
    const fs::path place = place_of(output);
    if (places.insert(fs::weakly_canonical(fs::absolute(place))).second) continue;
    throw cannot_write(place, "two outputs of the command have this name",
                       "Give each a name of its own.");
  }
}

void sync_file(const fs::path& file, const fs::path& path) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  int error = fd < 0 ? errno : sync_descriptor(fd);
  if (fd >= 0) ::close(fd);
  if (error == 0) return;
  errno = error;
  throw failed_write(path);
}

}  // namespace

Temporary::~Temporary() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void place_all(const std::vector<FinishedOutput>& outputs) {
  refuse_common_place(outputs);
  const InterruptsWait whole;
  // One file takes its place in one step on every file system.
  if (outputs.size() == 1 && outputs.front().file) {
    return outputs.front().file->replace_by(outputs.front().from);
  }
  std::vector<Undo> done;
  try {
    for (const FinishedOutput& output : outputs) done.push_back(placed(output));
  } catch (...) {
    std::optional<Error> lost;
    for (std::size_t i = done.size(); i-- > 0;) {
      const std::optional<fs::path> kept = done[i]();
      if (!kept) continue;
      lost =
          cannot_write(place_of(outputs[i]), "another output failed, and so did undoing this one",
                       fmt::format("Its old content is in '{}'.", kept->string()));
    }
    if (lost) throw *lost;
    throw;
  }
}

OutputsOfCommand::OutputsOfCommand() : outer_(std::exchange(of_command, this)) {}

OutputsOfCommand::~OutputsOfCommand() {
  of_command = outer_;
}

void OutputsOfCommand::place() {
  if (of_command != nullptr) place_all(std::exchange(of_command->waiting_, {}));
}

void OutputsOfCommand::add(std::vector<FinishedOutput> outputs) {
  if (of_command == nullptr) return place_all(outputs);
  for (FinishedOutput& output : outputs) of_command->waiting_.push_back(std::move(output));
}

void write_through(const fs::path& written, const fs::path& path) {
  if (fs::is_regular_file(fs::symlink_status(written))) sync_file(written, path);
  if (!fs::is_directory(fs::symlink_status(written))) return;
  for (const auto& entry : fs::recursive_directory_iterator(written)) {
    if (entry.is_regular_file()) sync_file(entry.path(), path);
  }
}

}  // namespace slackline
