// Light or dark: what the system says until the reader chooses. Paper is always light.

import { useLayoutEffect, useState } from "preact/hooks";

export type Theme = "light" | "dark";

const KEY = "slackline-theme";
const system = matchMedia("(prefers-color-scheme: dark)");

// Storage may be forbidden for local files: then the choice lasts as long as the page.
function stored(): Theme | null {
  try {
    const value = localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : null;
  } catch {
    return null;
  }
}

function store(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // see above
  }
}

export function useTheme(): { theme: Theme; toggle: () => void } {
  const [chosen, setChosen] = useState<Theme | null>(stored);
  const [dark, setDark] = useState(system.matches);
  const [printing, setPrinting] = useState(false);
  useLayoutEffect(() => {
    const follow = () => setDark(system.matches);
    const begin = () => setPrinting(true);
    const end = () => setPrinting(false);
    system.addEventListener("change", follow);
    addEventListener("beforeprint", begin);
    addEventListener("afterprint", end);
    return () => {
      system.removeEventListener("change", follow);
      removeEventListener("beforeprint", begin);
      removeEventListener("afterprint", end);
    };
  }, []);
  const screen = chosen ?? (dark ? "dark" : "light");
  const theme = printing ? "light" : screen;
  document.documentElement.dataset["theme"] = theme;
  const toggle = () => {
    const next = screen === "dark" ? "light" : "dark";
    store(next);
    setChosen(next);
  };
  return { theme, toggle };
}
