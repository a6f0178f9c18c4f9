import type uPlot from "uplot";
import type { Zone } from "../common/report";

export interface ZoneColours {
  fill: string;
  edge: string;
}

/** Zones after the last colour share it: they still have their names and edges. */
export function zoneClass(index: number): string {
  return `zone-${Math.min(index + 1, 4)}`;
}

/** A uPlot hook that draws the zones behind a panel's grid and lines. */
export function zonePainter(zones: Zone[], colours: ZoneColours[]): (u: uPlot) => void {
  return (u) => {
    const { left, top, width, height } = u.bbox;
    const place = (x: number | null, missing: number) =>
      x === null ? missing : Math.min(Math.max(u.valToPos(x, "x", true), left), left + width);
    u.ctx.save();
    zones.forEach((zone, i) => {
      const from = place(zone.from, left);
      const to = place(zone.to, left + width);
      const colour = colours[Math.min(i, colours.length - 1)];
      if (to <= from || !colour) return;
      u.ctx.fillStyle = colour.fill;
      u.ctx.fillRect(from, top, to - from, height);
      u.ctx.fillStyle = colour.edge;
      const edge = Math.max(1, Math.round(devicePixelRatio));
      if (to < left + width) u.ctx.fillRect(to - edge, top, edge, height);
    });
    u.ctx.restore();
  };
}
