#include "property/cases.h"

#include "formats/text/text.h"

namespace slackline::testing {

Case arbitrary_case(const oracle::ProgramShape& shape) {
  const auto values =
      rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 1'000'000));
  // rapidcheck's default lengths are short for calls of several decisions each.
  const auto settings = *rc::gen::resize(30, values);
  const auto decisions = *rc::gen::scale(4.0, values);
  return make_case(oracle::Choices(settings), oracle::Choices(decisions), shape);
}

std::string describe(const Trace& trace, const GraphOptions& options) {
  return to_text(trace) + "S = " + std::to_string(options.eager_threshold_bytes) + ", " +
         std::string(to_string(options.rendezvous)) + ", collectives " +
         options.collectives.to_string() + "\n";
}

}  // namespace slackline::testing
