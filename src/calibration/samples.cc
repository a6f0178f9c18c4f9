#include "calibration/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/text_parsing.h"

namespace slackline {
namespace {

constexpr std::string_view kMagic = "# slackline calibration samples 1";
constexpr std::array<std::string_view, kQuantities> kNames{
    "rtt",   "stream", "rtt_reused", "stream_reused", "rtt_same", "send",
    "isend", "recv",   "sendrecv",   "test",          "iprobe",   "wtime"};
constexpr std::size_t kLeastRounds = 2;

/// One line of the file.
struct Sample {
  std::size_t quantity = 0;
  std::uint64_t round = 0;
  double size = 0;
  double count = 0;
  double ns = 0;
};

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    if (end > 0) words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

template <class Number>
bool parse(std::string_view word, Number& number) {
  const auto value = number_in<Number>(word);
  number = value.value_or(number);
  return value.has_value();
}

/// A time in ns, a size in bytes or a count: no machine gives one that is negative or larger.
bool parse(std::string_view word, double& number) {
  constexpr double kMost = 1e15;  // 11 days, 1 PB
  return parse<double>(word, number) && number >= 0 && number <= kMost;
}

class SamplesReader {
 public:
  explicit SamplesReader(const std::filesystem::path& path) : path_(path) {}

  CalibrationSamples read() {
    const MappedFile file(path_);
    std::string_view text = file.text();
    if (!text.starts_with(kMagic)) fail("it is no file of calibration samples");
    while (!text.empty()) {
      read_line(take_line(text));
      ++line_;
    }
    if (!problem_.empty()) {
      throw Error("cannot calibrate", problem_,
                  "Start two ranks that have a processor each, as 'mpirun -n 2' does.");
    }
    check_pairs();
    make_tables();
    if (samples_[Quantity::round_trip].rounds.size() < kLeastRounds) {
      fail("it holds less than two rounds of measurements");
    }
    return std::move(samples_);
  }

 private:
  [[noreturn]] void fail(std::string_view why) const {
    throw Error(fmt::format("cannot use '{}'", path_.string()), why,
                "Measure again with 'slackline calibrate -- mpirun -n 2'.");
  }
  void read_line(std::string_view line) {
    if (line.empty()) return;
    if (line == kMagic) return begin_process();
    if (line.starts_with("# ")) {
      read_property(line.substr(2));
      return;
    }
    const auto words = words_of(line);
    Sample s;
    const auto name = words.empty() ? kNames.end() : std::ranges::find(kNames, words[0]);
    s.quantity = static_cast<std::size_t>(name - kNames.begin());
    const bool good = words.size() == 5 && name != kNames.end() && parse(words[1], s.round) &&
                      parse(words[2], s.size) && parse(words[3], s.count) && parse(words[4], s.ns);
    if (!good || s.count < 1 || s.round > kMostRounds - processes_.back()) {
      fail(fmt::format("line {} is no sample", line_));
    }
    s.round += processes_.back();
    rounds_ = std::max(rounds_, s.round + 1);
    lines_.push_back(s);
  }
  void read_property(std::string_view line) {
    const std::size_t blank = std::min(line.find(' '), line.size());
    const std::string_view name = line.substr(0, blank);
    const std::string value(line.substr(std::min(blank + 1, line.size())));
    if (name == "mpi") samples_.mpi = value;
    if (name == "host0") samples_.hosts[0] = value;
    if (name == "host1") samples_.hosts[1] = value;
    if (name == "processor0") samples_.processors[0] = value;
    if (name == "processor1") samples_.processors[1] = value;
    if (name == "started") samples_.started = value;
    if (name == "pair") read_pair(value);
    if (name == "pairs_at_once") read_pairs_at_once(value);
    if (name == "pairs_placed") read_pairs_placed(value);
    if (name == "rank_host") read_rank_host(value);
    if (name == "problem") problem_ = value;
    if (name == "seconds") samples_.seconds += number(value);
    if (name == "without_processor") {
      samples_.without_processor = std::max(samples_.without_processor, number(value));
    }
    if (name == "unmeasured") read_unmeasured(value);
    if (name == "clock_ns") samples_.clock_ns = number(value);
    if (name == "eager") {
      std::uint64_t bytes = 0;
      if (parse(value, bytes)) samples_.eager_bytes = bytes;
    }
    if (name == "synchronous" && !parse(value, samples_.synchronous_bytes)) {
      samples_.synchronous_bytes = kAllEager;
    }
  }
  void read_pair(const std::string& text) {
    const auto words = words_of(text);
    PairSample p;
    const bool good = words.size() == 7 && parse(words[0], p.from) && parse(words[1], p.to) &&
                      parse(words[2], p.short_bytes) && parse(words[3], p.short_ns) &&
                      parse(words[4], p.long_bytes) && parse(words[5], p.long_ns) &&
                      parse(words[6], p.without_processor);
    if (!good || p.from < 0 || p.to <= p.from || p.to >= kMostPairRanks ||
        p.long_bytes <= p.short_bytes) {
      fail(fmt::format("line {} is no pair of ranks", line_));
    }
    samples_.pairs.push_back(p);
  }
  void read_unmeasured(const std::string& text) {
    const auto words = words_of(text);
    double left = 0, all = 0;
    if (words.size() != 2 || !parse(words[0], left) || !parse(words[1], all) || !(all >= left)) {
      fail(fmt::format("line {} has no number of tasks", line_));
    }
    samples_.unmeasured = std::max(samples_.unmeasured, all > 0 ? left / all : 0);
  }
  void read_pairs_at_once(const std::string& text) {
    const auto words = words_of(text);
    PairsAtOnceSample s;
    const bool good = words.size() == 4 && parse(words[0], s.pairs) && parse(words[1], s.bytes) &&
                      parse(words[2], s.ns) && parse(words[3], s.without_processor);
    if (!good || s.pairs < 1 || s.pairs > kMostPairRanks / 2 || !(s.ns > 0)) {
      fail(fmt::format("line {} is no measurement of pairs", line_));
    }
    samples_.pairs_at_once.push_back(s);
  }
  /// The least of the starts.
  void read_pairs_placed(const std::string& text) {
    const auto words = words_of(text);
    std::int32_t placed = 0, started = 0;
    if (words.size() != 2 || !parse(words[0], placed) || !parse(words[1], started)) {
      fail(fmt::format("line {} has no number of pairs", line_));
    }
    samples_.pairs_placed =
        samples_.pairs_started == 0 ? placed : std::min(placed, samples_.pairs_placed);
    samples_.pairs_started = std::max(started, samples_.pairs_started);
  }
  /// A pair that is missing would have no latency in the matrix.
  void check_pairs() const {
    std::set<std::pair<std::int32_t, std::int32_t>> found;
    std::size_t ranks = 0;
    for (const PairSample& p : samples_.pairs) {
      found.emplace(p.from, p.to);
      ranks = std::max(ranks, static_cast<std::size_t>(p.to) + 1);
    }
    if (found.empty() || found.size() == ranks * (ranks - 1) / 2) return;
    fail(fmt::format("it has {} of the {} pairs of {} ranks", found.size(), ranks * (ranks - 1) / 2,
                     ranks));
  }
  void read_rank_host(const std::string& text) {
    const auto words = words_of(text);
    std::size_t rank = 0;
    if (words.size() != 2 || !parse(words[0], rank) || rank >= kMostPairRanks) return;
    if (samples_.rank_hosts.size() <= rank) samples_.rank_hosts.resize(rank + 1);
    samples_.rank_hosts[rank] = words[1];
  }
  /// Files of several processes are joined: what one has left begins with the file's first line.
  void begin_process() {
    if (processes_.back() != rounds_) processes_.push_back(rounds_);
  }
  double number(const std::string& text) const {
    double value = 0;
    if (!parse(text, value)) fail(fmt::format("line {} has no number that can be", line_));
    return value;
  }
  /// What the clock adds to a sample: it is read twice, of which one reading is within the time.
  double corrected(const Sample& s) const {
    const bool single = s.quantity >= static_cast<std::size_t>(Quantity::send);
    const double total = std::max(0.0, s.ns - samples_.clock_ns);
    return single ? total / s.count : total;
  }
  void make_tables() {
    std::array<std::map<double, std::size_t>, kQuantities> columns;
    for (const Sample& s : lines_) columns[s.quantity].emplace(s.size, 0);
    for (std::size_t q = 0; q < kQuantities; ++q) {
      SampleTable& table = samples_.tables[q];
      for (auto& [size, column] : columns[q]) {
        column = table.sizes.size();
        table.sizes.push_back(size);
      }
      const std::vector<double> missing(table.sizes.size(), std::nan(""));
      if (!table.sizes.empty()) table.rounds.assign(rounds_, missing);
      table.processes = processes_;
      if (processes_.size() > 1 && processes_.back() == rounds_) table.processes.pop_back();
    }
    samples_.messages = samples_[Quantity::stream];
    samples_.messages_reused = samples_[Quantity::stream_reused];
    for (const Sample& s : lines_) {
      const std::size_t column = columns[s.quantity][s.size];
      samples_.tables[s.quantity].rounds[s.round][column] = corrected(s);
      const auto quantity = static_cast<Quantity>(s.quantity);
      if (quantity == Quantity::stream) samples_.messages.rounds[s.round][column] = s.count;
      if (quantity == Quantity::stream_reused) {
        samples_.messages_reused.rounds[s.round][column] = s.count;
      }
    }
  }

  static constexpr std::uint64_t kMostRounds = 1'000'000;
  static constexpr std::int32_t kMostPairRanks = 16'384;

  std::filesystem::path path_;
  CalibrationSamples samples_;
  std::string problem_;
  std::vector<Sample> lines_;
  std::vector<std::size_t> processes_{0};  // first round of each
  std::size_t rounds_ = 0;                 // of all processes
  std::size_t line_ = 1;
};

}  // namespace

std::string_view name_of(Quantity quantity) {
  return kNames[static_cast<std::size_t>(quantity)];
}

Buffers parse_buffers(std::string_view name) {
  if (name.empty()) return Buffers::written;
  const auto found = std::ranges::find(kBuffersNames, name);
  if (found != kBuffersNames.end()) return static_cast<Buffers>(found - kBuffersNames.begin());
  throw usage_error(fmt::format("unknown use of buffers '{}'", name), "no such name",
                    "Choose written, reused or same.");
}

CalibrationSamples read_samples(const std::filesystem::path& path) {
  return SamplesReader(path).read();
}

}  // namespace slackline
