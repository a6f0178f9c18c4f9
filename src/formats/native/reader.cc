// Reading the native format. Each rank decodes its blocks in order, ranks in parallel. The
// description says how many calls each rank has, so that whatever is missing is known exactly.

#include "formats/native/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "formats/native/block.h"
#include "formats/native/contents.h"
#include "formats/native/description.h"
#include "formats/native/frame.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace native {
namespace {

using Bytes = std::span<const std::byte>;

// By rank how many calls its blocks hold: no more than their payloads' lengths make possible.
std::vector<std::size_t> likely_calls(const std::vector<RankFrames>& of_rank) {
  std::vector<std::size_t> counts(of_rank.size(), 0);
  for (std::size_t r = 0; r < of_rank.size(); ++r) {
    for (const Frame& block : of_rank[r].blocks) {
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

  void read(const RankFrames& frames) {
    for (const Frame& block : frames.blocks) read_block(block);
    lose(expected_, promised_);
    if (lost_ && repair_regions(calls_) > 0) {
      findings_.add(kNativeUnbalancedRegions, fmt::format("rank {}", rank_));
    }
    for (const Frame& frame : frames.details) read_details(frame);
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
        !decode_details(payload->bytes(),
                        {counters_, names_.frames, calls_.size(), last_end_ns(calls_)}, calls_,
                        samples_)) {
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

}  // namespace
}  // namespace native

Trace read_native(std::span<const std::byte> bytes, std::string_view name, Samples* samples,
                  const std::function<void(std::uint64_t)>& calls_known) {
  native::Contents contents = native::contents_of(bytes, name);
  const native::CallCounts& calls = contents.description.calls;
  if (calls_known) calls_known(std::reduce(calls.begin(), calls.end(), std::uint64_t{0}));
  TraceBuilder& trace = contents.description.trace;
  const std::size_t ranks = contents.of_rank.size();
  trace.reserve_calls(native::likely_calls(contents.of_rank));
  std::vector<Findings> rank_findings(ranks);
  Samples unused;
  Samples& all_samples = samples == nullptr ? unused : *samples;
  all_samples.interval_ns = contents.description.sampling_ns;
  all_samples.by_rank.resize(ranks);
  parallel_for(ranks, [&](std::size_t r) {
    const auto rank = static_cast<std::int32_t>(r);
    native::RankReader reader(bytes, trace, trace.calls(rank), rank, calls[r],
                              contents.description.details[r]);
    reader.read(contents.of_rank[r]);
    rank_findings[r] = reader.findings();
    all_samples.by_rank[r] = reader.take_samples();
  });
  for (const Findings& rank : rank_findings) contents.findings.merge(rank);
  trace.findings().merge(contents.findings);
  return std::move(trace).build();
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
