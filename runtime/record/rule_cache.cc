#include "rule_cache.h"

#include <cstring>

namespace slackline::record {

void RuleCache::forget() {
  std::memset(buckets_, 0, sizeof buckets_);
  used_ = 0;
}

const PlaceRules* RuleCache::at(std::uint64_t pc, LoadedModules& modules) {
  if (modules.generation() != generation_) {
    forget();
    generation_ = modules.generation();
  }
  for (const PlaceRules* p = buckets_[bucket_of(pc)]; p != nullptr; p = p->next) {
    if (p->pc == pc) return p;
  }
  const LoadedModule* const module = modules.find(pc);
  return module == nullptr ? nullptr : add(pc, *module);
}

const PlaceRules* RuleCache::add(std::uint64_t pc, const LoadedModule& module) {
  FrameRules rules;
  if (!find_rules(module, pc, rules)) return nullptr;
  constexpr std::size_t kMostBytes = sizeof(PlaceRules) + kRegisters * sizeof(PlaceRules::Changed);
  if (used_ + kMostBytes > kArenaBytes) forget();
  auto* const added = reinterpret_cast<PlaceRules*>(arena_ + used_);
  auto* const changed = reinterpret_cast<PlaceRules::Changed*>(added + 1);
  PlaceRules*& bucket = buckets_[bucket_of(pc)];
  *added = {pc, &module, bucket, rules.frame_address, rules.base, 0, rules.signal_frame};
  for (unsigned i = 0; i < kRegisters; ++i) {
    if (rules.registers[i].kind != RuleKind::same)
      changed[added->count++] = {i, rules.registers[i]};
  }
  used_ += sizeof(PlaceRules) + added->count * sizeof(PlaceRules::Changed);
  bucket = added;
  return added;
}

}  // namespace slackline::record
