#include <algorithm>
#include <csignal>
#include <new>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/large_pages.h"
#include "cli/command_line.h"
#include "cli/output.h"

namespace {

/// One line, whatever of a file's bytes is in it.
int complain(std::string text, int exit_status) {
  constexpr char kFirstShown = ' ';
  std::ranges::replace_if(
      text, [](char c) { return c >= 0 && c < kFirstShown; }, ' ');
  slackline::write_stderr("slackline: " + text + "\n");
  return exit_status;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace slackline;

  use_large_pages();

  // An interrupted command leaves no half-written file behind.
  remove_temporaries_on_interrupt();

  // Writing to a closed pipe becomes an error that write_stdout sees. A handler, not SIG_IGN: that
  // one would be inherited by the programs that `record` starts.
  std::signal(SIGPIPE, [](int) {});
  std::signal(SIGXFSZ, [](int) {});  // likewise a file that may not grow further

  // The only place where errors become exit statuses.
  try {
    return run_command_line(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const BrokenPipe&) {
    return 0;
  } catch (const Error& error) {
    return complain(error.what(), error.exit_status());
  } catch (const std::bad_alloc&) {
    return complain(
        "cannot continue: out of memory. Use a machine with more memory, or a smaller trace.", 1);
  } catch (const std::exception& error) {
    return complain(std::string("cannot continue: ") + error.what() +
                        ". This is a defect of Slackline: please report it.",
                    1);
  }
}
