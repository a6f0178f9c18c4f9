import { render } from "preact";
import { Page } from "./components/Page";
import { readReport } from "./common/report";
import "uplot/dist/uPlot.min.css";
import "./style.css";

async function start(root: HTMLElement): Promise<void> {
  try {
    render(<Page report={await readReport()} />, root);
  } catch (error) {
    root.textContent = `This page cannot be shown (${String(error)}). Was the file cut off?`;
    throw error;
  }
}

const root = document.getElementById("page");
if (root) void start(root);

// Paper cannot be unfolded.
addEventListener("beforeprint", () => {
  document.querySelectorAll<HTMLDetailsElement>("#provenance details").forEach((fold) => {
    fold.open = true;
  });
});
