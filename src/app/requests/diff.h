#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/options/run_request.h"

namespace slackline {

class OptionList;
struct Report;

/// How two runs differ, by metric, call path and rank; a third one may stand beside them.
struct DiffRequest {
  std::string a{};                    ///< a trace
  std::string b{};                    ///< another one, or the same with another `on`
  std::string c{};                    ///< empty: none
  std::vector<std::string> more_a{};  ///< further runs of the program of `a`
  std::vector<std::string> more_b{};
  RunRequest run{
      .reading = {
          bytes_per_call::kWaitStates}};  ///< which run of each trace; its `trace` is not used
  std::string on_b{};                     ///< which run of the traces of B, if another than of A
  std::string on_c{};                     ///< which run of C
  std::size_t count = 1000;               ///< differences in the result at most
};
void declare(OptionList& options, DiffRequest& request);

/// Throws Error.
Report execute(const DiffRequest& request);

}  // namespace slackline
