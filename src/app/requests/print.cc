#include "app/requests/trace_requests.h"

#include <fmt/format.h>

#include "app/load/input.h"
#include "app/options/shared_options.h"
#include "base/error.h"
#include "base/units.h"
#include "formats/text/text.h"

namespace slackline {

void declare(OptionList& options, PrintRequest& request) {
  declare_trace(options, request.trace, request.reading);
  options.add("--rank RANK", request.rank, "Print this rank only");
}

OpenedTrace load(const PrintRequest& request) {
  OpenedTrace opened = open_input(request.trace, open_options(request.reading));
  const std::int32_t ranks = opened.trace.ranks();
  if (request.rank && (*request.rank < 0 || *request.rank >= ranks)) {
    throw usage_error(fmt::format("rank {} does not exist", *request.rank),
                      fmt::format("'{}' has {}", opened.path,
                                  count_of(static_cast<std::uint64_t>(ranks), "rank")),
                      fmt::format("Choose one from 0 to {}.", ranks - 1));
  }
  return opened;
}

void print(const OpenedTrace& opened, const PrintRequest& request,
           const std::function<void(std::string_view)>& write) {
  write_text_trace(opened.trace, write, {.rank = request.rank, .samples = &opened.samples});
}

}  // namespace slackline
