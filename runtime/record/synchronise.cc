// Clock offsets by a binomial tree of ping-pongs.
//
// In round k, every rank below 2^k serves the rank 2^k above it, so that all ranks know their
// offset to rank 0 after log2(P) rounds. A client sends, the server answers with its time, and
// the client assumes that the answer was written halfway between its sending and receiving.
// However asymmetric the two ways are, the true offset is within half the round trip of that, so
// the best of a few tens of tries is kept and its half round trip is the stated error; errors add
// up along the tree. (Cristian 1989; the smallest round trip as in mpi-graph and Scalasca.)
// A pair gives up after two milliseconds: on oversubscribed cores a try can cost a time slice.
// Two ranks that read one clock, as those of one host do, find that out in the first exchange, and
// that is all: their offset is 0.

#include "job_start.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

#include "clock.h"

namespace slackline::record {

namespace {

constexpr int kTag = 1;
constexpr int kTries = 40;
constexpr int kFewestTries = 6;
constexpr std::int64_t kBudgetNs = 2'000'000;

std::int64_t now() {
  return static_cast<std::int64_t>(now_ns());
}

/// Messages are of 64-bit integers.
template <class Message>
void send(const Message& message, int to, MPI_Comm comm) {
  PMPI_Send(&message, sizeof message / sizeof(std::int64_t), MPI_INT64_T, to, kTag, comm);
}

template <class Message>
void receive(Message& message, int from, MPI_Comm comm) {
  PMPI_Recv(&message, sizeof message / sizeof(std::int64_t), MPI_INT64_T, from, kTag, comm,
            MPI_STATUS_IGNORE);
}

/// Whether this process reads another time than the kernel's, from a test or libfaketime.
bool is_falsified() {
  constexpr std::int64_t kNoticed = 1'000'000;
  if (clock_fault.active) return true;
  timespec t{};
  const std::int64_t before = now();
  if (syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t) != 0) return true;
  const std::int64_t after = now();
  const std::int64_t ns = static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
  return ns < before - kNoticed || ns > after + kNoticed;
}

std::uint64_t hash(std::uint64_t seed, const char* text) {
  constexpr std::uint64_t kPrime = 0x100000001b3;  // FNV-1a
  for (; *text != '\0'; ++text) seed = (seed ^ static_cast<unsigned char>(*text)) * kPrime;
  return (seed ^ 0xff) * kPrime;
}

/// Equal, and not 0, for processes that read the same clock.
std::int64_t clock_identity(const char* host, const char* boot_id) {
  if (*boot_id == '\0' || is_falsified()) return 0;
  struct stat time_namespace {};
  // It stays 0 where there are none. Up to glibc 2.32 its own function has been a macro.
  static_cast<void>(syscall(SYS_newfstatat, AT_FDCWD, "/proc/self/ns/time", &time_namespace, 0));
  constexpr std::uint64_t kSeed = 0xcbf29ce484222325;
  const std::uint64_t place = hash(hash(kSeed, host), boot_id);
  return static_cast<std::int64_t>(place ^ time_namespace.st_ino) | 1;
}

/// What a client sends: whether it asks for the time, and its clock.
struct Question {
  std::int64_t more;
  std::int64_t identity;
};
/// What the server answers: its time, whether both have one clock, and its own offset and error.
struct Answer {
  std::int64_t time_ns;
  std::int64_t one_clock;
  std::int64_t offset_ns;
  std::int64_t error_ns;
};

void serve(int client, const slk_clock_sample& own, std::int64_t identity, MPI_Comm comm) {
  for (;;) {
    Question question{};
    receive(question, client, comm);
    if (question.more == 0) return;
    const bool one_clock = identity != 0 && question.identity == identity;
    send(Answer{now(), one_clock ? 1 : 0, own.offset_ns, own.error_ns}, client, comm);
    if (one_clock) return;
  }
}

slk_clock_sample ask(int server, std::int64_t identity, MPI_Comm comm) {
  slk_clock_sample best{};
  std::int64_t best_trip = INT64_MAX;
  Answer answer{};
  const std::int64_t started = now();
  for (int i = 0; i < kTries; ++i) {
    const std::int64_t sent = now();
    send(Question{1, identity}, server, comm);
    receive(answer, server, comm);
    const std::int64_t received = now();
    const std::int64_t trip = received - sent;
    if (trip < best_trip) {
      best_trip = trip;
      best.local_ns = sent + trip / 2;
      best.offset_ns = answer.time_ns - best.local_ns;
    }
    if (answer.one_clock != 0) break;
    if (i + 1 >= kFewestTries && received - started > kBudgetNs) break;
  }
  if (answer.one_clock != 0) {
    best.offset_ns = answer.offset_ns;
    best.error_ns = answer.error_ns;
    return best;
  }
  send(Question{0, 0}, server, comm);
  best.offset_ns += answer.offset_ns;
  best.error_ns = (best_trip + 1) / 2 + answer.error_ns;
  return best;
}

}  // namespace

MPI_Comm make_private_world() {
  constexpr int kCreationTag = 0x51ac;
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  if (PMPI_Comm_group(MPI_COMM_WORLD, &world) != MPI_SUCCESS) return MPI_COMM_NULL;
  if (PMPI_Comm_create_group(MPI_COMM_WORLD, world, kCreationTag, &made) != MPI_SUCCESS) {
    made = MPI_COMM_NULL;
  }
  PMPI_Group_free(&world);
  return made;
}

slk_clock_sample measure_clock(const char* host, const char* boot_id, MPI_Comm comm) {
  int rank = 0;
  int size = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
  slk_clock_sample own{};
  own.local_ns = now();
  const std::int64_t identity = clock_identity(host, boot_id);
  for (int step = 1; step < size; step *= 2) {
    if (rank < step && rank + step < size) serve(rank + step, own, identity, comm);
    if (rank >= step && rank < 2 * step) own = ask(rank - step, identity, comm);
  }
  own.reference_rank = 0;
  own.valid = 1;
  return own;
}

}  // namespace slackline::record
