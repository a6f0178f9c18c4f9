#include "formats/paraver/lines.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "formats/compressed/decompressed_file.h"

namespace slackline::paraver {
namespace {

constexpr std::size_t kPieceBytes = 1 << 20;
constexpr std::size_t kLongestLine = std::size_t{64} << 20;
constexpr int kGzipWindow = 15 + 16;  // zlib's way to ask for gzip
constexpr std::size_t kMaxInput = std::size_t{1} << 30;
constexpr std::size_t kReleasedBytes = std::size_t{1} << 20;  // of compressed data, at once

}  // namespace

// zlib over one or more gzip members that follow each other.
class GzipStream {
 public:
  explicit GzipStream(std::span<const std::byte> bytes, Release release = {})
      : rest_(bytes), release_(std::move(release)) {
    if (inflateInit2(&stream_, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  ~GzipStream() { inflateEnd(&stream_); }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  // Bytes written to `out`; 0 at the end.
  std::size_t read(char* out, std::size_t size) {
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out > 0 && !ended_) step();
    give_up_pages();
    return size - stream_.avail_out;
  }
  bool damaged() const { return damaged_; }

 private:
  void step() {
    if (stream_.avail_in == 0) feed();
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) return next_member();
    if (status == Z_OK) return;
    // Z_BUF_ERROR here: the input ended inside a member.
    ended_ = damaged_ = true;
  }

  void feed() {
    const std::size_t n = std::min(rest_.size(), kMaxInput);
    // zlib's signature predates const; it does not write there.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(rest_.data()));
    stream_.avail_in = static_cast<uInt>(n);
    rest_ = rest_.subspan(n);
  }

  void give_up_pages() {
    if (!release_ || stream_.next_in == nullptr) return;
    const auto* const at = reinterpret_cast<const std::byte*>(stream_.next_in);
    const auto read = static_cast<std::size_t>(at - released_);
    if (read < kReleasedBytes) return;
    release_({released_, read});
    released_ = at;
  }

  void next_member() {
    if (stream_.avail_in == 0) feed();
    ended_ = stream_.avail_in < 2 || stream_.next_in[0] != 0x1f || stream_.next_in[1] != 0x8b ||
             inflateReset(&stream_) != Z_OK;
  }

  z_stream stream_{};
  std::span<const std::byte> rest_;
  Release release_;
  const std::byte* released_ = rest_.data();
  bool ended_ = false;
  bool damaged_ = false;
};

// Inflates one piece ahead of the reader.
class Lines::Inflater {
 public:
  Inflater(std::span<const std::byte> bytes, const Release& release)
      : stream_(bytes, release), thread_([this] { work(); }) {}
  ~Inflater() {
    {
      const std::scoped_lock lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Appends the next piece to `text`; false at the end.
  bool append_to(std::string& text) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return full_; });
    if (piece_size_ == 0) return false;
    text.append(piece_.data(), piece_size_);
    full_ = false;
    lock.unlock();
    changed_.notify_all();
    return true;
  }
  bool damaged() {
    const std::scoped_lock lock(mutex_);
    return damaged_;
  }

 private:
  void work() {
    std::string own(kPieceBytes, '\0');
    for (std::size_t n = 1; n > 0;) {
      n = stream_.read(own.data(), own.size());
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !full_ || stopped_; });
      if (stopped_) return;
      piece_.swap(own);
      own.resize(kPieceBytes);
      piece_size_ = n;
      damaged_ = stream_.damaged();
      full_ = true;
      lock.unlock();
      changed_.notify_all();
    }
  }

  GzipStream stream_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string piece_;
  std::size_t piece_size_ = 0;
  bool full_ = false;
  bool stopped_ = false;
  bool damaged_ = false;
  std::thread thread_;
};

bool is_gzip(std::span<const std::byte> bytes) {
  return bytes.size() > 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

std::string text_head(std::span<const std::byte> bytes, std::size_t count) {
  std::string head(count, '\0');
  if (is_gzip(bytes)) {
    head.resize(GzipStream(bytes).read(head.data(), count));
  } else {
    head.assign(reinterpret_cast<const char*>(bytes.data()), std::min(count, bytes.size()));
  }
  return head;
}

Lines::Lines(std::span<const std::byte> bytes, std::string_view name, const Release& release)
    : name_(name), stored_bytes_(bytes.size()) {
  if (is_gzip(bytes)) {
    inflater_ = std::make_unique<Inflater>(bytes, release);
    buffer_.reserve(2 * kPieceBytes);
    return;
  }
  release_ = release;
  at_ = reinterpret_cast<const char*>(bytes.data());
  end_ = at_ + bytes.size();
  released_ = at_;
}

void Lines::give_up_pages() {
  release_(std::as_bytes(std::span(released_, at_)));
  released_ = at_;
}

Lines::~Lines() = default;

const char* Lines::find_end() const {
  if (at_ == end_) return nullptr;
  return static_cast<const char*>(std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_)));
}

bool Lines::refill() {
  if (inflater_ == nullptr) return false;
  const auto unread = static_cast<std::size_t>(end_ - at_);
  if (unread > kLongestLine) {
    throw Error(fmt::format("{}:{}: cannot read the line", name_, number_ + 1),
                fmt::format("longer than {} MiB", kLongestLine >> 20),
                "Check that the file is a trace.");
  }
  buffer_.erase(0, buffer_.size() - unread);
  const std::size_t before = buffer_.size();
  const bool more = inflater_->append_to(buffer_);
  inflated_bytes_ += buffer_.size() - before;
  check_expansion(inflated_bytes_, stored_bytes_, name_);
  at_ = buffer_.data();
  end_ = at_ + buffer_.size();
  return more;
}

bool Lines::take_last(std::string_view& line) {
  if (at_ == end_) return false;
  line = {at_, static_cast<std::size_t>(end_ - at_)};
  at_ = end_;
  ++number_;
  return true;
}

bool Lines::damaged() const {
  return inflater_ != nullptr && inflater_->damaged();
}

}  // namespace slackline::paraver
