#include "sim/engine/disks.h"

#include <algorithm>

namespace slackline {
namespace {

struct Rates {
  double read, write;
};

/// All rise together until the disk is full, or one kind has its bandwidth; then the other has the
/// rest.
Rates max_min_rates(const DiskSpec& disk, double readers, double writers) {
  const double all = std::max(disk.read_bandwidth, disk.write_bandwidth);
  const double equal = all / (readers + writers);
  const auto beside = [&](double own, double number, double bandwidth, double others) {
    return std::min(bandwidth / number, std::max(equal, (all - own * others) / number));
  };
  if (readers * equal > disk.read_bandwidth) {
    const double read = disk.read_bandwidth / readers;
    return {read, beside(read, writers, disk.write_bandwidth, readers)};
  }
  if (writers * equal > disk.write_bandwidth) {
    const double write = disk.write_bandwidth / writers;
    return {beside(write, readers, disk.read_bandwidth, writers), write};
  }
  return {equal, equal};
}

}  // namespace

void Disks::start(std::uint32_t id, HostId host, std::size_t number, double bytes, bool write,
                  double now) {
  if (id >= places_.size()) places_.resize(id + 1);
  places_[id] = {host, number};
  Disk& disk = disks_[places_[id]];
  share(places_[id], disk, now);  // what has been done so far
  disk.accesses.push_back({id, write, bytes, 0});
  share(places_[id], disk, now);
}

void Disks::share(const Place& place, Disk& disk, double now) {
  const auto is_write = [](const Access& access) { return access.write; };
  const auto writers = static_cast<double>(std::ranges::count_if(disk.accesses, is_write));
  const double readers = static_cast<double>(disk.accesses.size()) - writers;
  const Rates rates =
      max_min_rates(platform_.host(place.first).disks[place.second], readers, writers);
  for (Access& access : disk.accesses) {
    access.remaining = std::max(0.0, access.remaining - access.rate * (now - disk.updated));
    access.rate = access.write ? rates.write : rates.read;
    ends_.set(access.id, now + access.remaining / access.rate);
  }
  disk.updated = now;
}

void Disks::advance(double now, double until, std::vector<Processors::Ended>& ended) {
  while (ends_.next_time() < until) {
    const double time = ends_.next_time();
    const std::uint32_t id = ends_.pop();
    ended.push_back({id, time});
    Disk& disk = disks_[places_[id]];
    std::erase_if(disk.accesses, [id](const Access& access) { return access.id == id; });
    share(places_[id], disk, now);
  }
}

}  // namespace slackline
