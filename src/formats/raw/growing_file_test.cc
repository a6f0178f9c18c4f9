#include "formats/raw/growing_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

#include "formats/raw/findings.h"
#include "formats/raw/testing/raw_file_builder.h"
#include "record/raw_file.h"

namespace slackline::raw {
namespace {

using slackline::testing::RawFileBuilder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint64_t kFirstTime = 2000;

/// Writes records as the recorder's threads do (runtime/record/recorder.h), number i with i in all
/// that it says.
class Writer {
 public:
  explicit Writer(const std::filesystem::path& path) {
    EXPECT_TRUE(file_.create(path.c_str(), RawFileBuilder(0, 1).header()));
  }

  void event(std::size_t n_args) {
    ASSERT_TRUE(file_.reserve(slots_of_args(n_args)));
    slk_record* const head = file_.head();
    *head = record(SLK_REC_RESOLVED);
    head->op = 0;
    finish(head, n_args);
    __atomic_store_n(&head->op, std::uint8_t{SLK_REC_RESOLVED}, __ATOMIC_RELEASE);
    file_.advance(slots_of_args(n_args));
    ++written_;
  }
  void open_call() {
    ASSERT_TRUE(file_.reserve(2));
    open_ = file_.head();
    *open_ = slk_record{};
    open_->begin_ns = time();
    __atomic_store_n(&open_->op, std::uint8_t{SLK_OP_waitall}, __ATOMIC_RELEASE);
  }
  void close_call(std::size_t n_args) {
    ASSERT_TRUE(file_.reserve(slots_of_args(n_args)));
    open_ = file_.head();
    open_->bytes = time();
    finish(open_, n_args);
    __atomic_signal_fence(__ATOMIC_RELEASE);
    open_->end_ns = time() + 1;
    file_.advance(slots_of_args(n_args));
    ++written_;
  }
  /// An unsuccessful test, of which several become one record.
  void polls(int count) {
    open_call();
    close_call(2);
    slk_record* const head = open_;
    head->flags = SLK_FLAG_FAILED;
    for (int i = 1; i < count; ++i) {
      ASSERT_TRUE(file_.reserve(2));
      if (file_.head() != head + 2) return;  // the stage was emptied
      open_call();
      __atomic_store_n(&open_->op, std::uint8_t{0}, __ATOMIC_RELEASE);
      ++head->end_ns;
    }
  }
  void end() { file_.finish(); }
  std::uint64_t written() const { return written_; }
  slk_raw_header& header() { return file_.header(); }

 private:
  static std::size_t slots_of_args(std::size_t n_args) {
    return 1 + (n_args + SLK_ARGS_PER_SLOT - 1) / SLK_ARGS_PER_SLOT;
  }
  std::uint64_t time() const { return kFirstTime + written_; }
  slk_record record(std::uint8_t op) const {
    return {time(), time() + 1, time(), SLK_PEER_NONE, 0, 0, 0, 0, 0, 0, op};
  }
  void finish(slk_record* head, std::size_t n_args) {
    auto* args = reinterpret_cast<std::int64_t*>(head + 1);
    for (std::size_t i = 0; i < n_args; ++i) args[i] = static_cast<std::int64_t>(time());
    head->n_args = static_cast<std::uint32_t>(n_args);
  }

  record::RawFile file_;
  slk_record* open_ = nullptr;
  std::uint64_t written_ = 0;
};

/// What a Writer has written, read piece by piece.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : file_(path) {}

  void read() {
    file_.read([&](const Record& record, GrowingFile::Position position) {
      if (record.head.op == SLK_REC_STAGE_WRITTEN) return;
      const std::uint64_t number = kFirstTime + taken_++;
      good_ = good_ && record.head.begin_ns == number && record.head.bytes == number &&
              record.head.end_ns > number && std::ranges::all_of(record.args, [&](std::int64_t a) {
                return a == static_cast<std::int64_t>(number);
              });
      if (number % 100 == 0) places_.push_back(position);
    });
  }
  const GrowingFile& file() const { return file_; }
  std::uint64_t taken() const { return taken_; }
  bool good() const { return good_; }
  const std::vector<GrowingFile::Position>& places() const { return places_; }

 private:
  GrowingFile file_;
  std::uint64_t taken_ = 0;
  bool good_ = true;
  std::vector<GrowingFile::Position> places_;
};

template <class Random>
void write_any(Writer& writer, Random& random) {
  const std::size_t kind = random() % 1000;
  if (kind == 0) return writer.event(10'000);  // more than the stage holds
  if (kind < 100) return writer.polls(static_cast<int>(kind));
  if (kind < 300) return writer.event(kind % 20);
  writer.open_call();
  writer.close_call(kind % 9);
}

class GrowingFileTest : public slackline::testing::RawReaderTest {
 protected:
  std::filesystem::path path() const { return folder_ / "rank-0.slkraw"; }
};

TEST_F(GrowingFileTest, PiecesOfAnyLengthAreTheWholeFile) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::filesystem::remove(path());
    std::mt19937 random(seed);
    Writer writer(path());
    Reader reader(path());
    const std::size_t longest = std::size_t{1} << (seed % 14);
    while (writer.written() < 20'000) {
      for (std::size_t n = random() % longest + 1; n > 0; --n) write_any(writer, random);
      reader.read();
      ASSERT_TRUE(reader.good());
      ASSERT_LE(reader.taken(), writer.written());
    }
    writer.end();
    reader.read();
    EXPECT_TRUE(reader.good());
    EXPECT_EQ(reader.taken(), writer.written());
    Reader at_once(path());
    at_once.read();
    EXPECT_TRUE(at_once.good());
    EXPECT_EQ(at_once.taken(), writer.written());
    EXPECT_TRUE(reader.file().findings().empty());
    const auto kept = reader.file().records_at(reader.places());
    ASSERT_EQ(kept.size(), reader.places().size());
    for (const KeptRecord& record : kept) EXPECT_EQ(record.head.begin_ns % 100, 0u);
  }
}

TEST_F(GrowingFileTest, RecordsAreWholeWhileTheyAreWritten) {
  Writer writer(path());
  Reader reader(path());
  std::atomic<bool> done = false;
  std::thread thread([&] {
    std::mt19937 random(7);
    while (writer.written() < 300'000) write_any(writer, random);
    writer.end();
    done = true;
  });
  while (!done) reader.read();
  thread.join();
  reader.read();
  EXPECT_TRUE(reader.good());
  EXPECT_EQ(reader.taken(), writer.written());
  EXPECT_TRUE(reader.file().findings().empty());
}

std::vector<std::uint64_t> begins(GrowingFile& file) {
  std::vector<std::uint64_t> times;
  file.read([&](const Record& record, auto) { times.push_back(record.head.begin_ns); });
  return times;
}

TEST_F(GrowingFileTest, ACallUnderWayAndAPollThatMayGoOnAreUnsettled) {
  RawFileBuilder built(0, 1);
  built.call(SLK_OP_init, 2000, 2100);
  built.add({2200, 2300, 0, -1, 0, 0, 0, 0, 0, SLK_FLAG_FAILED, SLK_OP_test}, {3, 90});
  built.add({2200, 2200, 50, -1, 0, 0, 0, 0, 0, 0, SLK_REC_OFF_PROCESSOR});
  built.call(SLK_OP_recv, 2400, 0);
  write("rank-0.slkraw", built.staged_bytes());
  GrowingFile file(path());
  EXPECT_THAT(begins(file), ElementsAre(2000));
  ASSERT_EQ(file.unsettled().size(), 2u);
  EXPECT_EQ(file.unsettled()[0].op, SLK_OP_test);
  EXPECT_EQ(file.unsettled()[1].op, SLK_OP_recv);
  // The call has returned, and with it nothing can be joined with the poll any more.
  std::string settled = built.staged_bytes();
  const std::uint64_t end = 2500;
  std::memcpy(settled.data() + SLK_RAW_HEADER_BYTES + 4 * sizeof(slk_record) + 8, &end, sizeof end);
  write("rank-0.slkraw", settled);
  EXPECT_THAT(begins(file), ElementsAre(2200, 2200, 2400));
  EXPECT_THAT(file.unsettled(), IsEmpty());
}

TEST_F(GrowingFileTest, AStageThatWasAppendedAndNotClearedCountsOnce) {
  RawFileBuilder built(0, 1);
  built.call(SLK_OP_init, 2000, 2100).call(SLK_OP_barrier, 2200, 2300);
  write("rank-0.slkraw", built.repeated_bytes({}));
  GrowingFile file(path());
  EXPECT_THAT(begins(file), ElementsAre(2000, 2200));
  EXPECT_THAT(begins(file), IsEmpty());
}

TEST_F(GrowingFileTest, DamageEndsAFileAndNothingElse) {
  RawFileBuilder built(0, 1);
  built.call(SLK_OP_init, 2000, 2100).call(SLK_OP_barrier, 2200, 2300);
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes = i % 2 == 0 ? built.bytes() : built.staged_bytes();
    for (unsigned flips = random() % 8 + 1; flips > 0; --flips) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    bytes.resize(random() % 3 == 0 ? random() % bytes.size() : bytes.size());
    write("rank-0.slkraw", bytes);
    GrowingFile file(path());
    EXPECT_LE(begins(file).size() + begins(file).size(), 4u);
  }
  std::string torn = built.bytes();
  torn.resize(torn.size() - sizeof(slk_record));
  write("rank-0.slkraw", torn);
  GrowingFile file(path());
  EXPECT_THAT(begins(file), ElementsAre(2000));
  write("rank-0.slkraw", built.bytes());  // the file system shows the rest
  EXPECT_THAT(begins(file), ElementsAre(2200));
}

TEST_F(GrowingFileTest, ZerosInTheAppendedPartAreDamage) {
  RawFileBuilder built(0, 1);
  built.call(SLK_OP_init, 2000, 2100).add({});
  write("rank-0.slkraw", built.bytes());
  GrowingFile file(path());
  EXPECT_THAT(begins(file), ElementsAre(2000));
  EXPECT_EQ(file.findings().count(kTruncatedFile), 1u);
  EXPECT_EQ(file.read([](const Record&, auto) {}), GrowingFile::State::damaged);
}

TEST_F(GrowingFileTest, FilesThatWereRemovedOrReplacedAreGone) {
  RawFileBuilder built(0, 1);
  built.call(SLK_OP_init, 2000, 2100);
  write("rank-0.slkraw", built.bytes());
  GrowingFile removed(path());
  GrowingFile replaced(path());
  EXPECT_THAT(begins(removed), ElementsAre(2000));
  EXPECT_THAT(begins(replaced), ElementsAre(2000));
  built.header().pid = 4711;
  write("rank-0.slkraw", built.bytes());
  EXPECT_EQ(replaced.read([](const Record&, auto) {}), GrowingFile::State::gone);
  std::filesystem::remove(path());
  EXPECT_EQ(removed.read([](const Record&, auto) {}), GrowingFile::State::gone);
}

}  // namespace
}  // namespace slackline::raw
