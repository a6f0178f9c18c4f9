// Puts the built script and style into index.html, so that a report is one file that loads nothing,
// and allows exactly these two by their hashes in the page's Content-Security-Policy.

import { createHash } from "node:crypto";
import type { Plugin } from "vite";

const hash = (text: string) =>
  `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;

function policy(script: string, style: string): string {
  return [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/// A script ends at the first "</script" whatever the language says, and "<!--" changes how it is read.
const scriptSafe = (code: string) =>
  code.replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "<\\!--");

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
      const safe = scriptSafe(script.trim());
      const head =
        `<meta http-equiv="Content-Security-Policy" content="${policy(safe, style)}" />\n` +
        `    <style>${style}</style>\n  </head>`;
      // Replacements are functions: "$&" in the code must stay what it is.
      page.source = String(page.source)
        .replace(/\s*<(script|link)[^>]*(src|href)="[^"]*"[^>]*>(<\/script>)?/g, "")
        .replace(/\s*<\/head>/, () => `\n    ${head}`)
        .replace(/\s*<\/body>/, () => `\n    <script type="module">${safe}</script>\n  </body>`);
    },
  };
}
