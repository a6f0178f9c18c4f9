#include "formats/raw/raw_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "formats/raw/findings.h"
#include "trace/sample_wire.h"

namespace slackline::raw {

namespace {

/// Before this version slk_record::path was the thread.
constexpr std::uint32_t kPathsSince = 4;
constexpr std::int64_t kDayNs = 86'400'000'000'000;

/// The number that the record's kind has today.
std::uint8_t present_kind(std::uint8_t op, std::uint32_t version) {
  constexpr std::uint8_t kFirst = 200;
  constexpr std::uint8_t kLast = 218;
  constexpr std::uint8_t kSample = 240;
  constexpr std::uint8_t kUnknown = 255;
  if (version > SLK_WIRE_FEWER_OPERATIONS || op < kFirst) return op;
  if (op <= kLast) return static_cast<std::uint8_t>(op - kFirst + SLK_REC_COMM);
  if (op == kSample) return SLK_REC_SAMPLE;
  return op == kSample + 1 ? SLK_REC_BLOCKED_AT : kUnknown;
}

/// Fixed-size text fields may lack their end after damage.
template <std::size_t N>
void terminate(char (&text)[N]) {
  text[N - 1] = '\0';
}

}  // namespace

slk_sampling_header File::sampling() const {
  slk_sampling_header header{};
  const auto bytes = mapped_.bytes();
  if (bytes.size() >= SLK_SAMPLING_HEADER_AT + sizeof header) {
    std::memcpy(&header, bytes.data() + SLK_SAMPLING_HEADER_AT, sizeof header);
  }
  return header;
}

bool known_kind(std::uint8_t op) {
  return (op > 0 && op < SLK_OPERATION_COUNT) || (op >= SLK_REC_COMM && op <= SLK_REC_PARALLEL) ||
         op == SLK_REC_SAMPLE || op == SLK_REC_BLOCKED_AT || op == SLK_REC_BLOCKING_CALLS;
}

bool check_header(slk_raw_header& header) {
  terminate(header.host);
  terminate(header.boot_id);
  terminate(header.mpi_version);
  terminate(header.program);
  terminate(header.hidden_calls);
  terminate(header.unrecorded_calls);
  terminate(header.unseen_libraries);
  return header.magic == SLK_WIRE_MAGIC && header.version >= SLK_WIRE_OLDEST &&
         header.version <= SLK_WIRE_VERSION && header.header_bytes == SLK_RAW_HEADER_BYTES &&
         header.world_size > 0 && header.rank >= 0 && header.rank < header.world_size;
}

bool plausible_time(const slk_raw_header& header, std::uint64_t ns) {
  const std::int64_t since = elapsed_ns(header.monotonic_ns, ns);
  return since > -kDayNs && since < 1000 * kDayNs;
}

File::File(const std::filesystem::path& path) : mapped_(path), name_(path.filename().string()) {
  read_header();
}

void File::read_header() {
  const auto bytes = mapped_.bytes();
  if (bytes.size() < sizeof header_) {
    findings_.add(kDamagedFile, fmt::format("{} (too short)", name_));
    return;
  }
  std::memcpy(&header_, bytes.data(), sizeof header_);
  valid_ = check_header(header_);
  if (!valid_) findings_.add(kDamagedFile, name_);
}

slk_record File::slot(std::size_t at) const {
  slk_record record;
  std::memcpy(&record, mapped_.bytes().data() + at, kSlotBytes);
  record.op = present_kind(record.op, header_.version);
  return record;
}

/// Indexes the records of one part of the file. Returns where it ends.
std::size_t File::index_part(std::size_t from, std::size_t bytes, bool is_stage) {
  const std::size_t end = from + bytes / kSlotBytes * kSlotBytes;
  std::size_t at = from;
  while (at < end) {
    const slk_record head = slot(at);
    if (head.op == 0) break;
    const std::size_t slots = slots_of(head);
    if (slots > (end - at) / kSlotBytes) break;
    if (known_kind(head.op) && plausible_time(header_, head.begin_ns)) {
      at_.push_back(static_cast<std::uint32_t>(at / sizeof(std::int64_t)));
    } else {
      findings_.add(kDamagedRecord, fmt::format("{}, byte {}", name_, at));
    }
    at += slots * kSlotBytes;
  }
  // The stage ends at the first free slot; what was appended is full of records.
  const bool whole = at == end || (is_stage && slot(at).op == 0);
  if (!whole) findings_.add(kTruncatedFile, name_);
  return at;
}

/// The rank died after appending the stage and before clearing it. A call that was under way then
/// stands at the stage's end and was not appended.
void File::drop_repeated_stage(std::size_t first_of_stage, std::size_t stage_end) {
  if (first_of_stage == at_.size()) return;
  const std::size_t from = std::size_t{at_[first_of_stage]} * sizeof(std::int64_t);
  const std::size_t last = std::size_t{at_.back()} * sizeof(std::int64_t);
  const bool open = slot(last).end_ns == 0;
  const std::size_t bytes = (open ? last : stage_end) - from;
  const std::size_t body_end = SLK_RAW_HEADER_BYTES + header_.stage_bytes + header_.appended_bytes;
  if (bytes == 0 || bytes > header_.appended_bytes) return;
  const std::byte* data = mapped_.bytes().data();
  if (std::memcmp(data + from, data + body_end - bytes, bytes) != 0) return;
  const std::uint32_t open_at = at_.back();
  at_.resize(first_of_stage);
  if (open) at_.push_back(open_at);
}

void File::index() {
  const std::size_t size = mapped_.bytes().size();
  const std::size_t most = size > SLK_RAW_HEADER_BYTES ? size - SLK_RAW_HEADER_BYTES : 0;
  constexpr std::uint64_t kIndexable = std::uint64_t{1} << 35;  // 8-byte units in 32 bits
  if (size >= kIndexable || header_.stage_bytes % sizeof(std::int64_t) != 0) {
    findings_.add(kDamagedFile, name_);
    return;
  }
  if (header_.stage_bytes > most || header_.appended_bytes > most - header_.stage_bytes) {
    findings_.add(kTruncatedFile, name_);
    header_.stage_bytes = std::min<std::uint64_t>(header_.stage_bytes, most);
    header_.appended_bytes = most - header_.stage_bytes;
  }
  index_part(SLK_RAW_HEADER_BYTES + header_.stage_bytes, header_.appended_bytes, false);
  const std::size_t first_of_stage = at_.size();
  const std::size_t stage_end = index_part(SLK_RAW_HEADER_BYTES, header_.stage_bytes, true);
  drop_repeated_stage(first_of_stage, stage_end);
}

Record File::operator[](std::size_t i) const {
  const std::size_t at = std::size_t{at_[i]} * sizeof(std::int64_t);
  slk_record head = slot(at);
  const bool old = header_.version < kPathsSince;
  const auto thread = old ? head.path : static_cast<std::uint16_t>(header_.thread);
  if (old) head.path = 0;
  // The mapping is page aligned and `at` a multiple of 8 bytes, so arguments are aligned.
  const auto* args =
      reinterpret_cast<const std::int64_t*>(mapped_.bytes().data() + at + kSlotBytes);
  return {head, {args, head.n_args}, thread};
}

}  // namespace slackline::raw
