// Runs a fuzz target over every file of the folders given, without libFuzzer.

#include <cstdio>
#include <filesystem>
#include <string_view>

#include "base/file.h"
#include "fuzz.h"

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  int inputs = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : fs::recursive_directory_iterator(argv[i])) {
      if (!entry.is_regular_file()) continue;
      std::printf("%s\n", entry.path().c_str());
      std::fflush(stdout);
      const slackline::MappedFile file(entry.path());
      const std::string_view text = file.text();
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
      ++inputs;
    }
  }
  std::printf("%d inputs, %d of them accepted\n", inputs, slackline::fuzz::accepted);
  return slackline::fuzz::accepted > 0 ? 0 : 1;
}
