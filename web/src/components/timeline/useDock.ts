// The time line's rows stay in sight, at the lower edge of the window, while what stands below them is read.

import { useLayoutEffect, useState, type MutableRef } from "preact/hooks";

const LOWEST_WINDOW = 480; // CSS pixels: else nothing would be left for reading

export interface Dock {
  docked: boolean;
  dismiss: () => void;
}

/** `place` keeps the rows' place in the page. Only one time line of a page can be docked. */
export function useDock(place: MutableRef<HTMLElement | null>, wanted: boolean): Dock {
  const [passed, setPassed] = useState(false);
  const [dismissed, setDismissed] = useState(false);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element || !wanted) return;
    const look = () => {
      const box = element.getBoundingClientRect();
      setPassed(box.height > 0 && box.bottom < 0 && innerHeight >= LOWEST_WINDOW);
    };
    const leave = () => setPassed(false);
    addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    addEventListener("beforeprint", leave);
    return () => {
      removeEventListener("scroll", look);
      removeEventListener("resize", look);
      removeEventListener("beforeprint", leave);
    };
  }, [wanted]);
  const docked = passed && !dismissed;
  useLayoutEffect(() => {
    document.documentElement.classList.toggle("with-dock", docked);
  }, [docked]);
  return { docked, dismiss: () => setDismissed(true) };
}
