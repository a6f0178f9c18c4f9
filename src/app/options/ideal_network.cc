#include "app/options/ideal_network.h"

#include "base/error.h"
#include "base/units.h"

namespace slackline {

void declare_rendezvous_from(OptionList& options, std::string& rendezvous) {
  options.add("--rendezvous-from BYTES", rendezvous,
              "Minimum size of blocking sends that wait for their receive on the ideal network",
              {.example = "32KiB"});
}

IdealOptions ideal_network(const std::string& causality, const std::string& rendezvous,
                           const ModelOptions& model) {
  IdealOptions ideal;
  ideal.causality = parse_collective_causality(causality);
  ideal.rendezvous_bytes = parse_bytes(rendezvous, "--rendezvous-from");
  if (!model.eager_threshold) return ideal;
  if (rendezvous != kRendezvousFrom) {
    throw usage_error("cannot use -S with --rendezvous-from",
                      "both say which sends wait for their receive", "Give one of them.");
  }
  // The threshold is the largest message that is eager.
  ideal.rendezvous_bytes = parse_bytes(*model.eager_threshold, "eager threshold S") + 1;
  return ideal;
}

}  // namespace slackline
