#include "formats/sqlite/writer.h"

#include <string>

#include "formats/sqlite/query.h"

namespace slackline {
namespace {

/// The version of the tables of a trace.
constexpr int kVersion = 2;

/// Keeps the tables that are being copied apart from those of the file.
constexpr const char* kSource = "source_";

void copy_table(SqlDatabase& database, const SqlTable& table) {
  register_table(database, table, kSource);
  const std::string key = table.key.empty() ? "" : ", PRIMARY KEY (" + table.key + ")";
  const std::string kind = table.key.empty() ? "" : " WITHOUT ROWID";
  database.execute("CREATE TABLE " + table.name + "(" + column_declarations(table) + key + ")" +
                   kind);
  database.execute("INSERT INTO " + table.name + " SELECT * FROM " + kSource + table.name);
  for (const std::string& column : table.indices) {
    database.execute("CREATE INDEX " + table.name + "_" + column + " ON " + table.name + "(" +
                     column + ")");
  }
}

}  // namespace

void write_sqlite(const std::vector<SqlTable>& tables, int version,
                  const std::filesystem::path& path) {
  std::filesystem::remove(path);
  SqlDatabase database(path);
  // Whoever writes it moves the file to its place when it is whole.
  database.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA user_version = " +
                   std::to_string(version) + "; BEGIN");
  for (const SqlTable& table : tables) copy_table(database, table);
  database.execute("COMMIT");
}

Findings write_sqlite(const Trace& trace, const CallMatching& matching,
                      const std::filesystem::path& path) {
  write_sqlite(sql_tables(trace, matching), kVersion, path);
  return {};
}

}  // namespace slackline
