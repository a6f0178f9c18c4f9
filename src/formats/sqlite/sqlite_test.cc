#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>

#include "base/error.h"
#include "base/testing/error_text.h"
#include "base/testing/scratch_folder.h"
#include "formats/sqlite/query.h"
#include "formats/sqlite/writer.h"
#include "formats/text/text.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Rank 0 sends after rank 1 has posted its receive; a second message is never received.
constexpr std::string_view kSqlTrace =
    "slackline-trace 1 timed ranks=3\n"
    "comm 2 members=1,0 name=pair\n"
    "rank 0 host=n0\n"
    "@0 +100 init\n@150 enter \"solve\"\n@1200 +500 send to=1 tag=3 bytes=8 comm=2\n"
    "@1800 +10 send to=2 tag=4 bytes=16\n@2000 leave \"solve\"\n@2600 +10 finalize\n"
    "rank 1\n@5 +95 init\n@200 +1600 recv from=0 tag=3 bytes=8 comm=2\n@2600 +10 finalize\n"
    "rank 2\n@0 +100 init\n@2600 +20 finalize\n";

std::string printed(const QueryResult& result) {
  std::string text;
  for (const auto& row : result.rows) {
    std::string line;
    for (const QueryValue& value : row) {
      if (!line.empty()) line += '|';
      if (const auto* number = std::get_if<std::int64_t>(&value)) line += std::to_string(*number);
      if (const auto* number = std::get_if<double>(&value)) line += std::to_string(*number);
      if (const auto* word = std::get_if<std::string>(&value)) line += *word;
      if (std::holds_alternative<std::monostate>(value)) line += "NULL";
    }
    text += line + "\n";
  }
  return text;
}

class SqlOfTrace : public ::testing::Test {
 protected:
  std::string query(std::string_view sql) const {
    return printed(query_trace(trace_, matching_, sql));
  }

  Trace trace_ = read_text(kSqlTrace, "test");
  CallMatching matching_{trace_};
};

TEST_F(SqlOfTrace, CallsAreThoseOfTheText) {
  EXPECT_EQ(query("SELECT rank, call, operation, begin_ns, end_ns, bytes, peer, tag, comm, region "
                  "FROM calls WHERE operation LIKE 'MPI_Send' OR rank = 1"),
            "0|1|MPI_Send|1200|1700|8|1|3|2|solve\n0|2|MPI_Send|1800|1810|16|2|4|0|solve\n"
            "1|0|MPI_Init|5|100|0|-1|0|0|\n1|1|MPI_Recv|200|1800|8|0|3|2|\n"
            "1|2|MPI_Finalize|2600|2610|0|-1|0|0|\n");
}

TEST_F(SqlOfTrace, SearchesByRankAndCallFindWhatScansFind) {
  EXPECT_EQ(query("SELECT count(*) FROM calls WHERE rank = 2"), "2\n");
  EXPECT_EQ(query("SELECT operation FROM calls WHERE rank = 1 AND call = 1"), "MPI_Recv\n");
  for (const char* nowhere :
       {"rank = 3", "rank = -1", "rank = 1 AND call = 3", "rank = 2 AND call = -1", "rank = NULL",
        "rank = 0.5", "rank = 9223372036854775807", "rank = 0 AND call = 1.5"}) {
    EXPECT_EQ(query(std::string("SELECT count(*) FROM calls WHERE ") + nowhere), "0\n") << nowhere;
  }
}

TEST_F(SqlOfTrace, MessagesJoinTheirCalls) {
  EXPECT_EQ(query("SELECT m.message, m.destination, c.operation, c.region, m.receive_call, "
                  "m.receive_end_ns FROM messages m "
                  "JOIN calls c ON c.rank = m.source AND c.call = m.send_call ORDER BY 1"),
            "0|1|MPI_Send|solve|1|1800\n1|2|MPI_Send|solve|NULL|NULL\n");
}

TEST_F(SqlOfTrace, OtherTables) {
  EXPECT_EQ(query("SELECT operation, members, first_begin_ns, last_begin_ns, last_rank, "
                  "last_end_ns FROM collectives ORDER BY first_begin_ns"),
            "MPI_Init|3|0|5|1|100\nMPI_Finalize|3|2600|2600|0|2620\n");
  EXPECT_EQ(query("SELECT * FROM regions"), "0|solve|0|150|2000\n");
  EXPECT_EQ(query("SELECT name, position, rank FROM communicator_members WHERE comm = 2"),
            "pair|0|1\npair|1|0\n");
  EXPECT_EQ(query("SELECT host, present FROM ranks WHERE rank = 0"), "n0|1\n");
  EXPECT_EQ(query("SELECT 1.5, NULL"), "1.500000|NULL\n");
}

TEST_F(SqlOfTrace, WrongStatementsSayWhatIsWrong) {
  const auto complaint = [&](std::string_view sql) -> std::string {
    try {
      query(sql);
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_status(), 2);
      return error.what();
    }
    return "none";
  };
  EXPECT_THAT(complaint("SELECT colour FROM calls"), HasSubstr("no such column: colour. The"));
  EXPECT_THAT(complaint("SELECT * FROM cals"), HasSubstr("calls, messages, collectives"));
  EXPECT_THAT(complaint(" ; "), HasSubstr("it is empty"));
  EXPECT_THAT(complaint("SELECT 1; SELECT 2"), HasSubstr("several statements"));
  EXPECT_THAT(complaint("DELETE FROM calls"), HasSubstr("may not be modified"));
  EXPECT_EQ(query("SELECT 1 ; "), "1\n");
}

TEST_F(SqlOfTrace, StatementsCanOnlyRead) {
  for (const char* sql :
       {"PRAGMA hard_heap_limit = 1", "PRAGMA temp_store_directory = '/'", "PRAGMA user_version",
        "SELECT * FROM pragma_user_version", "CREATE TABLE t(a)", "CREATE TEMP TABLE t(a)",
        "CREATE TABLE t AS SELECT * FROM calls", "CREATE VIEW v AS SELECT 1",
        "CREATE VIRTUAL TABLE t USING calls", "ATTACH 'other.db' AS other", "DETACH main",
        "VACUUM INTO 'other.db'", "BEGIN", "SAVEPOINT s", "ANALYZE",
        "INSERT INTO sqlite_master VALUES (1, 2, 3, 4, 5)"}) {
    const std::string said = error_text([&] { query(sql); });
    EXPECT_THAT(said, StartsWith("cannot run the query: ")) << sql;
    EXPECT_THAT(said, HasSubstr("The tables are calls, ")) << sql;
  }
  EXPECT_THAT(error_text([&] { query("PRAGMA user_version"); }),
              HasSubstr("only SELECT is allowed"));
  EXPECT_EQ(query("VALUES (upper('a'))"), "A\n");
  EXPECT_EQ(query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3) "
                  "SELECT sum(i) FROM n"),
            "6\n");
}

TEST_F(SqlOfTrace, StatementsWithoutAnEndCanBeStopped) {
  int asked = 0;
  const auto stop = [&] { return std::string(++asked == 3 ? "it was enough" : ""); };
  const auto query = [&] {
    query_trace(trace_, matching_,
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                "SELECT sum(i) FROM n",
                {}, {.stop = stop});
  };
  EXPECT_EQ(error_text(query), "cannot run the query: it was enough.");
  EXPECT_EQ(asked, 3);
}

TEST_F(SqlOfTrace, AnswersAreNoLargerThanAllowed) {
  const auto asked = [&](const char* sql, QueryLimits limits) {
    return query_trace(trace_, matching_, sql, {}, limits);
  };
  constexpr const char* kNumbers =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) ";
  const std::string rows = std::string(kNumbers) + "SELECT printf('%.*c', 1000, 'x') FROM n";
  const QueryResult some = asked(rows.c_str(), {.most_bytes = 100'000});
  EXPECT_FALSE(some.complete);
  EXPECT_GE(some.rows.size(), 80u);
  EXPECT_LE(some.rows.size(), 100u) << "of 1,000 bytes each, and what their cells take";
  EXPECT_TRUE(asked(rows.c_str(), {}).complete);
  EXPECT_EQ(asked(rows.c_str(), {.most_rows = 7}).rows.size(), 7u);
  const QueryResult long_row = asked("SELECT printf('%.*c', 1000, 'x')", {.most_bytes = 999});
  EXPECT_TRUE(long_row.rows.empty());
  EXPECT_FALSE(long_row.complete);
}

TEST_F(SqlOfTrace, StatementsTakeNoMoreMemoryThanAllowed) {
  constexpr const char* kGrowing =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100) "
      "SELECT length(group_concat(printf('%.*c', 1000000, 'x'))) FROM n";
  const auto query = [&](std::size_t bytes) {
    return query_trace(trace_, matching_, kGrowing, {}, {.most_working_bytes = bytes});
  };
  EXPECT_THAT(error_text([&] { query(20'000'000); }), HasSubstr("more memory than it may"));
  EXPECT_EQ(query(0).rows.size(), 1u) << "the limit ends with its statement";
}

/// What the sqlite3 library reads from the file.
std::string in_file(const std::filesystem::path& path, const std::string& sql) {
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  std::string text;
  const auto append = [](void* to, int count, char** values, char** /*names*/) {
    for (int i = 0; i < count; ++i) {
      *static_cast<std::string*>(to) +=
          std::string(i > 0 ? "|" : "") + (values[i] == nullptr ? "NULL" : values[i]);
    }
    *static_cast<std::string*>(to) += "\n";
    return 0;
  };
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), append, &text, nullptr), SQLITE_OK) << sql;
  sqlite3_close(database);
  return text;
}

TEST_F(SqlOfTrace, FilesHoldTheSameTables) {
  const ScratchFolder scratch;
  const std::filesystem::path path = scratch.path() / "out.sqlite";
  write_sqlite(trace_, matching_, path);
  for (const char* table : {"calls", "messages", "collectives", "regions", "communicator_members",
                            "ranks", "findings"}) {
    const std::string sql = std::string("SELECT * FROM ") + table + " ORDER BY 1, 2, 3";
    EXPECT_EQ(in_file(path, sql), query(sql)) << table;
  }
  EXPECT_EQ(in_file(path, "PRAGMA user_version"), "2\n");
  EXPECT_EQ(in_file(path, "PRAGMA integrity_check"), "ok\n");
  EXPECT_THAT(in_file(path, "SELECT name FROM sqlite_master WHERE type = 'index'"),
              HasSubstr("calls_operation\n"));
  write_sqlite(trace_, matching_, path);  // over an older one
  EXPECT_EQ(in_file(path, "SELECT count(*) FROM calls"), "9\n");
  EXPECT_THROW(write_sqlite(trace_, matching_, scratch.path() / "no" / "such.sqlite"), Error);
}

}  // namespace
}  // namespace slackline
