import { useState } from "preact/hooks";
import { instant } from "../../common/format";
import type { Bookmark } from "../../common/link";
import type { Scene } from "../../timeline/scene";

/** Places with notes, kept in the link, so that its recipients have them, too. */
export function Bookmarks({ scene }: { scene: Scene }) {
  const [note, setNote] = useState("");
  const { timeline, view, bookmarks } = scene;
  const ns = (tick: number) => tick * timeline.tick_ns;
  const add = () => {
    scene.setBookmarks([...bookmarks, { t: [ns(view.from), ns(view.to)], r: scene.rows.grouped ? [0, timeline.ranks - 1] : scene.ranksShown, note: note.trim() }]);
    setNote("");
  };
  const show = ({ t, r }: Bookmark) =>
    scene.look({ from: t[0] / timeline.tick_ns, to: t[1] / timeline.tick_ns, ...scene.rowsBetween(r[0], r[1]) });
  return (
    <div class="bookmarks toolbar" role="group" aria-label="Bookmarks">
      {bookmarks.map((bookmark, i) => (
        <span key={i} class="bookmark">
          <button type="button" class="link" onClick={() => show(bookmark)}>
            {bookmark.note || instant(bookmark.t[0], bookmark.t[1] - bookmark.t[0])}
          </button>{" "}
          <button
            type="button"
            aria-label={`Remove the bookmark ${bookmark.note}`}
            onClick={() => scene.setBookmarks(bookmarks.filter((other) => other !== bookmark))}
          >
            ×
          </button>
        </span>
      ))}
      <input
        type="text"
        placeholder="Note for this view"
        aria-label="Note for a bookmark of this view"
        value={note}
        onInput={(event) => setNote(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Enter" && add()}
      />
      <button type="button" class="quiet" onClick={add}>Bookmark</button>
    </div>
  );
}
