#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/testing/scratch_folder.h"
#include "formats/raw/reader.h"
#include "formats/raw/testing/shared_reading.h"

namespace slackline::testing {

/// Writes raw files as the recorder would.
class RawFileBuilder {
 public:
  RawFileBuilder(std::int32_t rank, std::int32_t ranks) {
    header_.magic = SLK_WIRE_MAGIC;
    header_.version = SLK_WIRE_VERSION;
    header_.header_bytes = SLK_RAW_HEADER_BYTES;
    header_.rank = rank;
    header_.world_size = ranks;
    header_.finalized = 1;
    header_.monotonic_ns = 1000;
    std::strcpy(header_.host, "node");
    std::strcpy(header_.boot_id, "boot");
  }

  slk_raw_header& header() { return header_; }

  RawFileBuilder& add(slk_record record, const std::vector<std::int64_t>& args = {}) {
    record.n_args = static_cast<std::uint32_t>(args.size());
    const std::size_t slots = 1 + (args.size() + SLK_ARGS_PER_SLOT - 1) / SLK_ARGS_PER_SLOT;
    std::string bytes(slots * sizeof record, '\0');
    std::memcpy(bytes.data(), &record, sizeof record);
    if (!args.empty()) std::memcpy(bytes.data() + sizeof record, args.data(), args.size() * 8);
    records_ += bytes;
    return *this;
  }
  RawFileBuilder& call(slk_operation op, std::uint64_t begin, std::uint64_t end,
                       std::int32_t peer = SLK_PEER_NONE, std::uint32_t request = 0) {
    return add({begin, end, 8, peer, 5, 0, request, 0, 0, 0, static_cast<std::uint8_t>(op)});
  }

  std::string bytes() const { return file({}, records_); }
  /// What was added so far stands in the stage.
  std::string staged_bytes() const { return file(records_, {}); }
  /// Died between appending and clearing: the same records in both, and `open` after them.
  std::string repeated_bytes(const std::string& open) const {
    return file(records_ + open, records_);
  }
  const std::string& records() const { return records_; }

 private:
  std::string file(std::string stage, const std::string& appended) const {
    if (!stage.empty()) stage.resize(std::max<std::size_t>(4096, stage.size()), '\0');
    slk_raw_header header = header_;
    header.stage_bytes = stage.size();
    header.appended_bytes = appended.size();
    std::string all(SLK_RAW_HEADER_BYTES, '\0');
    std::memcpy(all.data(), &header, sizeof header);
    return all + stage + appended;
  }

  slk_raw_header header_{};
  std::string records_;
};

class RawReaderTest : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  /// As one process reads it, and several together.
  Trace read() {
    SingleProcess alone;
    RawPart whole = read_raw(folder_, alone);
    const ScratchFolder written("together");
    for (const int processes : {2, 3}) {
      EXPECT_TRUE(processes_read_the_same(folder_, whole, processes,
                                          written / (std::to_string(processes) + ".slk")));
    }
    return std::move(whole.trace);
  }

  ScratchFolder scratch_;
  const std::filesystem::path& folder_ = scratch_.path();
};

}  // namespace slackline::testing
