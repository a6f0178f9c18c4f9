import type { ComponentChildren } from "preact";
import { format, instant, rounding } from "../../common/format";
import type { Bucket, Call } from "../../timeline/calls";
import type { CallId } from "../../common/link";
import { NOBODY, OUTSIDE } from "../../common/timeline";
import { IPC } from "../../timeline/measures";
import type { Scene } from "../../timeline/scene";
import type { Selection } from "../../timeline/selection";
import { callName, peerName, rowName, wordsOf } from "../../timeline/words";
import { patternHelp } from "../../common/glossary";
import { Hint } from "../parts/Hint";

function Row({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

interface GoProps {
  scene: Scene;
  selection: Selection;
  id: CallId;
  children: ComponentChildren;
}

/** A link to another call. */
function Go({ scene, selection, id, children }: GoProps) {
  return (
    <button type="button" class="link" onClick={() => void scene.selectCall(selection.run, id)}>
      {children}
    </button>
  );
}

function nameOf({ timeline }: Scene, { operation, region }: Pick<Call, "operation" | "region">): string {
  return callName(timeline, operation, region);
}

interface Props {
  scene: Scene;
  selection: Selection;
}

function Waiting({ scene, selection, call }: Props & { call: Call }) {
  const { timeline } = scene;
  if (call.wait === 0) return null;
  const pattern = timeline.patterns[call.wait] ?? "waiting";
  const share = call.waitLength / Math.max(call.end - call.begin, 1);
  const last = selection.together[selection.together.length - 1];
  return (
    <>
      <Row name="wait state">
        <Hint text={patternHelp(pattern)}>{pattern}</Hint>, {format(call.waitLength * timeline.tick_ns, "ns")} (
        {format(Math.min(share, 1), "ratio")} of the call)
      </Row>
      {call.cause !== NOBODY && (
        <Row name="waiting for">
          <CauseLink scene={scene} selection={selection} call={call} last={last} />
        </Row>
      )}
    </>
  );
}

function CauseLink({ scene, selection, call, last }: Props & { call: Call; last: Call | undefined }) {
  const source = call.sources.find(({ rank }) => rank === call.cause);
  const target = source ?? (last?.rank === call.cause ? { rank: last.rank, call: last.call } : null);
  if (!target) return <>{rowName(scene.timeline, call.cause)}</>;
  return (
    <Go scene={scene} selection={selection} id={target}>
      {rowName(scene.timeline, call.cause)}
    </Go>
  );
}

const MOST = 8;

function Matches({ scene, selection, call }: Props & { call: Call }) {
  const { timeline } = scene;
  const ns = (ticks: number) => format(ticks * timeline.tick_ns, "ns");
  const words = wordsOf(timeline);
  const sent = selection.arrows.filter(({ from }) => from.rank === call.rank && from.call === call.call);
  return (
    <>
      {call.sources.length > 0 && (
        <Row name={words.receivedFrom}>
          {call.sources.slice(0, MOST).map((id, i) => (
            <span key={i}>
              {i > 0 && ", "}
              <Go scene={scene} selection={selection} id={id}>
                {rowName(timeline, id.rank)}
              </Go>
            </span>
          ))}
          {call.sources.length > MOST && ` and ${call.sources.length - MOST} more`}
        </Row>
      )}
      {sent.length > 0 && (
        <Row name={words.receivedBy}>
          {sent.slice(0, MOST).map(({ to }, i) => (
            <span key={i}>
              {i > 0 && ", "}
              <Go scene={scene} selection={selection} id={to}>
                {rowName(timeline, to.rank)}, {nameOf(scene, to)}
              </Go>
              , +{ns(to.end - call.begin)}
            </span>
          ))}
        </Row>
      )}
    </>
  );
}

function Together({ scene, selection }: Props) {
  const { together } = selection;
  const first = together[0];
  const last = together[together.length - 1];
  if (!first || !last || together.length < 2) return null;
  const ns = (ticks: number) => format(ticks * scene.timeline.tick_ns, "ns");
  return (
    <Row name="participants">
      {together.length} {wordsOf(scene.timeline).rows}; first in:{" "}
      <Go scene={scene} selection={selection} id={first}>
        {rowName(scene.timeline, first.rank)}
      </Go>
      ; last in:{" "}
      <Go scene={scene} selection={selection} id={last}>
        {rowName(scene.timeline, last.rank)}
      </Go>{" "}
      (+{ns(last.begin - first.begin)})
    </Row>
  );
}

function CallRows({ scene, selection, call }: Props & { call: Call }) {
  const { timeline } = scene;
  const peer = peerName(timeline, call.peer);
  const isCollective = timeline.classes[call.operation] === "collective";
  return (
    <>
      <Row name="call">no. {call.call.toLocaleString("en-US")} on {rowName(timeline, call.rank)}</Row>
      {timeline.rows && <Row name="kind">{timeline.operations[call.operation]}</Row>}
      {call.bytes > 0 && <Row name="bytes">{format(call.bytes, "bytes")}</Row>}
      {peer && <Row name={isCollective ? "root" : wordsOf(timeline).peer}>{peer}</Row>}
      <Waiting scene={scene} selection={selection} call={call} />
      <Matches scene={scene} selection={selection} call={call} />
      <Together scene={scene} selection={selection} />
    </>
  );
}

function BucketRows({ scene, bucket }: { scene: Scene; bucket: Bucket }) {
  const pattern = scene.timeline.patterns[bucket.pattern];
  return (
    <>
      <Row name="mainly">{bucket.operation === OUTSIDE ? "outside the run" : scene.timeline.operations[bucket.operation] ?? "MPI call"}</Row>
      <Row name={wordsOf(scene.timeline).busy}>about {format(bucket.mpi, "ratio")}</Row>
      <Row name="waiting">
        about {format(bucket.waiting, "ratio")}
        {pattern && (
          <>
            , mainly <Hint text={patternHelp(pattern)}>{pattern}</Hint>
          </>
        )}
      </Row>
    </>
  );
}

/** All that is known about what was clicked. */
export function Details({ scene, selection }: Props) {
  const { timeline } = scene;
  const { here, rank, run } = selection;
  const ns = (ticks: number) => format(ticks * timeline.tick_ns, "ns");
  const region = timeline.regions[here.region];
  const name = here.call ? nameOf(scene, here.call) : selection.bucket ? "Aggregate of several calls" : wordsOf(timeline).between;
  return (
    <aside class="details" aria-live="polite" aria-label="Selection">
      <h3>
        {name} <span class="muted">on {rowName(timeline, rank)}{timeline.runs.length > 1 && `, ${run.name}`}</span>
      </h3>
      <dl>
        <Row name="start">
          {instant(here.begin * timeline.tick_ns, 1000)}
          {rounding(timeline.tick_ns)}
        </Row>
        <Row name="duration">
          {ns(here.end - here.begin)}
          {rounding(timeline.tick_ns, 2)}
        </Row>
        {region && <Row name="call path">{region}</Row>}
        {here.ipc != null && <Row name={IPC}>{format(here.ipc, "none")}</Row>}
        {selection.bucket && <BucketRows scene={scene} bucket={selection.bucket} />}
        {here.call && <CallRows scene={scene} selection={selection} call={here.call} />}
      </dl>
      <p>
        <button type="button" class="quiet" onClick={() => scene.reveal(here.begin, here.end, rank)}>
          Show
        </button>{" "}
        <button type="button" class="quiet" onClick={() => scene.clearSelection()}>
          Close
        </button>
      </p>
    </aside>
  );
}
