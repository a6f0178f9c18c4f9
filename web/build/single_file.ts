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

/**
 * Bytes as text of the digits ( to |, base 85, five of them for four bytes: 6 % shorter than base64. "<" and "@" would mean
 * something in the page; } and ~ stand for them.
 */
function base85(bytes: Buffer): string {
  const padded = Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
  const digits: string[] = [];
  for (let at = 0; at < padded.length; at += 4) {
    let number = padded.readUInt32BE(at);
    const group: string[] = [];
    for (let i = 0; i < 5; ++i) {
      group.unshift(String.fromCharCode(40 + (number % 85)));
      number = Math.floor(number / 85);
    }
    digits.push(...group);
  }
  return digits.join("").replaceAll("<", "}").replaceAll("@", "~");
}

const start = (length: number) => `(async () => {
  try {
    const text = document.getElementById("code").textContent;
    const view = new DataView(new ArrayBuffer(${Math.ceil(length / 4)} * 4));
    for (let i = 0, n = 0; i < text.length; ++i) {
      const c = text.charCodeAt(i);
      n = 85 * n + (c === 125 ? 20 : c === 126 ? 24 : c - 40);
      if (i % 5 === 4) view.setUint32(((i - 4) / 5) * 4, n), (n = 0);
    }
    const stream = new Blob([new Uint8Array(view.buffer, 0, ${length})]).stream().pipeThrough(new DecompressionStream("deflate"));
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
      const bytes = deflateSync(Buffer.from(code, "utf8"), { level: 9 });
      const packed = base85(bytes);
      const unpack = start(bytes.length);
      const head =
        `<meta http-equiv="Content-Security-Policy" content="${policy([unpack, code], PLAIN_STYLE)}" />\n` +
        `    <style>${PLAIN_STYLE}</style>\n  </head>`;
      const end =
        `<script type="text/plain" id="code">${packed}</script>\n` +
        `    <script type="module">${unpack}</script>\n  </body>`;
      // Replacements are functions: "$&" in the code must stay what it is.
      page.source = String(page.source)
        .replace(/\s*<(script|link)[^>]*(src|href)="[^"]*"[^>]*>(<\/script>)?/g, "")
        .replace(/\s*<\/head>/, () => `\n    ${head}`)
        .replace(/\s*<\/body>/, () => `\n    ${end}`);
    },
  };
}
