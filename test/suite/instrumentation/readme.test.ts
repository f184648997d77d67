/**
 * @module The examples of the instrumentation's README run as they stand and earn their verdict.
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { ephemeral } from "@turnproof/store";
import { expect, test } from "vitest";

import { openCollector } from "../agent/collector-on-port.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const text = readFileSync(`${root}packages/instrumentation/README.md`, "utf8");

test("a turn, what the host saw, and its worker: success at a collector", async () => {
  const blocks = [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code ?? "");
  expect(blocks).toHaveLength(3);
  await using collector = await openCollector({ store: ephemeral() });
  const code = [
    ...blocks,
    "console.log(traceContext.rootTraceId, carrier.traceparent.slice(3, 35));",
    "console.log(JSON.stringify(turnproof.health.dropped));",
  ]
    .join("\n")
    .replace("http://127.0.0.1:4318", collector.url);
  const flags = ["-C", "@turnproof/source", "--input-type=module-typescript"];
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [...flags, "-e", code], { cwd: root });
  const [ids = "", dropped] = stdout.trim().split("\n");
  const [first = "", second = ""] = ids.split(" ");
  expect(dropped).toBe("{}");

  const kinds = async (): Promise<readonly string[]> => {
    const answer = await fetch(`${collector.url}/traces/events.json?root_trace_id=${first}`);
    const { items } = (await answer.json()) as { items: { event_kind: string }[] };
    return items.map(({ event_kind }) => event_kind).toSorted();
  };
  const played = ["context_binding", "cache_decision", "memory_supply", "model_call", "tool_call"];
  await expect.poll(kinds, { timeout: 60_000 }).toEqual([...played, "turn"].toSorted());

  const query = `agent_id=desk&root_trace_id=${second}`;
  const verdict = async (): Promise<unknown> => {
    const answer = await fetch(`${collector.url}/traces/reconcile.json?${query}`);
    return ((await answer.json()) as { status?: unknown }).status;
  };
  await expect.poll(verdict, { timeout: 60_000 }).toBe("success");
});
