/** The page of alerts and its JSON: what an operator did, in the order in which it matters. */
import { createHash } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ephemeral } from "@turnproof/store";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import type { AlertsModel } from "../../../collector/src/pages/alerts/route.ts";
import type { HealthModel } from "../../../collector/src/pages/health/route.ts";
import { openDesk } from "./desk.ts";
import type { Desk } from "./desk.ts";

const token = "operator-q7KxZt4Wm9Rc2Yd8";
const headers = { authorization: `Bearer ${token}` };
const rules = `version: 1
rules:
  - { name: failing, measure: error_share, by: agent, window: 1d, above: 0.5 }
  - { name: slow, measure: p95_ms, window: 90m, above: 7000 }
`;

let desk: Desk;
beforeAll(async () => {
  const file = join(mkdtempSync(join(tmpdir(), "turnproof-rules-")), "rules.yml");
  writeFileSync(file, rules);
  const env = {
    TURNPROOF_UI_AUTH_TOKEN: token,
    TURNPROOF_ALERT_RULES: file,
    TURNPROOF_ALERT_TARGETS: "ops=webhook+http://127.0.0.1:9/",
  };
  desk = await openDesk(env, { store: ephemeral(), judge: false });
});
afterAll(() => desk.collector.close());

const silence = async (hours: number, rule: string, group?: string): Promise<number> => {
  const { status } = await desk.collector.app.request("/alerts/silence", {
    method: "POST",
    headers: { ...headers, host: "127.0.0.1", "content-type": "application/json" },
    body: JSON.stringify({ rule, group, hours }),
  });
  return status;
};
const listed = async (): Promise<readonly (string | null)[]> =>
  (await desk.json<AlertsModel>("/alerts.json", headers)).silences.map(
    ({ rule, group }) => `${rule} ${group ?? "all"}`,
  );

test("silences are listed by their end, whatever their order; an ended one is gone", async () => {
  for (const [hours, rule, group] of [
    [24, "failing", "a"],
    [1, "slow", undefined],
    [8, "failing", "b"],
    [2, "failing", "c"],
  ] as const) {
    expect(await silence(hours, rule, group)).toBe(200);
  }
  expect(await listed()).toEqual(["slow all", "failing c", "failing b", "failing a"]);
  // A later order about the same group moves it.
  await silence(48, "failing", "c");
  await silence(0, "slow");
  expect(await listed()).toEqual(["failing b", "failing a", "failing c"]);
  const page = await (await desk.get("/alerts", headers)).text();
  expect(page.indexOf("of failing of a</span>")).toBeGreaterThan(0);
  expect([...page.matchAll(/<th scope="col">([^<]*)<\/th>/g)].map(([, head]) => head)).toEqual(
    expect.arrayContaining(["Until", "By", "Change"]),
  );
});

test("a rule whose contract no file has shows that, until one has it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnproof-contracts-"));
  const file = join(folder, "rules.txt");
  const rule = "{ name: order, measure: contract_share, contract: order, window: 1d, above: 0 }";
  writeFileSync(file, `${rules}  - ${rule}\n`);
  const env = {
    TURNPROOF_UI_AUTH_TOKEN: token,
    TURNPROOF_ALERT_RULES: file,
    TURNPROOF_CONTRACTS: folder,
  };
  const other = await openDesk(env, { store: ephemeral(), judge: false });
  const states = async (): Promise<unknown> =>
    (await other.json<AlertsModel>("/alerts.json", headers)).rules.map((one) => one.contract_state);
  const badge = "its contract is not defined";
  try {
    expect(await states()).toEqual([null, null, "undefined"]);
    expect(await (await other.get("/alerts", headers)).text()).toContain(badge);
    const clause = "{ clause: tools, allowed: [lookup] }";
    writeFileSync(
      join(folder, "order.yaml"),
      `version: 1\ncontracts:\n  - { name: order, expect: [${clause}] }\n`,
    );
    await vi.waitFor(async () => expect(await states()).toEqual([null, null, "defined"]), {
      timeout: 20_000,
    });
    expect(await (await other.get("/alerts", headers)).text()).not.toContain(badge);
  } finally {
    await other.collector.close();
  }
});

test("a rule with the line ends of a browser is tried", async () => {
  const rule = ["name: typed", "measure: error_share", "window: 1h", "above: 0.5"];
  for (const end of ["\r\n", "\n"]) {
    for (const draft of [rule.join(end), `- ${rule.join(`${end}  `)}`]) {
      const path = `/alerts.json?draft=${encodeURIComponent(draft)}`;
      const { draft_problems, preview } = await desk.json<AlertsModel>(path, headers);
      expect([draft_problems, preview?.name]).toEqual([[], "typed"]);
    }
  }
});

test("a file of rules that is not used shows on the page and on Health until it is right", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "turnproof-rules-")), "rules.yml");
  writeFileSync(file, rules);
  const env = { TURNPROOF_UI_AUTH_TOKEN: token, TURNPROOF_ALERT_RULES: file };
  const other = await openDesk(env, { store: ephemeral(), judge: false });
  const refused = async (): Promise<unknown> => {
    const alerts = await other.json<AlertsModel>("/alerts.json", headers);
    const { collector } = await other.json<HealthModel>("/traces/health.json", headers);
    expect(collector?.alert_rules_refused).toEqual(alerts.rules_refused);
    return alerts.rules_refused;
  };
  const soon = { timeout: 20_000 };
  const page = async (path: string) => (await other.get(path, headers)).text();
  try {
    expect(await refused()).toBeNull();
    writeFileSync(file, rules.replace("above: 0.5", "above: 5").replace("failing", "secret-name"));
    const shown = {
      file: "rules.yml",
      reason: expect.stringMatching(/^rule 1, above: a share is never above 1/) as string,
      rules_since: expect.stringMatching(/Z$/) as string,
    };
    await vi.waitFor(async () => expect(await refused()).toEqual(shown), soon);
    for (const path of ["/alerts", "/traces/health"]) {
      expect(await page(path)).toMatch(
        /The alert rules of .* stand\. File <code>rules\.yml<\/code>/,
      );
      expect(await page(path)).not.toContain("secret-name");
    }
    // The same file as before is right as well.
    writeFileSync(file, rules);
    await vi.waitFor(async () => expect(await refused()).toBeNull(), soon);
    expect(await page("/alerts")).not.toContain("stand. File");
  } finally {
    await other.collector.close();
  }
});

test("windows are written in their whole unit", async () => {
  const { rules: shown } = await desk.json<AlertsModel>("/alerts.json", headers);
  expect(shown.map(({ limit }) => limit)).toEqual([
    "above 50.0 % in 24 h",
    "above 7 s in 1 h 30 m",
  ]);
});

test("a silence of a group of a rule without groups, which covers nothing, is refused", async () => {
  expect(await silence(1, "slow", "c")).toBe(422);
  expect(await silence(0, "slow", "c")).toBe(200);
});

test("rules, silences and targets leave as files, as the page has them", async () => {
  const shown = await desk.json<AlertsModel>("/alerts.json", headers);
  for (const [list, size] of [
    ["rules", 2],
    ["silences", 3],
    ["targets", 1],
  ] as const) {
    const text = await (await desk.get(`/alerts/${list}.jsonl`, headers)).text();
    const lines = text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
    expect([list, lines.length]).toEqual([list, size]);
    expect(lines).toEqual(shown[list]);
    const csv = await desk.get(`/alerts/${list}.csv`, headers);
    expect(csv.headers.get("content-disposition")).toContain(`${list}`);
    expect((await csv.text()).trim().split("\r\n")).toHaveLength(size + 1);
    const page = await (await desk.get("/alerts", headers)).text();
    expect(page).toContain(`href="/alerts/${list}.csv"`);
  }
  expect((await desk.get("/alerts/rules.csv?colour=red", headers)).status).toBe(400);
});

test("an alert that an earlier version stored shows its targets as unknown", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "turnproof-alerts-"));
  const file = join(dataDir, "rules.yml");
  writeFileSync(file, rules);
  const at = Date.now() - 60_000;
  const kept = (group: string, more: object): object => ({
    id: `alert_${createHash("md5").update(group).digest("hex")}`,
    rule: "failing",
    group,
    since: new Date(at).toISOString(),
    value: 1,
    roots: [],
    broken_ms: at,
    notified: true,
    resolved: false,
    ...more,
  });
  const active = [
    kept("old", {}),
    kept("new", { started: ["ops"] }),
    kept("quiet", { notified: false }),
  ];
  const empty = { closed: [], outbox: [], given_up: 0 };
  const silence = { rule: "failing", group: "quiet", until: "2999-01-01T00:00:00Z", by: "ann" };
  const document = { version: 1, looked_ms: at, active, silences: [silence], ...empty };
  writeFileSync(join(dataDir, "alerts.json"), JSON.stringify(document));
  const env = {
    TURNPROOF_BACKEND: "filesystem",
    TURNPROOF_DATA_DIR: dataDir,
    TURNPROOF_UI_AUTH_TOKEN: token,
    TURNPROOF_ALERT_RULES: file,
    TURNPROOF_ALERT_TARGETS: "ops=webhook+http://127.0.0.1:9/",
  };
  const other = await openDesk(env, { judge: false });
  try {
    const { firing } = await other.json<AlertsModel>("/alerts.json", headers);
    expect(firing.map(({ group, started }) => [group, started])).toEqual([
      ["old", null],
      ["new", ["ops"]],
      ["quiet", []],
    ]);
    const page = await (await other.get("/alerts", headers)).text();
    expect(page).toContain("Targets of its start: unknown");
    expect(page).toContain("Targets of its start: ops");
  } finally {
    await other.collector.close();
  }
});
