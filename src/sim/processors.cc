#include "sim/processors.h"

#include <algorithm>

namespace slackline {

double Processors::rate_on(HostId host) const {
  const HostSpec& spec = platform_.host(host);
  const auto running = static_cast<double>(running_on_[host].size());
  return spec.speed() * std::min(1.0, static_cast<double>(spec.cores) / running);
}

void Processors::run(std::uint32_t id, double rate, double now) {
  Computation& c = computations_[id];
  c.remaining = std::max(c.remaining - c.rate * (now - c.updated), 0.0);
  c.updated = now;
  c.rate = rate;
  ends_.set(id, now + c.remaining / rate);
}

/// The host's computations after one more or one less.
void Processors::share(HostId host, double now) {
  if (running_on_[host].empty()) return;
  const double rate = rate_on(host);
  for (const std::uint32_t id : running_on_[host]) {
    if (computations_[id].rate != rate) run(id, rate, now);
  }
}

void Processors::start(std::uint32_t id, HostId host, double flops, double now) {
  if (id >= computations_.size()) computations_.resize(id + 1);
  auto& running = running_on_[host];
  computations_[id] = {flops, 0, now, host, static_cast<std::uint32_t>(running.size())};
  running.push_back(id);
  share(host, now);
}

void Processors::advance(double now, double until, std::vector<std::uint32_t>& ended) {
  while (ends_.next_date() < until) {
    const std::uint32_t id = ends_.pop();
    const Computation& c = computations_[id];
    auto& running = running_on_[c.host];
    running[c.place] = running.back();
    computations_[running[c.place]].place = c.place;
    running.pop_back();
    share(c.host, now);
    ended.push_back(id);
  }
}

}  // namespace slackline
