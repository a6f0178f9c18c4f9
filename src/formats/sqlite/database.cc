#include "formats/sqlite/database.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/error.h"

namespace slackline {
namespace {

bool is_blank(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return c == ';' || std::isspace(static_cast<unsigned char>(c)) != 0; });
}

}  // namespace

void SqlDatabase::Close::operator()(sqlite3* handle) const {
  sqlite3_close_v2(handle);
}

SqlDatabase::SqlDatabase(const char* name) : name_(name) {
  sqlite3* opened = nullptr;
  const int status = sqlite3_open(name, &opened);
  handle_.reset(opened);
  if (status == SQLITE_OK) return;
  throw Error("cannot create '" + name_ + "'", sqlite3_errstr(status),
              "Check the folder and its permissions.");
}

SqlDatabase::SqlDatabase() : SqlDatabase(":memory:") {
  sqlite3_limit(handle(), SQLITE_LIMIT_ATTACHED, 0);
}

SqlDatabase::SqlDatabase(const std::filesystem::path& path) : SqlDatabase(path.c_str()) {}

void SqlDatabase::execute(const std::string& sql) {
  if (sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return;
  throw Error("cannot write '" + name_ + "'", sqlite3_errmsg(handle()),
              "Check the free space and the permissions.");
}

void SqlDatabase::allow_reading_only() {
  const auto decide = [](void*, int action, const char*, const char*, const char*, const char*) {
    constexpr std::array kReading{SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE};
    return std::ranges::find(kReading, action) == kReading.end() ? SQLITE_DENY : SQLITE_OK;
  };
  sqlite3_set_authorizer(handle(), decide, nullptr);
}

int SqlDatabase::must_stop(void* database) {
  auto& self = *static_cast<SqlDatabase*>(database);
  self.stopped_ = self.stop_();
  return self.stopped_.empty() ? 0 : 1;
}

void SqlDatabase::stop_for(StopReason stop) {
  constexpr int kSteps = 10'000;
  stop_ = std::move(stop);
  sqlite3_progress_handler(handle(), stop_ ? kSteps : 0, must_stop, this);
}

void SqlDatabase::refuse(int status, std::string_view help) const {
  if (status == SQLITE_INTERRUPT) throw Error("cannot run the query", stopped_);
  if (status == SQLITE_NOMEM || status == SQLITE_TOOBIG) {
    throw Error("cannot run the query", "it takes more memory than it may",
                "Select fewer rows or columns, or do not sort them.");
  }
  throw usage_error("cannot run the query",
                    status == SQLITE_AUTH ? "only SELECT is allowed" : sqlite3_errmsg(handle()),
                    help);
}

SqlMemoryLimit::SqlMemoryLimit(std::size_t bytes) : before_(sqlite3_hard_heap_limit64(-1)) {
  if (bytes > 0) sqlite3_hard_heap_limit64(static_cast<sqlite3_int64>(bytes));
}

SqlMemoryLimit::~SqlMemoryLimit() {
  sqlite3_hard_heap_limit64(before_);
}

void SqlStatement::Finalize::operator()(sqlite3_stmt* handle) const {
  sqlite3_finalize(handle);
}

SqlStatement::SqlStatement(const SqlDatabase& database, std::string_view sql, std::string_view help)
    : database_(database), help_(help) {
  sqlite3_stmt* prepared = nullptr;
  const char* rest = nullptr;
  const int status = sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()),
                                        &prepared, &rest);
  handle_.reset(prepared);
  if (status != SQLITE_OK) database.refuse(status, help);
  if (prepared == nullptr) throw usage_error("cannot run the query", "it is empty", help);
  if (!is_blank(sql.substr(static_cast<std::size_t>(rest - sql.data())))) {
    throw usage_error("cannot run the query", "it has several statements", "Give one.");
  }
}

bool SqlStatement::step() {
  const int status = sqlite3_step(handle());
  if (status == SQLITE_ROW) return true;
  if (status == SQLITE_DONE) return false;
  database_.refuse(status, help_);
}

}  // namespace slackline
