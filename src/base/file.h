#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/output_place.h"
#include "base/output_target.h"
#include "base/text_buffer.h"

namespace slackline {

class PiecesInOrder;
class WriteBehind;

/// A file's bytes, mapped read-only. Movable. Throws Error when it cannot be opened
/// (base/input_file.h says what can be). An empty file gives an empty span. A file that becomes
/// shorter while it is mapped gives SIGBUS (base/lost_input.h).
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
  /// bytes() as text, without a byte order mark.
  std::string_view text() const;

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// UTF-8 text without the mark that some editors put before it.
std::string_view without_byte_order_mark(std::string_view text);

/// A piece of a file that OutputFile::write_pieces() asks for.
class FilePiece {
 public:
  FilePiece(PiecesInOrder& pieces, std::size_t index);

  /// To append to.
  TextBuffer& text() { return text_; }
  /// For pieces of which nobody knows how large they become: to be called now and then, writes what
  /// there is when it is much, so that memory stays bounded.
  void flush() {
    if (text_.size() >= kMuch) write_now();
  }
  /// The piece is whole.
  void finish();

 private:
  static constexpr std::size_t kMuch = 8 << 20;
  void write_now();

  PiecesInOrder& pieces_;
  std::size_t index_;
  TextBuffer text_;
};

/// Whoever read a pipe that we write to is gone (`| head`): no failure, but no use to go on.
class BrokenPipe : public std::exception {
 public:
  const char* what() const noexcept override { return "the reader of the output is gone"; }
};

/// Who may read a new file, of those whom the umask lets.
enum class FileAccess : std::uint8_t { everybody, owner_only };

/// Writes a file beside its final name and gives it that name on commit(), so that an interrupted
/// or failed run leaves nothing half-written (base/interrupt.h); a stream, such as a device, is
/// written through (base/output_target.h). Failures (a full disk) throw Error, from write() perhaps
/// later than where they happened, at the latest from commit().
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path, FileAccess access = FileAccess::everybody);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();  ///< of what was not committed nothing stays

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  /// Writes pieces 0 ... count-1 in this order, which make(index, piece) makes on all threads. A
  /// few pieces a thread are in memory at a time; some 100 KB are a good size. Throws what make
  /// throws.
  void write_pieces(std::size_t count, const std::function<void(std::size_t, FilePiece&)>& make);
  /// Bytes written so far.
  std::uint64_t size() const { return size_; }
  void commit();
  /// commit() together with the other outputs of the command (base/output_place.h).
  void commit_with_command();

 private:
  /// Throws what an errno means, if it means a failure.
  void check(int error) const;
  std::vector<FinishedOutput> finish();

  OutputTarget target_;
  std::shared_ptr<const Temporary> temporary_;  // null: a stream
  int fd_ = -1;
  std::uint64_t size_ = 0;
  std::string buffer_;
  std::unique_ptr<WriteBehind> behind_;  // of a large file
};

/// The whole of `text` into `path`, by OutputFile.
void write_file(const std::filesystem::path& path, std::string_view text);
/// The same of an output that the user has named, by commit_with_command().
void write_output(const std::filesystem::path& path, std::string_view text);

/// Returns when the file `path` and its name would outlast a failure of the machine. Throws Error.
void make_durable(const std::filesystem::path& path);

/// All of `text` to the file descriptor `fd`. Returns the errno of a failure, or 0.
int write_all(int fd, std::string_view text) noexcept;

}  // namespace slackline
