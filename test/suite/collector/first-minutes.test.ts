/**
 * The first minutes with a collector: the shown command sends a turn that is then in the list, the
 * sample is a whole turn that no list counts, and the words of the pages are those of the glossary.
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, test, vi } from "vitest";

import type { TurnModel } from "../../../collector/src/pages/turn/turn-reading.ts";
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

test("the empty home has three ways, and the shell's line sends a turn each time", async () => {
  const page = await (await desk.get("/traces", { accept: "text/html" })).text();
  for (const way of ["OTEL_EXPORTER_OTLP_ENDPOINT", "curl ", "npm run demo", "/sample"]) {
    expect(page).toContain(way);
  }
  for (const turns of [1, 2]) {
    const [path = "", body = ""] = await argumentsOf(curlCommand("http://localhost:4318"));
    const answer = await desk.collector.app.request(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    expect([answer.status, await answer.json()]).toEqual([200, {}]);
    // The line once more, a second later, is another turn.
    await vi.waitFor(async () => expect((await list()).items).toHaveLength(turns));
    await wait(1_000);
  }
  const [turn] = (await list()).items;
  expect(turn).toMatchObject({ agent_id: "my-agent", thread_id: "my-thread" });
});

/** Address and body that a shell gives to curl. */
async function argumentsOf(command: string): Promise<readonly string[]> {
  const curl = `curl() { printf '%s\\n' "$1" "$5"; }`;
  const { stdout } = await promisify(execFile)("sh", ["-c", `${curl}; ${command}`]);
  return stdout.split("\n");
}

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
