#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace slackline {

/// A connection to an SQLite database.
class SqlDatabase {
 public:
  /// In memory, and without access to any file.
  SqlDatabase();
  /// A new file. Throws Error when it cannot be made.
  explicit SqlDatabase(const std::filesystem::path& path);

  /// Executes statements that give no rows. Throws Error, of a full disk too.
  void execute(const std::string& sql);
  sqlite3* handle() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  explicit SqlDatabase(const char* name);

  std::string name_;
  std::unique_ptr<sqlite3, Close> handle_;
};

/// The first statement of a text, made ready.
class SqlStatement {
 public:
  /// Throws usage Error for what is no statement, or more than one; `help` says what to do.
  SqlStatement(const SqlDatabase& database, std::string_view sql, std::string_view help);

  /// To the next row; false after the last one. Throws Error.
  bool step();
  sqlite3_stmt* handle() const { return handle_.get(); }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const;
  };
  const SqlDatabase& database_;
  std::string help_;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

}  // namespace slackline
