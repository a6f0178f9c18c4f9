#ifndef SLACKLINE_RUNTIME_RECORD_SAMPLING_H
#define SLACKLINE_RUNTIME_RECORD_SAMPLING_H

#include "sampler.h"

namespace slackline::record {

/// Takes a real-time signal that the program does not use, if SLACKLINE_SAMPLE (samples a second of
/// CPU time) asks for samples: SIGPROF and the interval timers stay the program's.
SamplingOptions prepare_sampling();

}  // namespace slackline::record

#endif
