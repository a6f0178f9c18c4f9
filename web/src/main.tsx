import { render } from "preact";
import { Page } from "./components/Page";
import { readReport } from "./report";
import "uplot/dist/uPlot.min.css";
import "./style.css";

const root = document.getElementById("page");
if (root) render(<Page report={readReport()} />, root);

// Paper cannot be unfolded.
addEventListener("beforeprint", () => {
  document.querySelectorAll<HTMLDetailsElement>("#provenance details").forEach((fold) => {
    fold.open = true;
  });
});
