#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/interrupt.h"

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
  SqlDatabase(const SqlDatabase&) = delete;  // SQLite keeps its address
  SqlDatabase& operator=(const SqlDatabase&) = delete;

  /// Executes statements that give no rows. Throws Error, of a full disk too.
  void execute(const std::string& sql);
  /// From now on statements can only read tables: they make none, and change no settings.
  void allow_reading_only();
  /// Statements end with `stop`'s reason. It is asked every 10,000 steps of SQLite's machine.
  void stop_for(StopReason stop);
  /// Throws the Error for `status` of a statement: usage, unless it was stopped.
  [[noreturn]] void refuse(int status, std::string_view help) const;
  sqlite3* handle() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  explicit SqlDatabase(const char* name);
  static int must_stop(void* database);

  std::string name_;
  StopReason stop_{};
  std::string stopped_{};  // the reason
  std::unique_ptr<sqlite3, Close> handle_;
};

/// While it lives SQLite takes no more memory than this in all of the process; statements that need
/// more are refused. 0: any.
class SqlMemoryLimit {
 public:
  explicit SqlMemoryLimit(std::size_t bytes);
  ~SqlMemoryLimit();
  SqlMemoryLimit(const SqlMemoryLimit&) = delete;
  SqlMemoryLimit& operator=(const SqlMemoryLimit&) = delete;

 private:
  std::int64_t before_;
};

/// The first statement of a text, made ready.
class SqlStatement {
 public:
  /// Throws usage Error for what is no statement, or more than one; `help` says what to do.
  SqlStatement(const SqlDatabase& database, std::string_view sql, std::string_view help);

  /// To the next row; false after the last one. Throws Error, for a statement that was stopped too.
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
