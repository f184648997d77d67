/**
 * `turnproof evidence-pack` over a running collector, checked offline by `turnproof verify`; each
 * change of a file is found. Retention and deletion of users respect the floor and the hold.
 */
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { TurnEvent } from "@turnproof/evidence";
import { ephemeral } from "@turnproof/store";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

import { createSigner } from "../../../collector/src/access/audit/checkpoint.ts";
import type { Listening } from "../../../collector/src/http/connections.ts";
import { createStatementSigner } from "../../../collector/src/judge/statement.ts";
import { listen } from "../../../collector/src/server.ts";
import { turnproof } from "../contracts/command.ts";
import { judgeTurns, openDesk, quiet, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

const token = "operator-q7KxZt4Wm9Rc2Yd8";
const folder = mkdtempSync(join(tmpdir(), "turnproof-pack-"));
const pack = join(folder, "pack");
const keys = join(folder, "jwks.json");
let desk: Desk;
let server: Listening;

/** Runs the command over all times, with a token. */
const made = (
  out: string,
  as: string,
  to: string = new Date().toISOString(),
  from: string = "2020-01-01",
): ReturnType<typeof turnproof> => {
  const window = ["--from", from, "--to", to];
  const place = ["--url", server.url, "--token", as, "--data-dir", desk.dataDir];
  return turnproof("evidence-pack", ...window, "--out", out, "--json", ...place);
};

beforeAll(async () => {
  // A backend that lasts has its signing key in the data directory.
  const env = { TURNPROOF_UI_AUTH_TOKEN: token, TURNPROOF_BACKEND: "filesystem" };
  desk = await openDesk(env, { store: ephemeral(), judge: false });
  await desk.put(turnEvents({ root: "root-1", user: "alice" }), "2026-03-01T10:00:00.000000Z");
  await desk.put(
    turnEvents({ root: "root-2", user: "bob", at: "2026-11-22T09:00:00.000Z" }),
    "2026-11-22T10:00:00.000000Z",
  );
  await judgeTurns(desk.store, ["root-1"], { verdict: "partial", finding_codes: ["x"] });
  server = await listen(desk.collector.app, { host: "127.0.0.1", port: 0, log: quiet });
  writeFileSync(keys, await (await desk.get("/.well-known/jwks.json")).text());
  process.env["TURNPROOF_RETENTION_FLOOR_DAYS"] = "183";
  // An access of the window: those that make the pack come after it.
  await desk.get("/traces/turns.json", { authorization: `Bearer ${token}` });
  // The command has the collector's data directory and none of its accounts.
  const ran = await made(pack, token);
  expect(ran.code, ran.err).toBe(0);
});
afterEach(() => {
  delete process.env["TURNPROOF_LEGAL_HOLD"];
});
afterAll(async () => {
  delete process.env["TURNPROOF_RETENTION_FLOOR_DAYS"];
  await server.close(1_000);
  await desk.collector.close();
  rmSync(folder, { recursive: true });
});

interface Check {
  readonly signature: string;
  readonly own_keys: boolean;
  readonly problems: readonly string[];
  readonly table: readonly {
    readonly article: string;
    readonly state: string;
    readonly because: string;
  }[];
}

async function verified(of: string, ...flags: string[]): Promise<[number, Check]> {
  const ran = await turnproof("verify", of, "--json", ...flags);
  return [ran.code, JSON.parse(ran.out) as Check];
}

test("it holds offline by the collector's keys, with a row for each duty", async () => {
  const [code, check] = await verified(pack, "--keys", keys);
  expect([code, check.problems]).toEqual([0, []]);
  expect(check).toMatchObject({ signature: "valid", own_keys: false });
  const states = Object.fromEntries(check.table.map(({ article, state }) => [article, state]));
  expect(states).toEqual({
    // No producer of these events reports its losses.
    "12(1)": "partial",
    "12(2)(a)": "partial",
    "12(2)(b), (c)": "partial",
    // The newest tree head is older than the accesses that made the pack.
    "12 (traceability)": expect.stringMatching(/^(proven|partial)$/),
    "12 (removals)": "not_evidenced",
    "19(1)": "proven",
    "26(6)": "proven",
    "72": "partial",
  });
  const [, own] = await verified(pack);
  expect(own).toMatchObject({ signature: "valid", own_keys: true, problems: [] });
  const page = readFileSync(join(pack, "what-this-does-not-prove.md"), "utf8");
  expect(page).toContain("# What this does not prove");
  const table = readFileSync(join(pack, "table.md"), "utf8");
  expect(table).toContain("| First receipt | 2026-03-01T10:00:00");
});

test("a command that failed leaves nothing, and the next with its folder is whole", async () => {
  const out = join(folder, "tried-again");
  expect((await made(out, "no-such-q7KxZt4Wm9Rc2Yd8")).code).toBe(1);
  expect(existsSync(out)).toBe(false);
  // What a killed command leaves.
  mkdirSync(join(out, ".unfinished/events"), { recursive: true });
  writeFileSync(join(out, ".unfinished/events/part-000001.jsonl"), "{");
  const ran = await made(out, token);
  expect(ran.code, ran.err).toBe(0);
  const [code, check] = await verified(out, "--keys", keys);
  expect([code, check.problems]).toEqual([0, []]);
  const again = await made(out, token);
  expect(again.code).toBe(2);
  expect(again.err).toContain("Name another folder, or empty this one.");
});

test("a wrong range is refused by the names of its own options", async () => {
  const place = ["--url", server.url, "--token", token, "--data-dir", desk.dataDir];
  const of = async (from: string, to: string): Promise<string> => {
    const out = join(folder, "wrong-range");
    const window = ["--from", from, "--to", to, "--out", out];
    const ran = await turnproof("evidence-pack", ...window, ...place);
    expect([ran.code, existsSync(out)]).toEqual([2, false]);
    return ran.err;
  };
  expect(await of("2100-01-01", "2020-01-01")).toContain("Swap --from and --to;");
  expect(await of("yesterday", "2020-01-01")).toContain("--from and --to take dates");
});

const changes: Readonly<Record<string, (of: string) => void>> = {
  "an edited row": (of) => appendFileSync(join(of, "events/part-000001.jsonl"), "{}\n"),
  "an edited table": (of) => appendFileSync(join(of, "table.md"), "| 99 | proven |\n"),
  "a removed file": (of) => rmSync(join(of, "turns-parquet/part-000001.parquet")),
  "other keys beside the list": (of) => appendFileSync(join(of, "jwks.json"), "\n"),
  "an added folder without a file": (of) =>
    void mkdirSync(join(of, "events/more/none"), { recursive: true }),
  "an added link": (of) => symlinkSync("part-000001.jsonl", join(of, "events/part-000002.jsonl")),
  "an added file": (of) => writeFileSync(join(of, "events/part-000002.jsonl"), "{}\n"),
};

test.each(Object.keys(changes))("%s is found", async (name) => {
  const copy = join(folder, name.replaceAll(" ", "-"));
  cpSync(pack, copy, { recursive: true });
  changes[name]?.(copy);
  const [code, check] = await verified(copy, "--keys", keys);
  expect([code, check.signature]).toEqual([1, "valid"]);
  expect(check.problems.length).toBeGreaterThan(0);
});

test("another list, or other keys, is no valid signature", async () => {
  const copy = join(folder, "forged");
  cpSync(pack, copy, { recursive: true });
  const [head = "", body = "", seal = ""] = readFileSync(join(copy, "pack.jws"), "utf8").split(".");
  const list = JSON.parse(Buffer.from(body, "base64url").toString()) as { table: object[] };
  const forged = { ...list, table: list.table.map((row) => ({ ...row, state: "proven" })) };
  const text = Buffer.from(JSON.stringify(forged)).toString("base64url");
  writeFileSync(join(copy, "pack.jws"), `${head}.${text}.${seal}`);
  const [code, check] = await verified(copy, "--keys", keys);
  expect([code, check.signature]).toEqual([1, "invalid"]);
});

test("under a legal hold nothing is deleted", async () => {
  process.env["TURNPROOF_LEGAL_HOLD"] = "true";
  for (const requested of [
    ["retention", "--apply"],
    ["delete-user", "alice", "--apply"],
  ]) {
    const ran = await turnproof(...requested, "--backend", "filesystem", "--data-dir", folder);
    expect([ran.code, ran.err]).toEqual([
      expect.any(Number),
      expect.stringContaining("legal hold"),
    ]);
    expect(ran.code).not.toBe(0);
  }
});

test("a pack under a legal hold alone states it, and what the refused run left", async () => {
  delete process.env["TURNPROOF_RETENTION_FLOOR_DAYS"];
  const of = async (name: string): Promise<[Check, string]> => {
    const out = join(folder, name);
    const ran = await made(out, token);
    expect(ran.code, ran.err).toBe(0);
    const [code, check] = await verified(out, "--keys", keys);
    expect([code, check.problems]).toEqual([0, []]);
    return [check, readFileSync(join(out, "table.md"), "utf8")];
  };
  const kept = ({ table }: Check): readonly string[] =>
    table.filter(({ article }) => /^(19|26)/.test(article)).map(({ state }) => state);
  try {
    process.env["TURNPROOF_LEGAL_HOLD"] = "true";
    const place = ["--backend", "filesystem", "--data-dir", desk.dataDir];
    expect((await turnproof("retention", "--apply", ...place)).code).not.toBe(0);
    const [held, page] = await of("held");
    expect(kept(held)).toEqual(["proven", "proven"]);
    expect(page).toContain("| Legal hold | set |");
    expect(page).toContain("| Retention floor | not set |");
    // A refused run removed nothing, and is none.
    expect(page).toMatch(/Runs of retention in the same time, by the age of rows:\n\nNone/);
    delete process.env["TURNPROOF_LEGAL_HOLD"];
    const [free, other] = await of("free");
    expect(kept(free)).toEqual(["not_evidenced", "not_evidenced"]);
    expect(other).toContain("| Legal hold | not set |");
    process.env["TURNPROOF_RETENTION_FLOOR_DAYS"] = "182";
    expect(kept((await of("short"))[0])).toEqual(["not_evidenced", "not_evidenced"]);
  } finally {
    process.env["TURNPROOF_RETENTION_FLOOR_DAYS"] = "183";
  }
});

test("retention is raised to the floor, for tenants too", async () => {
  const tenants = join(folder, "tenants.json");
  writeFileSync(tenants, JSON.stringify([{ user_id: "alice", metadata: 1, preview: 1 }]));
  const ran = await turnproof(
    "retention",
    "--json",
    "--backend",
    "filesystem",
    "--data-dir",
    join(folder, "none"),
    "--metadata-days",
    "30",
    "--outcome-days",
    "400",
    "--tenants",
    tenants,
  );
  expect(JSON.parse(ran.out)).toMatchObject({ days: { metadata: 183, outcome: 400, preview: 7 } });
});

test("a pack with runs of retention lists them, and holds offline", async () => {
  const place = ["--backend", "filesystem", "--data-dir", desk.dataDir];
  const ran = await turnproof("retention", "--apply", ...place);
  expect(ran.code, ran.err).toBe(0);
  const out = join(folder, "retained");
  expect((await made(out, token)).code).toBe(0);
  const [code, check] = await verified(out, "--keys", keys);
  expect([code, check.problems]).toEqual([0, []]);
  const removals = check.table.find(({ article }) => article === "12 (removals)");
  expect(removals?.state).toBe("partial");
  expect(readFileSync(join(out, "table.md"), "utf8")).toMatch(/: age, at least 183 days \(ok\)/);
});

test("a window that ends after the pack is made was not read completely", async () => {
  const out = join(folder, "early");
  expect((await made(out, token, "2100-01-01")).code).toBe(3);
  const page = readFileSync(join(out, "table.md"), "utf8");
  expect(page).toMatch(/Window read completely \| no: it ends after the pack was made \|/);
  const [code, check] = await verified(out, "--keys", keys);
  expect([code, check.problems]).toEqual([0, []]);
});

test("a producer without an account leaves what the others reported of the window", async () => {
  const of = (name: string, at: string): readonly TurnEvent[] =>
    turnEvents({ root: `root-${name}`, application: name, at }).map((event) => ({
      ...event,
      service_name: name,
      producer_id: name,
    }));
  const report = (name: string, at: string, dropped: number): TurnEvent => ({
    schema_version: 3,
    event_id: `report-${name}-${at}`,
    event_kind: "data_quality",
    phase: "event",
    status: "success",
    timestamp: at,
    application_id: name,
    service_name: name,
    root_trace_id: `report-${name}`,
    producer_id: name,
    attributes: { loss_created: dropped + 3, loss_exported: 3, loss_dropped: dropped, last_seq: 3 },
  });
  const day = "2026-10-20";
  await desk.put([
    ...of("pod-1", `${day}T09:00:00.000Z`),
    ...of("pod-2", `${day}T09:00:00.000Z`),
    report("pod-1", `${day}T09:10:00.000Z`, 118),
    report("pod-2", `${day}T09:10:00.000Z`, 30),
    // Of another day: no loss of the window.
    report("pod-2", "2026-10-25T09:10:00.000Z", 99),
  ]);
  const dropped = async (out: string): Promise<[string, string]> => {
    const ran = await made(join(folder, out), token, `${day}T12:00:00Z`, day);
    expect(ran.code, ran.err).toBe(0);
    const [code, check] = await verified(join(folder, out), "--keys", keys);
    expect([code, check.problems]).toEqual([0, []]);
    const page = readFileSync(join(folder, out, "table.md"), "utf8");
    const row = check.table.find(({ article }) => article === "12(1)");
    return [/Spans dropped by producers[^|]*\| (.*) \|/.exec(page)?.[1] ?? "", row?.because ?? ""];
  };
  const all = "148, reported by all 2 producers";
  expect(await dropped("reported")).toEqual([all, `Spans dropped by producers: ${all}.`]);
  await desk.put(of("pod-3", `${day}T09:00:00.000Z`));
  const some = "at least 148, reported by 2 of 3 producers; the others reported nothing";
  expect(await dropped("silent")).toEqual([some, `Spans dropped by producers: ${some}.`]);
});

test("a turn that runs on after the window has events in it, and no row", async () => {
  const day = "2026-10-11";
  const late = turnEvents({ root: "root-across", at: `${day}T00:59:00.000Z` }).map((event) =>
    event.event_kind === "turn" ? { ...event, timestamp: `${day}T01:00:00.000Z` } : event,
  );
  await desk.put([...turnEvents({ root: "root-inside", at: `${day}T00:30:00.000Z` }), ...late]);
  const out = join(folder, "across");
  const ran = await made(out, token, `${day}T01:00:00Z`, `${day}T00:00:00Z`);
  expect(ran.code, ran.err).toBe(0);
  const [code, check] = await verified(out, "--keys", keys);
  expect([code, check.problems]).toEqual([0, []]);
  expect(check.table.find(({ article }) => article === "12(2)(b), (c)")?.because).toMatch(
    /^The files hold \d events of 2 root traces, and 1 turn that ended in the window;/,
  );
  expect(readFileSync(join(out, "table.md"), "utf8")).toContain(
    "| Root traces of the events, those of no turn that ended in the window | 2, 1 |",
  );
});

test("another data directory than the collector's makes no pack, and no key", async () => {
  const out = join(folder, "of-another");
  const window = ["--from", "2020-01-01", "--to", "2026-01-01", "--out", out];
  const of = (dataDir: string): ReturnType<typeof turnproof> =>
    turnproof(
      "evidence-pack",
      ...window,
      "--url",
      server.url,
      "--token",
      token,
      "--data-dir",
      dataDir,
    );
  const none = join(folder, "no-such-directory");
  const absent = await of(none);
  expect([absent.code, absent.err]).toEqual([1, expect.stringContaining("data_directory_other")]);
  expect([existsSync(none), existsSync(out)]).toEqual([false, false]);
  // The directory of another collector, whose key this one does not publish.
  const other = join(folder, "of-another-collector");
  await createStatementSigner(undefined, other);
  const foreign = await of(other);
  expect([foreign.code, foreign.err]).toEqual([1, expect.stringContaining("data_directory_other")]);
  expect(existsSync(out)).toBe(false);
  // A key that replaced the collector's is published after a restart: by then it is refused.
  process.env["TURNPROOF_SIGNING_KEY"] = readFileSync(
    join(other, "keys/statement-signing.pem"),
    "utf8",
  );
  try {
    const replaced = await of(desk.dataDir);
    expect([replaced.code, existsSync(out)]).toEqual([1, false]);
    // The collector's own key beside the directory of another one, which has an audit log.
    createSigner(other, "another");
    process.env["TURNPROOF_SIGNING_KEY"] = readFileSync(
      join(desk.dataDir, "keys/statement-signing.pem"),
      "utf8",
    );
    const beside = await of(other);
    expect([beside.code, beside.err]).toEqual([1, expect.stringContaining("data_directory_other")]);
    expect(existsSync(out)).toBe(false);
    const own = await of(desk.dataDir);
    expect(own.code, own.err).toBe(0);
  } finally {
    delete process.env["TURNPROOF_SIGNING_KEY"];
  }
});
