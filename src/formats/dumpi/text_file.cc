// The text form, as dumpi2ascii prints it: for each call a line on entering, a line "type
// name=value" for each argument, and a line on returning. Facts of the file, such as its host and
// the sizes of datatypes, stand before and after the calls where they were asked for.

#include <array>

#include "base/text_parsing.h"
#include "formats/dumpi/rank_file.h"

namespace slackline::dumpi {
namespace {

constexpr std::string_view kEntering = " entering at walltime ";
constexpr std::string_view kReturning = " returning at walltime ";

std::string_view next_line(std::string_view& rest) {
  std::string_view line = take_line(rest);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::optional<std::int64_t> number_after(std::string_view text, std::string_view label) {
  const std::size_t at = text.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + label.size());
  return take_number<std::int64_t>(text);
}

/// "20120.589796683" behind `label`, in ns.
std::int64_t time_after(std::string_view line, std::string_view label) {
  const std::size_t at = line.find(label);
  if (at == std::string_view::npos) return kNoTime;
  line.remove_prefix(at + label.size());
  constexpr std::int64_t kMostSeconds = INT64_MAX / kNanosPerSecond - 1;
  const auto seconds = take_number<std::int64_t>(line);
  if (!seconds || *seconds < 0 || *seconds > kMostSeconds || !line.starts_with('.')) return kNoTime;
  line.remove_prefix(1);
  const auto nanos = take_number<std::int64_t>(line);
  return nanos && *nanos >= 0 && *nanos < kNanosPerSecond ? *seconds * kNanosPerSecond + *nanos
                                                          : kNoTime;
}

/// All numbers in "[1, 2, 3]", or in "7 (MPI_INT)".
std::vector<std::int64_t> numbers_of(std::string_view text) {
  std::vector<std::int64_t> values;
  const bool list = text.starts_with('[');
  if (list) text.remove_prefix(1);
  while (const auto value = take_number<std::int64_t>(text)) {
    values.push_back(*value);
    if (!list || !text.starts_with(", ")) break;
    text.remove_prefix(2);
  }
  return values;
}

std::vector<Status> statuses_of(std::string_view text) {
  std::vector<Status> statuses;
  for (;;) {
    const std::size_t begin = text.find('{');
    if (begin == std::string_view::npos) return statuses;
    const std::size_t end = std::min(text.find('}', begin), text.size());
    const std::string_view one = text.substr(begin, end - begin);
    const auto bytes = number_after(one, "bytes=");
    const auto source = number_after(one, "source=");
    const auto tag = number_after(one, "tag=");
    if (!bytes || !source || !tag) return statuses;
    statuses.push_back({*bytes, *source, *tag});
    text.remove_prefix(end);
  }
}

std::vector<std::string> texts_of(std::string_view text) {
  std::vector<std::string> texts;
  for (;;) {
    const std::size_t begin = text.find('"');
    if (begin == std::string_view::npos) return texts;
    const std::size_t end = text.find('"', begin + 1);
    if (end == std::string_view::npos) return texts;
    texts.emplace_back(text.substr(begin + 1, end - begin - 1));
    text.remove_prefix(end + 1);
  }
}

class TextReader {
 public:
  TextReader(std::string_view text, const RecordVisitor& visit) : rest_(text), visit_(visit) {}

  StreamEnd read() {
    bool ended = true;
    while (!rest_.empty()) {
      const std::string_view line = next_line(rest_);
      if (const std::size_t at = line.find(kEntering); at != std::string_view::npos) {
        if (open_) ++end_.damaged;
        enter(line, line.substr(0, at));
        ended = false;
      } else if (line.find(kReturning) != std::string_view::npos) {
        leave(line);
        ended = true;
      } else if (open_) {
        take_argument(line);
      }
    }
    end_.complete = ended && !open_;
    return end_;
  }

 private:
  void enter(std::string_view line, std::string_view name) {
    record_.clear();
    record_.function = function_named(name);
    open_ = record_.function != nullptr;
    if (!open_) ++end_.damaged;
    record_.wall.begin_ns = time_after(line, "walltime ");
    record_.cpu.begin_ns = time_after(line, "cputime ");
    if (const auto thread = number_after(line, "in thread ")) {
      record_.thread = static_cast<std::uint16_t>(*thread);
    }
  }

  void leave(std::string_view line) {
    if (!open_) return;
    open_ = false;
    if (!line.starts_with(record_.function->name)) {
      ++end_.damaged;
      return;
    }
    record_.wall.end_ns = time_after(line, "walltime ");
    record_.cpu.end_ns = time_after(line, "cputime ");
    visit_(record_);
  }

  /// "MPI_Datatype datatype=9 (MPI_INT)", "MPI_Request requests[2]=[4, 5]".
  void take_argument(std::string_view line) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) return;
    std::string_view name = line.substr(0, equals);
    const std::string_view value = line.substr(equals + 1);
    name.remove_prefix(std::min(name.find(' ') + 1, name.size()));
    const bool array = name.ends_with(']');
    name = name.substr(0, name.find('['));
    if (line.starts_with("MPI_Status")) {
      record_.statuses = statuses_of(value);
    } else if (line.starts_with("Perfcounters")) {
      record_.has_counters = true;
    } else if (name == "argv") {
      record_.texts = texts_of(value);
    } else if (name == "ranges") {
      record_.ranges = ranges_of(value);
    } else if (array) {
      if (const auto which = array_named(name)) {
        record_.arrays[static_cast<std::size_t>(*which)] = numbers_of(value);
      }
    } else if (const auto which = scalar_named(name)) {
      const auto numbers = numbers_of(value);
      if (!numbers.empty()) record_.scalars[static_cast<std::size_t>(*which)] = numbers.front();
    }
  }

  /// "[[0, 3, 1]", and each further range on a line of its own: ", [4, 7, 1]", then "]".
  std::vector<std::vector<std::int64_t>> ranges_of(std::string_view value) {
    std::vector<std::vector<std::int64_t>> ranges;
    if (value.starts_with('[')) value.remove_prefix(1);
    for (;;) {
      const std::size_t at = value.find('[');
      if (at == std::string_view::npos) return ranges;
      ranges.push_back(numbers_of(value.substr(at)));
      std::string_view ahead = rest_;
      value = next_line(ahead);
      if (!value.starts_with(", [")) return ranges;
      rest_ = ahead;
    }
  }

  std::string_view rest_;
  const RecordVisitor& visit_;
  Record record_;
  StreamEnd end_;
  bool open_ = false;
};

/// "Datatype 9 (MPI_INT) has size 4"
void take_type_size(std::string_view line, FileFacts& facts) {
  const auto type = number_after(line, "Datatype ");
  const auto size = number_after(line, " has size ");
  if (type && size && *size >= 0) facts.type_bytes[*type] = static_cast<std::uint64_t>(*size);
}

/// "MPI_Send called 3 times and ignored 1 times"
void take_call_count(std::string_view line, FileFacts& facts) {
  const auto ignored = number_after(line, " ignored ");
  const Function* const function = function_named(line.substr(0, line.find(' ')));
  if (function == nullptr || !ignored || *ignored <= 0) return;
  facts.left_out.emplace_back(function, static_cast<std::uint64_t>(*ignored));
}

}  // namespace

bool is_text(std::string_view text) {
  for (int line = 0; line < 100 && !text.empty(); ++line) {
    const std::string_view next = next_line(text);
    if (next.starts_with("MPI_") && next.find(kEntering) != std::string_view::npos) return true;
  }
  return false;
}

FileFacts text_facts(std::string_view text) {
  FileFacts facts;
  facts.complete = true;  // whether the binary file was is not said
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    constexpr std::string_view kHost = "hostname=";
    if (line.starts_with(kHost)) facts.host = line.substr(kHost.size());
    if (line.starts_with("Datatype ")) take_type_size(line, facts);
    if (line.ends_with(" times")) take_call_count(line, facts);
  }
  return facts;
}

StreamEnd read_text_form(std::string_view text, const RecordVisitor& visit) {
  return TextReader(text, visit).read();
}

}  // namespace slackline::dumpi
