/**
 * @module A turn that does not end, from a real process through the real exporter to a collector
 * with its background judge: open while its process reports that it is alive, unfinished after
 * that. The collector's clock is set forward, so no test waits. And what a sampler leaves out.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import type { TurnRow, Verdict } from "@turnproof/evidence";
import { ephemeral } from "@turnproof/store";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

import { openCollector } from "../agent/collector-on-port.ts";
import type { PortedCollector } from "../agent/collector-on-port.ts";

const app = join(import.meta.dirname, "open-app.ts");
const minute = 60_000;

let collector: PortedCollector;
let ahead = 0;
const store = ephemeral();

beforeAll(async () => {
  // Longer than the first request takes on a busy machine: what is younger is looked at later.
  const judge = { quietMs: 1_500, everyMs: 50 };
  collector = await openCollector({ store, judge, now: () => Date.now() + ahead });
});
afterAll(async () => {
  await collector[Symbol.asyncDispose]();
  await store.close();
});

interface App {
  readonly root: string;
  /** Ends it at once, or by a line after which its turn ends. */
  kill(): Promise<void>;
  finish(): Promise<void>;
}

const running = new Set<App>();
afterEach(async () => {
  for (const one of running) await one.kill();
});

async function start(env: Readonly<Record<string, string>> = {}): Promise<App> {
  const child = spawn(process.execPath, ["-C", "@turnproof/source", app], {
    env: { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const gone = once(child, "exit");
  const [stated] = (await once(child.stdout, "data")) as [Buffer];
  const { root } = JSON.parse(stated.toString()) as { root: string };
  const ended = async (): Promise<void> => {
    await gone;
    running.delete(one);
  };
  const one: App = {
    root,
    kill: () => (child.kill("SIGKILL"), ended()),
    finish: () => (child.stdin.end("end\n"), ended()),
  };
  running.add(one);
  return one;
}

interface Shown {
  readonly status: string;
  readonly codes: readonly string[];
  readonly reasons: readonly string[];
  /** The background judge's verdict, in the list. */
  readonly listed: string | null;
  readonly listedCodes: readonly string[];
}

async function json<T>(path: string): Promise<T> {
  return (await (await fetch(`${collector.url}${path}`)).json()) as T;
}

async function rowOf(root: string): Promise<TurnRow | undefined> {
  const { items } = await json<{ items: TurnRow[] }>("/traces/turns.json?agent_id=writer");
  return items.find((row) => row.root_trace_id === root);
}

async function shown({ root }: App): Promise<Shown> {
  const path = `/traces/reconcile.json?agent_id=writer&root_trace_id=${root}`;
  const { status, findings, window } = await json<Partial<Verdict>>(path);
  const row = await rowOf(root);
  return {
    status: status ?? "",
    codes: (findings ?? []).map(({ code, priority }) => `${code} ${priority}`),
    reasons: window?.reasons ?? [],
    listed: row?.verdict ?? null,
    listedCodes: row?.finding_codes ?? [],
  };
}

const until = (one: App): ReturnType<typeof expect.poll> =>
  expect.poll(() => shown(one), { timeout: 30_000, interval: 100 }) as never;

const isOpen = { status: "partial", codes: ["turn_open 1"], listedCodes: ["turn_open"] };
const isUnfinished = {
  status: "partial",
  codes: ["turn_unfinished 0"],
  listed: "partial",
  listedCodes: ["turn_unfinished"],
};

describe("a turn that delivered and does not end", () => {
  test("is open while its process reports, unfinished when it was killed", async () => {
    const one = await start();
    await until(one).toMatchObject(isOpen);
    // Longer than a silent turn may take: only heartbeats keep it open.
    ahead += 20 * minute;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await until(one).toMatchObject(isOpen);
    await one.kill();
    ahead += 20 * minute;
    // Nothing arrives; the judge looks again by itself.
    await until(one).toMatchObject(isUnfinished);
  });

  test("is a success when it ends", async () => {
    const one = await start();
    await until(one).toMatchObject(isOpen);
    await one.finish();
    await until(one).toMatchObject({ status: "success", codes: [], listed: "success" });
  });

  test("is unfinished at once when its process starts again", async () => {
    const env = { OTEL_RESOURCE_ATTRIBUTES: "service.instance.id=pod-1" };
    const one = await start(env);
    await until(one).toMatchObject(isOpen);
    await one.kill();
    const next = await start(env);
    await until(one).toMatchObject({ status: "partial", codes: ["turn_unfinished 0"] });
    await until(next).toMatchObject(isOpen);
  });
});

test("a process that dies within a second of its turn's begin leaves both begins", async () => {
  const one = await start({ STOP_AFTER: "begin" });
  await new Promise((resolve) => setTimeout(resolve, 700));
  await one.kill();
  await expect
    .poll(async () => {
      const row = await rowOf(one.root);
      return [row?.status, row?.timing_state, row?.missing_completion];
    })
    .toEqual(["started", "missing_completion", 2]);
  ahead += 20 * minute;
  const page = await json<{ verdict: Verdict }>(`/traces/${one.root}.json`);
  expect(page.verdict.status).not.toBe("success");
});

describe("what a sampler leaves out", () => {
  test("structure keeps no turn from success", async () => {
    const one = await start({ SAMPLING: "structure" });
    await one.finish();
    await until(one).toMatchObject({ status: "success", reasons: [] });
  });

  test("evidence does", async () => {
    const one = await start({ SAMPLING: "evidence" });
    await one.finish();
    await until(one).toMatchObject({ status: "partial", reasons: ["sampled_out"] });
  });
});
