#ifndef SLACKLINE_RUNTIME_RECORD_RULE_CACHE_H
#define SLACKLINE_RUNTIME_RECORD_RULE_CACHE_H

#include <cstddef>
#include <cstdint>

#include "loaded_modules.h"
#include "unwind_tables.h"

namespace slackline::record {

/// The rules of one place in the code, in a form that is quick to apply.
struct PlaceRules {
  std::uint64_t pc;
  const LoadedModule* module;
  PlaceRules* next;    ///< of the same bucket
  Rule frame_address;  ///< as of FrameRules
  std::uint32_t base;
  std::uint32_t count;  ///< of registers that a rule changes
  bool signal_frame;
  struct Changed {
    std::uint32_t number;
    Rule rule;
  };
  const Changed* changed() const { return reinterpret_cast<const Changed*>(this + 1); }
};

/// Rules of places that walks have met already.
///
/// A program's call paths differ in their inner frames and share the outer ones, and reading the
/// tables takes some hundred times as long as applying what they say: page by page of tables that
/// nothing else reads, a binary search and an interpreter's steps. Of one thread; usable from
/// memory that is all 0; allocates nothing.
class RuleCache {
 public:
  /// The rules for the instruction at `pc`, until the next call; nullptr where there are none, or
  /// none that make sense.
  const PlaceRules* at(std::uint64_t pc, LoadedModules& modules);

 private:
  static constexpr std::size_t kBuckets = 1024;
  static constexpr std::size_t kArenaBytes = std::size_t{1} << 18;

  const PlaceRules* add(std::uint64_t pc, const LoadedModule& module);
  void forget();
  static std::size_t bucket_of(std::uint64_t pc) {
    return static_cast<std::size_t>((pc * 0x9e3779b97f4a7c15u) >> 54);
  }

  std::uint64_t generation_;  // of the modules that it is true of
  std::size_t used_;          // of the arena
  PlaceRules* buckets_[kBuckets];
  alignas(PlaceRules) unsigned char arena_[kArenaBytes];
};

}  // namespace slackline::record

#endif
