import { useState } from "preact/hooks";
import { grouped } from "../../common/format";
import { rankText } from "../../common/link";
import { groupingNames } from "../../timeline/groups";
import { parseRanks } from "../../timeline/rank_set";
import { rankOfRow, rowName, wordsOf } from "../../timeline/words";
import type { Scene } from "../../timeline/scene";

const FEWEST_RANKS = 4;
const RANKS_HELP = "Ranks or groups that have rows, such as 0-31,64 or the name of a host; empty: all. Statistics and trees are of these.";

/** The set of ranks that rows, statistics and trees are restricted to. */
function RanksShown({ scene }: { scene: Scene }) {
  const [unknown, setUnknown] = useState("");
  const { rows } = wordsOf(scene.timeline);
  const choose = (text: string) => {
    const { set, unknown } = parseRanks(text, scene.timeline);
    setUnknown(unknown.join(", "));
    if (unknown.length === 0) scene.choose(set);
  };
  const ranks = scene.timeline.rows ? [...new Set(scene.chosen?.map((row) => rankOfRow(scene.timeline, row)))] : (scene.chosen ?? []);
  return (
    <label class="ranks-shown" title={RANKS_HELP}>
      Show {rows}{" "}
      <input
        type="text"
        size={12}
        placeholder="all"
        aria-label="Ranks shown"
        defaultValue={rankText(ranks)}
        onKeyDown={(event) => event.key === "Enter" && choose(event.currentTarget.value)}
        onBlur={(event) => choose(event.currentTarget.value)}
      />
      {unknown && <span role="alert">Not known: {unknown}. {RANKS_HELP}</span>}
    </label>
  );
}

/** Ranks in groups: by what, and which of them are expanded. */
export function Groups({ scene }: { scene: Scene }) {
  const { timeline, groups, groupedBy, expanded } = scene;
  if (timeline.ranks < FEWEST_RANKS || timeline.beside) return null;
  return (
    <div class="toolbar under" role="toolbar" aria-label="Groups of ranks">
      <RanksShown key={rankText(scene.chosen ?? [])} scene={scene} />
      <fieldset class="choice">
        <legend>Group {wordsOf(timeline).rows} by</legend>
        {["", ...groupingNames(timeline)].map((by) => (
          <button key={by} type="button" aria-pressed={groupedBy === by} onClick={() => scene.groupBy(by)}>
            {by || "none"}
          </button>
        ))}
      </fieldset>
      {groups && (
        <>
          <button type="button" class="quiet" onClick={() => scene.expand(groups.map(({ name }) => name))}>Expand all</button>
          <button type="button" class="quiet" onClick={() => scene.expand([])}>Collapse all</button>
          {groups.map(({ name, ranks, representative }) => (
            <button
              key={name}
              type="button"
              class="quiet group"
              aria-expanded={expanded.has(name)}
              title={`Row of the group: ${rowName(timeline, representative)}, which is most like all of them`}
              onClick={() => scene.toggleGroup(name)}
            >
              {expanded.has(name) ? "▾" : "▸"} {name}: {grouped(ranks.length)}
            </button>
          ))}
        </>
      )}
    </div>
  );
}
