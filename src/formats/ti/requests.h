#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/flat_map.h"

namespace slackline::ti {

/// Requests that a rank has started and not yet waited for. Actions name them by both ranks and the
/// tag; of several with one name the oldest is meant. Few stand in a list; more than kFew in a
/// table by name, until there are none. Cost: O(1) a request, but for the sorting in take_all().
class Requests {
 public:
  struct Name {
    std::int64_t source, destination, tag;

    auto operator<=>(const Name&) const = default;
  };

  void start(const Name& name, std::uint32_t serial);
  /// The oldest of that name, which is taken out.
  std::optional<std::uint32_t> take(const Name& name);
  /// Takes out all and appends them, by name and age.
  void take_all(std::vector<std::int64_t>& serials);

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::size_t kFew = 16;
  struct Named {
    Name name;
    std::uint32_t serial;
  };
  struct Started {
    std::uint32_t serial;
    std::uint32_t next;  ///< of the same name
  };
  struct Queue {
    std::uint32_t oldest = kNone, newest = kNone;
  };
  struct Hash {
    std::uint64_t operator()(const Name& name) const {
      const auto ranks = static_cast<std::uint64_t>(name.source) << 32 ^
                         static_cast<std::uint64_t>(name.destination);
      return mix_bits(ranks ^ mix_bits(static_cast<std::uint64_t>(name.tag)));
    }
  };

  void start_among_many(const Name& name, std::uint32_t serial);
  std::optional<std::uint32_t> take_among_many(const Name& name);
  void take_many(std::vector<std::int64_t>& serials);

  std::vector<Named> few_;  ///< from the oldest to the newest; empty while there are many
  bool many_ = false;
  FlatMap<Name, Queue, Hash> queues_;
  std::vector<Started> started_;
  std::vector<std::uint32_t> free_;
  std::size_t most_names_ = 0;
  std::vector<std::pair<Name, std::uint32_t>> names_;  ///< scratch: with a place of each
};

}  // namespace slackline::ti
