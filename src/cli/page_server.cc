// A page may show what its user must not give to others, and every program and every web site that
// this user has open can reach a port of the loopback interface. So what makes a request this
// page's own: the token, which only its address has; a Host that is this address, as a browser that
// was led here by another name (DNS rebinding) sends that name; and no Origin but this one.
// Statements have a content type that no form of another site can send. Answers are not
// cached, and no Referer header discloses the address.

#include "cli/page_server.h"

#include <fmt/format.h>
#include <httplib.h>
#include <sys/random.h>

#include <array>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "base/error.h"

namespace slackline {
namespace {

constexpr const char* kLoopback = "127.0.0.1";
constexpr std::size_t kThreads = 4;
constexpr std::size_t kLongestStatement = 64 * 1024;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;
constexpr int kBadRequest = 400;

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

}  // namespace

class PageServer::Implementation {
 public:
  Implementation(ServedPage page, Query query)
      : page_(std::move(page)), query_(std::move(query)), token_(random_token()) {
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

  void run(std::chrono::seconds idle) {
    asked();
    std::mutex mutex;
    std::condition_variable ended;
    bool over = false;
    std::thread watch([&] {
      std::unique_lock lock(mutex);
      while (!ended.wait_for(lock, std::chrono::milliseconds(200), [&] { return over; })) {
        if (std::chrono::steady_clock::now() - last_.load() > idle) server_.stop();
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

  void stop() { server_.stop(); }

 private:
  using Request = httplib::Request;
  using Response = httplib::Response;

  void asked() { last_ = std::chrono::steady_clock::now(); }

  bool is_own(const Request& request) const {
    if (request.get_header_value("Host") != host_) return false;
    if (request.has_header("Origin") && request.get_header_value("Origin") != "http://" + host_) {
      return false;
    }
    const std::string site = request.get_header_value("Sec-Fetch-Site");
    return site.empty() || site == "same-origin" || site == "none";
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
      response.set_content(page_.html, "text/html; charset=utf-8");
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
      answer(request.body, response);
    });
  }

  void give_blob(const std::string& number, Response& response) const {
    std::size_t index = page_.blobs.size();
    std::from_chars(number.data(), number.data() + number.size(), index);
    if (index >= page_.blobs.size()) {
      response.status = kNotFound;
      return;
    }
    response.set_content(page_.blobs[index]->zlib, "application/octet-stream");
  }

  void answer(const std::string& sql, Response& response) {
    const std::lock_guard lock(asking_);
    try {
      response.set_content(query_(sql), "application/json");
    } catch (const std::exception& error) {
      response.status = kBadRequest;
      response.set_content(error.what(), "text/plain; charset=utf-8");
    }
    asked();
  }

  ServedPage page_;
  Query query_;
  std::string token_;
  std::string host_;
  std::string address_;
  httplib::Server server_;
  std::mutex asking_;
  std::atomic<std::chrono::steady_clock::time_point> last_{};
};

PageServer::PageServer(ServedPage page, Query query)
    : implementation_(std::make_unique<Implementation>(std::move(page), std::move(query))) {}

PageServer::~PageServer() = default;

const std::string& PageServer::address() const {
  return implementation_->address();
}

void PageServer::run(std::chrono::seconds idle) {
  implementation_->run(idle);
}

void PageServer::stop() {
  implementation_->stop();
}

}  // namespace slackline
