#include "sim/engine/overheads.h"

namespace slackline::sim {
namespace {

constexpr std::string_view kSend = "smpi/os";
constexpr std::string_view kIsend = "smpi/ois";
constexpr std::string_view kReceive = "smpi/or";

}  // namespace

Overheads::Overheads(const Platform& platform, const NetworkModel& model)
    : platform_(platform),
      common_{model.send_overhead, model.isend_overhead, model.receive_overhead} {
  for (HostId host = 0; host < platform.host_count(); ++host) {
    const HostSpec& spec = platform.host(host);
    if (by_spec_.contains(&spec)) continue;
    Set set = common_;
    const auto own = [&](std::string_view name, Piecewise& piecewise) {
      const std::string* text = spec.property(name);
      if (text == nullptr) return;
      piecewise = Piecewise(*text, name);
      uniform_ = false;
    };
    own(kSend, set.send);
    own(kIsend, set.isend);
    own(kReceive, set.receive);
    by_spec_.emplace(&spec, std::move(set));
  }
}

const Overheads::Set& Overheads::of(HostId host) {
  return uniform_ ? common_ : by_spec_.find(&platform_.host(host))->second;
}

}  // namespace slackline::sim
