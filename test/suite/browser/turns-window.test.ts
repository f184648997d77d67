/**
 * @module What the lists claim, in a browser: facets of every turn of the filter and not of a
 * page, a footer that moves with the turns that arrive, a range that is turned round by its own
 * link, and a search that names what it left out.
 */
import { beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { ephemeral } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";

import { traceRequest } from "../../otlp/encode.ts";
import { turnEvents } from "../collector/desk.ts";
import { axeViolations, sidewaysOverflow } from "./browser.ts";
import type { Look } from "./browser.ts";
import { openedSite, ownSite, wide } from "./opened-site.ts";

const size = 60;
const narrow: Look = { width: 320, theme: "dark" };

const { site, visit } = openedSite();

beforeAll(async () => {
  for (let n = 0; n < size; n += 1) {
    const at = new Date(Date.UTC(2026, 10, 20, 8, n)).toISOString();
    const agent = n < 7 ? "early" : "helper";
    await site.put(turnEvents({ root: `root-${n}`, user: "alice", agent, at }));
  }
});

const countOf = async (page: Page, value: string): Promise<string | undefined> => {
  const link = page.locator(`[data-facet="agent"] a:has([title="${value}"])`);
  return (await link.innerText()).split("\n").at(-1);
};

test("facets count every turn of the filter, and say so", async () => {
  const page = await visit("/traces?limit=25");
  await page.getByText(`All ${size} turns`).waitFor();
  expect([await countOf(page, "early"), await countOf(page, "helper")]).toEqual(["7", "53"]);
  expect(await page.locator("[data-window]").innerText()).toContain("25 turns on this page");
});

test.each(["count", "duration", "trend"])(
  "without script the %s chart and the facets count every turn of the filter",
  async (chart) => {
    const filter = `limit=25&chart=${chart}`;
    const page = await visit(`/traces?${filter}`, { ...wide, script: false });
    expect(await page.locator("tr[data-key]").count()).toBe(25);
    expect(await page.locator("[data-facet-extent]").innerText()).toBe(`All ${size} turns`);
    expect([await countOf(page, "early"), await countOf(page, "helper")]).toEqual(["7", "53"]);
    const readout = page.locator("[data-readout]");
    expect(await readout.innerText()).toMatch(/^60 turns (by duration |over time )?in all/);
    await page.goto(`${site.url}/traces?${filter}&agent_id=early`);
    expect(await readout.innerText()).toMatch(/^7 turns (by duration |over time )?in all/);
  },
);

test("rows wait for no count, and no count is of them alone", async () => {
  const held = ephemeral();
  const gate = Promise.withResolvers<void>();
  const { ledger } = held;
  const slow: EvidenceStore = {
    ...held,
    ledger: {
      ...ledger,
      turnFacets: async (...of) => {
        await gate.promise;
        return ledger.turnFacets(...of);
      },
    },
  };
  const counted = await ownSite({}, { store: slow });
  for (let n = 0; n < 30; n += 1) {
    const at = new Date(Date.UTC(2026, 10, 20, 8, n)).toISOString();
    await counted.put(turnEvents({ root: `root-${n}`, user: "alice", agent: "helper", at }));
  }
  const page = await visit("/favicon.ico", wide, { on: counted });
  await page.goto(`${counted.url}/traces?limit=25`, { waitUntil: "commit" });
  await page.locator("tr[data-key]").nth(24).waitFor();
  expect(await page.locator("[data-readout], [data-facet]").count()).toBe(0);
  await page.getByText("Counting all turns…").first().waitFor();
  gate.resolve();
  await page.getByText("All 30 turns").waitFor();
  await page.locator("[data-readout]", { hasText: "30 turns in all" }).waitFor();
  // In the order of what is seen: the chart and the facets before the rows.
  const [chart, facets, rows] = await Promise.all(
    ["[data-histogram]", ".facet-list", "tr[data-key]"].map(
      async (one) => (await page.locator(one).first().boundingBox()) ?? { x: 0, y: 0 },
    ),
  );
  expect(chart?.y).toBeLessThan(rows?.y ?? 0);
  expect(facets?.x).toBeLessThan(rows?.x ?? 0);
});

test("a count that fails is called not counted, and the rows stay", async () => {
  const held = ephemeral();
  const store: EvidenceStore = {
    ...held,
    ledger: {
      ...held.ledger,
      turnFacets: async () => {
        throw new Error("gone");
      },
    },
  };
  const away = await ownSite({}, { store });
  await away.put(turnEvents({ root: "root-0", user: "alice", agent: "helper" }));
  const page = await visit("/traces", { ...wide, script: false }, { on: away });
  expect(await page.locator("tr[data-key]").count()).toBe(1);
  expect(await page.locator("main").innerText()).toContain("Not counted");
  expect(await page.locator("[data-readout], [data-facet]").count()).toBe(0);
});

test("the footer moves with the turns that arrive", async () => {
  const page = await visit("/traces?limit=250");
  const footer = page.locator("[data-window]");
  expect(await footer.innerText()).toMatch(/Window complete[\s\S]*60 turns, complete/);
  await page.locator("[data-live]").waitFor();
  for (let n = 0; n < 5; n += 1) {
    await send(n);
    const stated = new RegExp(`${size + n + 1} turns[, ]`);
    await footer.getByText(stated).waitFor({ timeout: 60_000 });
    // Whole or open, it never states less than it shows, and what is open is counted.
    const [text, rows] = [await footer.innerText(), await page.locator("tr[data-key]").count()];
    expect(rows).toBeGreaterThanOrEqual(size + n + 1);
    expect(/Window complete/.test(text)).toBe(/turns?, complete/.test(text));
    expect(/Window still open/.test(text)).toBe(/not readable yet and not counted/.test(text));
  }
});

test("what arrives after the page was read and before its tail stands is not missed", async () => {
  const page = await visit("/traces?limit=250");
  const before = await page.locator("tr[data-key]").count();
  await page.route("**/traces/live*", async (route) => {
    await send(50);
    await route.continue();
  });
  await page.reload({ waitUntil: "load" });
  const stated = new RegExp(`${before + 1} turns[, ]`);
  await page.locator("[data-window]").getByText(stated).waitFor({ timeout: 60_000 });
});

test("a window that was open closes by itself when its backlog becomes readable", async () => {
  const held = ephemeral();
  const gate = Promise.withResolvers<void>();
  const store: EvidenceStore = {
    ...held,
    append: async (batch) => {
      await gate.promise;
      await held.append(batch);
    },
  };
  const slow = await ownSite({}, { store });
  await send(0, slow.url);
  const page = await visit("/traces?status=success", wide, { on: slow });
  const footer = page.locator("[data-window]");
  expect(await footer.innerText()).toMatch(/Window still open[\s\S]*1 received batch is not/);
  gate.resolve();
  await footer.getByText("1 turn, complete").waitFor({ timeout: 60_000 });
  expect(await footer.innerText()).toContain("Window complete");
});

async function send(n: number, url = site.url): Promise<void> {
  const start = BigInt(Date.now()) * 1_000_000n;
  const span = {
    traceId: (n + 1).toString(16).padStart(32, "0"),
    spanId: (n + 1).toString(16).padStart(16, "0"),
    name: "invoke_agent helper",
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(start + 500_000_000n),
    attributes: { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper" },
  };
  const response = await fetch(`${url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(traceRequest([span], { "service.name": "desk" })),
  });
  expect(response.status).toBe(200);
}

test.each([wide, narrow])("a range that ends before it starts, at $width px", async (look) => {
  const query = "agent_id=early&start_time=2026-11-20T08:30:00Z&end_time=2026-11-20";
  const page = await visit(`/traces?${query}`, look);
  expect(await page.locator("main").innerText()).toContain(
    "is an empty range: its end is not after its start",
  );
  expect(await axeViolations(page)).toEqual([]);
  expect(await sidewaysOverflow(page)).toBe(0);
  const swap = page.getByRole("link", { name: "Swap the two times" });
  await swap.focus();
  await Promise.all([page.waitForURL(/start_time=2026-11-20&/), page.keyboard.press("Enter")]);
  const requested = Object.fromEntries(new URL(page.url()).searchParams);
  expect(requested).toEqual({
    agent_id: "early",
    start_time: "2026-11-20",
    end_time: "2026-11-20T08:30:00Z",
  });
  expect(await page.locator("tr[data-key]").count()).toBe(7);
});

test.each([wide, narrow])("a search says where it did not look, at $width px", async (look) => {
  const path = "/traces/find?id=nobody-knows-it";
  const page = await visit(path, look);
  const places = page.locator(".find-places li");
  const reaches = (): Promise<(string | null)[]> =>
    places.evaluateAll((all) => all.map((one) => one.getAttribute("data-reach")));
  expect(await reaches()).toEqual(["whole", "tenant_not_named", "tenant_not_named"]);
  expect(await axeViolations(page)).toEqual([]);
  expect(await sidewaysOverflow(page)).toBe(0);
  await page.getByLabel("Tenant, if known").fill("alice");
  await page.keyboard.press("Enter");
  await page.waitForURL(/user_id=alice/);
  expect(await reaches()).toEqual(["whole", "whole", "whole"]);
  expect(await page.locator("main").innerText()).toContain("The whole history that you may read");
});

test("an event's id leads from the raw events to its root", async () => {
  const page = await visit("/traces/find");
  await page.getByLabel(/Any id/).fill("root-3-tool:result");
  await page.keyboard.press("Enter");
  await page.waitForURL(/id=root-3-tool/);
  expect(await page.locator("main").innerText()).toContain("this is an event");
  const href = await page.locator("tbody a[data-row]").getAttribute("href");
  expect(href).toBe(`/traces/root-3#e-${encodeURIComponent("root-3-tool:result")}`);
});
