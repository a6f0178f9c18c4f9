#include "trace/readers/raw/raw_file.h"

#include <fmt/format.h>

#include <cstring>

#include "trace/readers/raw/findings.h"

namespace slackline::raw {

namespace {

constexpr std::size_t kSlotBytes = sizeof(slk_record);
constexpr std::uint64_t kDayNs = 86'400'000'000'000ull;

bool known_kind(std::uint8_t op) {
  return (op > 0 && op < SLK_OPERATION_COUNT) || (op >= SLK_REC_COMM && op <= SLK_REC_RECORDING_ON);
}

/// Fixed-size text fields may lack their end after damage.
template <std::size_t N>
void terminate(char (&text)[N]) {
  text[N - 1] = '\0';
}

}  // namespace

bool plausible_time(const slk_raw_header& header, std::uint64_t ns) {
  return ns + kDayNs > header.monotonic_ns && ns < header.monotonic_ns + 1000 * kDayNs;
}

File::File(const std::filesystem::path& path) : mapped_(path), name_(path.filename().string()) {
  read_header();
  if (valid_) index();
}

void File::read_header() {
  const auto bytes = mapped_.bytes();
  if (bytes.size() < sizeof header_) {
    findings_.add(kDamagedFile, fmt::format("{} (too short)", name_));
    return;
  }
  std::memcpy(&header_, bytes.data(), sizeof header_);
  terminate(header_.host);
  terminate(header_.boot_id);
  terminate(header_.mpi_version);
  terminate(header_.program);
  valid_ = header_.magic == SLK_WIRE_MAGIC && header_.version == SLK_WIRE_VERSION &&
           header_.header_bytes == SLK_RAW_HEADER_BYTES && header_.world_size > 0 &&
           header_.rank >= 0 && header_.rank < header_.world_size;
  if (!valid_) findings_.add(kDamagedFile, name_);
}

slk_record File::slot(std::size_t i) const {
  slk_record record;
  std::memcpy(&record, mapped_.bytes().data() + SLK_RAW_HEADER_BYTES + i * kSlotBytes, kSlotBytes);
  return record;
}

void File::index() {
  const std::size_t bytes = mapped_.bytes().size();
  if (bytes < SLK_RAW_HEADER_BYTES) return;
  const std::size_t count = (bytes - SLK_RAW_HEADER_BYTES) / kSlotBytes;
  for (std::size_t i = 0; i < count;) {
    const slk_record head = slot(i);
    if (head.op == 0) return;
    const std::size_t slots =
        1 + (std::size_t{head.n_args} + SLK_ARGS_PER_SLOT - 1) / SLK_ARGS_PER_SLOT;
    if (slots > count - i) {
      findings_.add(kTruncated, name_);
      return;
    }
    if (known_kind(head.op) && plausible_time(header_, head.begin_ns)) {
      slots_.push_back(static_cast<std::uint32_t>(i));
    } else {
      findings_.add(kDamagedRecord, fmt::format("{}, slot {}", name_, i));
    }
    i += slots;
  }
}

Record File::operator[](std::size_t i) const {
  const std::size_t at = slots_[i];
  const slk_record head = slot(at);
  // The mapping is page aligned and a slot is a multiple of 8 bytes, so arguments are aligned.
  const auto* args = reinterpret_cast<const std::int64_t*>(
      mapped_.bytes().data() + SLK_RAW_HEADER_BYTES + (at + 1) * kSlotBytes);
  return {head, {args, head.n_args}};
}

}  // namespace slackline::raw
