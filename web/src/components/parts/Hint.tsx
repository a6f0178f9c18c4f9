import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";

interface Props {
  text: string;
  children: ComponentChildren;
}

interface Place {
  left: number;
  top: number;
  above: boolean;
}

const WIDEST = 300; // style.css: max-width of .hint-text, and a margin
const HIGHEST = 130;

/** Above the word where there is room, and never beyond the window's right edge. */
function placeOf(word: Element): Place {
  const box = word.getBoundingClientRect();
  const above = box.top > HIGHEST;
  const left = Math.max(8, Math.min(box.left, innerWidth - WIDEST));
  return { left, top: above ? box.top - 8 : box.bottom + 8, above };
}

/** A word with an explanation that shows on hover and on focus, and in print below it. */
export function Hint({ text, children }: Props) {
  const id = useId();
  const [place, setPlace] = useState<Place | null>(null);
  if (!text) return <>{children}</>;
  const open = (event: { currentTarget: Element }) => setPlace(placeOf(event.currentTarget));
  const close = () => setPlace(null);
  const look = `hint-text${place ? " shown" : ""}${place?.above ? " above" : ""}`;
  return (
    <span
      class="hint"
      tabIndex={0}
      aria-describedby={id}
      onMouseEnter={open}
      onMouseLeave={close}
      onFocus={open}
      onBlur={close}
      onKeyDown={(event) => event.key === "Escape" && close()}
    >
      <span class="hint-word">{children}</span>
      <span
        class={look}
        role="tooltip"
        id={id}
        style={place ? { left: `${place.left}px`, top: `${place.top}px` } : {}}
      >
        {text}
      </span>
    </span>
  );
}
