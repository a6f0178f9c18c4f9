#include "formats/raw/communicators.h"

#include <fmt/format.h>

#include <optional>

#include "formats/raw/findings.h"

namespace slackline::raw {

namespace {

constexpr std::size_t kRun = 3;  // first world rank, stride, count

/// The runs of one member list at the front of `args`, with their number before them; takes them
/// off. Nothing when they do not describe `size` ranks of a world of `world`.
std::optional<std::vector<std::int64_t>> take_runs(std::span<const std::int64_t>& args,
                                                   std::int64_t size, std::int64_t world) {
  if (args.empty() || args[0] < 0) return std::nullopt;
  const auto runs = static_cast<std::uint64_t>(args[0]);
  if (runs > (args.size() - 1) / kRun) return std::nullopt;
  const auto list = args.subspan(1, static_cast<std::size_t>(runs) * kRun);
  std::int64_t total = 0;
  for (std::size_t i = 0; i < list.size(); i += kRun) {
    const std::int64_t first = list[i];
    const std::int64_t stride = list[i + 1];
    const std::int64_t count = list[i + 2];
    if (first < -1 || first >= world || count < 1 || count > world) return std::nullopt;
    if (stride <= -world || stride >= world) return std::nullopt;
    const std::int64_t last = first + stride * (count - 1);
    if (last < -1 || last >= world) return std::nullopt;
    total += count;
  }
  if (total != size || size > world) return std::nullopt;
  args = args.subspan(1 + list.size());
  return std::vector<std::int64_t>(list.begin(), list.end());
}

std::vector<std::int32_t> expand(const std::vector<std::int64_t>& runs) {
  std::vector<std::int32_t> members;
  for (std::size_t i = 0; i < runs.size(); i += kRun) {
    for (std::int64_t k = 0; k < runs[i + 2]; ++k) {
      members.push_back(static_cast<std::int32_t>(runs[i] + k * runs[i + 1]));
    }
  }
  return members;
}

}  // namespace

std::uint32_t Communicators::global_id(const Key& local, const Key& remote,
                                       std::size_t occurrence) {
  const auto [found, added] = ids_.try_emplace({{local, remote}, occurrence}, kCommNull);
  if (added) {
    Communicator communicator;
    communicator.members = expand(local);
    communicator.remote = expand(remote);
    found->second = trace_.add_communicator(std::move(communicator));
  }
  return found->second;
}

CommViews Communicators::views(std::span<const Record> records, Findings& findings) {
  CommViews views;
  views[SLK_COMM_WORLD] = {kCommWorld, false, false};
  views[SLK_COMM_SELF] = {kCommSelf, false, false};
  std::map<std::pair<Key, Key>, std::size_t> seen;
  for (const Record& record : records) {
    auto args = record.args;
    std::optional<Key> local;
    std::optional<Key> remote;
    if (args.size() > kRun) {
      const std::int64_t local_size = args[1];
      const std::int64_t remote_size = args[2];
      const bool inter = args[0] != 0;
      args = args.subspan(kRun);
      local = take_runs(args, local_size, trace_.ranks());
      remote = inter ? take_runs(args, remote_size, trace_.ranks()) : Key{};
    }
    if (!local || !remote || local->empty() || record.head.comm <= SLK_COMM_SELF) {
      findings.add(kDamagedRecord, "a communicator");
      continue;
    }
    // Both sides of an intercommunicator must give it one name: the smaller list goes first.
    const bool swapped = !remote->empty() && *remote < *local;
    if (swapped) std::swap(*local, *remote);
    const std::size_t occurrence = seen[{*local, *remote}]++;
    views[record.head.comm] = {global_id(*local, *remote, occurrence), !remote->empty(), swapped};
  }
  return views;
}

}  // namespace slackline::raw
