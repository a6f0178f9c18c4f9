#include "cli/page_server.h"

#include <gtest/gtest.h>
#include <httplib.h>

#include <chrono>
#include <string>
#include <thread>

#include "base/error.h"

namespace slackline {
namespace {

/// A server of two blobs, in a thread of its own.
class PageServerTest : public ::testing::Test {
 protected:
  PageServerTest() : thread_([this] { server_.run(std::chrono::hours(1)); }) {
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
  PageServer server_{{"<p>page</p>", {&first_, &second_}}, [](const std::string& sql) {
                       if (sql == "wrong") throw usage_error("wrong", "so it is");
                       return "[\"" + sql + "\"]";
                     }};
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
  EXPECT_EQ(post(std::string(100'000, ' '), "application/sql")->status, 413);
}

TEST_F(PageServerTest, RefusesWhatWouldChangeAnything) {
  httplib::Client client("http://" + host_);
  EXPECT_EQ(client.Put(path_, "x", "text/plain")->status, 404);
  EXPECT_EQ(client.Delete(path_)->status, 404);
  EXPECT_EQ(client.Options(path_)->status, 404);
}

TEST(PageServer, EndsWhenNothingIsAskedFor) {
  PageServer server({"<p>page</p>", {}}, [](const std::string&) { return std::string(); });
  server.run(std::chrono::seconds(0));  // returns
}

}  // namespace
}  // namespace slackline
