import type uPlot from "uplot";
import { FAIR, GOOD } from "../common/rating";
import type { ZoneColours } from "./zones";

/** A uPlot hook that draws POP's thresholds of efficiencies as bands behind the lines. */
export function ratingPainter(colours: ZoneColours[]): (u: uPlot) => void {
  return (u) => {
    const { left, top, width, height } = u.bbox;
    const at = (y: number) => Math.min(Math.max(u.valToPos(y, "y", true), top), top + height);
    const bands = [[GOOD, Infinity], [FAIR, GOOD], [-Infinity, FAIR]];
    bands.forEach(([low, high], i) => {
      const upper = high === Infinity ? top : at(high!);
      const lower = low === -Infinity ? top + height : at(low!);
      u.ctx.fillStyle = colours[i]?.fill ?? "transparent";
      u.ctx.fillRect(left, upper, width, lower - upper);
    });
  };
}
