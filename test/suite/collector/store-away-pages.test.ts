/**
 * @module Pages while the store is away: those that have a part without it show why it cannot be
 * used, and what is left; they never look as if all were well.
 */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ephemeral } from "@turnproof/store";
import { afterAll, beforeAll, expect, test } from "vitest";

import type { AlertsModel } from "../../../collector/src/pages/alerts/route.ts";
import type { GateModel } from "../../../collector/src/pages/gate/route.ts";
import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { awayStore } from "./away-store.ts";

const rules = "version: 1\nrules:\n  - { name: slow, measure: p95_ms, window: 1h, above: 7000 }\n";
const html = { accept: "text/html" };

let desk: Desk;
const { store, put } = awayStore(ephemeral());

beforeAll(async () => {
  const file = join(mkdtempSync(join(tmpdir(), "turnproof-away-")), "rules.yml");
  writeFileSync(file, rules);
  desk = await openDesk({ TURNPROOF_ALERT_RULES: file }, { store, judge: false });
});
afterAll(() => desk.collector.close());

const page = async (path: string): Promise<readonly [number, string]> => {
  const response = await desk.get(path, html);
  return [response.status, await response.text()];
};
const gate = "/traces/compare/gate?baseline=release:1&candidate=release:2";

test("a store that answers is no matter of the pages", async () => {
  put("there");
  expect((await desk.json<AlertsModel>("/alerts.json")).store_away).toBeNull();
  expect((await page("/alerts"))[1]).not.toContain("cannot be used");
  expect((await desk.json<GateModel>("/traces/compare/gate.json")).store_away).toBeNull();
  expect((await page(gate))[1]).not.toContain("cannot be used");
});

test("alerts: the reason, from when the page is, and that it is unknown what fires", async () => {
  put("away");
  const { store_away } = await desk.json<AlertsModel>("/alerts.json");
  expect(store_away).toEqual({
    code: "store_unavailable",
    reason: "nothing listens there",
  });
  const [status, text] = await page("/alerts");
  expect(status).toBe(200);
  expect(text).toContain("The store cannot be used now: nothing listens there.");
  expect(text).toMatch(/the rules are not evaluated|rules have not been evaluated yet/);
  expect(text).toContain("Unknown whether an alert fires");
  // A cell without a value has its mark, also beside its word on a phone.
  expect(text).not.toMatch(/<td data-head="State"><\/td>/);
  expect(text).not.toContain("No alert is firing");
});

test("alerts: a page has its other parts without a preview, a program is refused", async () => {
  put("away");
  const [status, text] = await page("/alerts?rule=slow");
  expect(status).toBe(200);
  expect(text).toContain("A preview reads the store, which cannot be used now.");
  expect((await desk.get("/alerts.json?rule=slow")).status).toBe(503);
});

test("gate: the sides stay in the form, and nothing is compared", async () => {
  put("away");
  const [status, text] = await page(gate);
  expect(status).toBe(200);
  expect(text).toContain("The store cannot be used now: nothing listens there.");
  expect(text).toContain('value="release:1"');
  expect(text).not.toContain("Two sides are compared");
  expect((await desk.get(gate.replace("?", ".json?"))).status).toBe(503);
});

test("health: the store is away, and what was not read is unknown, no zero", async () => {
  put("away");
  const [status, text] = await page("/traces/health");
  expect(status).toBe(200);
  expect(text).toContain('<span class="unknown-figure">away</span>');
  expect(text).toContain("nothing listens there");
  expect(text).toContain("Unknown: no evidence could be read");
  expect(text).toContain("no evidence could be read</");
  expect(text).not.toContain("No producer reported in this window");
  expect(text).not.toContain("store_unavailable</");
  // Nothing is counted or claimed of events that were not read.
  expect(text).not.toContain("every event of a turn has all of it");
  expect(text).not.toContain("No event in this window had an attribute refused");
  expect(text).not.toMatch(
    /orphan spans|duplicates were removed|no declared profile lacks a stage/,
  );
  expect(text.match(/Unknown[^<]*no evidence could be read\./g)).toHaveLength(2);
});

test("health: of damaged evidence nothing is counted, and the reader is not sent away", async () => {
  put("there");
  await desk.put(turnEvents({ root: "root-a", user: "alice" }));
  put("damaged");
  const [status, text] = await page("/traces/health");
  put("there");
  expect(status).toBe(200);
  expect(text).toContain("Repair the store first: the reports of its processes cannot be read.");
  expect(text).toContain("the spans cannot be read");
  // This reader sees all tenants.
  expect(text).not.toContain("Contact an operator of all tenants");
  expect(text).not.toContain("You read a part of each trace");
  expect(text).not.toContain("No producer reported in this window");
  expect(text).not.toMatch(/every event of a turn has all of it|duplicates were removed/);
  expect(text).toContain("No evidence could be read: see the stores below.");
});

test("a page of evidence alone names what opens without the store", async () => {
  put("away");
  const [status, text] = await page("/traces/turns");
  expect(status).toBe(503);
  expect(text).toContain("No evidence can be read just now");
  expect(text).toContain("Alerts, Memory and Settings open without it");
});

test("a page that needs the store, and its twin, say why it cannot be reached", async () => {
  put("away");
  const [status, text] = await page("/traces/turns");
  expect(status).toBe(503);
  expect(text).toContain("nothing listens there");
  const twin = await desk.get("/traces/turns.json");
  expect(await twin.json()).toMatchObject({
    code: "store_unavailable",
    store: { host: null, reason: "nothing listens there" },
  });
});
