#include "engine_process.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>

#include "clock.h"
#include "parallel/process_interface.h"

namespace slackline::record {

namespace {

/// The end of the engine is noticed within this time.
constexpr int kPoll_ms = 5;
constexpr int kTag = 1;
/// MPI counts bytes in an int.
constexpr std::int64_t kPieceBytes = std::int64_t{1} << 30;

/// Memory that grows; no constructors run, and failure is a value.
class Buffer {
 public:
  Buffer() = default;
  ~Buffer() { std::free(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  bool make_room(std::size_t bytes) {
    if (bytes <= room_) return true;
    void* const larger = std::realloc(data_, bytes);
    if (larger == nullptr) return false;
    data_ = static_cast<unsigned char*>(larger);
    room_ = bytes;
    return true;
  }
  unsigned char* data() { return data_; }
  template <class T>
  T* as() {
    return reinterpret_cast<T*>(data_);
  }

 private:
  unsigned char* data_ = nullptr;
  std::size_t room_ = 0;
};

class Relay {
 public:
  Relay(MPI_Comm ranks, const Descriptor& socket, EngineProcess& engine)
      : ranks_(ranks), socket_(socket), engine_(engine) {
    PMPI_Comm_rank(ranks, &rank_);
    PMPI_Comm_size(ranks, &size_);
    const std::size_t sizes = static_cast<std::size_t>(size_) * sizeof(std::int64_t);
    ready_ = out_sizes_.make_room(sizes) && in_sizes_.make_room(sizes);
  }

  /// Without memory there is nothing to do but to end the engine, in all.
  bool ready() { return agreed(ready_); }

  /// One exchange. False when all engines have ended.
  bool pass_on() {
    const bool whole = take_message();
    if (!whole) {
      for (int p = 0; p < size_; ++p) out_size(p) = SLK_RELAY_GONE;
    }
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Ialltoall(out_sizes_.data(), 1, MPI_INT64_T, in_sizes_.data(), 1, MPI_INT64_T, ranks_,
                   &request);
    wait_for_all(&request, 1);
    if (all_gone()) return false;
    const bool fails = any_fails();
    // All ranks decide alike: a process that fails reports it to every other one.
    const bool moved = !fails && agreed(in_.make_room(bytes_of(in_sizes_)) && make_requests());
    if (moved) exchange();
    if (whole && !(fails || moved)) engine_.give_up();
    if (whole) give_message(moved);
    return true;
  }

  std::uint64_t sent() const { return sent_; }

 private:
  std::int64_t& out_size(int p) { return out_sizes_.as<std::int64_t>()[p]; }
  std::int64_t& in_size(int p) { return in_sizes_.as<std::int64_t>()[p]; }

  std::size_t bytes_of(Buffer& sizes) {
    std::int64_t sum = 0;
    for (int p = 0; p < size_; ++p) {
      const std::int64_t bytes = sizes.as<std::int64_t>()[p];
      if (p != rank_ && bytes > 0) sum += bytes;
    }
    return static_cast<std::size_t>(sum);
  }
  bool any_fails() {
    for (int p = 0; p < size_; ++p) {
      if (in_size(p) < 0) return true;
    }
    return false;
  }
  bool all_gone() {
    for (int p = 0; p < size_; ++p) {
      if (in_size(p) != SLK_RELAY_GONE) return false;
    }
    return true;
  }

  /// Whether it is true in all.
  bool agreed(bool mine) {
    int all = mine ? 1 : 0;
    MPI_Request request = MPI_REQUEST_NULL;
    const int one = all;
    PMPI_Iallreduce(&one, &all, 1, MPI_INT, MPI_MIN, ranks_, &request);
    wait_for_all(&request, 1);
    return all != 0;
  }

  void wait_for_all(MPI_Request* requests, int count) {
    const std::uint64_t begin_ns = steady_ns();
    for (;;) {
      int done = 0;
      PMPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
      if (done != 0) return;
      engine_.runs();  // or has reached its limits
      sleep_a_little(begin_ns);
    }
  }

  bool wait_for_socket(short event) {
    for (;;) {
      pollfd what{socket_.number(), event, 0};
      if (what.fd < 0) return false;  // there is none, or the program has closed it
      const int ready = poll(&what, 1, kPoll_ms);
      if (ready > 0) return true;
      if (ready < 0 && errno != EINTR) return false;
      engine_.runs();  // when it ends, the socket can be read
    }
  }

  bool receive(void* to, std::size_t bytes) {
    auto* at = static_cast<unsigned char*>(to);
    while (bytes > 0) {
      if (!wait_for_socket(POLLIN)) return false;
      const ssize_t got = recv(socket_.number(), at, bytes, MSG_DONTWAIT);
      if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) return false;
      if (got < 0) continue;
      at += got;
      bytes -= static_cast<std::size_t>(got);
    }
    return true;
  }

  bool send_to_engine(const void* from, std::size_t bytes) {
    const auto* at = static_cast<const unsigned char*>(from);
    while (bytes > 0) {
      if (!wait_for_socket(POLLOUT)) return false;
      const ssize_t sent = send(socket_.number(), at, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent < 0 && errno != EINTR && errno != EAGAIN) return false;
      if (sent < 0) continue;
      at += sent;
      bytes -= static_cast<std::size_t>(sent);
    }
    return true;
  }

  /// What the engine has for the others. False if it has ended.
  bool take_message() {
    if (!receive(out_sizes_.data(), static_cast<std::size_t>(size_) * sizeof(std::int64_t))) {
      return false;
    }
    const std::size_t bytes = bytes_of(out_sizes_);
    if (out_.make_room(bytes)) return receive(out_.data(), bytes);
    engine_.give_up();
    return false;
  }

  /// Their answers, or that the exchange has failed. If the engine has ended meanwhile, the next
  /// take_message() sees it.
  void give_message(bool moved) {
    if (!moved) {
      bool gone = false;
      for (int p = 0; p < size_; ++p) gone = gone || in_size(p) == SLK_RELAY_GONE;
      in_size(rank_) = gone ? SLK_RELAY_GONE : SLK_RELAY_FAILED;
    }
    const std::size_t sizes = static_cast<std::size_t>(size_) * sizeof(std::int64_t);
    if (send_to_engine(in_sizes_.data(), sizes) && moved) {
      send_to_engine(in_.data(), bytes_of(in_sizes_));
    }
  }

  bool make_requests() {
    const std::size_t pieces =
        (bytes_of(in_sizes_) + bytes_of(out_sizes_)) / static_cast<std::size_t>(kPieceBytes) +
        2 * static_cast<std::size_t>(size_);
    return requests_.make_room(pieces * sizeof(MPI_Request));
  }

  void exchange() {
    int count = 0;
    auto* const requests = requests_.as<MPI_Request>();
    const auto for_pieces = [&](std::int64_t bytes, unsigned char*& at, const auto& post) {
      for (std::int64_t done = 0; done < bytes; done += kPieceBytes) {
        const std::int64_t left = bytes - done;
        post(at + done, static_cast<int>(left < kPieceBytes ? left : kPieceBytes),
             &requests[count++]);
      }
      at += bytes;
    };
    unsigned char* in = in_.data();
    unsigned char* out = out_.data();
    for (int p = 0; p < size_; ++p) {
      if (p == rank_) continue;
      for_pieces(in_size(p), in, [&](void* at, int bytes, MPI_Request* request) {
        PMPI_Irecv(at, bytes, MPI_BYTE, p, kTag, ranks_, request);
      });
      for_pieces(out_size(p), out, [&](void* at, int bytes, MPI_Request* request) {
        PMPI_Isend(at, bytes, MPI_BYTE, p, kTag, ranks_, request);
      });
    }
    wait_for_all(requests, count);
    sent_ += bytes_of(out_sizes_);
  }

  MPI_Comm ranks_;
  const Descriptor& socket_;
  EngineProcess& engine_;
  int rank_ = 0;
  int size_ = 1;
  bool ready_ = false;
  Buffer out_sizes_, in_sizes_;
  Buffer out_, in_;  // for the others and from them, in order of rank
  Buffer requests_;
  std::uint64_t sent_ = 0;
};

}  // namespace

std::uint64_t relay_exchanges(MPI_Comm ranks, const Descriptor& socket, EngineProcess& engine) {
  Relay relay(ranks, socket, engine);
  if (relay.ready()) {
    while (relay.pass_on()) {
    }
  } else {
    engine.give_up();
  }
  return relay.sent();
}

}  // namespace slackline::record
