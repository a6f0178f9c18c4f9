// Puts the built script and style into index.html, so that a report is one file that loads nothing. They
// lie there compressed, at less than half their size; a few lines inflate them and add them to the page.
// The page's Content-Security-Policy allows exactly these two scripts, by their hashes, and the style of the
// text that is shown without them.

import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import type { Plugin } from "vite";

const hash = (text: string) =>
  `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;

function policy(scripts: string[], style: string): string {
  return [
    "default-src 'none'",
    `script-src ${scripts.map(hash).join(" ")}`,
    `style-src ${hash(style)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

const START = `(async () => {
  try {
    const packed = atob(document.getElementById("code").textContent);
    const bytes = Uint8Array.from(packed, (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const script = document.createElement("script");
    script.type = "module";
    script.textContent = await new Response(stream).text();
    document.body.append(script);
  } catch (error) {
    document.getElementById("page").textContent =
      "This page cannot be shown: the browser is too old, or the file was cut off (" + error + ").";
  }
})();`;

/** Of the text form, for readers without JavaScript. */
const PLAIN_STYLE = ".plain-report{margin:2rem;font:.875rem/1.45 ui-monospace,Menlo,Consolas,monospace;white-space:pre-wrap}";

/** The script with the style in it. */
function withStyle(script: string, style: string): string {
  const sheet = `const sheet=new CSSStyleSheet();sheet.replaceSync(${JSON.stringify(style)});`;
  return `{${sheet}document.adoptedStyleSheets.push(sheet)}\n${script}`;
}

export function singleFile(): Plugin {
  return {
    name: "slackline-single-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      let script = "";
      let style = "";
      for (const [name, output] of Object.entries(bundle)) {
        if (output.type === "chunk") script += output.code;
        else if (name.endsWith(".css")) style += output.source;
        else continue;
        delete bundle[name];
      }
      const page = bundle["index.html"];
      if (page?.type !== "asset") throw new Error("the build has no index.html");
      const code = withStyle(script, style);
      const head =
        `<meta http-equiv="Content-Security-Policy" content="${policy([START, code], PLAIN_STYLE)}" />\n` +
        `    <style>${PLAIN_STYLE}</style>\n  </head>`;
      const packed = deflateSync(Buffer.from(code, "utf8"), { level: 9 }).toString("base64");
      const end =
        `<script type="text/plain" id="code">${packed}</script>\n` +
        `    <script type="module">${START}</script>\n  </body>`;
      // Replacements are functions: "$&" in the code must stay what it is.
      page.source = String(page.source)
        .replace(/\s*<(script|link)[^>]*(src|href)="[^"]*"[^>]*>(<\/script>)?/g, "")
        .replace(/\s*<\/head>/, () => `\n    ${head}`)
        .replace(/\s*<\/body>/, () => `\n    ${end}`);
    },
  };
}
