#include "trace/sound_calls.h"

#include "trace/nesting_limits.h"

namespace slackline {

bool SoundCalls::add(const RankCalls& calls) {
  for (const RegionEvent& event : calls.regions()) {
    if (event.enter && ++open_regions_ > kDeepestNesting) sound_ = false;
    if (!event.enter && open_regions_ > 0) --open_regions_;
  }
  if (!calls.empty() && calls.begin_ns(0) < start_ns_) sound_ = false;
  if (timed_ && !order_.add(calls)) sound_ = false;
  return sound_;
}

bool keeps_nesting_limit(const CallTree& tree) {
  for (FrameId frame = 1; frame <= tree.size(); ++frame) {
    if (tree.depth(frame) > kDeepestNesting) return false;
  }
  return true;
}

}  // namespace slackline
