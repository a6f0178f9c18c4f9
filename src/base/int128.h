#pragma once

namespace slackline {

/// What the compilers have and the standard has not.
__extension__ using Int128 = __int128;

}  // namespace slackline
