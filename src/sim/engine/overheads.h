#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>

#include "sim/network/network_model.h"
#include "sim/platform/platform.h"

namespace slackline::sim {

/// The overheads of sending and receiving on each host, in seconds by payload in bytes: the model's
/// (Bédaride et al., PMBS 2013, section 4.1), unless a property of the host says otherwise
/// ("smpi/os", "smpi/ois", "smpi/or"). Cost: O(log segments).
class Overheads {
 public:
  Overheads(const Platform& platform, const NetworkModel& model);

  double send(HostId host, double bytes) { return of(host).send.seconds(bytes); }
  double isend(HostId host, double bytes) { return of(host).isend.seconds(bytes); }
  double receive(HostId host, double bytes) { return of(host).receive.seconds(bytes); }

 private:
  struct Set {
    Piecewise send, isend, receive;
  };
  const Set& of(HostId host);

  const Platform& platform_;
  Set common_;
  std::map<const HostSpec*, Set> by_spec_;  // hosts of a cluster share one
  bool uniform_ = true;
};

}  // namespace slackline::sim
