#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "sim/platform/platform.h"

namespace slackline {

/// The host of each rank. Several ranks may run on one host and share its cores.
using RankMap = std::vector<HostId>;

/// Reads a hostfile: one host per line for rank 0, 1, ...; "host:4" or "host slots=4" for four
/// ranks in a row; '#' begins a comment. Throws Error for an unknown host (with its line) and for
/// fewer places than ranks.
RankMap read_hostfile(const std::filesystem::path& path, const Platform& platform,
                      std::uint32_t ranks);
RankMap parse_hostfile(std::string_view text, std::string_view name, const Platform& platform,
                       std::uint32_t ranks);

/// Places ranks by rule: "cyclic" (rank i on host i, then round again while hosts have cores left),
/// "block" (fills each host's cores before the next), or with a count of ranks a host in place of
/// its cores: "block:4", "cyclic:2". Throws usage Error for another text, Error for more ranks than
/// the hosts take.
RankMap place_ranks(std::string_view how, const Platform& platform, std::uint32_t ranks);

}  // namespace slackline
