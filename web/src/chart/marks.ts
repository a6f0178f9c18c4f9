// Marks on the panels of a sensitivity: today, what was asked for, and the critical values.

import type uPlot from "uplot";

export interface Marks {
  now: number | null;
  asked: number | null;
  corners: number[];
}

const MOST_CORNERS = 2000;

/** A uPlot hook; `marks` is asked anew for each drawing. */
export function markPainter(marks: () => Marks, text: string, accent: string, lowest: boolean): (u: uPlot) => void {
  return (u) => {
    const { now, asked, corners } = marks();
    const { left, top, width, height } = u.bbox;
    const scale = devicePixelRatio || 1;
    const { ctx } = u;
    const inside = (x: number) => x >= left - 1 && x <= left + width + 1;
    ctx.save();
    const line = (value: number, colour: string, dash: number[], thick: number) => {
      const x = u.valToPos(value, "x", true);
      if (!inside(x)) return;
      ctx.strokeStyle = colour;
      ctx.setLineDash(dash.map((d) => d * scale));
      ctx.lineWidth = thick * scale;
      ctx.beginPath();
      ctx.moveTo(x, top);
      ctx.lineTo(x, top + height);
      ctx.stroke();
    };
    ctx.fillStyle = text;
    for (const corner of lowest ? corners.slice(0, MOST_CORNERS) : []) {
      const x = u.valToPos(corner, "x", true);
      if (inside(x)) ctx.fillRect(x - scale / 2, top + height - 6 * scale, scale, 6 * scale);
    }
    if (now !== null) line(now, text, [3, 3], 1);
    if (asked !== null) line(asked, accent, [], 2);
    ctx.restore();
  };
}
