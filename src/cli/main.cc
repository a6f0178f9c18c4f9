#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "base/interrupt.h"
#include "base/large_pages.h"
#include "base/lost_input.h"
#include "cli/launched_command.h"
#include "jobs/record/launcher.h"

namespace {

/// A standard stream that was closed (`>&-`) would be the number of the next file that is opened,
/// which then got our messages. Opened the wrong way round, it still cannot be used.
void open_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace slackline;

  open_standard_streams();
  heed_recorded_rank();
  use_large_pages();

  // An interrupted command leaves no half-written file behind.
  remove_temporaries_on_interrupt();
  end_on_lost_input();

  // Writing to a closed pipe becomes an error that write_stdout sees. A handler, not SIG_IGN: that
  // one would be inherited by the programs that `record` starts.
  std::signal(SIGPIPE, [](int) {});
  std::signal(SIGXFSZ, [](int) {});  // likewise a file that may not grow further

  return run_launched_command(std::vector<std::string>(argv + 1, argv + argc));
}
