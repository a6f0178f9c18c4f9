#include "online/pinned_thread.h"

#include <cstddef>

namespace slackline::online {

PinnedThread::PinnedThread(bool wanted) {
  if (!wanted || sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  const int here = sched_getcpu();
  if (here < 0 || here >= CPU_SETSIZE) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(here), &one);
  if (sched_setaffinity(0, sizeof one, &one) == 0) processor_ = here;
}

PinnedThread::~PinnedThread() {
  if (processor_ >= 0) sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace slackline::online
