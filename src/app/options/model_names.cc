#include "app/options/model_names.h"

#include "graph/build.h"
#include "timing/cost/loggps.h"

namespace slackline {

std::vector<std::string> network_names() {
  std::vector<std::string> names;
  for (const NamedNetwork& network : named_networks()) names.emplace_back(network.name);
  return names;
}

std::vector<std::string> rendezvous_names() {
  std::vector<std::string> names;
  for (const Rendezvous protocol :
       {Rendezvous::handshake, Rendezvous::rdma_read, Rendezvous::sync, Rendezvous::loggopsim}) {
    names.emplace_back(to_string(protocol));
  }
  return names;
}

}  // namespace slackline
