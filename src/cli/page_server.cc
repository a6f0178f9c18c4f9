// A page may show what its user must not give to others, and a port of the loopback interface can
// be reached by every program of every user of this host, and by every web site that this user has
// open. So what makes a request this page's own: the token, which only its address has; a Host that
// is this address, as a browser that was led here by another name (DNS rebinding) sends that name;
// and no Origin but this one. The page itself is given to a navigation from elsewhere, too, as the
// browser is led to it by a file; no site can look into what it navigates to or frame it.
// Statements have a content type that no form of another site can send. Answers are not
// cached, and no Referer header discloses the address.

#include "cli/page_server.h"

#include <fmt/format.h>
#include <httplib.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "base/error.h"

namespace slackline {
namespace {

constexpr const char* kLoopback = "127.0.0.1";
constexpr std::size_t kThreads = 4;
constexpr int kMostStatements = 2;  // at once, so that threads are left for the page
constexpr std::size_t kLongestStatement = 64 * 1024;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;
constexpr int kBadRequest = 400;
constexpr int kBusy = 503;
constexpr const char* kNotYet =
    "<!doctype html>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"refresh\" content=\"1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n<title>Slackline</title>\n"
    "<p>The trace is being analysed. The report is shown here as soon as it is complete.</p>\n";

std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw Error("cannot serve the page", "the system gives no random numbers",
                "Write it to a file with --output.");
  }
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

/// In a time that does not depend on where they differ.
bool same_token(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

/// The port of an end of a socket, as getpeername() or getsockname() tells it; -1: none.
template <class NameOf>
int port_of(int fd, NameOf name_of) {
  sockaddr_in name{};
  socklen_t bytes = sizeof(name);
  const bool known = name_of(fd, reinterpret_cast<sockaddr*>(&name), &bytes) == 0;
  return known && name.sin_family == AF_INET ? ntohs(name.sin_port) : -1;
}

/// The socket that a request came by, which the library does not tell: that between these ports.
/// -1 if it is not found.
int socket_of(const httplib::Request& request) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
    const std::string number = entry.path().filename().string();
    int fd = -1;
    std::from_chars(number.data(), number.data() + number.size(), fd);
    if (port_of(fd, getpeername) == request.remote_port &&
        port_of(fd, getsockname) == request.local_port) {
      return fd;
    }
  }
  return -1;
}

/// Whether the other end has closed it; not of -1.
bool is_closed(int fd) {
  pollfd asked{.fd = fd, .events = POLLRDHUP, .revents = 0};
  return poll(&asked, 1, 0) > 0;
}

/// Counts the statements that are being answered or wait to be.
class CountedStatement {
 public:
  explicit CountedStatement(std::atomic<int>& count) : count_(count), position_(++count) {}
  ~CountedStatement() { --count_; }
  CountedStatement(const CountedStatement&) = delete;
  CountedStatement& operator=(const CountedStatement&) = delete;
  int position() const { return position_; }  ///< 1: the only one

 private:
  std::atomic<int>& count_;
  int position_;
};

}  // namespace

class PageServer::Implementation {
 public:
  explicit Implementation(std::chrono::seconds longest_statement)
      : longest_(longest_statement), token_(random_token()) {
    // A connection that is kept would keep a thread.
    server_.set_keep_alive_max_count(1);
    server_.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    server_.set_payload_max_length(kLongestStatement);
    server_.set_default_headers({{"Cache-Control", "no-store"},
                                 {"Referrer-Policy", "no-referrer"},
                                 {"X-Content-Type-Options", "nosniff"},
                                 {"X-Frame-Options", "DENY"},
                                 {"Cross-Origin-Opener-Policy", "same-origin"},
                                 {"Cross-Origin-Resource-Policy", "same-origin"}});
    const int port = server_.bind_to_any_port(kLoopback);
    if (port <= 0) {
      throw Error("cannot serve the page", "no port of the loopback interface is free",
                  "Write it to a file with --output.");
    }
    host_ = fmt::format("{}:{}", kLoopback, port);
    address_ = fmt::format("http://{}/{}/", host_, token_);
    add_answers();
  }

  const std::string& address() const { return address_; }

  void run(std::chrono::nanoseconds idle) {
    asked();
    std::mutex mutex;
    std::condition_variable ended;
    bool over = false;
    std::thread watch([&] {
      std::unique_lock lock(mutex);
      while (!ended.wait_for(lock, std::chrono::milliseconds(200), [&] { return over; })) {
        const bool unused =
            statements_ == 0 && std::chrono::steady_clock::now() - last_.load() > idle;
        // stop() has no effect before the library listens.
        if (ending_ || (shown() != nullptr && unused)) stop();
      }
    });
    server_.listen_after_bind();
    {
      const std::lock_guard lock(mutex);
      over = true;
    }
    ended.notify_one();
    watch.join();
  }

  void show(Content content) {
    asked();
    const std::lock_guard lock(showing_);
    content_ = std::make_unique<const Content>(std::move(content));
  }

  void stop() {
    ending_ = true;
    server_.stop();
  }

 private:
  using Request = httplib::Request;
  using Response = httplib::Response;

  void asked() { last_ = std::chrono::steady_clock::now(); }

  /// Nothing before show(); then always the same.
  const Content* shown() const {
    const std::lock_guard lock(showing_);
    return content_.get();
  }

  bool is_own(const Request& request) const {
    if (request.get_header_value("Host") != host_) return false;
    if (request.has_header("Origin") && request.get_header_value("Origin") != "http://" + host_) {
      return false;
    }
    const std::string site = request.get_header_value("Sec-Fetch-Site");
    return site.empty() || site == "same-origin" || site == "none" || is_navigation(request);
  }

  /// Whether a window of its own is led to the page.
  bool is_navigation(const Request& request) const {
    return request.method == "GET" && request.path == "/" + token_ + "/" &&
           request.get_header_value("Sec-Fetch-Mode") == "navigate" &&
           request.get_header_value("Sec-Fetch-Dest") == "document";
  }

  /// Whether the path begins with the token.
  bool knows_token(const Request& request) const {
    const std::string_view path = request.path;
    return path.size() > token_.size() + 1 && path.front() == '/' &&
           path[token_.size() + 1] == '/' && same_token(path.substr(1, token_.size()), token_);
  }

  void add_answers() {
    server_.set_pre_routing_handler([this](const Request& request, Response& response) {
      using Next = httplib::Server::HandlerResponse;
      if (!is_own(request)) {
        response.status = kForbidden;
        return Next::Handled;
      }
      if (!knows_token(request)) {
        response.status = kNotFound;
        return Next::Handled;
      }
      asked();
      return Next::Unhandled;
    });
    server_.Get("/[0-9a-f]+/", [this](const Request&, Response& response) {
      const Content* content = shown();
      if (content == nullptr) response.status = kBusy;
      response.set_content(content == nullptr ? kNotYet : content->page.html,
                           "text/html; charset=utf-8");
    });
    server_.Get("/[0-9a-f]+/tables", [this](const Request&, Response& response) {
      const Content* content = shown();
      response.set_content(content == nullptr ? R"({"tables":[]})" : content->tables,
                           "application/json");
    });
    server_.Get("/[0-9a-f]+/alive",
                [](const Request&, Response& response) { response.set_content("", "text/plain"); });
    server_.Get("/[0-9a-f]+/blob/([0-9]+)", [this](const Request& request, Response& response) {
      give_blob(request.matches[1].str(), response);
    });
    server_.Post("/[0-9a-f]+/query", [this](const Request& request, Response& response) {
      if (request.get_header_value("Content-Type") != "application/sql") {
        response.status = kForbidden;
        return;
      }
      answer(request, response);
    });
  }

  void give_blob(const std::string& number, Response& response) const {
    const Content* content = shown();
    const std::size_t count = content == nullptr ? 0 : content->page.blobs.size();
    std::size_t index = count;
    std::from_chars(number.data(), number.data() + number.size(), index);
    if (index >= count) {
      response.status = kNotFound;
      return;
    }
    response.set_content(content->page.blobs[index]->zlib, "application/octet-stream");
  }

  void answer(const Request& request, Response& response) {
    const CountedStatement statement(statements_);
    if (statement.position() > kMostStatements) {
      refuse(kBusy, "cannot run the query: two others are still running. Try again later.",
             response);
      return;
    }
    const Content* content = shown();
    if (content == nullptr) {
      refuse(kBusy, "cannot run the query: the trace is still being analysed. Try again later.",
             response);
      return;
    }
    const std::lock_guard lock(asking_);
    try {
      response.set_content(content->query(request.body, reason_to_stop(request)),
                           "application/json");
    } catch (const std::exception& error) {
      refuse(kBadRequest, error.what(), response);
    }
    asked();
  }

  static void refuse(int status, const char* why, Response& response) {
    response.status = status;
    response.set_content(why, "text/plain; charset=utf-8");
  }

  StopReason reason_to_stop(const Request& request) const {
    const auto end = std::chrono::steady_clock::now() + longest_;
    return [this, end, socket = socket_of(request)]() -> std::string {
      if (ending_) return "the server has ended";
      if (is_closed(socket)) return "the client has disconnected";
      if (std::chrono::steady_clock::now() < end) return "";
      return fmt::format(
          "it took longer than {} s, the limit of served pages; 'slackline query' has none",
          longest_.count());
    };
  }

  mutable std::mutex showing_;
  std::unique_ptr<const Content> content_;
  std::chrono::seconds longest_;
  std::string token_;
  std::string host_;
  std::string address_;
  httplib::Server server_;
  std::mutex asking_;
  std::atomic<int> statements_{0};
  std::atomic<bool> ending_{false};
  std::atomic<std::chrono::steady_clock::time_point> last_{};
};

PageServer::PageServer(std::chrono::seconds longest_statement)
    : implementation_(std::make_unique<Implementation>(longest_statement)) {}

PageServer::~PageServer() = default;

const std::string& PageServer::address() const {
  return implementation_->address();
}

void PageServer::run(std::chrono::nanoseconds idle) {
  implementation_->run(idle);
}

void PageServer::show(Content content) {
  implementation_->show(std::move(content));
}

void PageServer::stop() {
  implementation_->stop();
}

}  // namespace slackline
