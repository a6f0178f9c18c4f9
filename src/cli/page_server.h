#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/interrupt.h"
#include "report/writers.h"

namespace slackline {

/// Serves one page to the browser of this user: on the loopback interface only, at a port that the
/// system chooses, below a random token that its address has. Whoever does not know the token,
/// names another host (a name that was bound to 127.0.0.1), or comes from another origin gets
/// nothing; only a browser window may be led to the page from elsewhere by its address. Nothing can
/// be changed through it.
///
///   GET TOKEN/          the page; until there is one, a text that asks again every second (503)
///   GET TOKEN/blob/N    its blob N, a zlib stream
///   GET TOKEN/alive     nothing; says that the page is still open
///   GET TOKEN/tables    what statements can be about, as JSON
///   POST TOKEN/query    rows of the statement of SQL that is the body (application/sql), as JSON;
///                       status 400 with a text where it is wrong or was stopped, 503 where two
///                       others have not been answered
class PageServer {
 public:
  /// Answers a statement with JSON, or throws Error; has to ask `stop`. Called by one thread at a
  /// time.
  using Query = std::function<std::string(const std::string& sql, const StopReason& stop)>;
  /// What is served. Refers to the blobs of `page`.
  struct Content {
    ServedPage page;
    std::string tables;
    Query query;
  };

  /// A statement is stopped when the server ends, when the client has disconnected, and after
  /// `longest_statement`. Throws Error where no port is to be had.
  explicit PageServer(std::chrono::seconds longest_statement = std::chrono::seconds(60));
  ~PageServer();
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  /// "http://127.0.0.1:PORT/TOKEN/"
  const std::string& address() const;
  /// Until there is content of which nothing has been asked for during `idle` and no statement is
  /// being answered, or until stop().
  void run(std::chrono::nanoseconds idle);
  /// Once; thread-safe. Clients that wait for the page get it when they ask again.
  void show(Content content);
  /// Thread-safe, also before run().
  void stop();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace slackline
