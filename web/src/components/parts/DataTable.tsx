import { Fragment, type ComponentChildren } from "preact";
import { useContext, useMemo, useState } from "preact/hooks";
import { TimelineId } from "../../common/context";
import { grouped } from "../../common/format";
import { explain } from "../../common/glossary";
import { isRated, ratingOf } from "../../common/rating";
import type { Table, Value } from "../../common/report";
import { csv, filtered, shownColumns, sorted, timeLinkOf, type Order, type ShownColumn } from "../../common/table";
import { save } from "../../common/clipboard";
import { CopyButton } from "./CopyButton";
import { Hint } from "./Hint";

const ROWS_AT_FIRST = 12;
const ROWS_WITH_FILTER = 9;

interface HeadProps {
  column: ShownColumn;
  order: Order | null;
  index: number;
  press: () => void;
}

function Head({ column, order, index, press }: HeadProps) {
  const active = order?.column === index;
  const help = column.explanation || explain(column.name);
  const sort = !active ? "none" : order.ascending ? "ascending" : "descending";
  return (
    <th scope="col" class={column.right ? "right" : ""} aria-sort={sort}>
      <button type="button" onClick={press} title="Sort">
        {column.right && <Arrow sort={sort} />}
        {column.unit ? `${column.name} (${column.unit})` : column.name}
        {!column.right && <Arrow sort={sort} />}
      </button>
      {help && (
        <Hint text={help}>
          <span class="question">?</span>
        </Hint>
      )}
    </th>
  );
}

function Arrow({ sort }: { sort: "none" | "ascending" | "descending" }) {
  if (sort === "none") return null;
  return (
    <span class="arrow" aria-hidden="true">
      {sort === "ascending" ? "↑" : "↓"}
    </span>
  );
}

const LONG = 28;

/** A long name may go on in another line after a separator, and nowhere inside a word. */
function breakable(text: string): ComponentChildren {
  if (text.length <= LONG) return text;
  return text.split(/(?<=[/_:.,>])(?=\w)/).map((part, i) => (
    <Fragment key={i}>
      {i > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

/** A share has a bar of its size beside it; in the first column it only names the row. */
function Cell({ column, value, share, rated }: { column: ShownColumn; value: Value; share: boolean; rated: boolean }) {
  const bar = share && typeof value === "number";
  const rating = bar && rated ? ` ${ratingOf(value)}` : "";
  return (
    <td class={(column.right ? "right" : "") + (bar ? " with-bar" : "") + rating} title={rating.trim() || undefined}>
      {bar && (
        <span class="bar" aria-hidden="true">
          <span style={{ width: `${Math.min(Math.max(100 * value, 0), 100)}%` }} />
        </span>
      )}
      <span class="cell">{breakable(column.show(value))}</span>
    </td>
  );
}

/** First press: largest numbers or first letters on top; second: the other way; third: as it was. */
function nextOrder(order: Order | null, column: number, numeric: boolean): Order | null {
  if (order?.column !== column) return { column, ascending: !numeric };
  return order.ascending === !numeric ? { column, ascending: numeric } : null;
}

export function DataTable({ table }: { table: Table }) {
  const [order, setOrder] = useState<Order | null>(null);
  const [all, setAll] = useState(false);
  const timeline = useContext(TimelineId);
  const [wanted, want] = useState("");
  const columns = useMemo(() => shownColumns(table), [table]);
  const rows = useMemo(
    () => sorted(filtered(table.rows, columns, wanted), order),
    [table, columns, wanted, order],
  );
  const link = useMemo(() => timeLinkOf(table, timeline), [table, timeline]);
  const shown = all ? rows : rows.slice(0, ROWS_AT_FIRST);
  const numeric = (i: number) => table.rows.some((row) => typeof row[i] === "number");
  return (
    <figure class="table" id={table.id}>
      <figcaption>
        <span class="caption">{table.title}</span>
        <span class="actions">
          {table.rows.length >= ROWS_WITH_FILTER && (
            <input
              type="search"
              placeholder="Filter"
              aria-label={`Filter ${table.title || "the table"}`}
              value={wanted}
              onInput={(event) => want(event.currentTarget.value)}
            />
          )}
          <CopyButton label="Copy as CSV" text={() => csv({ ...table, rows })} />
          <button type="button" class="quiet" onClick={() => save(`${table.id || "table"}.csv`, csv({ ...table, rows }))}>
            Save
          </button>
        </span>
      </figcaption>
      <div class="scroll" tabIndex={0} role="region" aria-label={table.title || "table"}>
        <table>
          <thead>
            <tr>
              {columns.map((column, i) => (
                <Head
                  key={i}
                  column={column}
                  order={order}
                  index={i}
                  press={() => setOrder(nextOrder(order, i, numeric(i)))}
                />
              ))}
              {link && (
                <th scope="col" class="place-of">
                  timeline
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, r) => (
              <tr key={r}>
                {columns.map((column, i) => (
                  <Cell
                    key={i}
                    column={column}
                    value={row[i] ?? null}
                    share={i > 0 && table.columns[i]?.unit === "ratio"}
                    rated={isRated(table.id)}
                  />
                ))}
                {link && (
                  <td class="place-of">
                    {link(row) && <a href={link(row)}>show</a>}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length === 0 && <p class="muted">{wanted ? "No matching rows." : "No rows."}</p>}
      {shown.length < rows.length && (
        <button type="button" class="quiet" onClick={() => setAll(true)}>
          Show all {grouped(rows.length)} rows
        </button>
      )}
    </figure>
  );
}
