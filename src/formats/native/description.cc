#include "formats/native/description.h"

#include <cmath>
#include <limits>
#include <string>

#include "formats/native/frame.h"

namespace slackline::native {
namespace {

enum DescriptionPart : unsigned {
  kDescriptionBasics = 1,
  kDescriptionInfo = 2,
  kDescriptionCommunicators = 3,
  kDescriptionRegions = 4,
  kDescriptionRanks = 5,
  kDescriptionFindings = 6,
  kDescriptionCounters = 7,
  kDescriptionCallTree = 8,
  kDescriptionEnd = 9
};

constexpr std::uint64_t kPresent = 1;
constexpr std::uint64_t kFinalized = 2;
constexpr std::uint64_t kHasDetails = 4;
// Flags, host, start, offset, drift (8), error, calls.
constexpr std::size_t kLeastRankBytes = 14;
// All communicators together; see doc/formats/native.md.
constexpr std::uint64_t kMembersAlways = 1 << 20;
constexpr std::uint64_t kMembersPerByte = 256;

// Members as runs (first, stride, count), the form that regular communicators are short in.
void put_members(ByteWriter& out, const std::vector<std::int32_t>& members) {
  struct Run {
    std::int64_t first, stride;
    std::uint64_t count;
  };
  std::vector<Run> runs;
  for (const std::int32_t member : members) {
    if (!runs.empty()) {
      Run& run = runs.back();
      if (run.count == 1) run.stride = std::int64_t{member} - run.first;
      if (member == run.first + run.stride * static_cast<std::int64_t>(run.count)) {
        ++run.count;
        continue;
      }
    }
    runs.push_back({member, 1, 1});
  }
  out.varint(runs.size());
  for (const Run& run : runs) {
    out.svarint(run.first);
    out.svarint(run.stride);
    out.varint(run.count);
  }
}

// `room` members may still be made.
bool get_members(ByteReader& in, std::int64_t ranks, std::uint64_t& room,
                 std::vector<std::int32_t>& members) {
  for (std::uint64_t runs = in.varint(); runs > 0 && !in.failed(); --runs) {
    const std::int64_t first = in.svarint();
    const std::int64_t stride = in.svarint();
    const std::uint64_t count = in.varint();
    if (count > room || first < 0 || first >= ranks || stride < -ranks || stride > ranks) {
      return false;
    }
    room -= count;
    std::int64_t member = first;
    for (std::uint64_t i = 0; i < count; ++i, member += stride) {
      if (member < 0 || member >= ranks) return false;
      members.push_back(static_cast<std::int32_t>(member));
    }
  }
  return !in.failed();
}

void put_info(ByteWriter& out, const TraceInfo& info, std::int64_t sampling_ns) {
  for (const std::string* text :
       {&info.program, &info.mpi_library, &info.mpi_version, &info.recorder, &info.started}) {
    out.text(*text);
  }
  out.svarint(info.cpu_ns);
  out.svarint(info.recording_ns);
  out.varint(info.lost_calls);
  const bool processors = info.processors_ns > 0;
  if (info.flops_per_second > 0 || sampling_ns > 0 || processors) out.fixed(info.flops_per_second);
  if (sampling_ns > 0 || processors) out.svarint(sampling_ns);
  if (!processors) return;
  out.svarint(info.processors_ns);
  out.svarint(info.stolen_ns);
  if (info.other_processes_ns > 0) out.svarint(info.other_processes_ns);
}

bool get_info(ByteReader& in, TraceInfo& info, std::int64_t& sampling_ns) {
  if (in.at_end()) return true;
  for (std::string* text :
       {&info.program, &info.mpi_library, &info.mpi_version, &info.recorder, &info.started}) {
    *text = in.text();
  }
  info.cpu_ns = in.svarint();
  info.recording_ns = in.svarint();
  info.lost_calls = in.varint();
  if (!in.failed() && !in.at_end()) info.flops_per_second = in.fixed<double>();
  if (!in.failed() && !in.at_end()) sampling_ns = in.svarint();
  if (!in.failed() && !in.at_end()) {
    info.processors_ns = in.svarint();
    info.stolen_ns = in.svarint();
  }
  if (!in.failed() && !in.at_end()) info.other_processes_ns = in.svarint();
  return !in.failed() && std::isfinite(info.flops_per_second);
}

void put_communicators(ByteWriter& out, const Trace& trace) {
  const auto& all = trace.communicators();
  out.varint(all.size() - 2);
  for (std::size_t id = 2; id < all.size(); ++id) {
    out.text(all[id].name);
    put_members(out, all[id].members);
    put_members(out, all[id].remote);
  }
}

bool get_communicators(ByteReader& in, TraceBuilder& trace, std::uint64_t file_bytes) {
  std::uint64_t room = kMembersAlways + kMembersPerByte * file_bytes;
  for (std::uint64_t left = in.at_end() ? 0 : in.varint(); left > 0 && !in.failed(); --left) {
    Communicator communicator;
    communicator.name = in.text();
    if (!get_members(in, trace.ranks(), room, communicator.members) ||
        !get_members(in, trace.ranks(), room, communicator.remote)) {
      return false;
    }
    trace.add_communicator(std::move(communicator));
  }
  return !in.failed();
}

void put_regions(ByteWriter& out, const Trace& trace) {
  out.varint(trace.regions().size());
  for (const std::string& name : trace.regions()) out.text(name);
}

bool get_regions(ByteReader& in, TraceBuilder& trace) {
  const std::uint64_t count = in.at_end() ? 0 : in.varint();
  for (std::uint64_t id = 0; id < count && !in.failed(); ++id) {
    if (trace.region_id(in.text()) != id) return false;  // a name that stands twice
  }
  return !in.failed();
}

void put_counters(ByteWriter& out, const Trace& trace) {
  if (trace.counters().empty()) return;
  out.varint(trace.counters().size());
  for (const std::string& name : trace.counters()) out.text(name);
}

bool get_counters(ByteReader& in, TraceBuilder& trace) {
  for (std::uint64_t left = in.at_end() ? 0 : in.varint(); left > 0 && !in.failed(); --left) {
    trace.add_counter(in.text());
  }
  return !in.failed();
}

constexpr std::uint64_t kInlined = std::uint64_t{1} << 32;  // beside a line

}  // namespace

void encode_call_tree(const CallTree& tree, ByteWriter& out) {
  if (tree.empty()) return;
  out.varint(tree.size());
  for (FrameId frame = 1; frame <= tree.size(); ++frame) {
    const CodeLocation& at = tree.location(frame);
    out.varint(tree.parent(frame));
    out.text(at.function);
    out.text(at.file);
    out.varint(at.line | (at.inlined ? kInlined : 0));
    out.text(at.module);
  }
}

bool decode_call_tree(ByteReader& in, CallTree& tree) {
  for (std::uint64_t left = in.at_end() ? 0 : in.varint(); left > 0 && !in.failed(); --left) {
    const std::uint64_t parent = in.varint();
    CodeLocation at;
    at.function = in.text();
    at.file = in.text();
    const std::uint64_t line = in.varint();
    at.module = in.text();
    const std::size_t next = tree.size() + 1;
    if (in.failed() || parent >= next || line >= 2 * kInlined) return false;
    at.line = static_cast<std::uint32_t>(line % kInlined);
    at.inlined = line >= kInlined;
    if (tree.child(static_cast<FrameId>(parent), at) != next) return false;  // stands twice
  }
  return !in.failed();
}

namespace {

void put_ranks(ByteWriter& out, const Trace& trace, std::span<const RankContents> contents) {
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    const RankInfo& info = trace.rank_info(rank);
    const RankContents& of = contents[static_cast<std::size_t>(rank)];
    out.varint((info.present ? kPresent : 0) | (info.finalized ? kFinalized : 0) |
               (of.details ? kHasDetails : 0));
    out.text(info.host);
    out.svarint(of.start_ns);
    out.svarint(info.clock_offset_ns);
    out.fixed(info.clock_drift);
    out.svarint(info.clock_error_ns);
    out.varint(of.calls);
  }
}

bool get_ranks(ByteReader& in, Description& description) {
  TraceBuilder& trace = description.trace;
  for (std::int32_t rank = 0; rank < trace.ranks() && !in.failed(); ++rank) {
    RankInfo& info = trace.rank_info(rank);
    const std::uint64_t flags = in.varint();
    info.present = (flags & kPresent) != 0;
    info.finalized = (flags & kFinalized) != 0;
    description.details.push_back((flags & kHasDetails) != 0);
    info.host = in.text();
    const std::int64_t start = in.svarint();
    info.clock_offset_ns = in.svarint();
    info.clock_drift = in.fixed<double>();
    info.clock_error_ns = in.svarint();
    description.calls.push_back(in.varint());
    if (!is_time(start) || !is_time(info.clock_offset_ns) || !std::isfinite(info.clock_drift)) {
      return false;
    }
    trace.calls(rank).set_start_ns(start);
  }
  return !in.failed();
}

void put_findings(const Findings& findings, ByteWriter& out) {
  out.varint(findings.entries().size());
  for (const Findings::Entry& entry : findings.entries()) {
    out.text(entry.name);
    out.varint(static_cast<std::uint64_t>(entry.severity));
    out.text(entry.sentence);
    out.varint(entry.count);
    out.varint(entry.examples.size());
    for (const std::string& example : entry.examples) out.text(example);
  }
}

bool get_findings(ByteReader& in, Findings& findings) {
  for (std::uint64_t left = in.at_end() ? 0 : in.varint(); left > 0 && !in.failed(); --left) {
    FindingKind kind{};
    kind.name = in.text();
    const std::uint64_t severity = in.varint();
    if (severity > static_cast<std::uint64_t>(Severity::data_loss)) return false;
    kind.severity = static_cast<Severity>(severity);
    kind.sentence = in.text();
    findings.add(kind, {}, in.varint());
    for (std::uint64_t examples = in.varint(); examples > 0 && !in.failed(); --examples) {
      findings.add(kind, in.text(), 0);
    }
  }
  return !in.failed();
}

}  // namespace

RankContents contents_of_rank(const Trace& trace, const Samples& samples, std::int32_t rank,
                              std::uint64_t calls) {
  return {calls, trace.calls(rank).start_ns(), has_details(trace, samples, rank)};
}

void encode_description(const Trace& trace, std::span<const RankContents> ranks,
                        std::int64_t sampling_ns, ByteWriter& out) {
  ByteWriter part[kDescriptionEnd];
  part[kDescriptionBasics].u8(trace.timed() ? 1 : 0);
  part[kDescriptionBasics].varint(static_cast<std::uint64_t>(trace.ranks()));
  put_info(part[kDescriptionInfo], trace.info(), sampling_ns);
  put_communicators(part[kDescriptionCommunicators], trace);
  put_regions(part[kDescriptionRegions], trace);
  put_ranks(part[kDescriptionRanks], trace, ranks);
  put_findings(trace.findings(), part[kDescriptionFindings]);
  put_counters(part[kDescriptionCounters], trace);
  encode_call_tree(trace.call_tree(), part[kDescriptionCallTree]);
  for (unsigned id = kDescriptionBasics; id < kDescriptionEnd; ++id)
    append_part(out, id, part[id].bytes());
}

std::optional<Description> decode_description(std::span<const std::byte> payload,
                                              std::uint64_t file_bytes) {
  ByteReader part[kDescriptionEnd];
  if (!split_parts(payload, part)) return std::nullopt;
  const bool timed = part[kDescriptionBasics].u8() != 0;
  const std::uint64_t ranks = part[kDescriptionBasics].varint();
  if (part[kDescriptionBasics].failed() || ranks == 0 ||
      ranks > part[kDescriptionRanks].left() / kLeastRankBytes ||
      ranks > std::numeric_limits<std::int32_t>::max()) {
    return std::nullopt;
  }
  Description description{TraceBuilder(static_cast<std::int32_t>(ranks), timed), {}, {}};
  TraceBuilder& trace = description.trace;
  if (!get_info(part[kDescriptionInfo], trace.info(), description.sampling_ns) ||
      !get_communicators(part[kDescriptionCommunicators], trace, file_bytes) ||
      !get_regions(part[kDescriptionRegions], trace) ||
      !get_ranks(part[kDescriptionRanks], description) ||
      !get_findings(part[kDescriptionFindings], trace.findings()) ||
      !get_counters(part[kDescriptionCounters], trace) ||
      !decode_call_tree(part[kDescriptionCallTree], trace.call_tree())) {
    return std::nullopt;
  }
  return description;
}

}  // namespace slackline::native
