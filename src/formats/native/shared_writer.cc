#include "formats/native/writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/output_target.h"
#include "formats/native/description.h"
#include "formats/native/frame_stream.h"

namespace slackline {
namespace {

using native::ByteWriter;
using native::FrameKind;
using native::FrameStream;
using native::IndexEntry;
using native::RankContents;

/// A file that several processes write, each at offsets of its own, beside its final name.
class SharedFile {
 public:
  SharedFile(const std::filesystem::path& path, ProcessGroup& group) : path_(path) {
    if (group.is_first()) {
      target_.emplace(path);
      temporary_ = temporary_beside(target_->path());
      guard_.emplace(temporary_);
      fd_ = target_->create(temporary_, kOwnerOnly);
    }
    const Bytes name = group.broadcast(bytes_of(temporary_.string()));
    if (group.is_first()) return;
    temporary_ = text_of(name);
    fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd_ < 0) error_ = errno;
  }
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  ~SharedFile() {
    if (fd_ >= 0) ::close(fd_);
    if (target_ && !committed_) ::unlink(temporary_.c_str());
  }

  void write(std::uint64_t offset, std::span<const std::byte> bytes) {
    while (error_ == 0 && !bytes.empty()) {
      const ssize_t written = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (written < 0 && errno != EINTR) error_ = errno;
      if (written <= 0) continue;
      offset += static_cast<std::uint64_t>(written);
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
  }
  /// Gives it its name. Throws Error in all processes if one could not open or write it.
  void commit(ProcessGroup& group) {
    if (error_ == 0) error_ = sync_descriptor(fd_);
    for (const int error : gather_all(group, std::vector<int>{error_})) {
      if (error == 0) continue;
      throw Error(fmt::format("cannot write '{}'", path_.string()),
                  std::generic_category().message(error),
                  "Make room, or name a folder that all processes can write to.");
    }
    if (target_) {
      target_->replace_by(temporary_);
      committed_ = true;
    }
    true_in_all(group, true);  // it is there
  }

 private:
  static constexpr mode_t kOwnerOnly = 0600;

  const std::filesystem::path path_;
  std::optional<OutputTarget> target_;  // in the first process
  std::filesystem::path temporary_;
  std::optional<TemporaryGuard> guard_;
  int fd_ = -1;
  int error_ = 0;
  bool committed_ = false;
};

/// The frames of a process's ranks.
struct OwnFrames {
  ByteWriter bytes;
  std::vector<IndexEntry> entries;
};

OwnFrames frames_of(const Trace& trace, const Samples& samples, RankRange own,
                    std::size_t block_calls) {
  OwnFrames frames;
  FrameStream stream(
      trace.ranks(), [&](std::span<const std::byte> bytes) { frames.bytes.raw(bytes); },
      block_calls);
  std::vector<native::CallsPart> parts;
  for (std::int32_t rank = own.first; rank < own.end; ++rank) {
    parts.push_back({rank, trace.calls(rank)});
  }
  stream.put_calls(parts);
  for (std::int32_t rank = own.first; rank < own.end; ++rank) {
    stream.put_details(trace, samples, rank);
  }
  frames.entries = stream.entries();
  return frames;
}

void put_description(const Trace& trace, std::span<const RankContents> contents,
                     std::int64_t sampling_ns, FrameStream& out) {
  ByteWriter payload;
  native::encode_description(trace, contents, sampling_ns, payload);
  out.put_frame(native::header_of(FrameKind::description), payload);
}

void append_moved(std::span<const IndexEntry> from, std::uint64_t offset,
                  std::vector<IndexEntry>& to) {
  for (IndexEntry entry : from) {
    entry.offset += offset;
    to.push_back(entry);
  }
}

}  // namespace

void write_native_together(const Trace& trace, const Samples& samples, RankRange own,
                           const std::filesystem::path& path, ProcessGroup& group,
                           std::size_t block_calls) {
  std::vector<RankContents> contents;
  for (std::int32_t rank = own.first; rank < own.end; ++rank) {
    contents.push_back(native::contents_of_rank(trace, samples, rank, trace.calls(rank).size()));
  }
  contents = gather_all(group, contents);
  expects(contents.size() == static_cast<std::size_t>(trace.ranks()), "each rank is a process's");

  // The first process's front, then the frames of each, then the first one's tail.
  ByteWriter front;
  FrameStream front_frames(trace.ranks(),
                           [&](std::span<const std::byte> bytes) { front.raw(bytes); });
  if (group.is_first()) {
    ByteWriter head;
    native::append_file_header(head);
    front_frames.put(head);
    put_description(trace, contents, samples.interval_ns, front_frames);
  }
  const OwnFrames frames = frames_of(trace, samples, own, block_calls);
  const std::vector<std::uint64_t> sizes =
      gather_all(group, std::vector<std::uint64_t>{front.size() + frames.bytes.size()});
  std::uint64_t offset = 0;
  for (int p = 0; p < group.rank(); ++p) offset += sizes[static_cast<std::size_t>(p)];
  const std::uint64_t frames_at = offset + front.size();

  SharedFile file(path, group);
  file.write(offset, front.bytes());
  file.write(frames_at, frames.bytes.bytes());
  std::vector<IndexEntry> index = front_frames.entries();
  append_moved(frames.entries, frames_at, index);
  index = gather_all(group, index);
  if (group.is_first()) {
    std::uint64_t end = 0;
    for (const std::uint64_t size : sizes) end += size;
    ByteWriter tail;
    FrameStream tail_frames(trace.ranks(),
                            [&](std::span<const std::byte> bytes) { tail.raw(bytes); });
    put_description(trace, contents, samples.interval_ns, tail_frames);
    append_moved(tail_frames.entries(), end, index);
    native::append_index(index, end + tail.size(), tail);
    file.write(end, tail.bytes());
  }
  file.commit(group);
}

}  // namespace slackline
