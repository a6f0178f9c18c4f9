import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface Props {
  text: string;
  children: ComponentChildren;
}

/** A word with an explanation that shows on hover and on focus, and in print below it. */
export function Hint({ text, children }: Props) {
  const id = useId();
  if (!text) return <>{children}</>;
  return (
    <span class="hint" tabIndex={0} aria-describedby={id}>
      <span class="hint-word">{children}</span>
      <span class="hint-text" role="tooltip" id={id}>
        {text}
      </span>
    </span>
  );
}
