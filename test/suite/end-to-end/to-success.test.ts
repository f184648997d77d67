/**
 * @module The recipes of docs/instrument/to-success.md, as a reader would use them: the verdict is
 * `success` with the added lines, and is not without any one of the two facts that they record.
 */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { serve } from "@hono/node-server";
import type { ServerType } from "@hono/node-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { traceRequest } from "../../otlp/encode.ts";
import type { PlainSpan } from "../../otlp/encode.ts";
import { startScriptedModel } from "../../servers/openai-compatible.ts";
import { openDesk } from "../collector/desk.ts";
import type { Desk } from "../collector/desk.ts";
import { addedLines, pythonSpans } from "./recipe.ts";

const root = join(import.meta.dirname, "../../..");
const page = readFileSync(join(root, "docs/instrument/to-success.md"), "utf8");
const appFile = join(root, "test/apps/to-success/web-desk.ts");
const flags = ["--import", "@turnproof/exporter/register/auto"];
const app = readFileSync(appFile, "utf8");

interface Verdict {
  readonly status: string;
  readonly verified: boolean;
  readonly findings: readonly { readonly code: string }[];
}

let desk: Desk;
let server: ServerType;
let collector = "";

beforeAll(async () => {
  desk = await openDesk();
  server = serve({ fetch: desk.collector.app.fetch, port: 0, hostname: "127.0.0.1" });
  if (!server.listening) await new Promise((resolve) => server.once("listening", resolve));
  collector = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await desk.collector.close();
});

/** Reads until the turn has ended with this verdict, or a while has passed; the last answer. */
async function verdictOf(query: Record<string, string>, awaited: string): Promise<Verdict> {
  let verdict: Verdict = { status: "none", verified: false, findings: [] };
  for (let attempt = 0; attempt < 40; attempt += 1) {
    const requested = await fetch(
      `${collector}/traces/reconcile.json?${new URLSearchParams(query)}`,
    );
    const body = (await requested.json()) as Verdict & { verdict?: Verdict };
    verdict = body.verdict ?? body;
    const open = verdict.findings.some(({ code }) => code === "turn_open");
    if (verdict.status === awaited && !open) break;
    await sleep(100);
  }
  return verdict;
}

/** The root of the newest turn of an agent in a thread. */
async function rootOf(thread: string): Promise<string> {
  for (let attempt = 0; attempt < 80; attempt += 1) {
    const { items } = await desk.json<{
      items: { root_trace_id: string; thread_id: string | null }[];
    }>("/traces/turns.json");
    const turn = items.find(({ thread_id }) => thread_id === thread);
    if (turn !== undefined) return turn.root_trace_id;
    await sleep(100);
  }
  throw new Error(`no turn of ${thread}`);
}

describe("an AI SDK turn in a web app", () => {
  let child: ChildProcess;
  let url = "";
  let model: Awaited<ReturnType<typeof startScriptedModel>>;

  beforeAll(async () => {
    model = await startScriptedModel();
    child = spawn(process.execPath, ["-C", "@turnproof/source", ...flags, appFile], {
      env: {
        PATH: process.env["PATH"],
        MODEL_URL: model.baseURL,
        OTEL_SERVICE_NAME: "web-desk",
        OTEL_EXPORTER_OTLP_ENDPOINT: collector,
        OTEL_BSP_SCHEDULE_DELAY: "200",
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    url = await new Promise((resolve, reject) => {
      child.once("exit", () => reject(new Error("the app ended at once")));
      child.stdout?.setEncoding("utf8").on("data", (text: string) => {
        const port = /listening on (\d+)/.exec(text)?.[1];
        if (port !== undefined) resolve(`http://127.0.0.1:${port}`);
      });
    });
  });
  afterAll(async () => {
    child.kill();
    await model[Symbol.asyncDispose]();
  });

  /** Sends a question in a thread; the page reports that it shows the answer, or does not. */
  async function request(thread: string, message: boolean): Promise<Verdict> {
    const answer = await fetch(`${url}/ask/${thread}`, { method: "POST", body: "Hello" });
    for await (const part of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const { id } = JSON.parse(part) as { id: string };
      if (message) expect((await fetch(`${url}/seen/${id}`, { method: "POST" })).status).toBe(204);
    }
    const query = { agent_id: "desk", user_id: "user_1", root_trace_id: await rootOf(thread) };
    return verdictOf(query, message ? "success" : "partial");
  }

  test("is a success where the page says that it shows the answer", async () => {
    const verdict = await request("web_1", true);
    expect(verdict.findings).toEqual([]);
    expect(verdict).toMatchObject({ status: "success", verified: true });
  });

  test("is none where the page says nothing", async () => {
    const verdict = await request("web_2", false);
    expect(verdict.status).toBe("partial");
    expect(verdict.findings.map(({ code }) => code)).toContain("delivery_unconfirmed");
  });

  test("costs ten lines, and the page shows them", () => {
    const lines = addedLines(app, "//#region success", "//#endregion");
    // One more is the flag of the start line.
    expect(lines.length + 1).toBeLessThanOrEqual(10);
    expect(page).toContain(`node ${flags.join(" ")} `);
    for (const line of lines) expect(page).toContain(line);
  });
});

describe("a producer that has attributes alone", () => {
  const lines = addedLines(page, "# Turnproof: begin", "# Turnproof: end");
  const spans = pythonSpans(page, {
    thread_id: "py_1",
    turn_id: "",
    parsed: "success",
    seen: true,
  });
  let count = 0;

  async function send(changed: (spans: PlainSpan[]) => PlainSpan[]): Promise<Verdict> {
    count += 1;
    const given = changed(spans).map((span) => ({
      ...span,
      traceId: `${count}`.padStart(32, "a"),
      attributes: { ...span.attributes, "turnproof.turn.id": `turn_${count}` },
    }));
    const sent = await fetch(`${collector}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(traceRequest(given, { "service.name": "python-desk" })),
    });
    expect([sent.status, await sent.json()]).toEqual([200, {}]);
    await expect
      .poll(async () => (await desk.get(`/traces/${given[0]?.traceId}.json`)).status)
      .toBe(200);
    const query = { agent_id: "desk", root_trace_id: given[0]?.traceId ?? "" };
    return verdictOf(query, given.length === spans.length ? "success" : "partial");
  }

  test("is a success by the page's own attributes, in ten lines", async () => {
    expect(spans.map(({ name }) => name)).toEqual([
      "invoke_agent desk",
      "intent answer",
      "chat gpt-x",
      "contract text",
      "delivery browser",
    ]);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThanOrEqual(10);
    const verdict = await send((all) => all);
    expect(verdict.findings).toEqual([]);
    expect(verdict).toMatchObject({ status: "success", verified: true });
  });

  test.each(["intent answer", "contract text", "delivery browser"])(
    "is none without its %s",
    async (name) => {
      const verdict = await send((all) => all.filter((span) => span.name !== name));
      expect(verdict.status).not.toBe("success");
    },
  );
});
