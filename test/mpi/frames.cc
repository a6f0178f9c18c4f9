// C++ ways to a call of MPI: templates, virtual functions, lambdas, recursion through a library's
// algorithm, inlined functions, destructors and exceptions. call_paths_gdb_test.py compares the
// recorded paths with the debugger's.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <vector>

namespace {

int rank_here;
volatile int sink;

__attribute__((noinline)) void exchange() {
  int got = 0;
  MPI_Sendrecv(&rank_here, 1, MPI_INT, rank_here, 0, &got, 1, MPI_INT, rank_here, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  sink = got + 1;
}

struct Shape {
  virtual ~Shape() = default;
  virtual void relax(int depth) = 0;
};

struct Square final : Shape {
  __attribute__((noinline)) void relax(int depth) override {
    exchange();
    sink = sink + depth;
  }
};

template <class T>
struct Solver {
  __attribute__((noinline)) T solve(T depth, const std::function<void(int)>& visit) {
    if (depth <= 0) {
      visit(3);
      return 1;
    }
    const T below = solve(depth - 1, visit) + 1;
    sink = static_cast<int>(below);
    return below;
  }
};

inline void inlined_twice(Shape& shape, int depth) {
  shape.relax(depth);
  sink = sink + 2;
}
inline void inlined(Shape& shape, int depth) {
  inlined_twice(shape, depth);
  sink = sink + 1;
}

struct OnExit {
  __attribute__((noinline)) ~OnExit() {
    exchange();
    sink = sink + 5;
  }
};

__attribute__((noinline)) void throws(int depth) {
  OnExit on_exit;
  exchange();
  if (depth % 2 == 0) throw std::runtime_error("out of a caller of MPI");
  sink = depth;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_here);
  int caught = 0;
  for (int i = 0; i < 250; ++i) {
    Square square;
    Solver<long>().solve(i % 5, [&](int depth) {
      inlined(square, depth);
      sink = sink + 1;
    });
    std::vector<int> values{3, 1, 2};
    std::for_each(values.begin(), values.end(), [&](int v) {
      if (v == i % 3 + 1) exchange();
      sink = v;
    });
    try {
      throws(i);
    } catch (const std::runtime_error&) {
      ++caught;
    }
  }
  MPI_Finalize();
  return caught == 125 ? 0 : 1;
}
