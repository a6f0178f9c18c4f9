#include "calibration/machine_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "base/error.h"
#include "base/testing/error_text.h"
#include "base/testing/scratch_folder.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// A file that exists as long as the test.
class MachineFile : public ::testing::Test {
 protected:
  void write(std::string_view text) const { std::ofstream(path_) << text; }
  std::string error_of(std::string_view text) const {
    write(text);
    return error_text([&] { read_machine_file(path_); });
  }
  std::string samples_error(std::string_view text) const {
    write(text);
    return error_text([&] { read_samples(path_); });
  }

  ScratchFolder folder_;
  std::filesystem::path path_ = folder_ / "machine.toml";
};

CalibrationSamples samples() {
  CalibrationSamples s;
  s.mpi = "Some \"MPI\" 1.0";
  s.hosts = {"n1", "n2"};
  s.processors = {"0", "1"};
  s.started = "2026-01-02T03:04:05Z";
  s.eager_bytes = 4040;
  return s;
}

LogGPSFit fit() {
  LogGPSFit f;
  f.latency = {1200.5, 1100, 1300};
  f.overhead = {250, 240, 260};
  f.gap_per_byte = {0.018, 0.017, 0.019};
  f.eager_bytes = {4040, 4040, 4040};
  f.one_way.segments = {{1, 4000, {1700, 1690, 1710}, {0.02, 0.019, 0.021}},
                        {4100, 9000, {5000, 4900, 5100}, {0.018, 0.017, 0.019}}};
  return f;
}

const SmpiTables kTables{1200.5, 5e10, {{"smpi/os", "0:1e-07:0"}}};

TEST_F(MachineFile, IsReadAsItWasWritten) {
  write(machine_text(samples(), fit(), kTables));
  const MeasuredMachine machine = read_machine_file(path_);
  EXPECT_EQ(machine.settings.latency_fs, 1'200'500'000);
  EXPECT_EQ(machine.settings.overhead_fs, 250'000'000);
  EXPECT_EQ(machine.settings.gap_per_byte_fs, 18'000);
  EXPECT_EQ(machine.settings.eager_threshold_bytes, 4040U);
  EXPECT_EQ(machine.origin, "measured 2026-01-02T03:04:05Z between n1 and n2, Some \"MPI\" 1.0");
}

TEST_F(MachineFile, HasTheEndsOfTheIntervals) {
  write(machine_text(samples(), fit(), kTables));
  const MeasuredMachine machine = read_machine_file(path_);
  ASSERT_TRUE(machine.bounds.has_value());
  EXPECT_EQ(machine.bounds->low.latency_fs, 1'100'000'000);
  EXPECT_EQ(machine.bounds->high.overhead_fs, 260'000'000);
  EXPECT_EQ(machine.bounds->low.gap_per_byte_fs, 17'000);
  const std::string settings =
      "[machine]\nversion = 1\n[loggps]\nL = \"1us\"\no = \"1us\"\nG = \"1ns/B\"\nS = \"1\"\n";
  write(settings);
  EXPECT_FALSE(read_machine_file(path_).bounds);
  write(settings + "[intervals]\nL_ns = { low = -1.0, high = nan }\no_ns = 3\n");
  EXPECT_FALSE(read_machine_file(path_).bounds);
}

TEST_F(MachineFile, HasTheMessagesOfEachUseOfBuffers) {
  LogGPSFit measured = fit();
  measured.stream.segments = {{1, 9000, {90, 80, 100}, {0.018, 0.017, 0.019}}};
  measured.one_way_reused.segments = {{1, 9000, {1600, 1590, 1610}, {0.012, 0.011, 0.013}}};
  measured.stream_reused.segments = {{1, 9000, {80, 70, 90}, {0.012, 0.011, 0.013}}};
  write(machine_text(samples(), measured, kTables));
  const MeasuredMachine written = read_machine_file(path_);
  EXPECT_EQ(written.one_way.at(0).offset_ns, 1700);
  EXPECT_EQ(written.stream.at(0).offset_ns, 90);
  EXPECT_THAT(written.origin, Not(HasSubstr("buffers")));
  const MeasuredMachine reused = read_machine_file(path_, Buffers::reused);
  EXPECT_EQ(reused.one_way.at(0).offset_ns, 1600);
  EXPECT_EQ(reused.stream.at(0).offset_ns, 80);
  EXPECT_THAT(reused.origin, HasSubstr("; buffers reused"));
  EXPECT_THAT(error_text([&] { read_machine_file(path_, Buffers::same); }),
              HasSubstr("no messages of --buffers same"));
}

// 4,040 bytes are S; between 8,000 and 18,000 bytes, the middle of the logarithms is 12,000.
TEST_F(MachineFile, PiecesBeginAtSOrBetweenSizes) {
  LogGPSFit measured = fit();
  measured.one_way.segments = {{1, 4000, {1, 1, 1}, {0, 0, 0}},
                               {4100, 8000, {2, 2, 2}, {0, 0, 0}},
                               {18'000, 20'000, {3, 3, 3}, {0, 0, 0}}};
  write(machine_text(samples(), measured, kTables));
  const auto pieces = read_machine_file(path_).one_way;
  ASSERT_THAT(pieces, SizeIs(3));
  EXPECT_EQ(pieces[0].from_bytes, 1U);
  EXPECT_EQ(pieces[1].from_bytes, 4041U);
  EXPECT_EQ(pieces[2].from_bytes, 12'000U);
}

TEST_F(MachineFile, HasTheNoiseOfMessages) {
  LogGPSFit noisy = fit();
  noisy.noise_ns = {-20, 0, 35.5};
  write(machine_text(samples(), noisy, kTables));
  EXPECT_THAT(read_machine_file(path_).noise_ns, ElementsAre(-20, 0, 35.5));
  write(machine_text(samples(), fit(), kTables));
  EXPECT_THAT(read_machine_file(path_).noise_ns, IsEmpty());
  EXPECT_THAT(error_of("[machine]\nversion = 1\n[loggps]\nL = \"1us\"\no = \"1us\"\nG = \"1ns/B\"\n"
                       "S = \"1\"\n[noise]\nmessage_ns = [\"x\"]\n"),
              HasSubstr("not a list of numbers"));
}

TEST_F(MachineFile, TellsThatItsMeasurementWasDisturbed) {
  CalibrationSamples disturbed = samples();
  disturbed.without_processor = 0.46;
  write(machine_text(disturbed, fit(), kTables));
  EXPECT_THAT(read_machine_file(path_).origin,
              HasSubstr("; other processes used 46 % of a processor meanwhile"));
}

TEST_F(MachineFile, SaysWhichSizesARoundHas) {
  CalibrationSamples hasty = samples();
  EXPECT_THAT(machine_text(hasty, fit(), kTables), HasSubstr("in each of which every size was"));
  hasty.unmeasured = 0.65;
  EXPECT_THAT(machine_text(hasty, fit(), kTables),
              HasSubstr("those sizes for which there was time"));
}

TEST_F(MachineFile, ServesAsParameterFile) {
  write(machine_text(samples(), fit(), kTables));
  EXPECT_EQ(read_model_file(path_).latency_fs, 1'200'500'000);
}

TEST_F(MachineFile, ValuesThatAreNoNumbersStillMakeAFile) {
  LogGPSFit broken = fit();
  broken.test = {std::nan(""), std::nan(""), 1e300 * 1e300};
  write(machine_text(samples(), broken, kTables));
  EXPECT_NO_THROW(read_machine_file(path_));
}

TEST_F(MachineFile, GarbageIsRefusedWithAReason) {
  EXPECT_THAT(error_of(""), HasSubstr("no table [machine]"));
  EXPECT_THAT(error_of("\x01\x02 = ["), HasSubstr("line 1"));
  EXPECT_THAT(error_of("[machine]\nversion = 7\n"), HasSubstr("version is not 1"));
  EXPECT_THAT(error_of("[machine]\nversion = \"x\"\n"), HasSubstr("version is not 1"));
  EXPECT_THAT(error_of("machine = 3\n"), HasSubstr("no table [machine]"));
  EXPECT_THAT(error_of("[machine]\nversion = 1\n"), HasSubstr("no table [loggps]"));
  EXPECT_THAT(error_of("[machine]\nversion = 1\n[loggps]\nL = \"1us\"\n"), HasSubstr("lacks one"));
  EXPECT_THAT(error_of("[machine]\nversion = 1\n[loggps]\nL = \"1\"\n"), HasSubstr("L in"));
}

TEST_F(MachineFile, SimGridsOptionsAreLines) {
  EXPECT_THAT(smpi_options_text(kTables), HasSubstr("\nsmpi/os:0:1e-07:0\n"));
}

constexpr std::string_view kHead = "# slackline calibration samples 1\n# clock_ns 20\n";

TEST_F(MachineFile, SamplesAreReadWithTheClocksCostTakenOff) {
  write(std::string(kHead) +
        "# host0 n1\n# eager 100\n# synchronous 101\nrtt 0 8 1 1020\nrtt 1 8 1 1040\n"
        "test 0 0 20 420\nstream 1 8 16 9020\n");
  const CalibrationSamples s = read_samples(path_);
  EXPECT_EQ(s.hosts[0], "n1");
  EXPECT_EQ(s.eager_bytes, 100U);
  EXPECT_EQ(s.synchronous_bytes, 101U);
  EXPECT_EQ(s[Quantity::round_trip].rounds[0][0], 1000);
  EXPECT_EQ(s[Quantity::test].rounds[0][0], 20);
  EXPECT_TRUE(std::isnan(s[Quantity::stream].rounds[0][0]));
  EXPECT_EQ(s.messages.rounds[1][0], 16);
}

TEST_F(MachineFile, SamplesThatAreNoneAreRefusedWithAReason) {
  EXPECT_THAT(samples_error(""), HasSubstr("no file of calibration samples"));
  EXPECT_THAT(samples_error(kHead), HasSubstr("less than two rounds"));
  EXPECT_THAT(samples_error(std::string(kHead) + "rtt 0 8 1\n"), HasSubstr("line 3"));
  EXPECT_THAT(samples_error(std::string(kHead) + "rtt 99999999999 8 1 5\n"), HasSubstr("line 3"));
  EXPECT_THAT(samples_error(std::string(kHead) + "# problem one processor\n"),
              HasSubstr("one processor"));
  const std::string pair = std::string(kHead) + "# pair 0 1 8 500 1008 900 0\n";
  EXPECT_THAT(samples_error(pair + "# pair 0 2 8 500 1008 900 0\n"), HasSubstr("2 of the 3 pairs"));
  EXPECT_THAT(samples_error(pair + "# pair 1 9000 8 500 1008 900 0\n"), HasSubstr("2 of the "));
  EXPECT_THAT(samples_error(pair + "# pair 0 2 8 nan 1008 900 0\n"), HasSubstr("no pair of ranks"));
  EXPECT_THAT(samples_error(pair), HasSubstr("less than two rounds"));
  // A first line that only begins as it should, and rounds of many joined files.
  EXPECT_THAT(samples_error("# slackline calibration samples 12\nrtt 0 8 1 5\n"),
              HasSubstr("less than two rounds"));
  EXPECT_THAT(samples_error(std::string(kHead) + "rtt 900000 8 1 5\n" + std::string(kHead) +
                            "rtt 900000 8 1 5\n"),
              HasSubstr("line 6"));
}

// What three processes left, of which the second was ended before it measured anything.
TEST_F(MachineFile, JoinedSamplesKeepTheirProcesses) {
  const std::string rounds = "rtt 0 8 1 500\nrtt 1 8 1 600\n";
  const std::string shares = "# seconds 1.5\n# without_processor ";
  write(std::string(kHead) + rounds + shares + "0.25\n" + std::string(kHead) + std::string(kHead) +
        rounds + shares + "0.125\n" + std::string(kHead));
  const CalibrationSamples samples = read_samples(path_);
  const SampleTable& table = samples[Quantity::round_trip];
  EXPECT_THAT(table.rounds, SizeIs(4));
  EXPECT_THAT(table.processes, ElementsAre(0, 2));
  EXPECT_DOUBLE_EQ(samples.seconds, 3);
  EXPECT_DOUBLE_EQ(samples.without_processor, 0.25);
}

}  // namespace
}  // namespace slackline
