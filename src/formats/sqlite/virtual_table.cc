// Tables over a trace by SQLite's virtual tables (https://www.sqlite.org/vtab.html): SQLite asks
// for cells, one at a time, and they are computed from the trace. A WHERE or a join that names a
// rank, or a rank and the number of its call, goes straight to the rows.

#include "formats/sqlite/virtual_table.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/error.h"

namespace slackline {
namespace {

/// What SQLite allocates for us begins with its own part.
struct ConnectedTable : sqlite3_vtab {
  const SqlTable* table = nullptr;
};

struct Cursor : sqlite3_vtab_cursor {
  std::size_t row = 0;
  std::size_t end = 0;
};

/// How xBestIndex tells xFilter what it is given.
enum Search : int { kAll = 0, kRank = 1, kRankAndNumber = 2 };

const SqlTable& table_of(const sqlite3_vtab* connected) {
  return *static_cast<const ConnectedTable*>(connected)->table;
}

int connect(sqlite3* database, void* table, int /*count*/, const char* const* /*arguments*/,
            sqlite3_vtab** connected, char** /*error*/) {
  const auto& described = *static_cast<const SqlTable*>(table);
  const std::string sql = "CREATE TABLE t(" + column_declarations(described) + ")";
  const int status = sqlite3_declare_vtab(database, sql.c_str());
  if (status != SQLITE_OK) return status;
  auto made = std::make_unique<ConnectedTable>();
  made->table = &described;
  *connected = made.release();
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* connected) {
  delete static_cast<ConnectedTable*>(connected);
  return SQLITE_OK;
}

/// The usable constraint "column = value", or -1.
int equality_on(const sqlite3_index_info& info, int column) {
  for (int i = 0; i < info.nConstraint; ++i) {
    const auto& constraint = info.aConstraint[i];
    if (constraint.usable != 0 && constraint.iColumn == column &&
        constraint.op == SQLITE_INDEX_CONSTRAINT_EQ) {
      return i;
    }
  }
  return -1;
}

int best_index(sqlite3_vtab* connected, sqlite3_index_info* info) {
  const SqlTable& table = table_of(connected);
  const auto rows = static_cast<double>(table.rows);
  info->idxNum = kAll;
  info->estimatedCost = rows + 1;
  info->estimatedRows = static_cast<sqlite3_int64>(table.rows);
  const int rank = table.first_row.empty() ? -1 : equality_on(*info, 0);
  if (rank < 0) return SQLITE_OK;
  info->idxNum = kRank;
  info->aConstraintUsage[rank].argvIndex = 1;
  info->estimatedCost = rows / static_cast<double>(table.first_row.size()) + 1;
  const int number = equality_on(*info, 1);
  if (number < 0) return SQLITE_OK;
  info->idxNum = kRankAndNumber;
  info->aConstraintUsage[number].argvIndex = 2;
  info->estimatedCost = 1;
  info->estimatedRows = 1;
  return SQLITE_OK;
}

int open_cursor(sqlite3_vtab* /*connected*/, sqlite3_vtab_cursor** cursor) {
  *cursor = new Cursor();
  return SQLITE_OK;
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete static_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

/// SQLite checks every constraint again, so that too many rows are no error, but too few are.
int filter(sqlite3_vtab_cursor* cursor, int search, const char* /*text*/, int /*count*/,
           sqlite3_value** values) {
  auto& mine = *static_cast<Cursor*>(cursor);
  const SqlTable& table = table_of(cursor->pVtab);
  mine.row = 0;
  mine.end = table.rows;
  if (search == kAll) return SQLITE_OK;
  const sqlite3_int64 rank = sqlite3_value_int64(values[0]);
  if (rank < 0 || static_cast<std::size_t>(rank) + 1 >= table.first_row.size()) {
    mine.end = 0;
    return SQLITE_OK;
  }
  mine.row = table.first_row[static_cast<std::size_t>(rank)];
  mine.end = table.first_row[static_cast<std::size_t>(rank) + 1];
  if (search == kRank) return SQLITE_OK;
  const sqlite3_int64 number = sqlite3_value_int64(values[1]);
  const std::size_t here = mine.end - mine.row;
  mine.row = number < 0 ? mine.end : mine.row + std::min(here, static_cast<std::size_t>(number));
  mine.end = std::min(mine.end, mine.row + 1);
  return SQLITE_OK;
}

int next(sqlite3_vtab_cursor* cursor) {
  ++static_cast<Cursor*>(cursor)->row;
  return SQLITE_OK;
}

int is_at_end(sqlite3_vtab_cursor* cursor) {
  const auto& mine = *static_cast<const Cursor*>(cursor);
  return mine.row >= mine.end ? 1 : 0;
}

int column(sqlite3_vtab_cursor* cursor, sqlite3_context* result, int which) {
  const SqlTable& table = table_of(cursor->pVtab);
  const SqlValue value =
      table.columns[static_cast<std::size_t>(which)].value(static_cast<const Cursor*>(cursor)->row);
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    sqlite3_result_int64(result, *number);
  } else if (const auto* real = std::get_if<double>(&value)) {
    sqlite3_result_double(result, *real);
  } else if (const auto* text = std::get_if<std::string_view>(&value)) {
    sqlite3_result_text64(result, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
  } else {
    sqlite3_result_null(result);
  }
  return SQLITE_OK;
}

int row_id(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
  *id = static_cast<sqlite3_int64>(static_cast<const Cursor*>(cursor)->row);
  return SQLITE_OK;
}

/// Without xCreate, so that the tables are there without a statement that makes them.
const sqlite3_module& table_module() {
  static const sqlite3_module kModule = [] {
    sqlite3_module m{};
    m.xConnect = connect;
    m.xBestIndex = best_index;
    m.xDisconnect = disconnect;
    m.xOpen = open_cursor;
    m.xClose = close_cursor;
    m.xFilter = filter;
    m.xNext = next;
    m.xEof = is_at_end;
    m.xColumn = column;
    m.xRowid = row_id;
    return m;
  }();
  return kModule;
}

}  // namespace

std::string column_declarations(const SqlTable& table) {
  constexpr std::array kTypes{" INTEGER", " REAL", " TEXT"};  // by SqlType
  std::string text;
  for (const SqlColumn& c : table.columns) {
    text += (text.empty() ? "" : ", ") + c.name + kTypes[static_cast<std::size_t>(c.type)];
  }
  return text;
}

void register_table(SqlDatabase& database, const SqlTable& table, std::string_view prefix) {
  const std::string name = std::string(prefix) + table.name;
  const int status = sqlite3_create_module_v2(database.handle(), name.c_str(), &table_module(),
                                              const_cast<SqlTable*>(&table), nullptr);
  ensures(status == SQLITE_OK, "SQLite takes the table");
  // Its columns are declared now: statements that can only read may not do so.
  const SqlStatement first_use(database, "SELECT 1 FROM " + name, "");
}

}  // namespace slackline
