import { Fragment, type ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { format } from "../../common/format";
import type { Unit } from "../../common/report";

/** A node with what it holds in all, and without its children. */
export interface Shown {
  id: string;
  name: string;
  unit: Unit;
  inclusive: number;
  exclusive: number;
  /** Of the tree's root. */
  share: number;
  children: Shown[];
}

const MOST_CHILDREN = 16;

interface Props {
  title: string;
  roots: Shown[];
  chosen: string;
  choose: (id: string) => void;
  /** Nodes that are open at first. */
  open: string[];
}

/** One of the three trees: name, inclusive and exclusive value, and a bar of the share. */
export function SeverityTree({ title, roots, chosen, choose, open: atFirst }: Props) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set(atFirst));
  const [long, setLong] = useState<ReadonlySet<string>>(new Set());
  const toggled = (set: ReadonlySet<string>, id: string) => {
    const next = new Set(set);
    if (!next.delete(id)) next.add(id);
    return next;
  };
  const rows = (nodes: Shown[], depth: number, parent: string): ComponentChildren => {
    const shown = long.has(parent) ? nodes : nodes.slice(0, MOST_CHILDREN);
    return (
      <>
        {shown.map((node) => (
          <Fragment key={node.id}>
            <tr class={node.id === chosen ? "chosen" : ""}>
              <th scope="row" style={{ paddingLeft: `${0.9 * depth}rem` }}>
                <div class="node">
                {node.children.length > 0 ? (
                  <button
                    type="button"
                    class="fold"
                    aria-expanded={open.has(node.id)}
                    aria-label={`${open.has(node.id) ? "Close" : "Open"} ${node.name}`}
                    onClick={() => setOpen(toggled(open, node.id))}
                  >
                    {open.has(node.id) ? "▾" : "▸"}
                  </button>
                ) : <span class="fold" />}
                <button type="button" class="link" aria-pressed={node.id === chosen} title={node.name} onClick={() => choose(node.id)}>
                  {node.name}
                </button>
                </div>
              </th>
              <td>
                <span class="bar" aria-hidden="true"><span style={{ width: `${Math.min(100, 100 * node.share)}%` }} /></span>
                {format(node.inclusive, node.unit)}
              </td>
              <td class="muted">{node.children.length === 0 ? "" : node.exclusive > 1e-9 * node.inclusive ? format(node.exclusive, node.unit) : "–"}</td>
            </tr>
            {open.has(node.id) && rows(node.children, depth + 1, node.id)}
          </Fragment>
        ))}
        {shown.length < nodes.length && (
          <tr>
            <td colSpan={3}>
              <button type="button" class="quiet" onClick={() => setLong(toggled(long, parent))}>
                {nodes.length - shown.length} more
              </button>
            </td>
          </tr>
        )}
      </>
    );
  };
  return (
    <table class="severity-tree" aria-label={title}>
      <thead>
        <tr>
          <th scope="col">{title}</th>
          <th scope="col" title="with all below it">inclusive</th>
          <th scope="col" title="without what is below it">exclusive</th>
        </tr>
      </thead>
      <tbody>{rows(roots, 0, "")}</tbody>
    </table>
  );
}
