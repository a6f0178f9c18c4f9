#include "formats/kineto/json_values.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <initializer_list>
#include <new>

#include "base/file.h"
#include "formats/compressed/decompressed_file.h"

namespace slackline {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{256} << 10;
constexpr std::size_t kReleasedBytes = std::size_t{4} << 20;
constexpr int kGzipWindow = 15 + 16;  // zlib's way to ask for gzip

using Bytes = std::span<const std::byte>;

bool begins_with(Bytes bytes, std::initializer_list<unsigned char> magic) {
  return bytes.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), bytes.begin(), [](unsigned char a, std::byte b) {
           return a == std::to_integer<unsigned char>(b);
         });
}

class PlainBytes final : public ByteSource {
 public:
  explicit PlainBytes(Bytes bytes) : rest_(bytes) {}
  bool append_to(std::string& text) override {
    const Bytes piece = rest_.first(std::min(kPieceBytes, rest_.size()));
    text.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    rest_ = rest_.subspan(piece.size());
    return !piece.empty();
  }

 private:
  Bytes rest_;
};

class GzipBytes final : public ByteSource {
 public:
  explicit GzipBytes(Bytes bytes) : rest_(bytes) {
    if (inflateInit2(&stream_, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  ~GzipBytes() override { inflateEnd(&stream_); }

  bool append_to(std::string& text) override {
    const std::size_t before = text.size();
    text.resize(before + kPieceBytes);
    stream_.next_out = reinterpret_cast<Bytef*>(text.data() + before);
    stream_.avail_out = static_cast<uInt>(kPieceBytes);
    while (stream_.avail_out > 0 && !ended_) step();
    text.resize(text.size() - stream_.avail_out);
    return text.size() > before;
  }

 private:
  void step() {
    if (stream_.avail_in == 0) feed();
    const int status = inflate(&stream_, Z_NO_FLUSH);
    // Members may follow each other. Any other status than Z_OK means that the file is damaged or
    // ends inside a member; what was inflated until then is given.
    if (status == Z_STREAM_END) {
      if (stream_.avail_in == 0) feed();
      ended_ = stream_.avail_in == 0 || inflateReset(&stream_) != Z_OK;
    } else {
      ended_ = status != Z_OK;
    }
  }
  void feed() {
    const Bytes piece = rest_.first(std::min(kPieceBytes, rest_.size()));
    // zlib's signature predates const; it does not write there.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(piece.data()));
    stream_.avail_in = static_cast<uInt>(piece.size());
    rest_ = rest_.subspan(piece.size());
  }

  Bytes rest_;
  z_stream stream_{};
  bool ended_ = false;
};

class ZstdBytes final : public ByteSource {
 public:
  explicit ZstdBytes(Bytes bytes)
      : input_{bytes.data(), bytes.size(), 0}, context_(ZSTD_createDCtx(), ZSTD_freeDCtx) {
    if (context_ == nullptr) throw std::bad_alloc();
  }
  bool append_to(std::string& text) override {
    const std::size_t before = text.size();
    text.resize(before + kPieceBytes);
    ZSTD_outBuffer output{text.data() + before, kPieceBytes, 0};
    while (output.pos < output.size && !ended_) {
      const std::size_t written = output.pos;
      const std::size_t read = input_.pos;
      const std::size_t status = ZSTD_decompressStream(context_.get(), &output, &input_);
      ended_ = ZSTD_isError(status) != 0U || (output.pos == written && input_.pos == read);
    }
    text.resize(before + output.pos);
    return output.pos > 0;
  }

 private:
  ZSTD_inBuffer input_;
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context_;
  bool ended_ = false;
};

// A file's pages need not stay in memory once they were read. How much of the file a piece took is
// not known of compressed files, which are small: these keep theirs.
class MappedSource final : public ByteSource {
 public:
  explicit MappedSource(const std::filesystem::path& path)
      : name_(path.string()),
        file_(path),
        source_(byte_source(file_.bytes())),
        plain_(dynamic_cast<PlainBytes*>(source_.get()) != nullptr) {}
  bool append_to(std::string& text) override {
    const std::size_t before = text.size();
    const bool any = source_->append_to(text);
    const std::size_t bytes = text.size() - before;
    read_ += bytes;
    if (plain_) {
      release();
    } else {
      check_expansion(read_, file_.bytes().size(), name_);
    }
    return any;
  }

 private:
  void release() {
    if (read_ - released_ < kReleasedBytes) return;
    file_.release(file_.bytes().subspan(released_, read_ - released_));
    released_ = read_;
  }

  std::string name_;
  MappedFile file_;
  std::unique_ptr<ByteSource> source_;
  bool plain_;
  std::size_t read_ = 0;
  std::size_t released_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> byte_source(Bytes bytes) {
  if (begins_with(bytes, {0x1f, 0x8b})) return std::make_unique<GzipBytes>(bytes);
  if (begins_with(bytes, {0x28, 0xb5, 0x2f, 0xfd})) return std::make_unique<ZstdBytes>(bytes);
  return std::make_unique<PlainBytes>(bytes);
}

std::unique_ptr<ByteSource> open_byte_source(const std::filesystem::path& path) {
  return std::make_unique<MappedSource>(path);
}

}  // namespace slackline
