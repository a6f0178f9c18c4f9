#pragma once

#include "oracle/program.h"

namespace slackline::oracle {

/// A 2D stencil of rows x columns ranks: nonblocking halo exchange with four neighbours, then
/// uneven computation, then every `reduce_every` steps an allreduce.
Program stencil_program(std::int32_t rows, std::int32_t columns, int steps, int reduce_every);

/// Like LULESH: side^3 ranks that exchange with up to 26 neighbours three times a step (faces,
/// edges and corners of different sizes), and agree on the next time step by allreduce.
Program lulesh_like_program(std::int32_t side, int steps);

}  // namespace slackline::oracle
