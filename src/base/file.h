#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/interrupt.h"

namespace slackline {

class WriteBehind;

/// A file's bytes, mapped read-only. Movable. Throws Error when it cannot be opened.
/// An empty file gives an empty span.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  /// `part`, of bytes(), will not be read again soon: its memory may go. Threads may call it.
  void release(std::span<const std::byte> part) const;
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Writes a file beside its final name and renames it on commit(), so that an interrupted or
/// failed run leaves nothing half-written (base/interrupt.h). Failures (a full disk) throw Error,
/// from write() perhaps later than where they happened, at the latest from commit().
class OutputFile {
 public:
  explicit OutputFile(std::filesystem::path path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();  ///< removes the temporary when commit() was not reached

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  /// Bytes written so far.
  std::uint64_t size() const { return size_; }
  void commit();

 private:
  /// Throws what an errno means, if it means a failure.
  void check(int error) const;

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  TemporaryGuard guard_;
  int fd_ = -1;
  std::uint64_t size_ = 0;
  std::string buffer_;
  std::unique_ptr<WriteBehind> behind_;  // of a large file
};

/// The whole of `text` into `path`, by OutputFile.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace slackline
