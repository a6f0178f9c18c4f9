import { largestFor, slowdownAt, valueAt, type Curve } from "../chart/curve";
import { axisScale, format } from "../common/format";
import type { Series } from "../common/report";

interface Props {
  series: Series;
  /** Never empty; the first is the one that a slowdown is asked of. */
  curves: Curve[];
  asked: number;
  ask: (x: number) => void;
}

/** Asks a curve both ways; the mark on the chart shows the answer and can be dragged. */
export function Tolerance({ series, curves, asked, ask }: Props) {
  const curve = curves[0]!;
  const last = curve.x[curve.x.length - 1] ?? curve.now;
  const slowdown = slowdownAt(curve, asked);
  const { factor, unit } = axisScale(last, series.x_unit);
  const bySlowdown = (percent: number) => {
    const largest = largestFor(curve, percent / 100);
    if (Number.isFinite(percent) && percent >= 0 && largest !== null) ask(Math.max(largest, curve.now));
  };
  const byValue = (value: number) => {
    if (Number.isFinite(value) && value >= 0) ask(value * factor);
  };
  const most = Math.max(100 * slowdownAt(curve, last), 0.1);
  return (
    <div class="tolerance">
      <label>
        slower by
        <input
          type="range"
          min="0"
          max={most}
          step={most / 500}
          value={100 * slowdown}
          aria-label="slower by, percent"
          onInput={(event) => bySlowdown(event.currentTarget.valueAsNumber)}
        />
        <input
          type="number"
          min="0"
          step="0.5"
          value={Number((100 * slowdown).toFixed(2))}
          onChange={(event) => bySlowdown(event.currentTarget.valueAsNumber)}
        />
        %
      </label>
      <label>
        at {series.x_name} of
        <input
          type="number"
          min="0"
          step="any"
          value={Number((asked / factor).toPrecision(5))}
          onChange={(event) => byValue(event.currentTarget.valueAsNumber)}
        />
        {unit}
      </label>
      <p aria-live="polite">
        {curves.map((each) => (
          <span key={each.name} class="answer">
            {curves.length > 1 && <>{each.name} </>}
            <strong>{format(valueAt(each, asked), "ns")}</strong>
            {curves.length > 1 && <> ({format(slowdownAt(each, asked), "ratio")} slower)</>}
            {", "}
          </span>
        ))}
        margin {format(asked - curve.now, series.x_unit)} over the assumed {format(curve.now, series.x_unit)}
        {asked > last && (
          <strong class="beyond">
            {" "}(extrapolated beyond {format(last, series.x_unit)}, the end of the plot: T is at least this)
          </strong>
        )}
      </p>
    </div>
  );
}
