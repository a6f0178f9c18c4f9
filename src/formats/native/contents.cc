// What stands where in a native trace. The frames are found by the index, or by searching when
// there is none or it does not hold what it promises: a frame announces itself by a magic number
// and a checksum of its header.

#include "formats/native/contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "formats/native/reader.h"

namespace slackline::native {
namespace {

using FileBytes = std::span<const std::byte>;

// A header brings pages around it into memory.
constexpr std::size_t kReleasedAtOnce = std::size_t{16} << 20;

// The frames that the index names; empty when there is no index, or it is wrong about any of them.
std::optional<std::vector<Frame>> frames_by_index(FileBytes file, const Release& release) {
  const auto offset = footer_index(file);
  if (!offset) return std::nullopt;
  const auto header = frame_at(file, *offset);
  if (!header || header->kind != static_cast<std::uint16_t>(FrameKind::index)) return std::nullopt;
  const auto payload = payload_at(file, *offset, *header);
  if (!payload) return std::nullopt;
  std::vector<Frame> frames;
  ByteReader in(payload->bytes());
  std::uint64_t at = 0;
  std::size_t released = 0;
  while (!in.at_end()) {
    at += in.varint();
    for (int skipped = 0; skipped < 5; ++skipped) in.varint();
    // Frames stand one after the other: none may be named twice.
    const bool overlaps = !frames.empty() && at < frames.back().end();
    const auto found = in.failed() || overlaps ? std::nullopt : frame_at(file, at);
    if (!found) return std::nullopt;
    frames.push_back({at, *found});
    const auto before = static_cast<std::size_t>(at) - released;
    if (release && before >= kReleasedAtOnce) {
      release(file.subspan(released, before));
      released += before;
    }
  }
  return frames;
}

// The first description that can be read. The others are looked at too, so that damage never goes
// unsaid.
Description find_description(FileBytes file, const std::vector<Frame>& frames,
                             std::string_view name, Findings& findings) {
  std::optional<Description> found;
  for (const Frame& frame : frames) {
    if (!frame.is(FrameKind::description)) continue;
    const auto payload = payload_at(file, frame.offset, frame.header);
    if (payload && found) continue;
    if (payload) found = decode_description(payload->bytes(), file.size());
    if (!payload || !found) {
      findings.add(kNativeDamaged, fmt::format("the description at byte {}", frame.offset));
    }
  }
  if (found) return std::move(*found);
  throw Error(fmt::format("cannot read '{}'", name),
              "both copies of its description are missing or damaged",
              "Generate the trace again, or restore the file from a backup.");
}

void check_version(FileBytes file, std::string_view name, Findings& findings) {
  const auto header = file_header(file);
  if (!header) {
    findings.add(kNativeDamaged, "the file header");
  } else if (header->major > kMajorVersion) {
    throw Error(
        fmt::format("cannot read '{}'", name),
        fmt::format("it has version {}.{} of the native format, this Slackline reads up to {}.x",
                    header->major, header->minor, kMajorVersion),
        "Use the Slackline version that wrote it, or a newer one.");
  }
}

// What is not a frame of a rank that exists is counted.
std::vector<RankFrames> frames_by_rank(const std::vector<Frame>& frames, std::int32_t ranks,
                                       Findings& findings) {
  std::vector<RankFrames> of_rank(static_cast<std::size_t>(ranks));
  for (const Frame& frame : frames) {
    if (frame.is(FrameKind::description) || frame.is(FrameKind::index)) continue;
    const bool calls = frame.is(FrameKind::calls);
    if (!calls && !frame.is(FrameKind::details)) {
      findings.add(kNativeUnknownFrame,
                   fmt::format("kind {} at byte {}", frame.header.kind, frame.offset));
    } else if (frame.header.rank >= of_rank.size()) {
      findings.add(kNativeDamaged, fmt::format("a block of rank {}", frame.header.rank));
    } else {
      RankFrames& rank = of_rank[frame.header.rank];
      (calls ? rank.blocks : rank.details).push_back(frame);
    }
  }
  for (RankFrames& rank : of_rank) {
    std::ranges::stable_sort(rank.blocks, {}, [](const Frame& f) { return f.header.first; });
  }
  return of_rank;
}

}  // namespace

std::vector<Frame> frames_by_search(FileBytes file, Findings& findings) {
  std::vector<Frame> frames;
  const std::uint64_t magic = kFrameMagic;
  std::size_t at = std::min(kFileHeaderBytes, file.size());
  while (at + kFrameHeaderBytes <= file.size()) {
    if (const auto header = frame_at(file, at)) {
      frames.push_back({at, *header});
      at = static_cast<std::size_t>(frames.back().end());
      continue;
    }
    if (footer_index(file) && at + kFooterBytes == file.size()) break;
    const void* next = ::memmem(file.data() + at + 1, file.size() - at - 1, &magic, sizeof magic);
    const std::size_t to =
        next == nullptr
            ? file.size()
            : static_cast<std::size_t>(static_cast<const std::byte*>(next) - file.data());
    findings.add(kNativeDamaged, fmt::format("bytes {} to {}", at, to - 1));
    at = to;
  }
  return frames;
}

Contents contents_of(FileBytes file, std::string_view name, const Release& release) {
  if (!looks_like_native(file)) {
    throw Error(fmt::format("cannot read '{}'", name), "it is not a native trace (.slk)",
                "Record one with 'slackline record'.");
  }
  Findings findings;
  check_version(file, name, findings);
  std::optional<std::vector<Frame>> frames = frames_by_index(file, release);
  if (!frames) {
    findings.add(kNativeTruncated);
    frames = frames_by_search(file, findings);
  }
  Description description = find_description(file, *frames, name, findings);
  auto of_rank = frames_by_rank(*frames, description.trace.ranks(), findings);
  if (release) release(file);
  return {std::move(description), std::move(of_rank), std::move(findings)};
}

std::size_t repair_regions(RankCallsBuilder& calls) {
  std::vector<RegionEvent> repaired;
  std::vector<std::uint32_t> open;
  std::size_t changes = 0;
  for (const RegionEvent& event : calls.regions()) {
    if (event.enter) {
      open.push_back(event.region);
      repaired.push_back(event);
      continue;
    }
    if (std::ranges::find(open, event.region) == open.end()) {
      ++changes;
      continue;
    }
    for (; open.back() != event.region; open.pop_back(), ++changes) {
      RegionEvent leave = event;
      leave.region = open.back();
      repaired.push_back(leave);
    }
    open.pop_back();
    repaired.push_back(event);
  }
  if (changes > 0) calls.set_regions(std::move(repaired));
  return changes;
}

}  // namespace slackline::native
