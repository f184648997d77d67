/**
 * The first minutes with a collector: the shown command sends a turn that is then in the list, the
 * sample is a whole turn that no list counts, and the words of the pages are those of the glossary.
 */
import { readFileSync } from "node:fs";

import { afterAll, beforeAll, expect, test, vi } from "vitest";

import type { TurnModel } from "../../../collector/src/pages/turn/route.ts";
import { curlCommand } from "../../../collector/src/ui/display/first-turn.ts";
import { glossary } from "../../../collector/src/ui/display/glossary.ts";
import { openDesk } from "./desk.ts";
import type { Desk } from "./desk.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.collector.close());

interface List {
  readonly items: readonly { readonly agent_id: string; readonly thread_id: string }[];
}
const list = (): Promise<List> => desk.json<List>("/traces/turns.json");

test("the sample is a whole turn with a verdict, and no list counts it", async () => {
  const sample = await desk.json<TurnModel>("/sample.json");
  expect(sample.turns).toHaveLength(1);
  expect(sample.verdict.status).toBe("partial");
  expect(sample.verdict.findings.map(({ code }) => code)).toEqual(["delivery_unconfirmed"]);
  expect(sample.verdict.window.complete).toBe(true);
  expect(sample.supply.supplied.value).toBeGreaterThan(0);
  expect((await list()).items).toEqual([]);
  const found = await desk.get(`/traces/${sample.root_trace_id}.json`);
  expect(found.status).toBe(404);
});

test("the empty home has three ways, and the shell's line sends a turn", async () => {
  const page = await (await desk.get("/traces", { accept: "text/html" })).text();
  for (const way of ["OTEL_EXPORTER_OTLP_ENDPOINT", "curl ", "npm run demo", "/sample"]) {
    expect(page).toContain(way);
  }
  const command = curlCommand("http://localhost:4318");
  const [, path = "", type = "", body = ""] =
    /^curl http:\/\/localhost:4318(\S+) -H 'content-type: (\S+)' -d '(.*)'$/s.exec(command) ?? [];
  const seconds = String(Math.floor(Date.now() / 1_000));
  const answer = await desk.collector.app.request(`http://localhost:4318${path}`, {
    method: "POST",
    headers: { "content-type": type },
    // As a shell reads it: the quotes end, the seconds stand there, and they begin again.
    body: body.replaceAll("'$(date +%s)'", seconds),
  });
  expect([answer.status, await answer.json()]).toEqual([200, {}]);
  await vi.waitFor(async () =>
    expect((await list()).items).toMatchObject([{ agent_id: "my-agent", thread_id: "my-thread" }]),
  );
});

test("the commands name the address of the collector, also behind a proxy", async () => {
  const below = await openDesk({ TURNPROOF_BASE_PATH: "/evidence" });
  const proxied = await openDesk({ TURNPROOF_UI_ORIGIN: "https://a.example,https://b.example" });
  for (const [{ collector }, url, shown] of [
    [below, "http://10.0.0.7:9000/evidence/traces", "http://10.0.0.7:9000/evidence"],
    [proxied, "http://b.example/traces", "https://b.example"],
    [proxied, "http://localhost:1/traces", "https://a.example"],
  ] as const) {
    const answer = await collector.app.request(url, { headers: { accept: "text/html" } });
    const page = await answer.text();
    for (const command of ["OTLP_ENDPOINT=", "curl ", "--endpoint "]) {
      expect(page.split(`${command}${shown}`).length, `${command}${shown}`).toBe(2);
    }
    expect(page).not.toContain(":4318");
  }
  await Promise.all([below.collector.close(), proxied.collector.close()]);
});

test("a word of the pages means what the glossary says", () => {
  const text = readFileSync(new URL("../../../docs/glossary.md", import.meta.url), "utf8");
  for (const [word, meaning] of Object.entries(glossary)) {
    const row = text.split("\n").find((line) => line.startsWith(`| ${word} |`)) ?? "";
    expect([word, row.includes(meaning)]).toEqual([word, true]);
  }
});
