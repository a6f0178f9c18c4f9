#include "formats/dumpi/record.h"

namespace slackline::dumpi {

void Record::clear() {
  function = nullptr;
  enters = false;
  address = 0;
  thread = 0;
  has_counters = false;
  wall = {};
  cpu = {};
  scalars.fill(0);
  for (auto& array : arrays) array.clear();
  statuses.clear();
  ranges.clear();
  texts.clear();
}

}  // namespace slackline::dumpi
