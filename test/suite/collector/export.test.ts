/**
 * Export of events, turns and calls: each format read by an engine that this project did not write,
 * parts, an interrupted export, scopes.
 */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createClient } from "@clickhouse/client";
import type { ClickHouseClient, ClickHouseClientConfigOptions } from "@clickhouse/client";
import { createChdbConnection } from "chdb/connection";
import { callTable, ephemeral, eventColumns, turnTable } from "@turnproof/store";
import { afterAll, beforeAll, expect, test } from "vitest";

import { createClient as collectorClient } from "../../../collector/src/cli/client.ts";
import { exportParts } from "../../../collector/src/cli/export-parts.ts";
import type { Listening } from "../../../collector/src/http/connections.ts";
import { listen } from "../../../collector/src/server.ts";
import { turnproof } from "../contracts/command.ts";
import { openDesk, quiet, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

const token = "operator-q7KxZt4Wm9Rc2Yd8";
const turns = 7;
let desk: Desk;
let server: Listening;
let engine: ClickHouseClient;
const folder = mkdtempSync(join(tmpdir(), "turnproof-export-"));
const out = (name: string): string => join(folder, name);

beforeAll(async () => {
  desk = await openDesk({ TURNPROOF_UI_AUTH_TOKEN: token }, { store: ephemeral(), judge: false });
  for (let at = 0; at < turns; at += 1) {
    const user = at % 2 === 0 ? "alice" : 'bo"b,\nü';
    await desk.put(turnEvents({ root: `root-${at}`, user }), `2026-11-21T10:00:0${at}.000000Z`);
  }
  server = await listen(desk.collector.app, { host: "127.0.0.1", port: 0, log: quiet });
  type Injected = NonNullable<ClickHouseClientConfigOptions["connection"]>;
  const connection = createChdbConnection({ path: out("engine") });
  engine = createClient({ connection: connection as unknown as Injected });
});
afterAll(async () => {
  await engine.close();
  await server.close(1_000);
  await desk.collector.close();
  rmSync(folder, { recursive: true });
});

const shared = (): string[] => ["--url", server.url, "--token", token];

/** Exports all turns as JSON lines into a folder. */
const exportTurns = (to: string, ...more: readonly string[]): ReturnType<typeof turnproof> =>
  turnproof("export", "--out", to, "--table", "turns", "--format", "jsonl", ...more, ...shared());

async function rowsOf(pattern: string, format: string): Promise<Record<string, unknown>[]> {
  const answer = await engine.query({
    query: `SELECT * FROM file('${pattern}', '${format}')`,
    format: "JSONEachRow",
  });
  return answer.json();
}

const tables = { events: eventColumns, turns: turnTable, calls: callTable } as const;
const formats = { parquet: "Parquet", arrow: "Arrow", csv: "CSVWithNames", jsonl: "JSONEachRow" };
const wanted = { events: turns * 3, turns, calls: turns * 2 } as const;

for (const [table, columns] of Object.entries(tables)) {
  for (const [format, named] of Object.entries(formats)) {
    test(`${table} as ${format}`, async () => {
      const to = out(`${table}-${format}`);
      const requested = ["--out", to, "--table", table, "--format", format, "--json"];
      const ran = await turnproof("export", ...requested, ...shared());
      expect(ran.code, ran.err).toBe(0);
      expect(JSON.parse(ran.out)).toMatchObject({
        rows: wanted[table as keyof typeof wanted],
        parts: 1,
        complete: true,
      });
      const rows = await rowsOf(join(to, `*.${format}`), named);
      expect(rows).toHaveLength(wanted[table as keyof typeof wanted]);
      expect(Object.keys(rows[0] ?? {})).toEqual(columns.map(({ name }) => name));
      const tenant = table === "events" ? "user_id" : "tenant";
      const prefix = table === "events" ? "" : "id:";
      expect(new Set(rows.map((row) => row[tenant]))).toEqual(
        new Set([`${prefix}alice`, `${prefix}bo"b,\nü`]),
      );
      const root = rows.find((row) => row["root_trace_id"] === "root-3") ?? {};
      if (table === "events") {
        expect(Date.parse(`${String(root["timestamp"])}Z`.replace("ZZ", "Z"))).toBe(
          Date.parse("2026-11-21T09:59:00Z"),
        );
        const model = rows.find((row) => row["model"] === "small-1") ?? {};
        expect(Number(model["input_tokens"])).toBe(12);
        expect(rows.filter((row) => row["input_tokens"] === null)).toHaveLength(turns * 2);
        const stated: unknown = model["attributes_json"];
        expect(typeof stated === "string" ? JSON.parse(stated) : stated).toMatchObject({
          model: "small-1",
        });
      }
      if (table === "turns") {
        expect(Number(root["input_tokens"])).toBe(12);
        expect(String(root["tool_name_list"])).toContain("search");
      }
    });
  }
}

test("a filter narrows an export, and one of turns is refused for events", async () => {
  const ran = await turnproof(
    "export",
    "--out",
    out("one"),
    "--root",
    "root-1",
    "--json",
    ...shared(),
  );
  expect(JSON.parse(ran.out)).toMatchObject({ rows: 3 });
  const auth = { authorization: `Bearer ${token}` };
  const refused = await desk.get("/traces/export?verdict=success", auth);
  expect(await refused.json()).toMatchObject({ code: "filter_not_applicable", field: "verdict" });
  const terms = await turnproof(
    "export",
    "--out",
    out("terms"),
    "--filter",
    "agent:a",
    ...shared(),
  );
  expect([terms.code, terms.err]).toEqual([2, expect.stringContaining("/traces/spans.csv?q=")]);
  const judged = await desk.get("/traces/export?table=turns&verdict=success&format=csv", auth);
  expect(judged.headers.get("turnproof-rows")).toBe("0");
});

test("terms of the filter bar narrow an export of turns and one of calls", async () => {
  const rows = async (table: string, terms: string, ...more: string[]): Promise<unknown> => {
    const flags = [
      "--out",
      out([table, terms, ...more].join(" ")),
      "--table",
      table,
      "--filter",
      terms,
    ];
    const ran = await turnproof("export", ...flags, ...more, "--json", ...shared());
    return (JSON.parse(ran.out) as { rows?: number }).rows;
  };
  const auth = { authorization: `Bearer ${token}` };
  for (const table of ["turns", "calls"]) {
    const all = await rows(table, "agent:*");
    const some = await rows(table, "-root:root-1");
    const stated = await desk.get(`/traces/export?table=${table}&q=-root:root-1&format=csv`, auth);
    expect([table, String(some)]).toEqual([table, stated.headers.get("turnproof-rows")]);
    expect([table, some !== all]).toEqual([table, true]);
    expect(await rows(table, "-root:root-1", "--resume")).toBe(some);
  }
});

test("a part of which few events pass ends early, and one without rows is no file", async () => {
  const wide = await openDesk({ TURNPROOF_BACKEND: "filesystem" }, { judge: false });
  const own = await listen(wide.collector.app, { host: "127.0.0.1", port: 0, log: quiet });
  for (let at = 0; at < 60; at += 1) {
    const second = String(at).padStart(2, "0");
    await wide.put(turnEvents({ root: `root-${at}` }), `2026-11-21T10:00:${second}.000000Z`);
  }
  // A row has the whole seconds of its events: no event lies between these.
  const between = {
    start_time: "2026-11-21T09:59:00.300Z",
    end_time: "2026-11-21T09:59:00.400Z",
  };
  const query = new URLSearchParams(between).toString();
  const first = await wide.get(`/traces/export?limit=10&${query}`);
  expect(first.headers.get("turnproof-rows")).toBe("0");
  expect(first.headers.get("turnproof-next-cursor")).not.toBeNull();
  // The range of its times does.
  const earlier = await wide.get("/traces/export?limit=10&end_time=2020-01-01T00:00:00Z");
  expect(earlier.headers.get("turnproof-next-cursor")).toBeNull();
  const requested = { table: "events", format: "jsonl", json: true, resume: false } as const;
  const client = collectorClient({ url: own.url });
  const exported = async (name: string, filters: object): Promise<readonly number[]> => {
    const given = { ...requested, folder: out(name), filters: { limit: 10, ...filters } };
    const { parts, window_complete: complete } = await exportParts(client, given);
    expect(complete).toBe(true);
    return parts.map(({ rows }) => rows);
  };
  expect(await exported("few-none", between)).toEqual([0]);
  const some = await exported("few-some", { tool_name: "search" });
  expect(some.every((rows) => rows > 0)).toBe(true);
  expect(some.reduce((sum, rows) => sum + rows, 0)).toBe(60);
  await own.close(1_000);
  await wide.collector.close();
});

test("parts that are requested together are a few at a time, the others may come again", async () => {
  const path = "/traces/export?table=events&format=jsonl";
  const auth = { authorization: `Bearer ${token}` };
  const answers = await Promise.all(Array.from({ length: 8 }, () => desk.get(path, auth)));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 200, 503, 503, 503, 503, 503]);
  const refused = answers.find(({ status }) => status === 503);
  expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await refused?.json()).toMatchObject({ code: "overloaded" });
  expect((await desk.get(path, auth)).status).toBe(200);
});

test("an interrupted export continues after its last whole part, without a row twice", async () => {
  const to = out("cut");
  const whole = out("cut-whole");
  const auth = { authorization: `Bearer ${token}` };
  // Two parts as a killed command leaves them: the second is named, the third is not.
  const path = "/traces/export?table=turns&format=jsonl&limit=2";
  const first = await desk.get(path, auth);
  const cursor = first.headers.get("turnproof-next-cursor") ?? "";
  await exportTurns(whole);
  const manifest = JSON.parse(readFileSync(join(whole, "export.json"), "utf8")) as object;
  await exportTurns(to);
  const part = await first.text();
  const sha256 = createHash("sha256").update(part).digest("hex");
  writeFileSync(join(to, "part-000001.jsonl"), part);
  writeFileSync(join(to, "part-000002.jsonl"), "half a row");
  writeFileSync(join(to, "part-000003.jsonl.unfinished"), "{");
  writeFileSync(
    join(to, "export.json"),
    JSON.stringify({
      ...manifest,
      parts: [{ file: "part-000001.jsonl", rows: 2, sha256 }],
      next_cursor: cursor,
    }),
  );
  const without = await exportTurns(to);
  expect([without.code, without.err]).toEqual([2, expect.stringContaining("resume")]);
  const ran = await exportTurns(to, "--resume");
  expect(ran.code).toBe(0);
  const files = readdirSync(to).filter((name) => name.endsWith(".jsonl"));
  expect(files).toEqual(["part-000001.jsonl", "part-000002.jsonl"]);
  const lines = files.flatMap((name) => readFileSync(join(to, name), "utf8").trim().split("\n"));
  const all = readFileSync(join(whole, "part-000001.jsonl"), "utf8").trim().split("\n");
  expect(lines).toEqual(all);
  const other = await turnproof(
    "export",
    "--out",
    to,
    "--table",
    "turns",
    "--format",
    "csv",
    "--resume",
    ...shared(),
  );
  expect(other.code).toBe(2);
});

test("a command killed between its first part and the list of parts is resumed", async () => {
  const to = out("cut-first");
  await exportTurns(to);
  const whole = readFileSync(join(to, "part-000001.jsonl"), "utf8");
  const client = collectorClient({ url: server.url, token });
  const cut = out("cut-in-between");
  const requested = { folder: cut, table: "turns", format: "jsonl", filters: {}, json: true };
  // A folder where the part should be: the write of the part fails, as a kill ends it.
  mkdirSync(join(cut, "part-000001.jsonl.unfinished"), { recursive: true });
  await expect(exportParts(client, { ...requested, resume: false })).rejects.toThrow();
  rmSync(join(cut, "part-000001.jsonl.unfinished"), { recursive: true });
  writeFileSync(join(cut, "part-000001.jsonl"), "a whole part that no list names");
  const manifest = await exportParts(client, { ...requested, resume: true });
  expect(manifest.parts).toHaveLength(1);
  expect(readFileSync(join(cut, "part-000001.jsonl"), "utf8")).toBe(whole);
});

test("a resumed export fetches files again that are damaged or missing, or names them", async () => {
  const to = out("damaged");
  const client = collectorClient({ url: server.url, token });
  const filters = { limit: 2 };
  const requested = { folder: to, table: "turns", format: "jsonl", filters, json: true } as const;
  const whole = await exportParts(client, { ...requested, resume: false });
  expect(whole.parts.length).toBeGreaterThan(2);
  const texts = (): readonly string[] =>
    whole.parts.map(({ file }) => readFileSync(join(to, file), "utf8"));
  const before = texts();
  const [first = "", second = "", third = ""] = whole.parts.map(({ file }) => join(to, file));
  writeFileSync(first, (before[0] ?? "").replace("root", "toor"));
  rmSync(second);
  writeFileSync(third, (before[2] ?? "").slice(1));
  expect(await exportParts(client, { ...requested, resume: true })).toEqual(whole);
  expect(texts()).toEqual(before);
  // A list of an earlier version has no cursor to fetch it with.
  rmSync(second);
  const earlier = whole.parts.map(({ file, rows, sha256 }) => ({ file, rows, sha256 }));
  writeFileSync(join(to, "export.json"), JSON.stringify({ ...whole, parts: earlier }));
  const refused = { code: "export_damaged", field: "part-000002.jsonl" };
  const resumed = exportParts(client, { ...requested, resume: true });
  await expect(resumed).rejects.toMatchObject(refused);
  // A cursor that the collector does not take.
  const parts = whole.parts.map((part) => ({ ...part, cursor: "x" }));
  writeFileSync(join(to, "export.json"), JSON.stringify({ ...whole, parts }));
  const again = exportParts(client, { ...requested, resume: true });
  await expect(again).rejects.toMatchObject(refused);
});

/** A proxy before the collector; `relay` sends the body of each answer, counted from 1. */
async function proxied(
  relay: (to: ServerResponse, body: Buffer, answer: number) => Promise<void> | void,
): Promise<AsyncDisposable & { readonly url: string }> {
  let answers = 0;
  const pass = async (request: IncomingMessage, to: ServerResponse): Promise<void> => {
    answers += 1;
    const answer = answers;
    const { authorization = "" } = request.headers;
    const from = await fetch(`${server.url}${request.url ?? ""}`, { headers: { authorization } });
    to.writeHead(from.status, Object.fromEntries(from.headers)).flushHeaders();
    await relay(to, Buffer.from(await from.arrayBuffer()), answer);
  };
  const proxy = createServer((request, to) => void pass(request, to));
  await new Promise<void>((resolve) => {
    proxy.listen(0, "127.0.0.1", resolve);
  });
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

const byTwo = { table: "turns", format: "jsonl", filters: { limit: 2 }, json: true } as const;

test("a part is requested while the part before it arrives", async () => {
  const second = Promise.withResolvers<void>();
  await using proxy = await proxied(async (to, body, answer) => {
    if (answer === 2) second.resolve();
    if (answer === 1) await second.promise;
    to.end(body);
  });
  const client = collectorClient({ url: proxy.url, token });
  const to = out("ahead");
  const { parts } = await exportParts(client, { ...byTwo, folder: to, resume: false });
  expect(parts.map(({ rows }) => rows)).toEqual([2, 2, 2, 1]);
});

test("a part whose transfer breaks is not written, and the export is resumed", async () => {
  await using proxy = await proxied((to, body, answer) => {
    if (answer === 2) to.write(body.subarray(0, 10), () => to.destroy());
    else to.end(body);
  });
  const to = out("broken");
  const requested = { ...byTwo, folder: to };
  const client = collectorClient({ url: proxy.url, token });
  const broken = exportParts(client, { ...requested, resume: false });
  await expect(broken).rejects.toMatchObject({ code: "answer_incomplete" });
  expect(readdirSync(to).toSorted()).toEqual(["export.json", "part-000001.jsonl"]);
  const direct = collectorClient({ url: server.url, token });
  const { parts } = await exportParts(direct, { ...requested, resume: true });
  const files = parts.map(({ file }) => readFileSync(join(to, file), "utf8"));
  const whole = out("broken-whole");
  await exportTurns(whole);
  expect(files.join("")).toBe(readFileSync(join(whole, "part-000001.jsonl"), "utf8"));
});

test("a folder that is in the way is refused with what to do", async () => {
  const to = out("in-the-way");
  mkdirSync(to);
  writeFileSync(join(to, "letter.txt"), "not ours");
  const other = await exportTurns(to, "--resume");
  expect([other.code, other.err]).toEqual([2, expect.stringContaining("new or empty folder")]);
  const done = out("in-the-way-of-itself");
  await exportTurns(done);
  const again = await exportTurns(done);
  expect([again.code, again.err]).toEqual([2, expect.stringContaining("--resume continues")]);
});

test("a tenant's principal exports its own rows only", async () => {
  const bound = await openDesk(
    {
      TURNPROOF_UI_AUTH_TOKEN: token,
      TURNPROOF_UI_ACCOUNTS: JSON.stringify({
        alice: { token: "alice-q7KxZt4Wm9Rc2Yd8", role: "viewer", user_id: "alice" },
      }),
    },
    { store: desk.store, judge: false },
  );
  try {
    for (const table of ["events", "turns", "calls"]) {
      const answer = await bound.get(`/traces/export?table=${table}&format=jsonl`, {
        authorization: "Bearer alice-q7KxZt4Wm9Rc2Yd8",
      });
      const text = await answer.text();
      expect([table, answer.status, text.includes("alice")]).toEqual([table, 200, true]);
      expect(text).not.toContain("bo");
    }
  } finally {
    await bound.collector.close();
  }
});
