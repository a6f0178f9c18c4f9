// Reading the native format. The frames are found by the index, or by searching when there is none
// or it does not hold what it promises: a frame announces itself by a magic number and a checksum
// of its header. Each rank then decodes its blocks in order, ranks in parallel. The description
// says how many calls each rank has, so that whatever is missing is known exactly.

#include "formats/native/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "formats/native/block.h"
#include "formats/native/description.h"
#include "formats/native/details.h"
#include "formats/native/frame.h"
#include "formats/native/region_repair.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace native {
namespace {

using Bytes = std::span<const std::byte>;

struct Frame {
  std::uint64_t offset;
  FrameHeader header;
  std::uint64_t end() const { return offset + kFrameHeaderBytes + header.stored_bytes; }
  bool is(FrameKind kind) const { return header.kind == static_cast<std::uint16_t>(kind); }
};

// The frames that the index names; empty when there is no index, or it is wrong about any of them.
std::optional<std::vector<Frame>> frames_by_index(Bytes file) {
  const auto offset = footer_index(file);
  if (!offset) return std::nullopt;
  const auto header = frame_at(file, *offset);
  if (!header || header->kind != static_cast<std::uint16_t>(FrameKind::index)) return std::nullopt;
  const auto payload = payload_at(file, *offset, *header);
  if (!payload) return std::nullopt;
  std::vector<Frame> frames;
  ByteReader in(payload->bytes());
  std::uint64_t at = 0;
  while (!in.at_end()) {
    at += in.varint();
    for (int skipped = 0; skipped < 5; ++skipped) in.varint();
    // Frames stand one after the other: none may be named twice.
    const bool overlaps = !frames.empty() && at < frames.back().end();
    const auto found = in.failed() || overlaps ? std::nullopt : frame_at(file, at);
    if (!found) return std::nullopt;
    frames.push_back({at, *found});
  }
  return frames;
}

std::vector<Frame> frames_by_search(Bytes file, Findings& findings) {
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

// The first description that can be read. The others are looked at too, so that damage never goes
// unsaid.
Description find_description(Bytes file, const std::vector<Frame>& frames, std::string_view name,
                             Findings& findings) {
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

// By rank how many calls its blocks hold: no more than their payloads' lengths make possible, and
// none of ranks that are not read.
std::vector<std::size_t> likely_calls(const std::vector<std::vector<Frame>>& blocks,
                                      const RankRange& chosen) {
  std::vector<std::size_t> counts(blocks.size(), 0);
  for (std::size_t r = 0; r < blocks.size(); ++r) {
    if (!chosen.contains(static_cast<std::int32_t>(r))) continue;
    for (const Frame& block : blocks[r]) {
      if (!block.is(FrameKind::calls)) continue;
      counts[r] += static_cast<std::size_t>(
          std::min<std::uint64_t>(block.header.count, block.header.raw_bytes / 2));
    }
  }
  return counts;
}

// One rank's part of the work; runs beside others'.
class RankReader {
 public:
  RankReader(Bytes file, const Trace& trace, RankCallsBuilder& calls, std::int32_t rank,
             std::uint64_t promised, bool details)
      : file_(file),
        calls_(calls),
        rank_(rank),
        promised_(promised),
        names_{trace.regions().size(), trace.call_tree().size()},
        counters_(trace.counters().size()),
        missing_details_(details) {}

  void read(std::vector<Frame>& frames) {
    std::vector<Frame> blocks;
    std::ranges::copy_if(frames, std::back_inserter(blocks),
                         [](const Frame& f) { return f.is(FrameKind::calls); });
    std::ranges::stable_sort(blocks, {}, [](const Frame& f) { return f.header.first; });
    for (const Frame& block : blocks) read_block(block);
    lose(expected_, promised_);
    if (lost_ && repair_regions(calls_) > 0) {
      findings_.add(kNativeUnbalancedRegions, fmt::format("rank {}", rank_));
    }
    for (const Frame& frame : frames) {
      if (frame.is(FrameKind::details)) read_details(frame);
    }
    if (missing_details_) lose_details();
    calls_.shrink();
  }

  const Findings& findings() const { return findings_; }
  std::vector<Sample> take_samples() { return std::move(samples_); }

 private:
  void lose(std::uint64_t from, std::uint64_t to) {
    if (from >= to) return;
    lost_ = true;
    findings_.add(kNativeLostCalls, fmt::format("rank {}: calls {} to {}", rank_, from, to - 1),
                  to - from);
  }

  void damaged(const Frame& block) {
    lost_ = true;
    findings_.add(kNativeDamaged,
                  fmt::format("rank {}: the block at byte {}", rank_, block.offset));
  }

  void read_block(const Frame& block) {
    const FrameHeader& header = block.header;
    if (header.first < expected_) return damaged(block);  // these calls were there already
    const auto payload = payload_at(file_, block.offset, header);
    if (!payload) return damaged(block);
    lose(expected_, header.first);
    const DecodedBlock decoded = decode_block(payload->bytes(), header.count, names_, calls_);
    expected_ = header.first + decoded.calls;
    if (!decoded.complete) damaged(block);
    if (decoded.unknown_operations > 0) {
      findings_.add(kNativeUnknownOperation, fmt::format("rank {}", rank_),
                    decoded.unknown_operations);
    }
  }

  // They name calls by their numbers, so without all calls they say nothing.
  void read_details(const Frame& frame) {
    const bool expected = std::exchange(missing_details_, false);
    const auto payload = payload_at(file_, frame.offset, frame.header);
    if (lost_ || !expected || frame.header.first != calls_.size() || !payload ||
        !decode_details(payload->bytes(), {counters_, names_.frames}, calls_, samples_)) {
      lose_details();
    }
  }
  void lose_details() { findings_.add(kNativeLostDetails, fmt::format("rank {}", rank_)); }

  Bytes file_;
  RankCallsBuilder& calls_;
  std::int32_t rank_;
  std::uint64_t promised_;
  NameCounts names_;
  std::size_t counters_;
  bool missing_details_;
  std::vector<Sample> samples_;
  std::uint64_t expected_ = 0;
  bool lost_ = false;
  Findings findings_;
};

void check_version(Bytes file, std::string_view name, Findings& findings) {
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

// Blocks by rank; what is not a block of a rank that exists is counted.
std::vector<std::vector<Frame>> blocks_by_rank(const std::vector<Frame>& frames, std::int32_t ranks,
                                               Findings& findings) {
  std::vector<std::vector<Frame>> blocks(static_cast<std::size_t>(ranks));
  for (const Frame& frame : frames) {
    if (frame.is(FrameKind::description) || frame.is(FrameKind::index)) continue;
    if (!frame.is(FrameKind::calls) && !frame.is(FrameKind::details)) {
      findings.add(kNativeUnknownFrame,
                   fmt::format("kind {} at byte {}", frame.header.kind, frame.offset));
    } else if (frame.header.rank >= blocks.size()) {
      findings.add(kNativeDamaged, fmt::format("a block of rank {}", frame.header.rank));
    } else {
      blocks[frame.header.rank].push_back(frame);
    }
  }
  return blocks;
}

using ChooseRanks = std::function<RankRange(std::span<const std::uint64_t>)>;

NativePart read(Bytes file, std::string_view name, const ChooseRanks& choose, Samples& samples) {
  Findings findings;
  check_version(file, name, findings);
  std::optional<std::vector<Frame>> frames = frames_by_index(file);
  if (!frames) {
    findings.add(kNativeTruncated);
    frames = frames_by_search(file, findings);
  }
  Description description = find_description(file, *frames, name, findings);
  TraceBuilder& trace = description.trace;
  auto blocks = blocks_by_rank(*frames, trace.ranks(), findings);
  const RankRange chosen = choose(description.calls);
  trace.reserve_calls(likely_calls(blocks, chosen));
  std::vector<Findings> rank_findings(blocks.size());
  samples.interval_ns = description.sampling_ns;
  samples.by_rank.resize(blocks.size());
  parallel_for(blocks.size(), [&](std::size_t r) {
    const auto rank = static_cast<std::int32_t>(r);
    if (!chosen.contains(rank)) return;
    RankReader reader(file, trace, trace.calls(rank), rank, description.calls[r],
                      description.details[r]);
    reader.read(blocks[r]);
    rank_findings[r] = reader.findings();
    samples.by_rank[r] = reader.take_samples();
  });
  for (const Findings& rank : rank_findings) findings.merge(rank);
  const bool complete = findings.entries().empty();
  trace.findings().merge(findings);
  return {std::move(trace).build(), chosen, complete};
}

}  // namespace
}  // namespace native

namespace {

void expect_native(std::span<const std::byte> bytes, std::string_view name) {
  if (!looks_like_native(bytes)) {
    throw Error(fmt::format("cannot read '{}'", name), "it is not a native trace (.slk)",
                "Record one with 'slackline record'.");
  }
}

}  // namespace

Trace read_native(std::span<const std::byte> bytes, std::string_view name, Samples* samples,
                  const std::function<void(std::uint64_t)>& calls_known) {
  expect_native(bytes, name);
  Samples unused;
  const auto all = [&](std::span<const std::uint64_t> calls) {
    if (calls_known) calls_known(std::reduce(calls.begin(), calls.end(), std::uint64_t{0}));
    return RankRange{};
  };
  return std::move(native::read(bytes, name, all, samples == nullptr ? unused : *samples).trace);
}

NativePart read_native_part(
    std::span<const std::byte> bytes, std::string_view name,
    const std::function<RankRange(std::span<const std::uint64_t>)>& choose) {
  expect_native(bytes, name);
  Samples unused;
  return native::read(bytes, name, choose, unused);
}

std::uint64_t native_content_bytes(std::span<const std::byte> file) {
  Findings ignored;
  std::uint64_t bytes = 0;
  for (const native::Frame& frame : native::frames_by_search(file, ignored)) {
    bytes += frame.header.raw_bytes;
  }
  return bytes;
}

bool looks_like_native(std::span<const std::byte> head) {
  using namespace native;
  const auto has = [&](std::size_t at, std::uint64_t magic) {
    return head.size() >= at + sizeof magic &&
           std::memcmp(head.data() + at, &magic, sizeof magic) == 0;
  };
  // The second, so that damage to the first bytes costs nothing.
  return has(0, kFileMagic) || has(kFileHeaderBytes, kFrameMagic);
}

}  // namespace slackline
