// A checksum stops nearly every mutation, so that the fuzzer would only ever see the scanner. The
// first byte chooses: even, the rest is a whole file; odd, it is the payload of one frame of a file
// that is otherwise right (3 mod 4: the description).

#include <span>
#include <vector>

#include "base/error.h"
#include "check_trace.h"
#include "formats/native/frame.h"
#include "formats/native/reader.h"
#include "formats/native/writer.h"
#include "fuzz.h"

namespace slackline::fuzz {
namespace {

constexpr const char* kSeed =
    "slackline-trace 1 timed ranks=2\nregion 0 solve\nrank 0\nenter solve\n+5 isend to=1 bytes=8 "
    "req=1\n"
    "+5 wait req=1\nleave solve\nrank 1\n+5 recv from=0 bytes=8\n";

std::vector<std::byte> seed_file() {
  std::vector<std::byte> file;
  write_native(read_text(kSeed, "seed"), [&](std::span<const std::byte> piece) {
    file.insert(file.end(), piece.begin(), piece.end());
  });
  return file;
}

// The seed with the payload of one of its frames replaced, and no index.
std::vector<std::byte> with_payload(std::span<const std::byte> payload, bool description) {
  static const std::vector<std::byte> seed = seed_file();
  native::ByteWriter out;
  native::append_file_header(out);
  std::size_t at = native::kFileHeaderBytes;
  bool replaced = false;
  for (int frame = 0; frame < 3; ++frame) {
    native::FrameHeader header = *native::frame_at(seed, at);
    const std::size_t end =
        at + native::kFrameHeaderBytes + static_cast<std::size_t>(header.stored_bytes);
    const bool is_description = frame == 0;
    if (is_description == description && !replaced) {
      if (!is_description) header.count = static_cast<std::uint32_t>(payload.size() / 2);
      native::append_frame(out, header, payload);
      replaced = true;
    } else {
      out.raw(std::span(seed).subspan(at, end - at));
    }
    at = end;
  }
  return {out.bytes().begin(), out.bytes().end()};
}

void read_one(std::span<const std::byte> input) {
  if (input.empty()) return;
  const auto mode = std::to_integer<unsigned>(input[0]) % 4;
  const auto rest = input.subspan(1);
  if (mode % 2 == 0) {
    check_trace(read_native(rest, "fuzz"));
  } else {
    check_trace(read_native(with_payload(rest, mode == 3), "fuzz"));
  }
}

}  // namespace
}  // namespace slackline::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    slackline::fuzz::read_one(std::as_bytes(std::span(data, size)));
  } catch (const slackline::Error&) {
  }
  return 0;
}
