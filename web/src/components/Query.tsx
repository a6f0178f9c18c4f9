import { useEffect, useState } from "preact/hooks";
import { ENDED, served } from "../common/blob";
import type { Table, Value } from "../common/report";
import { DataTable } from "./parts/DataTable";

const EXAMPLE = "SELECT rank, operation, count(*) AS calls, sum(end_ns - begin_ns) AS ns FROM calls GROUP BY rank, operation ORDER BY ns DESC";
const ALIVE_MS = 60_000;

interface SqlTable {
  name: string;
  columns: string[];
}

interface Answer {
  /** What was left out, or nothing. */
  note: string;
  result: { columns: string[]; rows: Value[][] };
}

async function tablesOfServer(): Promise<SqlTable[]> {
  const response = await fetch("tables").catch(() => null);
  return response?.ok ? ((await response.json()) as { tables: SqlTable[] }).tables : [];
}

async function ask(sql: string): Promise<Answer> {
  const response = await fetch("query", { method: "POST", headers: { "Content-Type": "application/sql" }, body: sql }).catch(() => null);
  if (!response) throw new Error(ENDED);
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Answer;
}

/** Rows of the trace's tables by SQL; of a page that the program serves. */
export function Query() {
  const [sql, setSql] = useState(EXAMPLE);
  const [table, setTable] = useState<Table | null>(null);
  const [said, say] = useState("");
  const [ended, setEnded] = useState(false);
  const [tables, setTables] = useState<SqlTable[]>([]);
  useEffect(() => {
    if (!served()) return;
    void tablesOfServer().then(setTables);
    const timer = setInterval(() => void fetch("alive").then(() => {}, () => setEnded(true)), ALIVE_MS);
    return () => clearInterval(timer);
  }, []);
  if (!served()) return null;
  const run = async () => {
    say("");
    try {
      const { result, note } = await ask(sql);
      const columns = result.columns.map((name) => ({ name, unit: "none" as const, explanation: "" }));
      setTable({ kind: "table", id: "query-rows", title: "Rows", columns, rows: result.rows });
      say(note);
    } catch (error) {
      setTable(null);
      say(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <section id="query" class="query">
      <h2>SQL</h2>
      {ended && <p class="alert" role="alert">{ENDED}</p>}
      <details class="muted">
        <summary>Tables: {tables.map(({ name }) => name).join(", ")}. Ctrl+Enter runs the statement.</summary>
        <ul>
          {tables.map(({ name, columns }) => (
            <li key={name}>
              <strong>{name}</strong>: {columns.join(", ")}
            </li>
          ))}
        </ul>
      </details>
      <textarea
        rows={3}
        aria-label="SQL statement"
        value={sql}
        onInput={(event) => setSql(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Enter" && event.ctrlKey && void run()}
      />
      <p>
        <button type="button" class="quiet" onClick={() => void run()}>Run</button> <span role="status">{said}</span>
      </p>
      {table && <DataTable table={table} />}
    </section>
  );
}
