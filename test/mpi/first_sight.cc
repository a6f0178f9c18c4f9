// Some 700 call paths, each taken three times, and then with a walk by libgcc instead of a call.
//
//     first_sight           prints CPU time in ns: of the first, of the second and of the third
//     time, and of the walk, a path
//
// As in a simulation code: a driver some 20 calls deep whose steps differ in their last calls only.

#include <execinfo.h>
#include <mpi.h>

#include <cstdio>
#include <ctime>
#include <utility>

namespace {

constexpr int kGroups = 26;
constexpr int kMembers = 27;
constexpr int kDriver = 20;

volatile double sink = 1;
bool walks = false;

double cpu_ns() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

template <int N>
__attribute__((noinline)) void member(double value) {
  if (walks) {
    void* frames[64];
    sink = backtrace(frames, 64);
  } else {
    MPI_Send(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, N, MPI_COMM_SELF);
  }
  sink = sink + value;
}

template <int Group, int... Is>
__attribute__((noinline)) void group(std::integer_sequence<int, Is...>) {
  (member<Group * kMembers + Is>(sink), ...);
  sink = sink + Group;
}

template <int... Groups>
__attribute__((noinline)) void all_groups(std::integer_sequence<int, Groups...>) {
  (group<Groups>(std::make_integer_sequence<int, kMembers>()), ...);
  sink = sink + 1;
}

template <int Depth>
__attribute__((noinline)) void driver(double value) {
  if constexpr (Depth == 0) {
    all_groups(std::make_integer_sequence<int, kGroups>());
  } else {
    driver<Depth - 1>(value + 1);
  }
  sink = sink + value;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  void* first[1];
  backtrace(first, 1);  // loads libgcc
  double times[4];
  for (double& time : times) {
    walks = &time == &times[3];
    const double from = cpu_ns();
    driver<kDriver>(1);
    time = (cpu_ns() - from) / (kGroups * kMembers);
  }
  if (rank == 0)
    std::printf("%d paths: %.0f %.0f %.0f %.0f\n", kGroups * kMembers, times[0], times[1], times[2],
                times[3]);
  MPI_Finalize();
}
