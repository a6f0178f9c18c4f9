#include "whatif/actions.h"

#include <array>

namespace slackline {
namespace {

using Keys = std::string_view;

constexpr std::array<Keys, 1> kScaleKeys{"factor"};
constexpr std::array<Keys, 1> kTimeKeys{"time"};
constexpr std::array<Keys, 3> kNoiseKeys{"amplitude", "distribution", "seed"};
constexpr std::array<Keys, 2> kLimitKeys{"factor", "over"};
constexpr std::array<Keys, 5> kBalanceKeys{"to", "over", "within", "comm", "by"};
constexpr std::array<Keys, 6> kMessageKeys{"operation", "min-bytes", "max-bytes",
                                           "tag",       "comm",      "to-ranks"};
constexpr std::array<Keys, 9> kResizeKeys{"operation", "min-bytes", "max-bytes", "tag", "comm",
                                          "to-ranks",  "factor",    "bytes",     "cost"};
constexpr std::array<Keys, 7> kSplitKeys{"operation", "min-bytes", "max-bytes", "tag",
                                         "comm",      "to-ranks",  "parts"};
constexpr std::array<Keys, 7> kMergeKeys{"operation", "min-bytes", "max-bytes", "tag",
                                         "comm",      "to-ranks",  "limit"};
constexpr std::array<Keys, 3> kDelayKeys{"time", "at", "every"};
constexpr std::array<Keys, 2> kOverlapKeys{"by", "operation"};
constexpr std::array<Keys, 2> kCollectiveKeys{"operation", "comm"};
constexpr std::array<Keys, 3> kIterationKeys{"count", "loop", "from"};
constexpr std::array<Keys, 4> kSubstituteKeys{"operation", "with", "wait-before", "wait-in"};

constexpr std::array<EditAction, 15> kActions{{
    {"scale", "multiply computation by factor=", kScaleKeys, scale_computation},
    {"set", "set the computation of each visit of a region to time=", kTimeKeys, set_computation},
    {"shift", "add time= to each visit of a region (negative: subtract)", kTimeKeys,
     shift_computation},
    {"noise",
     "lengthen each computation randomly, by amplitude= (a share of it or a time) at most "
     "(uniform) "
     "or on average (distribution=exponential); seed= sets the random seed",
     kNoiseKeys, add_noise},
    {"limit",
     "shorten visits of a region (or with over=collective computation between two collectives of "
     "all ranks) that take more than factor= times the rank's median one to that median",
     kLimitKeys, limit_computation},
    {"balance",
     "give all ranks the same computation: to=mean, min or max; over=run, visit or collective "
     "(between the same two collectives of all ranks); within=run, host or comm=ID; by=50% applies "
     "half of the change",
     kBalanceKeys, balance_computation},
    {"delay",
     "add time= of computation once, at= a time of the run (default: its start), or every= that "
     "much computation of the rank",
     kDelayKeys, add_delays},
    {"overlap",
     "do the share by= of the computation after receives, waits and collectives (or operation=) "
     "before them",
     kOverlapKeys, overlap_computation, false},
    {"remove-messages",
     "omit messages, selected by operation=, min-bytes=, max-bytes=, tag=, comm= and to-ranks=",
     kMessageKeys, remove_messages, false},
    {"resize-messages",
     "change message sizes: factor= or bytes=; cost= is the computation on either side per byte of "
     "the old size (compression)",
     kResizeKeys, resize_messages, false},
    {"split-messages", "send each message in parts= of equal size", kSplitKeys, split_messages,
     false},
    {"merge-messages",
     "send consecutive messages of a pair of ranks as one, up to limit= bytes, where the sender "
     "waits for nothing in between",
     kMergeKeys, merge_messages, false},
    {"remove", "omit collectives of operation=, on all communicators or on comm=", kCollectiveKeys,
     remove_collectives, false},
    {"substitute",
     "replace operation=: send with=ssend, sendrecv with=isend-irecv or send-recv, send, recv or a "
     "collective with= its nonblocking form (and a wait, wait-before= an operation or wait-in= a "
     "region), alltoallv with=neighbor_alltoallv",
     kSubstituteKeys, substitute_calls, false},
    {"iterations",
     "run the program's longest loop (or loop=) count= times: without its last iterations, or with "
     "those repeated that it has, from= on (default 1: without the first)",
     kIterationKeys, change_iterations, false},
}};

}  // namespace

std::span<const EditAction> edit_actions() {
  return kActions;
}

}  // namespace slackline
