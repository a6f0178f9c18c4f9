import { useContext, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { TimelineId } from "../common/context";
import { format } from "../common/format";
import { asTable, logPart, orderOf, rampColour, ranksOf, readCells, smallestAbove0, type OrderBy } from "../matrix/cells";
import type { Matrix } from "../common/report";
import { fragmentOf } from "../common/link";
import { DataTable } from "./parts/DataTable";
import { SavePicture } from "./parts/SavePicture";

const SIDE = 480;
const ORDERS: [OrderBy, string][] = [
  ["rank", "by rank"],
  ["total", "by total"],
  ["cluster", "clustered"],
];

interface Cell {
  row: number;
  column: number;
}

function paint(canvas: HTMLCanvasElement, cells: Float64Array, size: number, order: number[], largest: number): void {
  const c = canvas.getContext("2d");
  if (!c) return;
  canvas.width = canvas.height = size;
  const image = c.createImageData(size, size);
  const smallest = smallestAbove0(cells);
  for (let y = 0; y < size; ++y) {
    for (let x = 0; x < size; ++x) {
      const value = cells[order[y]! * size + order[x]!]!;
      if (value === 0) continue; // transparent: nothing is not little
      image.data.set([...rampColour(logPart(value, smallest, largest)), 255], 4 * (y * size + x));
    }
  }
  c.putImageData(image, 0, 0);
}

function Scale({ matrix, smallest }: { matrix: Matrix; smallest: number }) {
  const steps = Array.from({ length: 24 }, (_, i) => rampColour(i / 23).map(Math.round).join(" "));
  return (
    <p class="scale muted">
      {format(smallest, matrix.unit)}
      <span aria-hidden="true">
        {steps.map((rgb) => (
          <span key={rgb} style={{ background: `rgb(${rgb})` }} />
        ))}
      </span>
      {format(matrix.maximum, matrix.unit)}, logarithmic scale; empty: zero
    </p>
  );
}

const LABELS = 8;

/** Ranks along an axis, as they are ordered. */
function Labels({ matrix, order, axis }: { matrix: Matrix; order: number[]; axis: "across" | "down" }) {
  const { size } = matrix;
  const every = Math.max(1, Math.ceil(size / LABELS));
  const at = order.flatMap((_, i) => (i % every === 0 ? [i] : []));
  const side = axis === "across" ? "left" : "top";
  return (
    <div class={`labels ${axis}`} aria-hidden="true">
      {at.map((i) => (
        <span key={i} style={{ [side]: `${(100 * (i + 0.5)) / size}%` }}>
          {order[i]! * matrix.block}
        </span>
      ))}
    </div>
  );
}

interface PictureProps {
  matrix: Matrix;
  cells: Float64Array;
  by: OrderBy;
}

function Picture({ matrix, cells, by }: PictureProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [cell, point] = useState<Cell>({ row: 0, column: 0 });
  const { size, block, ranks } = matrix;
  const timeline = useContext(TimelineId);
  const order = useMemo(() => orderOf(cells, size, by), [cells, size, by]);
  useLayoutEffect(() => {
    if (canvas.current) paint(canvas.current, cells, size, order, matrix.maximum);
  }, [cells, order]);
  const at = (event: MouseEvent): Cell => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const index = (part: number) => Math.min(Math.max(Math.floor(part * size), 0), size - 1);
    const [down, across] = [(event.clientY - box.top) / box.height, (event.clientX - box.left) / box.width];
    return { row: index(down), column: index(across) };
  };
  const [row, column] = [order[cell.row] ?? 0, order[cell.column] ?? 0];
  const show = () => {
    if (!timeline) return;
    const first = Math.min(row, column) * block;
    const last = Math.min((Math.max(row, column) + 1) * block, ranks) - 1;
    const only: [number, number] = [row * block, column * block];
    location.hash = fragmentOf(timeline, block === 1 ? { r: [first, last], only } : { r: [first, last] });
  };
  const onKey = (event: KeyboardEvent) => {
    const moves: Record<string, [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const move = moves[event.key];
    const kept = (i: number) => Math.min(Math.max(i, 0), size - 1);
    if (move) point({ row: kept(cell.row + move[0]), column: kept(cell.column + move[1]) });
    else if (event.key === "Enter") show();
    else return;
    event.preventDefault();
  };
  const value = cells[row * size + column] ?? 0;
  return (
    <div class="matrix">
      <div class="with-axes">
      <p class="muted axis-name across">{matrix.columns} →</p>
      <p class="muted axis-name down">{matrix.rows} →</p>
      <Labels matrix={matrix} order={order} axis="across" />
      <Labels matrix={matrix} order={order} axis="down" />
      <canvas
        ref={canvas}
        tabIndex={0}
        role="img"
        aria-label={`${matrix.title}: arrow keys choose a pair, Enter shows it in the timeline`}
        style={{ width: `${SIDE}px` }}
        onMouseMove={(event) => point(at(event))}
        onClick={show}
        onKeyDown={onKey}
      />
      </div>
      <p class="matrix-cell" aria-live="polite">
        {matrix.rows} <strong>{ranksOf(matrix, row)}</strong>, {matrix.columns} <strong>{ranksOf(matrix, column)}</strong>:{" "}
        <strong>{format(value, matrix.unit)}</strong>
      </p>
      <Scale matrix={matrix} smallest={smallestAbove0(cells)} />
    </div>
  );
}

/** Rank by rank: one of several quantities at a time. A click shows the two ranks in the time line. */
export function Matrices({ matrices }: { matrices: Matrix[] }) {
  const [chosen, choose] = useState(0);
  const [by, setBy] = useState<OrderBy>("rank");
  const [cells, setCells] = useState<Float64Array | null>(null);
  const [problem, setProblem] = useState("");
  const matrix = matrices[chosen] ?? matrices[0]!;
  useEffect(() => {
    let current = true; // another one may be chosen while this one is read
    setCells(null);
    readCells(matrix).then((read) => current && setCells(read), (error: Error) => setProblem(error.message));
    return () => {
      current = false;
    };
  }, [matrix]);
  const table = useMemo(() => (cells ? asTable(matrix, cells) : null), [matrix, cells]);
  return (
    <figure id={matrices[0]?.id} class="matrices">
      {matrices.slice(1).map(({ id }) => <span key={id} id={id} />)}
      <div class="toolbar" role="toolbar" aria-label="Matrices">
        <fieldset class="choice">
          <legend>Show</legend>
          {matrices.map(({ title }, i) => (
            <button key={i} type="button" aria-pressed={i === chosen} onClick={() => choose(i)}>
              {title}
            </button>
          ))}
        </fieldset>
        <fieldset class="choice">
          <legend>Order</legend>
          {ORDERS.map(([order, name]) => (
            <button key={order} type="button" aria-pressed={by === order} onClick={() => setBy(order)}>
              {name}
            </button>
          ))}
        </fieldset>
        <SavePicture of="figure" name={matrix.id} />
      </div>
      {matrix.explanation && <p class="muted">{matrix.explanation}</p>}
      {problem && <p class="alert">{problem}</p>}
      {matrix.block > 1 && <p class="muted">Each cell stands for {matrix.block} by {matrix.block} ranks.</p>}
      <div class="beside-table">
        {cells && matrix.total > 0 && <Picture matrix={matrix} cells={cells} by={by} />}
        {cells && matrix.total === 0 && <p class="muted">All entries are zero.</p>}
        {table && table.rows.length > 0 && <DataTable table={table} />}
      </div>
    </figure>
  );
}
