#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <stdexcept>

#include "base/error.h"
#include "base/file.h"
#include "base/testing/error_text.h"
#include "formats/native/block.h"
#include "formats/native/contents.h"
#include "formats/native/frame.h"
#include "formats/native/pieces.h"
#include "formats/native/reader.h"
#include "formats/native/writer.h"
#include "formats/text/text.h"
#include "trace/testing/arbitrary_trace.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

using ::testing::HasSubstr;
using FileBytes = std::vector<std::byte>;

FileBytes to_native(const Trace& trace) {
  FileBytes bytes;
  write_native(trace, [&](std::span<const std::byte> piece) {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
  });
  return bytes;
}

// Three ranks; ranks 0 and 1 have more than one block, in a region each step.
Trace long_trace() {
  TraceBuilder trace(3, true);
  const std::uint32_t step = trace.region_id("step");
  trace.add_communicator({.members = {2, 0}, .remote = {}, .name = "pair"});
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    RankCallsBuilder& calls = trace.calls(rank);
    std::int64_t now = 0;
    std::uint32_t request = 0;
    for (int i = 0; i < 50'000; ++i) {
      const auto at = static_cast<std::uint32_t>(calls.size());
      calls.append_region({.time_ns = now, .region = step, .before_call = at, .enter = true});
      calls.append({.operation = Operation::isend,
                    .begin_ns = now + 7,
                    .end_ns = now + 10,
                    .bytes = 8,
                    .peer = 1 - rank,
                    .request = ++request});
      calls.append({.operation = Operation::wait,
                    .begin_ns = now + 20,
                    .end_ns = now + 50 + i % 9,
                    .request = request});
      now += 100;
      calls.append_region({.time_ns = now, .region = step, .before_call = at + 2, .enter = false});
    }
  }
  trace.calls(2).append({.operation = Operation::barrier, .begin_ns = 3, .end_ns = 4});
  return std::move(trace).build();
}

// A small trace that has something of everything.
Trace small_trace() {
  return read_text(
      "slackline-trace 1 timed ranks=2\n"
      "info program=halo\ncomm 2 members=1,0\nregion 0 \"solve\"\n"
      "rank 0 host=n0\n enter solve\n +5 irecv from=1 bytes=8 req=1\n +5 send to=1 bytes=8 comm=2\n"
      " +9 waitall reqs=1\n leave solve\n"
      "rank 1 host=n1\n +3 isend to=0 bytes=8 req=1\n compute 70\n +5 recv from=0 bytes=8 comm=2\n"
      " +2 wait req=1\n",
      "t");
}

std::string reading_error(std::span<const std::byte> bytes) {
  return error_text([&] { read_native(bytes, "t.slk"); });
}

RC_GTEST_PROP(Native, HoldsEverythingATraceHolds, ()) {
  const Trace trace = testing::arbitrary_trace();
  const Trace back = read_native(to_native(trace), "t");
  RC_ASSERT(same_content(trace, back));
  RC_ASSERT(testing::same_facts(trace, back));
}

TEST(Native, HoldsTracesOfManyBlocks) {
  const Trace trace = long_trace();
  const FileBytes bytes = to_native(trace);
  const Trace back = read_native(bytes, "t");
  EXPECT_TRUE(same_content(trace, back));
  EXPECT_TRUE(back.findings().empty());
  // Per step 2 calls: shapes, gaps and durations repeat, so this is a sanity check of the coding.
  EXPECT_LT(bytes.size(), trace.call_count() / 2);
}

// Calls [from, to) of `calls` with their region events, as a part of its own.
RankCallsBuilder part_of(const RankCalls& calls, std::size_t from, std::size_t to) {
  RankCallsBuilder part;
  part.set_start_ns(from == 0 ? calls.start_ns() : calls.end_ns(from - 1));
  for (std::size_t i = from; i < to; ++i) part.append(calls[i]);
  for (RegionEvent event : calls.regions()) {
    if (event.before_call < from) continue;
    if (event.before_call >= to && to < calls.size()) break;
    event.before_call -= static_cast<std::uint32_t>(from);
    part.append_region(event);
  }
  return part;
}

// Writes `trace` by that many calls of a rank at a time. Nothing of `trace` is given but its job.
FileBytes to_native_in_parts(const Trace& trace, std::size_t part_calls) {
  TraceBuilder job = TraceBuilder::without_calls(trace, trace.timed());
  std::vector<std::uint64_t> counts;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    counts.push_back(trace.calls(rank).size());
    job.calls(rank).set_start_ns(trace.calls(rank).start_ns());
  }
  FileBytes bytes;
  const Samples none;
  NativeWriter writer(job, counts, none, [&](std::span<const std::byte> piece) {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
  });
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    const RankCalls& calls = trace.calls(rank);
    for (std::size_t at = 0; at < calls.size(); at += part_calls) {
      const RankCallsBuilder part = part_of(calls, at, std::min(at + part_calls, calls.size()));
      writer.write(std::vector<RankCallsPart>{{rank, part}});
    }
  }
  writer.finish();
  return bytes;
}

TEST(Native, PartsOfWholeBlocksGiveTheSameFile) {
  const Trace trace = long_trace();
  EXPECT_EQ(to_native_in_parts(trace, native::kBlockCalls), to_native(trace));
}

TEST(Native, PartsOfAnyLengthGiveTheSameTrace) {
  const Trace trace = long_trace();
  for (const std::size_t part_calls : {997u, 70'001u}) {
    const Trace back = read_native(to_native_in_parts(trace, part_calls), "t");
    EXPECT_TRUE(same_content(trace, back)) << part_calls;
    EXPECT_TRUE(back.findings().empty()) << part_calls;
  }
}

TEST(Native, CallsThatWereAnnouncedMustBeWritten) {
  const Trace job(2, true);
  const Samples none;
  NativeWriter writer(job, {1, 0}, none, [](std::span<const std::byte>) {});
  EXPECT_THROW(writer.finish(), std::logic_error);
}

// A file of some 30 MB: numbers at random hardly become smaller.
Trace incompressible_trace() {
  TraceBuilder trace(1, false);
  std::mt19937_64 random(1);
  std::vector<std::int64_t> numbers(native::kBlockArguments);
  for (int call = 0; call < 3; ++call) {
    for (std::int64_t& number : numbers) number = static_cast<std::int64_t>(random());
    trace.calls(0).append({.operation = Operation::alltoallv, .args = numbers});
  }
  return std::move(trace).build();
}

TEST(Native, OpeningPiecesReleasesTheWholeFileAsItGoes) {
  const Trace trace = incompressible_trace();
  const FileBytes bytes = to_native(trace);
  std::vector<std::span<const std::byte>> released;
  const NativePieces pieces(bytes, "t",
                            [&](std::span<const std::byte> part) { released.push_back(part); });
  ASSERT_GE(released.size(), 2u);
  EXPECT_EQ(released.back().data(), bytes.data());
  EXPECT_EQ(released.back().size(), bytes.size());
  const std::byte* next = bytes.data();
  for (const auto part : std::span(released).first(released.size() - 1)) {
    EXPECT_EQ(part.data(), next);
    next += part.size();
  }
  EXPECT_LE(next, bytes.data() + bytes.size());
}

TEST(Native, HoldsOneLargeListOfArguments) {
  TraceBuilder trace(1, false);
  const std::vector<std::int64_t> counts(3'000'000, 8);
  trace.calls(0).append({.operation = Operation::alltoallv, .args = counts});
  trace.calls(0).append({.operation = Operation::alltoallv, .args = counts});
  EXPECT_TRUE(same_content(trace, read_native(to_native(trace), "t")));
}

TEST(Native, WritesFiles) {
  const auto path = std::filesystem::temp_directory_path() / "slackline_native_test.slk";
  const Trace trace = small_trace();
  write_native(trace, path);
  const MappedFile file(path);
  EXPECT_TRUE(looks_like_native(file.bytes()));
  EXPECT_TRUE(same_content(trace, read_native(file.bytes(), path.string())));
  std::filesystem::remove(path);
}

TEST(Native, ADamagedBlockCostsOnlyItself) {
  const Trace trace = long_trace();
  FileBytes bytes = to_native(trace);
  // The second frame is rank 0's first block.
  const auto description = native::frame_at(bytes, native::kFileHeaderBytes);
  ASSERT_TRUE(description);
  const std::size_t block = native::kFileHeaderBytes + native::kFrameHeaderBytes +
                            static_cast<std::size_t>(description->stored_bytes);
  const auto header = native::frame_at(bytes, block);
  ASSERT_TRUE(header);
  ASSERT_EQ(header->count, native::kBlockCalls);
  bytes[block + native::kFrameHeaderBytes + 100] ^= std::byte{1};

  const Trace back = read_native(bytes, "t");
  EXPECT_EQ(back.findings().count(kNativeDamaged), 1u);
  EXPECT_EQ(back.findings().count(kNativeLostCalls), native::kBlockCalls);
  EXPECT_EQ(back.findings().count(kNativeTruncated), 0u);
  EXPECT_EQ(back.findings().entries()[1].examples[0], "rank 0: calls 0 to 65535");
  ASSERT_EQ(back.calls(0).size(), 100'000 - native::kBlockCalls);
  EXPECT_EQ(back.calls(0)[0].begin_ns, trace.calls(0)[native::kBlockCalls].begin_ns);
  EXPECT_EQ(back.calls(0)[0].request, trace.calls(0)[native::kBlockCalls].request);
  EXPECT_EQ(back.calls(1).size(), trace.calls(1).size());
  EXPECT_LE(back.calls(0).regions().back().before_call, back.calls(0).size());
}

TEST(Native, ADamagedFrameHeaderIsFoundAroundBySearching) {
  const Trace trace = long_trace();
  FileBytes bytes = to_native(trace);
  const auto description = native::frame_at(bytes, native::kFileHeaderBytes);
  bytes[native::kFileHeaderBytes + native::kFrameHeaderBytes +
        static_cast<std::size_t>(description->stored_bytes) + 20] ^= std::byte{0x40};
  const Trace back = read_native(bytes, "t");
  EXPECT_EQ(back.findings().count(kNativeLostCalls), native::kBlockCalls);
  EXPECT_EQ(back.calls(1).size(), trace.calls(1).size());
}

TEST(Native, AnUnknownFrameIsSkippedAndANewerMajorVersionRefused) {
  FileBytes bytes = to_native(small_trace());
  native::ByteWriter extra;
  native::FrameHeader header;
  header.kind = 77;
  native::append_frame(extra, header, {});
  FileBytes longer(bytes.begin(), bytes.begin() + native::kFileHeaderBytes);
  longer.insert(longer.end(), extra.bytes().begin(), extra.bytes().end());
  longer.insert(longer.end(), bytes.begin() + native::kFileHeaderBytes, bytes.end());
  const Trace back = read_native(longer, "t");
  EXPECT_TRUE(same_content(back, small_trace()));
  EXPECT_EQ(back.findings().count(kNativeUnknownFrame), 1u);

  bytes[8] = std::byte{2};
  const std::uint64_t sum = native::checksum(std::span<const std::byte>(bytes).first(24));
  std::memcpy(&bytes[24], &sum, sizeof sum);
  EXPECT_THAT(reading_error(bytes), HasSubstr("it has version 2.6 of the native format"));
}

TEST(Native, HoldsCallPaths) {
  const Trace trace = read_text(
      "slackline-trace 1 timed ranks=1\n"
      "frame 1 0 main file=/usr/heat.c line=20 module=/usr/heat\nframe 2 1 relax "
      "module=libsolver.so\n"
      "rank 0\n +5 barrier frame=1\n +5 barrier frame=2\n +5 barrier\n",
      "t");
  const Trace back = read_native(to_native(trace), "t");
  EXPECT_TRUE(same_content(trace, back));
  EXPECT_EQ(back.calls(0).frame(1), 2u);
  EXPECT_EQ(back.call_tree().location(1).file, "/usr/heat.c");
}

TEST(Native, HoldsSamples) {
  Samples samples;
  const Trace trace = read_text(
      "slackline-trace 1 timed ranks=2\ninfo sampling=5000000\nframe 1 0 main\nrank 0\n"
      " @7 sample cpu=10 frame=1\n @9 sample cpu=5\n @20 +5 barrier\n @30 sample cpu=5 thread=2\n"
      "rank 1\n @20 +5 barrier\n",
      "t", &samples);
  FileBytes bytes;
  write_native(
      trace,
      [&](std::span<const std::byte> piece) {
        bytes.insert(bytes.end(), piece.begin(), piece.end());
      },
      samples);
  Samples back;
  EXPECT_TRUE(same_content(trace, read_native(bytes, "t", &back)));
  EXPECT_TRUE(samples.same_as(back));
  EXPECT_FALSE(back.same_as({}));
  // One who does not ask for them reads the trace all the same.
  EXPECT_TRUE(same_content(trace, read_native(bytes, "t")));
}

TEST(Native, AFrameThatDoesNotExistIsDamage) {
  TraceBuilder trace = read_text("slackline-trace 1 timed ranks=1\nrank 0\n +5 barrier\n", "t");
  trace.calls(0).append({.operation = Operation::barrier, .frame = 7});
  const Trace back = read_native(to_native(trace), "t");
  EXPECT_EQ(back.findings().count(kNativeDamaged), 1u);
}

TEST(Native, NotANativeTraceIsAnError) {
  EXPECT_THAT(reading_error({}), HasSubstr("not a native trace"));
  const std::string text =
      "hello, this is some text that is no trace at all, but long enough to be one";
  EXPECT_THAT(reading_error(std::as_bytes(std::span(text))), HasSubstr("not a native trace"));
  const FileBytes bytes = to_native(small_trace());
  EXPECT_THAT(reading_error(std::span(bytes).first(50)),
              HasSubstr("copies of its description are missing"));
}

TEST(Native, TruncatedAnywhereItGivesWhatIsThereAndSaysSo) {
  const Trace trace = small_trace();
  const FileBytes bytes = to_native(trace);
  std::size_t readable = 0;
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    try {
      const Trace back = read_native(std::span(bytes).first(length), "t");
      ++readable;
      EXPECT_GT(back.findings().count(kNativeTruncated), 0u) << length;
      EXPECT_LE(back.call_count(), trace.call_count());
      EXPECT_EQ(back.call_count() + back.findings().count(kNativeLostCalls), trace.call_count());
    } catch (const Error&) {
      EXPECT_LT(length, bytes.size() / 2) << "the first description is in the first half";
    }
  }
  EXPECT_GT(readable, bytes.size() / 2);
}

TEST(Native, AnyFlippedByteCostsAtMostItsFrameAndIsSaid) {
  const Trace trace = small_trace();
  const FileBytes bytes = to_native(trace);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int bit : {0, 7}) {
      FileBytes flipped = bytes;
      flipped[at] ^= std::byte(1 << bit);
      const Trace back = read_native(flipped, "t");
      EXPECT_FALSE(back.findings().empty()) << at;
      // Each rank has one block; a flip costs one of them at most.
      EXPECT_GE(back.call_count(), 3u) << at;
      EXPECT_EQ(back.call_count() + back.findings().count(kNativeLostCalls), trace.call_count());
    }
  }
}

TEST(Native, FlippedBytesOfAPayloadWithRepairedChecksumsNeverCrash) {
  const FileBytes bytes = to_native(small_trace());
  // Decompressed payloads, damaged and sealed again: what a hostile writer could do.
  std::size_t offset = native::kFileHeaderBytes;
  while (const auto header = native::frame_at(bytes, offset)) {
    const auto payload = native::payload_at(bytes, offset, *header);
    for (std::size_t at = 0; at < payload->size; ++at) {
      for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
        FileBytes damaged(payload->bytes().begin(), payload->bytes().end());
        damaged[at] = std::byte(value);
        native::ByteWriter frame;
        native::append_frame(frame, *header, damaged);
        FileBytes file(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(offset));
        file.insert(file.end(), frame.bytes().begin(), frame.bytes().end());
        file.insert(file.end(),
                    bytes.begin() + static_cast<std::ptrdiff_t>(offset + native::kFrameHeaderBytes +
                                                                header->stored_bytes),
                    bytes.end());
        const Trace back = read_native(file, "t");
        EXPECT_LE(back.ranks(), 64);
        EXPECT_EQ(to_text(read_text(to_text(back), "t")), to_text(back));
      }
    }
    offset += native::kFrameHeaderBytes + static_cast<std::size_t>(header->stored_bytes);
  }
}

TEST(Native, PayloadsKeepToTheRatioThatReadersDemand) {
  const FileBytes zeros(10'000'000);
  native::ByteWriter frame;
  native::append_frame(frame, {}, zeros);
  EXPECT_GE(frame.size() * native::kMaxRatio, zeros.size());
  const auto header = native::frame_at(frame.bytes(), 0);
  ASSERT_TRUE(header);
  const auto payload = native::payload_at(frame.bytes(), 0, *header);
  ASSERT_TRUE(payload);
  EXPECT_EQ(payload->size, zeros.size());
}

TEST(RepairRegions, DropsAndClosesWhatDoesNotNest) {
  RankCallsBuilder calls;
  const auto add = [&](std::uint32_t region, bool enter) {
    calls.append_region({.time_ns = 0, .region = region, .before_call = 0, .enter = enter});
  };
  add(7, false);  // its enter was lost
  add(1, true);
  add(2, true);  // its leave was lost
  add(1, false);
  add(3, true);  // open to the end
  EXPECT_EQ(native::repair_regions(calls), 2u);
  std::string seen;
  for (const RegionEvent& e : calls.regions()) {
    seen += (e.enter ? "+" : "-") + std::to_string(e.region);
  }
  EXPECT_EQ(seen, "+1+2-2-1+3");
}

}  // namespace
}  // namespace slackline
