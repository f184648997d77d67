/**
 * @module The recipes of docs/instrument/to-success.md as a newcomer follows them: our packages
 * from their tarballs beside those that the page's own `npm install` names, an application of the
 * page's own blocks, and the published collector.
 */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

import { afterAll, beforeAll, expect, test } from "vitest";

import { traceRequest } from "../../otlp/encode.ts";
import { startScriptedModel } from "../../servers/openai-compatible.ts";
import { pythonSpans } from "../end-to-end/recipe.ts";
import { installPacked, root } from "./packed-files.ts";

const page = await readFile(join(root, "docs/instrument/to-success.md"), "utf8");
const blocks = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ""]) => code);
const started = /^OTEL_SERVICE_NAME=(\S+) node (.*)$/m.exec(page);
const ours = [
  "semconv",
  "evidence",
  "contracts",
  "journal",
  "store",
  "exporter",
  "instrumentation",
  "turnproof",
] as const;

/** What the reader's own application has beside the page's lines. */
const application = `import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText } from "ai";
${blocks[0]}
const baseURL = process.env.MODEL_URL ?? "";
const model = createOpenAICompatible({ name: "scripted", baseURL }).chatModel("scripted-model");
const who = { agentId: "desk", userId: "user_1", threadId: "web_1" };
const prompt = "Hello";
const show = (text: string): Promise<boolean> => Promise.resolve(text !== "");
${blocks[1]}`;

let folder = "";
let url = "";
let collector: ChildProcess;

/** The versions that this repository has of the packages that the page installs. */
async function dependencies(): Promise<Record<string, string>> {
  const [, line = ""] = /^npm install (.*)$/m.exec(page) ?? [];
  const foreign = line.split(" ").filter((name) => !name.startsWith("@turnproof/"));
  const versions = [...foreign, "@ai-sdk/openai-compatible"].map(async (name) => {
    const file = join(root, "node_modules", name, "package.json");
    const { version } = JSON.parse(await readFile(file, "utf8")) as { version: string };
    return [name, version] as const;
  });
  return Object.fromEntries(await Promise.all(versions));
}

beforeAll(async () => {
  folder = await installPacked(ours, { dependencies: await dependencies(), type: "module" });
  const bin = join(folder, "node_modules/turnproof/bin/turnproof.js");
  const flags = [bin, "--port", "0", "--grpc-port", "off"];
  collector = spawn(process.execPath, flags, {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const lines = createInterface(collector.stderr as Readable);
  url = await new Promise<string>((resolve, reject) => {
    collector.once("exit", () => reject(new Error("the collector ended at once")));
    lines.on("line", (line) => {
      const at = /"listening","url":"([^"]+)\/"/.exec(line)?.[1];
      if (at !== undefined) resolve(at);
    });
  });
}, 300_000);
afterAll(async () => {
  const ended = new Promise((resolve) => collector.once("exit", resolve));
  collector.kill();
  await ended;
  await rm(folder, { recursive: true, force: true });
});

/** Sends requests as the page does, until the verdict is a success or ten seconds have passed. */
async function verdictOf(thread: string): Promise<unknown> {
  let reported: unknown;
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const turns = await fetch(`${url}/traces/turns.json`);
    const { items } = (await turns.json()) as {
      items: { root_trace_id: string; thread_id: string }[];
    };
    const turn = items.find(({ thread_id }) => thread_id === thread);
    if (turn !== undefined) {
      const query = `agent_id=desk&root_trace_id=${turn.root_trace_id}`;
      const { status, findings } = (await (
        await fetch(`${url}/traces/reconcile.json?${query}`)
      ).json()) as { status: string; findings: unknown[] };
      reported = { status, findings };
      if (status === "success") break;
    }
    await sleep(100);
  }
  return reported;
}

test("an AI SDK turn of the page's own lines is a success", async () => {
  await writeFile(join(folder, "app.ts"), application);
  const [, service = "", command = ""] = started ?? [];
  await using model = await startScriptedModel();
  const child = spawn(process.execPath, command.split(" "), {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      MODEL_URL: model.baseURL,
      OTEL_SERVICE_NAME: service,
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(0);
  expect(await verdictOf("web_1")).toEqual({ status: "success", findings: [] });
});

test("a turn of the page's Python attributes is a success", async () => {
  const names = { thread_id: "py_1", turn_id: "turn_1", parsed: "success", seen: true };
  const spans = pythonSpans(page, names).map((span) => ({ ...span, traceId: "a".repeat(32) }));
  const sent = await fetch(`${url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(traceRequest(spans, { "service.name": "python-desk" })),
  });
  expect([sent.status, await sent.json()]).toEqual([200, {}]);
  expect(await verdictOf("py_1")).toEqual({ status: "success", findings: [] });
});
