import { createContext } from "preact";

/** Id of the page's time line, for links into it; empty: there is none. */
export const TimelineId = createContext("");
