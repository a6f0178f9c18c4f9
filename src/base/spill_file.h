#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace slackline {

/// A file without a name in the folder for temporary files (TMPDIR), open for reading and writing;
/// -1 and errno where there can be none.
int nameless_file();

/// What does not fit in memory: written front to back, then mapped. Gone with the object.
class SpillFile {
 public:
  /// Throws Error.
  SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;
  ~SpillFile();

  /// Throws Error, as of a full disk.
  void append(std::span<const std::byte> bytes);
  /// All that was appended, as long as the object lives; nothing can be appended any more.
  std::span<const std::byte> map();

 private:
  int fd_;
  void* mapped_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace slackline
