// The README's picture of the page, doc/report.png: doc/report.txt has the text of the summary that it shows, which is
// compared with today's. With SLACKLINE_APPROVE both are made anew.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { atRest, withFile } from "./browser.mjs";

const { SLACKLINE_APPROVE: approve, SLACKLINE_BINARY: binary, SLACKLINE_SOURCE: source } = process.env;

test("the README's picture shows what the page says today", async () => {
  const directory = mkdtempSync(join(tmpdir(), "slackline-picture-"));
  const page = join(directory, "report.html");
  execFileSync(binary, ["report", "-q", join(source, "examples/traces/lammps-melt.slk"), "-o", page]);
  await withFile(page, { viewport: { width: 1440, height: 1660 } }, async (page) => {
    const text = `${(await page.locator("header.summary").innerText()).replace(/\n+/g, "\n").trim()}\n`;
    if (!approve) {
      const shown = readFileSync(join(source, "doc/report.txt"), "utf8");
      assert.equal(text, shown, "doc/report.png is of another page: ./dev approve makes it anew");
      return;
    }
    await atRest(page);
    await page.screenshot({ path: join(source, "doc/report.png") });
    writeFileSync(join(source, "doc/report.txt"), text);
  });
  rmSync(directory, { recursive: true });
});
