#include "cli/page_server.h"

#include <gtest/gtest.h>
#include <httplib.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"

namespace slackline {
namespace {

/// A server of two blobs, in a thread of its own.
class PageServerTest : public ::testing::Test {
 protected:
  PageServerTest() : thread_([this] { server_.run(std::chrono::hours(1)); }) {
    server_.show({{"<p>page</p>", {&first_, &second_}},
                  "[\"calls\"]",
                  [](const std::string& sql, const StopReason&) {
                    if (sql == "wrong") throw usage_error("wrong", "so it is");
                    return "[\"" + sql + "\"]";
                  }});
    const std::string& address = server_.address();  // http://127.0.0.1:PORT/TOKEN/
    const std::size_t slash = address.find('/', 7);
    host_ = address.substr(7, slash - 7);
    path_ = address.substr(slash);
  }
  ~PageServerTest() override {
    server_.stop();
    thread_.join();
  }

  int status(const std::string& path, httplib::Headers headers = {}) {
    httplib::Client client("http://" + host_);
    const auto result = client.Get(path, headers);
    return result ? result->status : -1;
  }
  httplib::Result post(const std::string& sql, const char* type, httplib::Headers headers = {}) {
    httplib::Client client("http://" + host_);
    return client.Post(path_ + "query", headers, sql, type);
  }

  const Blob first_{.zlib = std::string("one\0two", 7), .bytes = 9};
  const Blob second_{.zlib = "second", .bytes = 6};
  PageServer server_;
  std::string host_;
  std::string path_;
  std::thread thread_;
};

TEST_F(PageServerTest, GivesThePageAndItsBlobsToWhoKnowsTheToken) {
  httplib::Client client("http://" + host_);
  const auto page = client.Get(path_);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->body, "<p>page</p>");
  EXPECT_EQ(page->get_header_value("Cache-Control"), "no-store");
  EXPECT_EQ(page->get_header_value("Referrer-Policy"), "no-referrer");
  EXPECT_FALSE(page->has_header("Access-Control-Allow-Origin"));
  const auto blob = client.Get(path_ + "blob/0");
  ASSERT_TRUE(blob);
  EXPECT_EQ(blob->body, first_.zlib);
  EXPECT_EQ(status(path_ + "blob/1"), 200);
  EXPECT_EQ(status(path_ + "blob/2"), 404);
  EXPECT_EQ(status(path_ + "blob/99999999999999999999999"), 404);
  EXPECT_EQ(status(path_ + "blob/../blob/0"), 404);
}

TEST_F(PageServerTest, GivesNothingWithoutTheToken) {
  EXPECT_EQ(status("/"), 404);
  std::string other = path_;
  other[1] = other[1] == '0' ? '1' : '0';
  EXPECT_EQ(status(other), 404);
  EXPECT_EQ(status(path_.substr(0, path_.size() - 2) + "/"), 404);
  EXPECT_EQ(path_.size(), 2u + 32u) << "128 random bits";
}

TEST_F(PageServerTest, GivesNothingUnderAnotherNameOrToAnotherOrigin) {
  EXPECT_EQ(status(path_, {{"Host", "attacker.example"}}), 403);
  EXPECT_EQ(status(path_, {{"Host", "localhost" + host_.substr(host_.find(':'))}}), 403);
  EXPECT_EQ(status(path_, {{"Origin", "http://attacker.example"}}), 403);
  EXPECT_EQ(status(path_, {{"Origin", "null"}}), 403);
  EXPECT_EQ(status(path_, {{"Sec-Fetch-Site", "cross-site"}}), 403);
  EXPECT_EQ(status(path_, {{"Origin", "http://" + host_}, {"Sec-Fetch-Site", "same-origin"}}), 200);
}

TEST_F(PageServerTest, LetsAWindowBeLedToThePageAndToNothingElse) {
  const auto from_elsewhere = [](const char* mode, const char* dest) {
    return httplib::Headers{
        {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", mode}, {"Sec-Fetch-Dest", dest}};
  };
  EXPECT_EQ(status(path_, from_elsewhere("navigate", "document")), 200);
  EXPECT_EQ(status(path_, from_elsewhere("navigate", "iframe")), 403);
  EXPECT_EQ(status(path_, from_elsewhere("no-cors", "script")), 403);
  EXPECT_EQ(status(path_ + "blob/0", from_elsewhere("navigate", "document")), 403);
  EXPECT_EQ(status(path_ + "alive", from_elsewhere("navigate", "document")), 403);
}

TEST_F(PageServerTest, AnswersStatementsOfItsOwnPageOnly) {
  const auto rows = post("SELECT 1", "application/sql");
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->body, "[\"SELECT 1\"]");
  const auto wrong = post("wrong", "application/sql");
  EXPECT_EQ(wrong->status, 400);
  EXPECT_EQ(wrong->body, "wrong: so it is.");
  EXPECT_EQ(post("SELECT 1", "text/plain")->status, 403) << "a form can send that";
  EXPECT_EQ(post("SELECT 1", "application/sql", {{"Origin", "http://attacker.example"}})->status,
            403);
  EXPECT_EQ(status(path_ + "query"), 404) << "GET";
  httplib::Client client("http://" + host_);
  const auto tables = client.Get(path_ + "tables");
  ASSERT_TRUE(tables);
  EXPECT_EQ(tables->body, "[\"calls\"]");
  EXPECT_EQ(post(std::string(100'000, ' '), "application/sql")->status, 413);
}

TEST_F(PageServerTest, RefusesWhatWouldChangeAnything) {
  httplib::Client client("http://" + host_);
  EXPECT_EQ(client.Put(path_, "x", "text/plain")->status, 404);
  EXPECT_EQ(client.Delete(path_)->status, 404);
  EXPECT_EQ(client.Options(path_)->status, 404);
}

/// A server whose statements have no end, in a thread of its own.
class EndlessStatements {
 public:
  explicit EndlessStatements(std::chrono::seconds longest = std::chrono::hours(1))
      : server_(longest), thread_([this] { server_.run(std::chrono::hours(1)); }) {
    server_.show({{"<p>page</p>", {}}, "[]", [this](const std::string&, const StopReason& stop) {
                    started_.release();
                    while ((reason_ = stop()).empty()) std::this_thread::yield();
                    ended_.release();
                    throw Error("stopped", reason_);
                    return std::string();
                  }});
  }
  ~EndlessStatements() {
    server_.stop();
    thread_.join();
  }
  EndlessStatements(const EndlessStatements&) = delete;
  EndlessStatements& operator=(const EndlessStatements&) = delete;

  httplib::Result post(std::chrono::microseconds patience = std::chrono::hours(1)) const {
    httplib::Client client(host());
    client.set_read_timeout(patience);
    return client.Post(path("query"), "SELECT", "application/sql");
  }
  std::future<httplib::Result> post_in_a_thread() const {
    return std::async(std::launch::async, [this] { return post(); });
  }
  httplib::Result alive() const { return httplib::Client(host()).Get(path("alive")); }
  void stop() { server_.stop(); }
  void wait_for_start() { started_.acquire(); }
  /// Waits for one and gives its reason.
  const std::string& wait_for_end() {
    ended_.acquire();
    return reason_;
  }

 private:
  std::size_t host_end() const { return server_.address().find('/', 7); }
  std::string host() const { return server_.address().substr(0, host_end()); }
  std::string path(const char* name) const { return server_.address().substr(host_end()) + name; }

  std::counting_semaphore<> started_{0};
  std::counting_semaphore<> ended_{0};
  std::string reason_;
  PageServer server_;
  std::thread thread_;
};

TEST(PageServer, StopsAStatementAfterTheLongestTime) {
  const EndlessStatements server(std::chrono::seconds(0));
  const auto answer = server.post();
  EXPECT_EQ(answer->status, 400);
  EXPECT_EQ(answer->body,
            "stopped: it took longer than 0 s, the limit of served pages; 'slackline query' has "
            "none.");
}

TEST(PageServer, StopsAStatementWhoseClientHasGone) {
  EndlessStatements server;
  EXPECT_FALSE(server.post(std::chrono::milliseconds(1)));
  EXPECT_EQ(server.wait_for_end(), "the client has disconnected");
}

TEST(PageServer, StopsAStatementWhenItEnds) {
  EndlessStatements server;
  auto answer = server.post_in_a_thread();
  server.wait_for_start();
  server.stop();
  EXPECT_EQ(answer.get()->body, "stopped: the server has ended.");
}

TEST(PageServer, AnswersWhatElseIsAskedWhileStatementsRun) {
  EndlessStatements server;
  std::vector<std::future<httplib::Result>> answers;
  for (int i = 0; i < 3; ++i) answers.push_back(server.post_in_a_thread());
  const auto ready = [](const auto& answer) {
    return answer.wait_for(std::chrono::milliseconds(1)) == std::future_status::ready;
  };
  auto refused = answers.end();
  while ((refused = std::ranges::find_if(answers, ready)) == answers.end()) {
  }
  EXPECT_EQ(refused->get()->status, 503);
  answers.erase(refused);
  EXPECT_EQ(server.alive()->status, 200);
  server.stop();
  for (auto& answer : answers) EXPECT_EQ(answer.get()->status, 400);
}

TEST(PageServer, EndsWhenNothingIsAskedFor) {
  PageServer server;
  server.show({{"<p>page</p>", {}}, "[]", {}});
  server.run(std::chrono::seconds(0));  // returns
}

TEST(PageServer, SaysThatThePageIsBeingMadeUntilItIsThere) {
  PageServer server;
  std::thread thread([&] { server.run(std::chrono::nanoseconds(0)); });
  const std::size_t path = server.address().find('/', 7);
  httplib::Client client(server.address().substr(0, path));
  const auto asked = [&](const std::string& what) {
    return client.Get(server.address().substr(path) + what);
  };
  EXPECT_EQ(asked("")->status, 503);
  EXPECT_NE(asked("")->body.find("http-equiv=\"refresh\""), std::string::npos);
  EXPECT_EQ(asked("blob/0")->status, 404);
  EXPECT_EQ(
      client.Post(server.address().substr(path) + "query", "SELECT 1", "application/sql")->status,
      503);
  server.show({{"<p>page</p>", {}}, "[]", {}});
  thread.join();  // no request within the idle time
}

TEST(PageServer, EndsThoughThereIsNoPage) {
  PageServer server;
  server.stop();
  server.run(std::chrono::hours(1));  // returns
}

}  // namespace
}  // namespace slackline
