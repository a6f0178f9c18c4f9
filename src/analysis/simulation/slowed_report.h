#pragma once

#include <vector>

#include "report/object.h"
#include "report/report.h"
#include "sim/network/link_usage.h"
#include "sim/platform/platform.h"

namespace slackline {

/// A row for each message: who sent it when, how long it took and would have taken alone, and which
/// of the platform's links held it back.
Table table_of(const std::vector<SlowedMessage>& slowed, const Platform& platform);

using SlowedJson = JsonOf<struct SlowedJsonTag>;
const JsonType& declared_type(const SlowedJsonTag*);
/// The same with times in nanoseconds; "link" is empty where it is not known.
SlowedJson to_json(const std::vector<SlowedMessage>& slowed, const Platform& platform);

}  // namespace slackline
