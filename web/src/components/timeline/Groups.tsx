import { grouped } from "../../common/format";
import { groupingNames } from "../../timeline/groups";
import { rowName, wordsOf } from "../../timeline/words";
import type { Scene } from "../../timeline/scene";

const FEWEST_RANKS = 4;

/** Ranks in groups: by what, and which of them are expanded. */
export function Groups({ scene }: { scene: Scene }) {
  const { timeline, groups, groupedBy, expanded } = scene;
  if (timeline.ranks < FEWEST_RANKS || timeline.beside) return null;
  return (
    <div class="toolbar under" role="toolbar" aria-label="Groups of ranks">
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
