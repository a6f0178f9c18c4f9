#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "app/requests/top.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "report/writers.h"

namespace slackline {
namespace {

struct TopCommand {
  TopRequest request{};
  OutputOptions output{};
  std::string interval{};
  bool once = false;
};

/// Text on a terminal, drawn over what was there before.
class Screen {
 public:
  /// What has no room above the last line is left out, but not of the `last` one, which stays.
  void draw(std::string_view text, bool last) {
    winsize size{};
    const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 1;
    const std::size_t room = known ? size.ws_row - std::size_t{1} : 24;
    std::string shown;
    if (lines_ > 0) shown += "\x1b[" + std::to_string(lines_) + "A";
    shown += "\r\x1b[J";
    lines_ = 0;
    while (!text.empty() && (last || lines_ < room)) {
      const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
      shown += text.substr(0, end);
      text.remove_prefix(end);
      ++lines_;
    }
    write_stdout(shown);
  }

 private:
  std::size_t lines_ = 0;
};

/// Sleeps that long. False once the reader of the output has closed it.
bool wait_for(std::int64_t ns, const InterruptRequest& interrupt) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(ns);
  while (!interrupt.arrived()) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) break;
    constexpr std::int64_t kLongest_ms = 1'000'000;
    pollfd reader{STDOUT_FILENO, 0, 0};
    const auto ms = static_cast<int>(std::min<std::int64_t>(left.count(), kLongest_ms));
    if (poll(&reader, 1, ms) > 0) return false;
  }
  return true;
}

int run_top(TopCommand& command) {
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  if (command.output.format.empty()) command.output.format = terminal ? "text" : "json";
  const bool json = command.output.format == "json";
  const bool redraws = terminal && !json && !command.once;
  if (command.interval.empty()) command.interval = redraws ? "2s" : "60s";
  const std::int64_t interval_ns = parse_time_ns(command.interval, "--interval");
  if (interval_ns <= 0) {
    throw usage_error("cannot use an empty interval", "it has no time", "Example: --interval 2s.");
  }
  JobWatch watch(command.request);
  const InterruptRequest interrupt;
  Screen screen;
  for (bool last = false; !last;) {
    const Report report = watch.look();
    last = command.once || watch.ended() || interrupt.arrived();
    const std::string text = json ? write_json_line(report) : report_text(report, command.output);
    if (redraws) {
      screen.draw(text, last);
    } else {
      write_stdout(json || last ? text : text + "\n");
    }
    if (!last && !wait_for(interval_ns, interrupt)) return 0;
  }
  return 0;
}

}  // namespace

CommandAction setup_top(OptionList& options) {
  auto command = std::make_shared<TopCommand>();
  declare(options, command->request);
  options.add("--interval TIME", command->interval,
              "Time between two looks (default: 2s on a terminal, else 60s)");
  options.add("--once", command->once, "Look once");
  options.add("--format", command->output.format,
              "Output format (default: text on a terminal, else json)",
              {.choices = {"text", "json"}});
  options.add("--colour,--color", command->output.colour,
              "Colours in text output (NO_COLOR=1 disables them)",
              {.choices = {"auto", "always", "never"}});
  return [command] { return run_top(*command); };
}

}  // namespace slackline
