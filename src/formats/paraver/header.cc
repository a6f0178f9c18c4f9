#include "formats/paraver/header.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>

#include "base/error.h"
#include "formats/paraver/fields.h"
#include "trace/trace.h"

namespace slackline::paraver {
namespace {

constexpr std::string_view kMagic = "#Paraver";

// Reads the words of the header from left to right.
class HeaderCursor {
 public:
  HeaderCursor(std::string_view rest, std::string_view name) : rest_(rest), name_(name) {}

  [[noreturn]] void fail(std::string_view why) const {
    throw Error(fmt::format("{}:1: cannot read the header of the Paraver trace", name_), why,
                "Generate the .prv file again from the recording.");
  }
  bool at_end() const { return rest_.empty(); }
  bool next_is(char c) const { return !rest_.empty() && rest_.front() == c; }
  bool take(char c) {
    if (!next_is(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c, std::string_view after) {
    if (!take(c)) fail(fmt::format("'{}' is missing after {}", c, after));
  }
  /// Is what follows a comma, a number and '('?
  bool next_is_listed_application() const {
    if (!next_is(',')) return false;
    const std::size_t end = rest_.find_first_not_of("0123456789", 1);
    return end != std::string_view::npos && end > 1 && rest_[end] == '(';
  }
  std::string_view take_until(char c) {
    const std::size_t at = std::min(rest_.find(c), rest_.size());
    const std::string_view taken = rest_.substr(0, at);
    rest_.remove_prefix(at);
    return taken;
  }
  std::string_view take_word() {
    std::size_t n = 0;
    while (n < rest_.size() && (std::isalpha(static_cast<unsigned char>(rest_[n])) != 0)) ++n;
    const std::string_view word = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return word;
  }
  std::int64_t number(std::string_view what) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{} || value < 0) fail(fmt::format("{} is not a number", what));
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

 private:
  std::string_view rest_;
  std::string_view name_;
};

// "09/10/2019 at 16:08" (two digits of the year before 2000 + 70 mean the last century).
std::string iso_date(std::string_view text) {
  std::array<int, 5> part{};  // day, month, year, hour, minute
  std::size_t n = 0;
  bool in_number = false;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && !in_number && n == part.size()) return {};
    if (digit) {
      int& value = part[in_number ? n - 1 : n++];
      value = value * 10 + (c - '0');
      if (value > 9999) return {};
    }
    in_number = digit;
  }
  if (n != part.size()) return {};
  const int year = part[2] >= 100 ? part[2] : part[2] + (part[2] < 70 ? 2000 : 1900);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}", year, part[1], part[0], part[3], part[4]);
}

std::int64_t unit_of(HeaderCursor& cursor) {
  if (!cursor.take('_')) return 1000;
  const std::string_view unit = cursor.take_word();
  if (unit == "ns") return 1;
  if (unit == "us") return 1000;
  if (unit == "ms") return 1'000'000;
  if (unit == "s" || unit == "sec") return 1'000'000'000;
  cursor.fail(fmt::format("'{}' is not a unit of time", unit));
}

// "2(4,4)", or only "2".
void parse_nodes(HeaderCursor& cursor, Header& header) {
  const std::int64_t count = cursor.number("the number of nodes");
  if (!cursor.take('(')) return;
  while (!cursor.next_is(')')) {
    header.nodes.push_back(cursor.number("a node's number of processors"));
    if (!cursor.take(',')) break;
  }
  cursor.expect(')', "the nodes");
  if (static_cast<std::int64_t>(header.nodes.size()) != count) {
    cursor.fail(fmt::format("{} nodes are announced and {} listed", count, header.nodes.size()));
  }
}

// "4(1:1,1:1,2:2,1:2)": threads and node of every task. Without the list: one thread each.
void parse_application(HeaderCursor& cursor, Header& header) {
  const std::int64_t tasks = cursor.number("the number of tasks");
  Header::Application application;
  application.first_rank = header.ranks;
  cursor.expect('(', "the number of tasks");
  while (!cursor.next_is(')')) {
    cursor.number("a task's number of threads");
    std::int64_t node = 0;
    if (cursor.take(':')) node = cursor.number("a task's node");
    application.node_of_task.push_back(
        static_cast<std::int32_t>(std::min<std::int64_t>(node, INT32_MAX)));
    if (!cursor.take(',')) break;
  }
  cursor.expect(')', "the tasks");
  if (static_cast<std::int64_t>(application.node_of_task.size()) != tasks) {
    cursor.fail(fmt::format("{} tasks are announced and {} listed", tasks,
                            application.node_of_task.size()));
  }
  header.ranks += static_cast<std::int32_t>(tasks);
  header.applications.push_back(std::move(application));
}

// Extrae tells behind the applications how many communicator lines follow; other writers behind
// each, and some end with the comma. Paraver and its cutter separate applications by commas too, so
// only the '(' behind the number tells an application from a number of communicators.
void skip_communicators(HeaderCursor& cursor) {
  if (cursor.next_is_listed_application()) return;
  if (cursor.take(',') && !cursor.at_end() && !cursor.next_is(':') && !cursor.next_is(',')) {
    cursor.number("the number of communicators");
  }
}

}  // namespace

std::int32_t Header::rank_of(std::int64_t application, std::int64_t task) const {
  if (application < 1 || application > static_cast<std::int64_t>(applications.size())) return -1;
  const Application& a = applications[static_cast<std::size_t>(application - 1)];
  if (task < 1 || task > static_cast<std::int64_t>(a.node_of_task.size())) return -1;
  return a.first_rank + static_cast<std::int32_t>(task - 1);
}

bool looks_like_header(std::string_view text) {
  return text.starts_with(kMagic);
}

Header parse_header(std::string_view line, std::string_view name) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  HeaderCursor cursor(line.substr(std::min(kMagic.size(), line.size())), name);
  if (!looks_like_header(line)) cursor.fail("it does not begin with #Paraver");
  Header header;
  cursor.take_until('(');
  cursor.expect('(', "#Paraver");
  header.started = iso_date(cursor.take_until(')'));
  cursor.expect(')', "the date");
  cursor.expect(':', "the date");
  const std::int64_t duration = cursor.number("the duration");
  header.ns_per_unit = unit_of(cursor);
  if (duration > kTimeLimit_ns / header.ns_per_unit) cursor.fail("the duration is too long");
  header.duration_ns = duration * header.ns_per_unit;
  cursor.expect(':', "the duration");
  parse_nodes(cursor, header);
  cursor.expect(':', "the nodes");
  const std::int64_t applications = cursor.number("the number of applications");
  cursor.expect(':', "the number of applications");
  for (std::int64_t i = 0; i < applications; ++i) {
    if (i > 0 && !cursor.take(':') && !cursor.take(',')) {
      cursor.fail(fmt::format("{} applications are announced and {} listed", applications, i));
    }
    parse_application(cursor, header);
    skip_communicators(cursor);
  }
  if (header.ranks == 0) cursor.fail("it has no tasks");
  return header;
}

bool Communicators::add(std::string_view line, const Header& header) {
  Fields fields(line);
  std::int64_t application = 0;
  std::int64_t id = 0;
  std::int64_t size = 0;
  if (!fields.next(application) || !fields.next(id) || !fields.next(size)) return false;
  std::vector<std::int32_t> members;
  for (std::int64_t task = 0; fields.next(task);) {
    const std::int32_t rank = header.rank_of(application, task);
    if (rank < 0) return false;
    members.push_back(rank);
  }
  if (members.empty() || static_cast<std::int64_t>(members.size()) != size) return false;
  ids_[{application, id}] = identify(std::move(members));
  return true;
}

// The first that holds all ranks in order is MPI_COMM_WORLD; the first of each single rank together
// are MPI_COMM_SELF. Later ones of the same members are duplicates, and communicators of their own.
std::uint32_t Communicators::identify(std::vector<std::int32_t> members) {
  if (!world_seen_ && members == trace_.communicators()[kCommWorld].members) {
    world_seen_ = true;
    return kCommWorld;
  }
  if (members.size() == 1) {
    const auto rank = static_cast<std::size_t>(members.front());
    if (!self_seen_[rank]) {
      self_seen_[rank] = true;
      return kCommSelf;
    }
  }
  return trace_.add_communicator({std::move(members), {}, {}});
}

std::uint32_t Communicators::find(std::int64_t application, std::int64_t id) {
  const std::uint32_t* found = ids_.find({application, id});
  return found == nullptr ? kCommNull : *found;
}

}  // namespace slackline::paraver
