// A binary file: a magic number, the calls, and sections (header, footer, sizes of datatypes, ...)
// whose offsets the index at its very end holds, after the magic number again. All numbers have
// their high byte first. A file without an index was cut, or its rank ended without MPI_Finalize:
// its calls are there all the same, right after the magic number.

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "formats/dumpi/rank_file.h"
#include "trace/symbol_names.h"

namespace slackline::dumpi {
namespace {

constexpr std::uint64_t kMagic = 0xffaadd44554d5049;  // 0xff 0xaa 0xdd "DUMPI"
constexpr std::uint64_t kFooterMagic = 0xf007fee7;
constexpr std::size_t kWord = 8;

// Which optional parts a call's record has.
enum Mask : std::uint8_t {
  kHasStatuses = 3,
  kHasCpuTimes = 1 << 2,
  kHasWallTimes = 1 << 3,
  kHasThread = 1 << 6,
  kHasCounters = 1 << 7
};

// Reads numbers from left to right. Beyond the end it gives zeros and is no longer ok().
class Cursor {
 public:
  Cursor(std::span<const std::byte> bytes, std::size_t at)
      : bytes_(bytes), at_(std::min(at, bytes.size())), ok_(at <= bytes.size()) {}

  bool ok() const { return ok_; }
  std::size_t left() const { return bytes_.size() - at_; }
  std::uint64_t number(std::size_t width) {
    if (!claim(width)) return 0;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < width; ++i) {
      value = value << 8U | std::to_integer<std::uint64_t>(bytes_[at_ - width + i]);
    }
    return value;
  }
  std::int64_t signed_number(std::size_t width) {
    const std::uint64_t value = number(width);
    const unsigned unused = static_cast<unsigned>(kWord - width) * 8;
    return static_cast<std::int64_t>(value << unused) >> unused;
  }
  std::string_view text(std::size_t length) {
    if (!claim(length)) return {};
    return {reinterpret_cast<const char*>(bytes_.data() + (at_ - length)), length};
  }
  /// A 32-bit length of elements of at least `width` bytes each.
  std::size_t length(std::size_t width) {
    const std::uint64_t length = number(4);
    if (length * width > left()) ok_ = false;
    return ok_ ? static_cast<std::size_t>(length) : 0;
  }
  void skip(std::size_t bytes) { claim(bytes); }

 private:
  bool claim(std::size_t bytes) {
    ok_ = ok_ && bytes <= left();
    if (ok_) at_ += bytes;
    return ok_;
  }

  std::span<const std::byte> bytes_;
  std::size_t at_;
  bool ok_;
};

// Offsets of the sections; 0 is none.
struct Index {
  bool found = false;
  std::size_t type_sizes = 0;
  std::size_t functions = 0;
  std::size_t header = 0;
  std::size_t body = kWord;
  std::size_t footer = 0;
};

// The index is the magic number and offsets: at first four, to which later versions added others in
// front.
Index read_index(std::span<const std::byte> bytes) {
  constexpr std::size_t kFewest = 4;
  constexpr std::size_t kMost = 7;
  for (std::size_t words = kFewest; words <= kMost; ++words) {
    const std::size_t size = (words + 1) * kWord;
    if (bytes.size() < size + kWord) break;
    Cursor cursor(bytes, bytes.size() - size);
    if (cursor.number(kWord) != kMagic) continue;
    Index index;
    index.found = true;
    if (words >= 7) index.type_sizes = cursor.number(kWord);
    if (words >= 6) index.functions = cursor.number(kWord);
    if (words >= 5) cursor.skip(kWord);  // names of counters
    index.header = cursor.number(kWord);
    index.body = cursor.number(kWord);
    index.footer = cursor.number(kWord);
    return index;
  }
  return {};
}

void read_header(std::span<const std::byte> bytes, std::size_t at, const std::string& name,
                 FileFacts& facts) {
  Cursor cursor(bytes, at);
  const auto major = cursor.number(1);
  const auto minor = cursor.number(1);
  const auto patch = cursor.number(1);
  // Before 0.6.9 some calls' records have other parts.
  if (cursor.ok() && major == 0 && (minor < 6 || (minor == 6 && patch < 9))) {
    throw Error(fmt::format("cannot read '{}'", name),
                fmt::format("it is of version {}.{}.{} of DUMPI's format, whose records differ",
                            major, minor, patch),
                "Convert it by a newer dumpi2dumpi: versions from 0.6.9 on are read.");
  }
  const std::uint64_t seconds = cursor.number(kWord);
  facts.host = cursor.text(cursor.number(2));
  constexpr std::uint64_t kYear3000 = 32'503'680'000;
  if (!cursor.ok() || seconds == 0 || seconds > kYear3000) return;
  const auto time = static_cast<std::time_t>(seconds);
  facts.started = fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", fmt::gmtime(time));
}

void read_type_sizes(std::span<const std::byte> bytes, std::size_t at, FileFacts& facts) {
  Cursor cursor(bytes, at);
  const std::size_t count = cursor.length(4);
  for (std::size_t i = 0; i < count; ++i) {
    facts.type_bytes[static_cast<std::int64_t>(i)] = cursor.number(4);
  }
}

void read_functions(std::span<const std::byte> bytes, std::size_t at, FileFacts& facts) {
  Cursor cursor(bytes, at);
  const std::size_t count = cursor.length(kWord);
  for (std::size_t i = 0; i < count && cursor.ok(); ++i) {
    const std::uint64_t address = cursor.number(kWord);
    const std::string_view name = cursor.text(cursor.number(2));
    if (cursor.ok()) facts.functions.emplace(address, readable_symbol(name));
  }
}

// How often each function was called, then how often it was left out.
void read_footer(std::span<const std::byte> bytes, std::size_t at, FileFacts& facts) {
  Cursor cursor(bytes, at);
  if (cursor.number(kWord) != kFooterMagic) return;
  constexpr std::size_t kCounts = kAllFunctions + 1;
  cursor.skip(kCounts * 4);
  for (std::uint16_t number = 0; number < kAllFunctions; ++number) {
    const std::uint64_t count = cursor.number(4);
    if (count > 0) facts.left_out.emplace_back(function(number), count);
  }
}

// Times are seconds in 16 bits, which begin anew every 18 hours, and nanoseconds.
class Clock {
 public:
  explicit Clock(std::int64_t bias_s) : bias_s_(bias_s) {}

  std::int64_t read(Cursor& cursor) {
    const auto seconds = static_cast<std::int64_t>(cursor.number(2));
    const auto nanos = static_cast<std::int64_t>(cursor.number(4));
    constexpr std::int64_t kTurn = 1 << 16;
    if (seconds < last_s_ - kTurn / 2) turns_s_ += kTurn;
    last_s_ = seconds;
    return (bias_s_ + turns_s_ + seconds) * kNanosPerSecond + nanos;
  }
  Interval interval(Cursor& cursor) {
    const std::int64_t begin = read(cursor);
    return {begin, read(cursor)};
  }

 private:
  std::int64_t bias_s_;
  std::int64_t last_s_ = 0;
  std::int64_t turns_s_ = 0;
};

class StreamReader {
 public:
  StreamReader(std::span<const std::byte> bytes, std::size_t body)
      : cursor_(bytes, body), cpu_(cursor_.signed_number(4)), wall_(cursor_.signed_number(4)) {}

  StreamEnd read(const RecordVisitor& visit) {
    for (;;) {
      const auto number = static_cast<std::uint16_t>(cursor_.number(2));
      if (!cursor_.ok()) return {};
      if (number == kEndOfStream) return {true, 0};
      record_.clear();
      if (!read_record(number)) return {};
      visit(record_);
    }
  }

 private:
  bool read_record(std::uint16_t number) {
    const bool program = number == kFunctionEnter || number == kFunctionExit;
    const Function* const called = function(number);
    if (called == nullptr && !program) return false;
    mask_ = static_cast<std::uint8_t>(cursor_.number(1));
    if ((mask_ & kHasThread) != 0) record_.thread = static_cast<std::uint16_t>(cursor_.number(2));
    if ((mask_ & kHasCpuTimes) != 0) record_.cpu = cpu_.interval(cursor_);
    if ((mask_ & kHasWallTimes) != 0) record_.wall = wall_.interval(cursor_);
    if ((mask_ & kHasCounters) != 0) skip_counters();
    record_.function = called;
    if (program) {
      record_.enters = number == kFunctionEnter;
      record_.address = cursor_.number(kWord);
      return cursor_.ok();
    }
    for (const Item& item : called->items) read_item(item);
    return cursor_.ok();
  }

  void skip_counters() {
    record_.has_counters = true;
    cursor_.skip(cursor_.number(1) * 2 * kWord);
  }

  void read_item(const Item& item) {
    if (item.at_root && record_[Scalar::comm_rank] != record_[Scalar::root]) return;
    switch (item.kind) {
      case Item::Kind::scalar:
        record_.scalars[item.which] = cursor_.signed_number(item.width);
        break;
      case Item::Kind::array:
        read_array(item.width, record_.arrays[item.which]);
        break;
      case Item::Kind::statuses:
        if ((mask_ & kHasStatuses) != 0) read_statuses();
        break;
      case Item::Kind::text:
        cursor_.skip(cursor_.length(1));
        break;
      case Item::Kind::texts:
        read_texts(record_.texts);
        break;
      case Item::Kind::lists_of_texts: {
        std::vector<std::string> unused;
        for (std::size_t i = cursor_.length(4); i > 0; --i) read_texts(unused);
        break;
      }
      case Item::Kind::ranges:
        record_.ranges.resize(cursor_.length(4));
        for (auto& range : record_.ranges) read_array(4, range);
        break;
      case Item::Kind::unused:
        cursor_.skip(item.width);
        break;
      case Item::Kind::unused_array:
        cursor_.skip(cursor_.length(item.width) * item.width);
        break;
    }
  }

  void read_array(std::size_t width, std::vector<std::int64_t>& values) {
    values.resize(cursor_.length(width));
    for (std::int64_t& value : values) value = cursor_.signed_number(width);
  }

  void read_texts(std::vector<std::string>& texts) {
    for (std::size_t i = cursor_.length(4); i > 0; --i) {
      texts.emplace_back(cursor_.text(cursor_.length(1)));
    }
  }

  void read_statuses() {
    constexpr std::size_t kStatusBytes = 14;
    record_.statuses.resize(cursor_.length(kStatusBytes));
    for (Status& status : record_.statuses) {
      status.bytes = cursor_.signed_number(4);
      status.source = cursor_.signed_number(4);
      cursor_.skip(2);  // cancelled, error
      status.tag = cursor_.signed_number(4);
    }
  }

  Cursor cursor_;
  Clock cpu_;
  Clock wall_;
  Record record_;
  std::uint8_t mask_ = 0;
};

}  // namespace

bool is_binary(std::span<const std::byte> bytes) {
  return bytes.size() >= kWord && Cursor(bytes, 0).number(kWord) == kMagic;
}

FileFacts binary_facts(std::span<const std::byte> bytes, const std::string& name) {
  FileFacts facts;
  const Index index = read_index(bytes);
  facts.complete = index.found;
  if (index.header != 0) read_header(bytes, index.header, name, facts);
  if (index.type_sizes != 0) read_type_sizes(bytes, index.type_sizes, facts);
  if (index.functions != 0) read_functions(bytes, index.functions, facts);
  if (index.footer != 0) read_footer(bytes, index.footer, facts);
  return facts;
}

StreamEnd read_binary(std::span<const std::byte> bytes, const RecordVisitor& visit) {
  return StreamReader(bytes, read_index(bytes).body).read(visit);
}

}  // namespace slackline::dumpi
