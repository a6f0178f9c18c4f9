#include "formats/raw/growing_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>

#include "base/error.h"
#include "formats/raw/findings.h"

namespace slackline::raw {

namespace {

constexpr std::size_t kPieceSlots = 4096;
/// How often the stage is read anew because it was emptied meanwhile.
constexpr int kAttempts = 3;

class Descriptor {
 public:
  explicit Descriptor(const std::filesystem::path& path)
      : number_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

/// How many bytes were there.
std::size_t read_bytes(int fd, std::uint64_t at, void* to, std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t n =
        pread(fd, static_cast<char*>(to) + done, bytes - done, static_cast<off_t>(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

std::vector<slk_record> read_slots(int fd, std::uint64_t at, std::size_t count) {
  std::vector<slk_record> slots(count);
  slots.resize(read_bytes(fd, at, slots.data(), count * kSlotBytes) / kSlotBytes);
  return slots;
}

/// The header's counter, which the recorder may be writing.
std::optional<std::uint64_t> read_appended_bytes(int fd) {
  constexpr std::uint64_t kAt = offsetof(slk_raw_header, appended_bytes);
  std::uint64_t value = 0;
  std::uint64_t again = 0;
  do {
    if (read_bytes(fd, kAt, &value, sizeof value) < sizeof value) return std::nullopt;
    if (read_bytes(fd, kAt, &again, sizeof again) < sizeof again) return std::nullopt;
  } while (value != again);
  return value;
}

bool is_call(const slk_record& head) {
  return (head.op > 0 && head.op < SLK_OPERATION_COUNT) || head.op == SLK_REC_ISENDRECV;
}

bool is_under_way(const slk_record& head) {
  return is_call(head) && head.end_ns == 0;
}

/// How many slots from the first on are the same in both.
std::size_t common_slots(std::span<const slk_record> a, std::span<const slk_record> b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t n = 0;
  while (n < most && std::memcmp(&a[n], &b[n], kSlotBytes) == 0) ++n;
  return n;
}

/// The records at the begin of a stage, by their first slots; the last one may be under way.
std::vector<std::size_t> records_in(std::span<const slk_record> stage) {
  std::vector<std::size_t> records;
  std::size_t at = 0;
  while (at < stage.size() && stage[at].op != 0) {
    const std::size_t slots = slots_of(stage[at]);
    if (slots > stage.size() - at) break;
    records.push_back(at);
    if (is_under_way(stage[at])) break;
    at += slots;
  }
  return records;
}

}  // namespace

GrowingFile::State GrowingFile::read(const Visit& visit) {
  if (state_ == State::gone) return state_;
  const Descriptor file(path_);
  const int fd = file.number();
  if (fd < 0 && errno != ENOENT && errno != ESTALE) {
    throw Error(fmt::format("cannot read '{}'", path_.string()), errno_text(),
                "Watch the job as the user who started it.");
  }
  const bool was_damaged = state_ == State::damaged && position_ > 0;
  state_ = fd < 0 ? State::gone : read_header(fd);
  if (was_damaged && state_ == State::readable) state_ = State::damaged;
  for (int attempt = 0; state_ == State::readable && attempt < kAttempts; ++attempt) {
    const auto appended = read_appended_bytes(fd);
    if (!appended) break;
    read_appended(fd, *appended, visit);
    // Else the file system shows less than the header says, and more at another time.
    if (state_ != State::readable || position_ < *appended) break;
    if (read_stage(fd, *appended, visit)) break;
  }
  return state_;
}

GrowingFile::State GrowingFile::read_header(int fd) {
  slk_raw_header header{};
  const bool whole = read_bytes(fd, 0, &header, sizeof header) == sizeof header;
  if (!whole || header.magic == 0) return position_ > 0 ? State::gone : State::empty;
  // Written by a recorder of this program, as it grows now.
  const bool current = header.version > SLK_WIRE_FEWER_OPERATIONS;
  if (!check_header(header) || !current) return State::damaged;
  const bool other_process =
      header.pid != header_.pid || header.monotonic_ns != header_.monotonic_ns;
  if (position_ > 0 && other_process) return State::gone;
  header_ = header;
  return State::readable;
}

/// Where one that makes no sense stands, the file ends.
void GrowingFile::read_appended(int fd, std::uint64_t appended, const Visit& visit) {
  while (state_ == State::readable && position_ + kSlotBytes <= appended) {
    const std::uint64_t left = (appended - position_) / kSlotBytes;
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left, kPieceSlots));
    const std::vector<slk_record> slots = read_slots(fd, body() + position_, wanted);
    if (slots.empty()) return;
    read_header(fd);  // what it says of the clock was written before the first record
    const std::size_t taken = visit_records(slots, visit);
    position_ += taken * kSlotBytes;
    if (taken > 0) continue;
    const std::size_t needed = slots_of(slots.front());
    if (slots.front().op == 0 || needed > left) {
      findings_.add(kTruncatedFile, path_.filename().string());
      state_ = State::damaged;
    } else if (slots.size() < wanted) {
      return;
    } else {
      // Larger than a piece: without its last arguments, which nobody needs.
      visit_record(slots, visit);
      position_ += needed * kSlotBytes;
    }
  }
}

/// False if the recorder has emptied the stage meanwhile.
bool GrowingFile::read_stage(int fd, std::uint64_t appended, const Visit& visit) {
  const std::uint64_t offset = position_ - appended;
  const std::uint64_t at = SLK_RAW_HEADER_BYTES + offset;
  unsettled_.clear();
  const std::size_t room =
      offset >= header_.stage_bytes
          ? 0
          : static_cast<std::size_t>(header_.stage_bytes - offset) / kSlotBytes;
  if (room == 0 || room > (std::size_t{1} << 24)) return true;
  const std::vector<slk_record> first = read_slots(fd, at, 1);
  const bool nothing = first.empty() || first.front().op == 0;
  const bool alone = nothing || is_under_way(first.front());
  const std::vector<slk_record> copy = alone ? first : read_slots(fd, at, room);
  const std::vector<slk_record> again = read_slots(fd, at, copy.size());
  if (read_appended_bytes(fd) != appended) return false;
  const std::span stage = std::span(copy).first(common_slots(copy, again));
  std::vector<std::size_t> records = records_in(stage);
  if (records.empty()) return true;
  const std::size_t last = records.back();
  const bool under_way = is_under_way(stage[last]);
  std::size_t end = under_way ? last : last + slots_of(stage[last]);
  if (offset == 0 && repeats_appended(fd, stage.first(end), appended)) return true;
  if (under_way) records.pop_back();
  const auto call =
      std::find_if(records.rbegin(), records.rend(), [&](auto r) { return is_call(stage[r]); });
  if (call != records.rend() && (stage[*call].flags & SLK_FLAG_FAILED) != 0) {
    unsettled_.push_back(stage[*call]);
    end = *call;
  }
  if (under_way) unsettled_.push_back(stage[last]);
  read_header(fd);
  position_ += visit_records(stage.first(end), visit) * kSlotBytes;
  return true;
}

/// The recorder has appended the stage and not yet cleared it.
bool GrowingFile::repeats_appended(int fd, std::span<const slk_record> stage,
                                   std::uint64_t appended) const {
  const std::uint64_t bytes = stage.size_bytes();
  if (bytes == 0 || bytes > appended) return false;
  const std::vector<slk_record> last = read_slots(fd, body() + appended - bytes, stage.size());
  return common_slots(stage, last) == stage.size();
}

/// The whole records at the begin of `slots`; returns how many slots these are.
std::size_t GrowingFile::visit_records(std::span<const slk_record> slots, const Visit& visit) {
  const Position begin = position_;
  std::size_t at = 0;
  while (at < slots.size() && slots[at].op != 0) {
    const std::size_t needed = slots_of(slots[at]);
    if (needed > slots.size() - at) break;
    position_ = begin + at * kSlotBytes;
    visit_record(slots.subspan(at, needed), visit);
    at += needed;
  }
  position_ = begin;
  return at;
}

/// The one of which these are the slots, as far as they go.
void GrowingFile::visit_record(std::span<const slk_record> slots, const Visit& visit) {
  const slk_record& head = slots.front();
  if (!known_kind(head.op) || !plausible_time(header_, head.begin_ns)) {
    findings_.add(kDamagedRecord, path_.filename().string());
    return;
  }
  const auto* args = reinterpret_cast<const std::int64_t*>(&head + 1);
  const std::size_t there = (slots.size() - 1) * SLK_ARGS_PER_SLOT;
  visit({head,
         {args, std::min<std::size_t>(there, head.n_args)},
         static_cast<std::uint16_t>(header_.thread)},
        position_);
}

std::vector<KeptRecord> GrowingFile::records_at(std::span<const Position> positions) const {
  std::vector<KeptRecord> records;
  const Descriptor file(path_);
  const int fd = file.number();
  const auto appended = fd < 0 ? std::nullopt : read_appended_bytes(fd);
  if (!appended) return records;
  for (const Position position : positions) {
    const std::uint64_t at =
        position < *appended ? body() + position : SLK_RAW_HEADER_BYTES + (position - *appended);
    const std::vector<slk_record> first = read_slots(fd, at, 1);
    if (first.empty() || slots_of(first.front()) > kPieceSlots) continue;
    const std::vector<slk_record> slots = read_slots(fd, at, slots_of(first.front()));
    if (slots.size() != slots_of(first.front())) continue;
    KeptRecord kept{slots.front(), std::vector<std::int64_t>(slots.front().n_args)};
    if (!kept.args.empty()) {
      std::memcpy(kept.args.data(), slots.data() + 1, kept.args.size() * sizeof(std::int64_t));
    }
    records.push_back(std::move(kept));
  }
  return read_appended_bytes(fd) == appended ? records : std::vector<KeptRecord>{};
}

}  // namespace slackline::raw
