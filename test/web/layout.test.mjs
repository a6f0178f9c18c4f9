// How a real report lies on the screen: its width is used, the time line stays in sight, and nothing moves under the mouse.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { atRest, followLink, until, withFile } from "./browser.mjs";

let directory;
let page;

before(() => {
  directory = mkdtempSync(join(tmpdir(), "slackline-layout-"));
  page = join(directory, "lammps.html");
  const trace = join(process.env.SLACKLINE_EXAMPLES, "traces/lammps-melt.slk");
  execFileSync(process.env.SLACKLINE_BINARY, ["report", trace, "-q", "-o", page]);
});

after(() => rmSync(directory, { recursive: true }));

const wide = { viewport: { width: 1600, height: 1000 } };
const boxOf = (p, selector) => p.locator(selector).first().boundingBox();

test("at 1,600 pixels tables stand beside each other", () =>
  withFile(page, wide, async (p) => {
    const [places, ranks] = [await boxOf(p, "[id=wait_places]"), await boxOf(p, "[id=wait_ranks]")];
    assert.ok(ranks.x >= places.x + places.width, "beside");
    assert.ok(Math.abs(ranks.y - places.y) < 4, "in one line");
    const main = await boxOf(p, "main");
    assert.ok(main.width > 1250, `${main.width}`);
  }));

test("the figures of the head stand in one row or in two of the same length", () =>
  withFile(page, wide, async (p) => {
    const rowsOf = (count) =>
      p.evaluate((count) => {
        const tiles = document.querySelector("main > .tiles");
        while (tiles.children.length > count) tiles.lastElementChild.remove();
        while (tiles.children.length < count) tiles.append(tiles.firstElementChild.cloneNode(true));
        tiles.style.setProperty("--count", count);
        tiles.style.setProperty("--half", Math.ceil(count / 2));
        const rows = new Map();
        for (const { offsetTop } of tiles.children) rows.set(offsetTop, (rows.get(offsetTop) ?? 0) + 1);
        return [...rows.values()];
      }, count);
    const own = await p.evaluate(() => {
      const tiles = document.querySelector("main > .tiles");
      return [tiles.style.getPropertyValue("--count"), tiles.children.length];
    });
    assert.equal(Number(own[0]), own[1]);
    for (const [width, mostInOneRow] of [[1000, 8], [1280, 9], [1400, 10], [1600, 10]]) {
      await p.setViewportSize({ width, height: 1000 });
      for (const count of [7, 8, 9, 10]) {
        const halves = [Math.ceil(count / 2), Math.floor(count / 2)];
        assert.deepEqual(await rowsOf(count), count <= mostInOneRow ? [count] : halves, `${count} at ${width} px`);
      }
    }
  }));

test("the time line stays in sight while tables are read, and a row leads to its place there", () =>
  withFile(page, wide, async (p) => {
    assert.equal(await p.locator(".docked").count(), 0);
    await p.locator("[id=path_segments]").evaluate((e) => e.scrollIntoView({ behavior: "instant" }));
    await p.locator(".docked").waitFor();
    const docked = await boxOf(p, ".docked");
    assert.ok(docked.y > 600 && docked.y + docked.height <= 1001);
    const top = await p.evaluate(() => scrollY);
    await followLink(p, p.locator("[id=path_segments] tbody a").first());
    await until(p, () => /only=/.test(location.hash));
    assert.equal(await p.evaluate(() => scrollY), top);
    await p.getByRole("button", { name: "Hide" }).click();
    assert.equal(await p.locator(".docked").count(), 0);
    assert.equal(await p.evaluate(() => scrollY), top);
  }));

test("every row of a table by ranks, operations, patterns or pairs leads to the time line", () =>
  withFile(page, wide, async (p) => {
    const tables = ["rank_shares", "mpi_calls", "wait_patterns", "wait_places", "wait_ranks", "wait_causes", "focus_regions",
      "path_activities", "path_ranks", "path_segments", "imbalance", "collectives", "path_by_rank", "ranks"];
    for (const id of tables) {
      const rows = p.locator(`[id=${id}] tbody tr`);
      assert.ok((await rows.count()) > 0, id);
      assert.equal(await p.locator(`[id=${id}] tbody td.place-of a`).count(), await rows.count(), id);
    }
  }));

test("at 1,000 pixels the contents are in sight wherever one reads", () =>
  withFile(page, { viewport: { width: 1000, height: 800 } }, async (p) => {
    await p.locator("[id=ranks]").first().evaluate((e) => e.scrollIntoView({ behavior: "instant" }));
    const { y, height } = await boxOf(p, ".contents");
    assert.ok(y >= 0 && y + height < 100, `${y}`);
    // The first view of the time line writes itself into the address when it is found.
    await atRest(p);
    await followLink(p, p.locator(".contents a", { hasText: "Wait states" }));
    await until(p, () => location.hash === "#wait_states");
    const overflow = await p.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0);
  }));

test("nothing moves when the mouse is on a curve or a matrix", () =>
  withFile(page, wide, async (p) => {
    for (const selector of [".chart .u-over", ".matrix canvas"]) {
      const element = p.locator(selector).last();
      await element.evaluate((e) => e.scrollIntoView({ block: "center", behavior: "instant" }));
      await atRest(p);
      const tall = () => p.evaluate(() => document.documentElement.scrollHeight);
      const before = await tall();
      const { x, y, width } = await element.boundingBox();
      for (const part of [0.1, 0.5, 0.9]) {
        await p.mouse.move(x + part * width, y + 20);
        assert.equal(await tall(), before, selector);
      }
    }
  }));

test("the axes of a matrix say which ranks are where", () =>
  withFile(page, wide, async (p) => {
    for (const axis of ["across", "down"]) {
      assert.deepEqual(await p.locator(`.labels.${axis} span`).allInnerTexts(), ["0", "1", "2", "3"]);
    }
  }));

test("there are at most eight colours, and the others share one", () =>
  withFile(page, wide, async (p) => {
    await atRest(p);
    for (const colours of ["Operation", "Waiting"]) {
      await p.locator(".toolbar button", { hasText: colours }).first().click();
      await atRest(p);
      const keys = await p.locator(".legend button .key").evaluateAll((all) => all.map((e) => getComputedStyle(e).backgroundColor));
      assert.equal(new Set(keys).size, keys.length, "two entries with one colour");
      assert.ok(keys.length <= 8, `${keys.length}`);
      if (colours === "Operation") assert.match(await p.locator(".legend").innerText(), /\d+ others/);
    }
  }));
