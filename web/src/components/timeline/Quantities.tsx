import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { format } from "../../common/format";
import { IPC, quantitiesOf, stripOf, valueOver, valuesOf, type Quantity } from "../../timeline/measures";
import { css, HIGHEST_IPC, mix, scaleColour, type Rgb } from "../../timeline/palette";
import type { Scene } from "../../timeline/scene";
import { ranksInView, rowName, wordsOf } from "../../timeline/words";
import { StripView } from "./Strips";

const ROW = 7; // CSS pixels
const LOWEST = 48;
const HIGHEST = 180;
const NOTHING = "";
/** Of a quantity: what a rank hardly has is not worth rows of its own. */
const MATTERS = 0.01;

const STRONG: Rgb = [213, 94, 0];

interface Field {
  /** By rank and window, row by row. */
  values: (number | null)[][];
  most: number;
}

function fieldOf({ store, timeline }: Scene, quantity: Quantity): Field | undefined {
  const values: (number | null)[][] = [];
  let most = 0;
  for (let rank = 0; rank < timeline.ranks; ++rank) {
    const row = valuesOf(store, quantity, [rank]);
    if (!row) return undefined;
    for (const value of row) most = Math.max(most, value ?? 0);
    values.push(row);
  }
  return { values, most };
}

/** Instructions per cycle by their colours; of all else the more, the stronger. */
function colourOf(scene: Scene, quantity: Quantity, value: number | null, most: number): Rgb {
  if (value === null) return scene.palette.ground;
  if (quantity.name === IPC) return scaleColour(value / HIGHEST_IPC);
  return mix(scene.palette.ground, STRONG, most > 0 ? value / most : 0);
}

function draw(canvas: HTMLCanvasElement, scene: Scene, quantity: Quantity, { values, most }: Field): void {
  const c = canvas.getContext("2d");
  if (!c) return;
  const scale = Math.min(devicePixelRatio || 1, 2);
  const width = (canvas.width = Math.round(canvas.clientWidth * scale));
  const height = (canvas.height = Math.round(canvas.clientHeight * scale));
  const { view, rows } = scene;
  const { from, width: ticks } = quantity.over;
  const image = c.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  for (let y = 0; y < height; ++y) {
    const row = values[rows.rankAt(Math.floor(view.top + ((y + 0.5) / height) * (view.bottom - view.top)))];
    let last = -1;
    let pixel = 0;
    for (let x = 0; row && x < width; ++x) {
      const window = Math.floor((view.from + ((x + 0.5) / width) * (view.to - view.from) - from) / ticks);
      if (window !== last) {
        const [r, g, b] = colourOf(scene, quantity, row[window] ?? null, most);
        pixel = ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
        last = window;
      }
      pixels[y * width + x] = pixel;
    }
  }
  c.putImageData(image, 0, 0);
}

/** A quantity as rows on the axis of the calls above: the ranks in view, and below each time what it is there. */
function QuantityRows({ scene, quantity, version }: { scene: Scene; quantity: Quantity; version: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [hover, setHover] = useState("");
  const ready = scene.store.measure(quantity.over) && (!quantity.per || scene.store.measure(quantity.per));
  const field = useMemo(() => fieldOf(scene, quantity), [scene, quantity, Boolean(ready)]);
  const { view, rows } = scene;
  useLayoutEffect(() => {
    if (canvas.current && field) draw(canvas.current, scene, quantity, field);
  }, [field, version, scene.palette, view]);
  const height = Math.min(Math.max((view.bottom - view.top) * ROW, LOWEST), HIGHEST);
  const look = (event: MouseEvent) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const tick = view.from + ((event.clientX - box.left) / box.width) * (view.to - view.from);
    const rank = rows.rankAt(Math.floor(view.top + ((event.clientY - box.top) / box.height) * (view.bottom - view.top)));
    const value = field?.values[rank]?.[Math.floor((tick - quantity.over.from) / quantity.over.width)] ?? null;
    setHover(rank >= 0 ? `${rowName(scene.timeline, rank)}: ${format(value, quantity.unit)}` : "");
  };
  return (
    <>
      <canvas
        ref={canvas}
        class="quantity-rows"
        role="img"
        aria-label={`${quantity.name} of each rank over time`}
        style={{ marginLeft: `${scene.gutter}px`, width: `calc(100% - ${scene.gutter}px)`, height: `${height}px` }}
        onMouseMove={look}
        onMouseLeave={() => setHover("")}
      />
      <p class="strip-name muted">
        <span class="key" style={{ background: css(colourOf(scene, quantity, 0, field?.most ?? 1)) }} /> 0{" "}
        <span class="key" style={{ background: css(colourOf(scene, quantity, quantity.name === IPC ? HIGHEST_IPC : (field?.most ?? 1), field?.most ?? 1)) }} />{" "}
        {quantity.name === IPC ? `${HIGHEST_IPC} and more` : format(field?.most ?? 0, quantity.unit)}
        {hover && `. ${hover}`}
      </p>
    </>
  );
}

/** Rows below the calls: of one quantity that is chosen. */
export function RowsBelow({ scene, version }: { scene: Scene; version: number }) {
  const quantities = useMemo(() => quantitiesOf(scene.timeline), [scene.timeline]);
  const [chosen, choose] = useState<string | null>(null);
  const all = scene.extent.ranks;
  if (quantities.length < 2) return null;
  // At first what explains most, where there is any of it.
  const off = quantities.find(({ name }) => name === "without a processor");
  const matters = off && (valueOver(scene.store, off, all, 0, scene.timeline.span) ?? 0) > MATTERS;
  const first = matters ? off.name : (quantities.find(({ name }) => name === IPC)?.name ?? NOTHING);
  const shown = quantities.find(({ name }) => name === (chosen ?? first));
  return (
    <div class="rows-below">
      <p class="strip-name">
        <label>
          Below each {wordsOf(scene.timeline).rows.replace(/s$/, "")}:{" "}
          <select value={shown?.name ?? NOTHING} aria-label="Quantity below the calls" onChange={(event) => choose(event.currentTarget.value)}>
            <option value={NOTHING}>nothing</option>
            {quantities.map(({ name }) => <option key={name} value={name}>{name}</option>)}
          </select>
        </label>{" "}
        {shown && <span class="muted">{shown.explanation}</span>}
      </p>
      {shown && <QuantityRows scene={scene} quantity={shown} version={version} />}
    </div>
  );
}

/** Every quantity over time, of the ranks in view together. */
export function Quantities({ scene, version }: { scene: Scene; version: number }) {
  const quantities = useMemo(() => quantitiesOf(scene.timeline), [scene.timeline]);
  const [open, setOpen] = useState(false);
  if (quantities.length < 2) return null;
  const { store, view, extent } = scene;
  return (
    <details class="quantities" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Counters and processors over time: {quantities.map(({ name }) => name).join(", ")}</summary>
      {open && (
        <>
          <p class="muted">Of {ranksInView(scene)}.</p>
          {quantities.map((quantity) => {
            const values = valuesOf(store, quantity, extent.ranks);
            return values && (
              <StripView
                key={quantity.name}
                scene={scene}
                strip={stripOf(quantity, values)}
                version={version}
                inView={valueOver(store, quantity, extent.ranks, view.from, view.to)}
              />
            );
          })}
        </>
      )}
    </details>
  );
}
