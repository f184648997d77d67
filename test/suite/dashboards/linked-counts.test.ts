/**
 * Links of rows that count turns: the list behind each, of a collector with the same evidence, has
 * as many turns as the row counts, under the variables and the time of the panel.
 */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import type { ClickHouseClient } from "@clickhouse/client";
import { insightCodes } from "@turnproof/evidence";
import { ephemeral, insightValue } from "@turnproof/store";
import { afterAll, beforeAll, expect, test } from "vitest";

import { judgeTurns, openDesk, recordEvents } from "../collector/desk.ts";
import type { Desk } from "../collector/desk.ts";
import { bareDay, bareTurn } from "./bare-turn.ts";
import { demo, demoClient, finding_codes, insight_codes } from "./demo-data.ts";
import { day, expanded, hrefOf, isTurn, linksOf, notRecorded } from "./grafana-macros.ts";
import type { Chosen } from "./grafana-macros.ts";
import { oddDay, oddTurn } from "./odd-names.ts";

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly rawSql: string }[];
}

const folder = join(import.meta.dirname, "../../../dashboards/grafana");
const linked = readdirSync(folder)
  .filter((file) => file.endsWith(".json"))
  .flatMap((file) => {
    const text = readFileSync(join(folder, file), "utf8");
    const { panels } = JSON.parse(text) as { readonly panels: readonly Panel[] };
    return panels.flatMap((panel) =>
      linksOf(panel)
        .filter((link) => !isTurn(link))
        .map((link) => ({
          name: `${file}: ${panel.title}`,
          link,
          sql: panel.targets[0]?.rawSql ?? "",
        })),
    );
  });

let client: ClickHouseClient;
let desk: Desk;
beforeAll(async () => {
  client = await demoClient();
  const store = ephemeral();
  for (const [name, on, events] of [
    ["demo", day, demo()],
    ["odd", oddDay, oddTurn(demo())],
    ["bare", bareDay, bareTurn(demo())],
  ] as const) {
    await store.append({ batchId: name, receivedAt: `${on}T10:00:00.000000Z`, events });
    await recordEvents(store, events);
    const found = { verdict: "partial", finding_codes, insight_codes };
    await judgeTurns(store, [`root-${name}`], found);
  }
  const now = (): number => Date.parse(`${bareDay}T23:00Z`);
  desk = await openDesk({}, { store, judge: false, now });
});
afterAll(async () => {
  await desk.collector.close();
  await client.close();
});

async function rowsOf(query: string): Promise<readonly Record<string, unknown>[]> {
  return (await client.query({ query, format: "JSONEachRow" })).json<Record<string, unknown>>();
}

const turnsAt = async (href: string): Promise<number | string> => {
  const answer = await desk.get(href.replace("/traces?", "/traces/turns.jsonl?"));
  const text = await answer.text();
  return answer.status === 200 ? text.split("\n").filter((line) => line !== "").length : text;
};

const chosen: readonly Chosen[] = [
  {},
  { agent: "helper", application: "desk", tenant: "id:alice" },
  { release: "1.4.0", environment: ["production", "it's not there"] },
  { agent: ["helper", "not, there"], tenant: ["id:alice", "anonymous"] },
];

test("four panels have such links", () => {
  expect(linked.length).toBe(4);
});

test.each(linked)("$name leads to the turns that it counts", async ({ link, sql }) => {
  for (const values of chosen) {
    const rows = await rowsOf(expanded(sql, values));
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      const href = hrefOf(link, row);
      expect([href, await turnsAt(href)]).toEqual([href, Number(row["turns"])]);
      // Other turns of the collector, of other days, have the same verdict, codes and tools.
      const every = String(row["filter"]).split(" received:")[0] ?? "";
      expect(await turnsAt(`/traces?q=${encodeURIComponent(every)}`)).toBe(3);
    }
  }
});

test.each(linked)("$name leads to a page that names what no filter has", async ({ link, sql }) => {
  const [row] = await rowsOf(expanded(sql, { agent: notRecorded }, bareDay));
  const page = { accept: "text/html" };
  let answer = await desk.get(hrefOf(link, row ?? {}), page);
  // The page moves terms of `q` into parameters of their own.
  const moved = answer.headers.get("location");
  if (moved !== null) answer = await desk.get(moved, page);
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain("Not understood and not applied");
});

test("the panels of findings hold every insight, apart from findings", async () => {
  const panels = linked.filter(({ name }) => name.endsWith("Findings and insights"));
  expect(panels.length).toBe(2);
  for (const { sql } of panels) {
    const [, list = ""] = /code IN \(([^)]*)\)/.exec(sql) ?? [];
    const own = insightCodes.filter((code) => insightValue(code) === code);
    expect(list.split(", ").toSorted()).toEqual(own.map((code) => `'${code}'`).toSorted());
    const rows = await rowsOf(expanded(sql));
    expect(rows.map(({ kind, name }) => `${String(kind)}:${String(name)}`).toSorted()).toEqual(
      [
        ...finding_codes.map((code) => `finding:${code}`),
        ...insight_codes.map((code) => `insight:${code}`),
      ].toSorted(),
    );
  }
});
