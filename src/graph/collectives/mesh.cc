// Meshes: allgather and alltoall on ranks laid out in two or three dimensions.
//
// Rank r stands at (r / Y, r mod Y) of an X x Y mesh, with X the first divisor from sqrt(P) upwards
// (the smaller side), or in an X x X x Z mesh with X from the cube root upwards. A row is gathered
// linearly (receives posted, then blocking sends), then rows along columns, then planes: messages
// of 1, Y and X*Y blocks, (X - 1) + (Y - 1) + (Z - 1) of them instead of P - 1. Alltoall does the
// same with whole send buffers (P blocks each) until the last dimension, which takes only what it
// needs: many times the volume, for latency-bound networks of small degree. A P without such
// divisors (a prime) takes the ring. (Faraj and Yuan's STAR-MPI, as in SimGrid.)

#include <cmath>
#include <vector>

#include "graph/collectives/algorithms.h"

namespace slackline::collectives {
namespace {

struct Mesh {
  std::int32_t x = 0;  // 0: there is none
  std::int32_t y = 0;
  std::int32_t z = 1;
};

Mesh mesh_2d_of(std::int32_t ranks) {
  for (auto x = static_cast<std::int32_t>(std::sqrt(static_cast<double>(ranks))); x <= ranks / 2;
       ++x) {
    if (ranks % x == 0) return {std::min(x, ranks / x), std::max(x, ranks / x), 1};
  }
  return {};
}

Mesh mesh_3d_of(std::int32_t ranks) {
  for (auto x = static_cast<std::int32_t>(std::cbrt(static_cast<double>(ranks))); x <= ranks / 3;
       ++x) {
    if (ranks % (x * x) == 0) return {x, x, ranks / (x * x)};
  }
  return {};
}

/// Everybody of `line` gives `bytes` to everybody else of it.
void spread_along(StepWriter& w, const std::vector<std::int32_t>& line, std::uint64_t bytes) {
  for (const std::int32_t r : line) w.irecv(r, bytes);
  for (const std::int32_t r : line) w.send(r, bytes);
  w.wait_all();
}

std::vector<std::int32_t> line_from(std::int32_t first, std::int32_t stride, std::int32_t count) {
  std::vector<std::int32_t> line;
  for (std::int32_t i = 0; i < count; ++i) line.push_back(first + i * stride);
  return line;
}

/// The own plane of a mesh: its row, then its column.
struct Plane {
  Plane(const StepWriter& w, const Mesh& mesh)
      : row(line_from(w.rank() / mesh.y * mesh.y, 1, mesh.y)),
        column(line_from(w.rank() / (mesh.x * mesh.y) * mesh.x * mesh.y + w.rank() % mesh.y, mesh.y,
                         mesh.x)) {}
  std::vector<std::int32_t> row;
  std::vector<std::int32_t> column;
};

std::vector<std::int32_t> other_planes(const StepWriter& w, const Mesh& mesh) {
  std::vector<std::int32_t> line;
  for (std::int32_t i = 1; i < mesh.z; ++i) {
    line.push_back((w.rank() + i * mesh.x * mesh.y) % w.size());
  }
  return line;
}

std::uint64_t times(std::int32_t count, std::uint64_t bytes) {
  return static_cast<std::uint64_t>(count) * bytes;
}

/// SimGrid's alltoalls return without having sent anything.
void alltoall_without_mesh(StepWriter& w) {
  if (w.call().choose == nullptr) w.instead("ring", alltoall::ring);
}

}  // namespace

namespace allgather {

void mesh_2d(StepWriter& w) {
  const Mesh mesh = mesh_2d_of(w.size());
  if (mesh.x == 0) return w.instead("ring", ring);
  const Plane plane(w, mesh);
  spread_along(w, plane.row, w.bytes());
  spread_along(w, plane.column, times(mesh.y, w.bytes()));
}

void mesh_3d(StepWriter& w) {
  const Mesh mesh = mesh_3d_of(w.size());
  if (mesh.x == 0) return w.instead("ring", ring);
  const Plane plane(w, mesh);
  spread_along(w, plane.row, w.bytes());
  spread_along(w, plane.column, times(mesh.y, w.bytes()));
  spread_along(w, other_planes(w, mesh), times(mesh.x * mesh.y, w.bytes()));
}

}  // namespace allgather

namespace alltoall {

void mesh_2d(StepWriter& w) {
  const Mesh mesh = mesh_2d_of(w.size());
  if (mesh.x == 0) return alltoall_without_mesh(w);
  const Plane plane(w, mesh);
  spread_along(w, plane.row, times(w.size(), w.bytes()));
  spread_along(w, plane.column, times(mesh.y, w.bytes()));
}

void mesh_3d(StepWriter& w) {
  const Mesh mesh = mesh_3d_of(w.size());
  if (mesh.x == 0) return alltoall_without_mesh(w);
  const Plane plane(w, mesh);
  spread_along(w, plane.row, times(w.size(), w.bytes()));
  spread_along(w, plane.column, times(mesh.y, times(w.size(), w.bytes())));
  spread_along(w, other_planes(w, mesh), times(mesh.x * mesh.y, w.bytes()));
}

}  // namespace alltoall

}  // namespace slackline::collectives
