#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/findings.h"
#include "formats/native/description.h"
#include "formats/native/frame.h"
#include "trace/trace.h"

namespace slackline::native {

/// A frame, and where it stands in its file.
struct Frame {
  std::uint64_t offset;
  FrameHeader header;
  std::uint64_t end() const { return offset + kFrameHeaderBytes + header.stored_bytes; }
  bool is(FrameKind kind) const { return header.kind == static_cast<std::uint16_t>(kind); }
};

struct RankFrames {
  std::vector<Frame> blocks;  ///< of its calls, in order
  std::vector<Frame> details;
};

/// What a native trace consists of; none of its calls has been read.
struct Contents {
  Description description;
  std::vector<RankFrames> of_rank;
  Findings findings;  ///< what is damaged or unknown
};

/// Is told of a part of a file that it will not be read again soon.
using Release = std::function<void(std::span<const std::byte>)>;

/// Finds it by the index, or by searching where there is none or it is wrong. Throws Error, about
/// `name`: no native trace, a newer major version, or no description left. O(frames). `release`, if
/// given, is called for all of the file, as reading headers maps pages throughout.
Contents contents_of(std::span<const std::byte> file, std::string_view name,
                     const Release& release = {});

/// All frames, found by searching; what is between them is a finding.
std::vector<Frame> frames_by_search(std::span<const std::byte> file, Findings& findings);

/// Makes a rank's region events nest again where some were lost: leaving a region that was not
/// entered is left out, and regions inside one that is left are left first. Regions still open at
/// the end stay open. Returns how many events were added or removed.
std::size_t repair_regions(RankCallsBuilder& calls);

}  // namespace slackline::native
