#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>

#include "base/error.h"

namespace slackline {

/// The one for an output; `why` and `what_to_do` as Error has them.
Error cannot_write(const std::filesystem::path& path, std::string_view why,
                   std::string_view what_to_do = "Choose another location.");

/// That with the reason in errno.
Error failed_write(const std::filesystem::path& path);

/// Takes back what was done. If that fails, returns where the old content now is.
using Undo = std::function<std::optional<std::filesystem::path>()>;

/// What stands at the path of an output, and how it is written without harm to it. A regular file,
/// or none, is replaced as a whole, with its mode and owner kept; of a symbolic link, the target
/// is. A character device, a FIFO and an open descriptor ("-", /dev/stdout, /dev/fd/3) are streams:
/// they are written through.
class OutputTarget {
 public:
  /// Looks, and changes nothing. Throws Error for what cannot be written or should not be: a
  /// folder, a socket, a block device, a file without write permission (even for root), a link that
  /// another user has put into a folder that all may write to, and an input of the command
  /// (base/input_file.h).
  explicit OutputTarget(const std::filesystem::path& given);

  /// Where the output appears: `given` with links followed.
  const std::filesystem::path& path() const { return path_; }
  bool is_stream() const { return stream_; }
  /// The descriptor that it names, if it does; of "-" 1.
  std::optional<int> descriptor() const { return descriptor_; }

  /// A new descriptor of a stream. Waits for a reader of a FIFO. Throws Error.
  int open_stream() const;
  /// A descriptor of the new file `temporary`, a temporary_beside() path(). `mode`, of which the
  /// umask takes its part, is for a path where no file stands yet. Throws Error.
  int create(const std::filesystem::path& temporary, mode_t mode) const;
  /// Gives that file its place, with the mode and owner of the one that it replaces. A file with
  /// other hard links, or of an owner that this process may not give files to, is overwritten
  /// instead; if that fails, it gets its old content again. Throws Error, also where the file there
  /// has become an input (base/input_file.h).
  void replace_by(const std::filesystem::path& temporary) const;
  /// As replace_by(). The old content is kept, and the returned Undo can restore it.
  Undo exchange_with(const std::filesystem::path& temporary) const;

 private:
  struct Existing {
    mode_t mode;
    uid_t owner;
    gid_t group;
    nlink_t links;
  };

  void look();
  void refuse_input() const;
  bool can_be_replaced_by(const std::filesystem::path& temporary) const;
  bool take_over_attributes(int fd) const;
  Undo overwrite_by(const std::filesystem::path& temporary) const;
  Undo move_in(const std::filesystem::path& temporary) const;

  std::filesystem::path path_;
  std::optional<int> descriptor_;
  bool stream_ = false;
  std::optional<Existing> existing_;
};

/// The descriptor of this process that a path names: "/dev/stdin", "/dev/fd/3", "/proc/self/fd/3".
std::optional<int> named_descriptor(const std::filesystem::path& path);

/// Is that this process's standard output, by any of its names?
bool is_standard_output(const std::filesystem::path& path);

/// `path` with symbolic links at its end followed, also to something that does not exist yet.
/// Throws Error where they go round in a circle, or are another user's in a folder for all.
std::filesystem::path without_links(std::filesystem::path path);

/// Each of two files or folders beside each other gets the name of the other one. Returns 0, or the
/// errno of a failure, which changes nothing.
int swap_names(const std::filesystem::path& one, const std::filesystem::path& other);

/// Takes a swap back; `one` has the old content until then.
Undo undo_of_swap(const std::filesystem::path& one, const std::filesystem::path& other);

/// fsync, of what can be synchronised. Returns 0 or the errno of a failure.
int sync_descriptor(int fd);

/// A name for a temporary beside `path` that nobody can foresee and that is never too long.
std::filesystem::path temporary_beside(const std::filesystem::path& path);

}  // namespace slackline
