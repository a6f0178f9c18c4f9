#include <csignal>
#include <string>
#include <vector>

#include "base/interrupt.h"
#include "base/large_pages.h"
#include "cli/launched_command.h"
#include "cli/record/process.h"

int main(int argc, char** argv) {
  using namespace slackline;

  heed_recorded_rank();
  use_large_pages();

  // An interrupted command leaves no half-written file behind.
  remove_temporaries_on_interrupt();

  // Writing to a closed pipe becomes an error that write_stdout sees. A handler, not SIG_IGN: that
  // one would be inherited by the programs that `record` starts.
  std::signal(SIGPIPE, [](int) {});
  std::signal(SIGXFSZ, [](int) {});  // likewise a file that may not grow further

  return run_launched_command(std::vector<std::string>(argv + 1, argv + argc));
}
