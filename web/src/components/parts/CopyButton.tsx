import { useState } from "preact/hooks";
import { copy } from "../../common/clipboard";

interface Props {
  label: string;
  text: () => string | Promise<string>;
}

/** Copies what `text` gives when pressed, and says for a moment that it did. */
export function CopyButton({ label, text }: Props) {
  const [said, setSaid] = useState("");
  const press = async () => {
    setSaid((await copy(await text())) ? "Copied" : "Could not copy");
    setTimeout(() => setSaid(""), 1600);
  };
  return (
    <button type="button" class="quiet" onClick={() => void press()}>
      <span aria-live="polite">{said || label}</span>
    </button>
  );
}
