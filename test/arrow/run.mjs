// Reads files of `slackline convert --to arrow` by Apache's library, cell by cell, and through it by DuckDB. What they
// should hold is what `slackline query` answers, which computes the same columns in another way.
//
// usage: node run.mjs SLACKLINE TRACE...
// Exit status 77 (skipped) where the packages of package.json are not installed.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";

const require = createRequire(import.meta.url);

function packages() {
  try {
    const duckdb = "@duckdb/duckdb-wasm/dist/duckdb-node-blocking.cjs";
    return { arrow: require("apache-arrow"), duckdb: require(duckdb), wasm: path.dirname(require.resolve(duckdb)) };
  } catch (error) {
    console.log(`SKIPPED: ${error.message.split("\n")[0]}; './dev setup' installs the packages of test/arrow`);
    process.exit(77);
  }
}

const [binary, ...traces] = process.argv.slice(2);
const { arrow, duckdb, wasm } = packages();

function answer(trace, sql) {
  const text = execFileSync(binary, ["query", trace, sql, "--format", "json"], { encoding: "utf8", maxBuffer: 1 << 30 });
  return JSON.parse(text).result;
}

function compareCells(table, trace) {
  const { columns, rows } = answer(trace, "SELECT * FROM calls ORDER BY rank, call");
  assert.equal(table.numRows, rows.length);
  assert.ok(rows.length > 0);
  assert.deepEqual(table.schema.fields.map((field) => field.name), columns);
  columns.forEach((name, i) => {
    const values = table.getChild(name);
    assert.equal(values.nullCount, 0);
    rows.forEach((row, r) => {
      const value = values.get(r);
      // A call without region or function has NULL in SQL, and the empty text in Arrow.
      assert.equal(typeof value === "bigint" ? Number(value) : value, row[i] ?? "", `${trace}: ${name} of row ${r}`);
    });
  });
}

function compareTypes(table) {
  const types = Object.fromEntries(table.schema.fields.map((field) => [field.name, String(field.type)]));
  assert.equal(types.begin_ns, "Int64");
  assert.equal(types.bytes, "Uint64");
  assert.equal(types.flags, "Uint8");
  for (const name of ["operation", "region", "function"]) assert.match(types[name], /^Dictionary<.*Utf8>$/);
  assert.equal(table.schema.metadata.get("slackline_table"), "calls");
}

async function openDuckDB() {
  const bundle = (name) => ({ mainModule: path.join(wasm, name) });
  const bundles = { mvp: bundle("duckdb-mvp.wasm"), eh: bundle("duckdb-eh.wasm") };
  const database = await duckdb.createDuckDB(bundles, new duckdb.VoidLogger(), duckdb.NODE_RUNTIME);
  await database.instantiate();
  return database.connect();
}

function compareQueries(connection, table, trace) {
  connection.query("DROP TABLE IF EXISTS calls");
  connection.insertArrowFromIPCStream(arrow.tableToIPC(table, "stream"), { name: "calls" });
  for (const sql of [
    "SELECT count(*), min(begin_ns), max(end_ns) FROM calls",
    "SELECT operation, count(*), sum(end_ns - begin_ns), sum(bytes) FROM calls GROUP BY operation ORDER BY operation",
    "SELECT region, rank, count(*) FROM calls WHERE peer >= 0 GROUP BY region, rank ORDER BY region, rank",
  ]) {
    const rows = connection.query(sql).toArray().map((row) => row.toArray());
    const plain = (value) => typeof value === "string" ? value : Number(value);
    const expected = answer(trace, sql).rows.map((row) => row.map((value) => value ?? ""));
    assert.deepEqual(rows.map((row) => Array.from(row, plain)), expected, `${trace}: ${sql}`);
  }
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "slackline-arrow-"));
try {
  const connection = await openDuckDB();
  for (const trace of traces) {
    const out = path.join(folder, "calls.arrow");
    execFileSync(binary, ["convert", trace, out]);
    const table = arrow.tableFromIPC(fs.readFileSync(out));
    compareTypes(table);
    compareCells(table, trace);
    compareQueries(connection, table, trace);
    console.log(`${path.basename(trace)}: ${table.numRows} calls`);
  }
} finally {
  fs.rmSync(folder, { recursive: true });
}
