import { render } from "preact";
import { Page } from "./components/Page";
import { readReport } from "./report";
import "uplot/dist/uPlot.min.css";
import "./style.css";

const root = document.getElementById("page");
if (root) render(<Page report={readReport()} />, root);
