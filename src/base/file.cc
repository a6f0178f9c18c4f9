#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

#include "base/error.h"
#include "base/input_file.h"
#include "base/lost_input.h"
#include "base/overlapped_write.h"
#include "base/parallel.h"
#include "base/progress.h"

namespace slackline {
namespace {

constexpr std::size_t kBufferBytes = 1 << 20;

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  const int fd = open_input(path);
  struct stat status {};
  const bool known = ::fstat(fd, &status) == 0;
  size_ = known ? static_cast<std::size_t>(status.st_size) : 0;
  void* const mapped = size_ > 0 ? ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0) : nullptr;
  const int error = errno;
  ::close(fd);
  if (!known || mapped == MAP_FAILED) {
    errno = error;
    throw Error(fmt::format("cannot read '{}'", path.string()), errno_text(),
                "Check the path and permissions.");
  }
  data_ = static_cast<const std::byte*>(mapped);
  if (data_ != nullptr) add_mapped_input(data_, size_);
}

std::string_view MappedFile::text() const {
  return without_byte_order_mark({reinterpret_cast<const char*>(data_), size_});
}

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ == nullptr) return;
  remove_mapped_input(data_);
  // munmap's signature predates const; the mapping itself is read-only.
  ::munmap(const_cast<std::byte*>(data_), size_);
}

void MappedFile::release(std::span<const std::byte> part) const {
  // A mapping begins with a page.
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = static_cast<std::size_t>(part.data() - data_);
  const std::size_t first = (begin + page - 1) / page * page;
  const std::size_t last = (begin + part.size()) / page * page;
  if (last <= first) return;
  // Pages of a read-only mapping come back from the file when they are wanted. Not to get rid of
  // them is no failure.
  static_cast<void>(::madvise(const_cast<std::byte*>(data_) + first, last - first, MADV_DONTNEED));
}

FilePiece::FilePiece(PiecesInOrder& pieces, std::size_t index)
    : pieces_(pieces), index_(index), text_(pieces.buffer()) {}

void FilePiece::write_now() {
  pieces_.flush(index_, text_);
}

void FilePiece::finish() {
  pieces_.finish(index_, std::move(text_));
}

OutputFile::OutputFile(const std::filesystem::path& path, FileAccess access) : target_(path) {
  if (target_.is_stream()) {
    end_stages();  // it may be the terminal on which they are shown
    fd_ = target_.open_stream();
  } else {
    temporary_ = std::make_shared<const Temporary>(temporary_beside(target_.path()));
    fd_ = target_.create(temporary_->path(), access == FileAccess::owner_only ? 0600 : 0666);
  }
  buffer_.reserve(kBufferBytes);
}

OutputFile::~OutputFile() {
  behind_.reset();  // before its file is closed
  if (fd_ >= 0) ::close(fd_);
}

void OutputFile::write(std::span<const std::byte> bytes) {
  write(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

void OutputFile::write(std::string_view text) {
  size_ += text.size();
  buffer_.append(text);
  if (buffer_.size() < kBufferBytes) return;
  if (!behind_) behind_ = std::make_unique<WriteBehind>(fd_);
  check(behind_->write(buffer_));
}

void OutputFile::write_pieces(std::size_t count,
                              const std::function<void(std::size_t, FilePiece&)>& make) {
  if (behind_) check(behind_->finish());
  check(write_all(fd_, buffer_));
  buffer_.clear();
  PiecesInOrder pieces([&](std::string_view text) {
    size_ += text.size();
    check(write_all(fd_, text));
  });
  parallel_for(count, [&](std::size_t index) {
    try {
      FilePiece piece(pieces, index);
      make(index, piece);
      piece.finish();
    } catch (...) {
      pieces.abandon();
      throw;
    }
  });
}

void OutputFile::check(int error) const {
  if (error == 0) return;
  if (error == EPIPE) throw BrokenPipe();
  errno = error;
  throw failed_write(target_.path());
}

std::vector<FinishedOutput> OutputFile::finish() {
  expects(fd_ >= 0, "commit() is called once");
  if (behind_) check(behind_->finish());
  check(write_all(fd_, buffer_));
  // Otherwise a failure of the machine may leave the name, and nothing behind it.
  if (temporary_) check(sync_descriptor(fd_));
  if (::close(std::exchange(fd_, -1)) != 0) throw failed_write(target_.path());
  if (!temporary_) return {};
  return {{temporary_->path(), target_.path(), target_, temporary_}};
}

void OutputFile::commit() {
  place_all(finish());
}

void OutputFile::commit_with_command() {
  OutputsOfCommand::add(finish());
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

void write_output(const std::filesystem::path& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.commit_with_command();
}

void make_durable(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  for (const std::filesystem::path& which : {path, folder}) {
    const int fd = ::open(which.c_str(), O_RDONLY | O_CLOEXEC);
    const bool done = fd >= 0 && sync_descriptor(fd) == 0;
    const Error error = failed_write(path);
    if (fd >= 0) ::close(fd);
    if (!done) throw error;
  }
}

int write_all(int fd, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

}  // namespace slackline
