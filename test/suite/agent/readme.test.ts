/**
 * @module The examples of the READMEs of memory and agent as one program, and what it leaves in the
 * collector.
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { ephemeral } from "@turnproof/store";
import { expect, test } from "vitest";

import { startScriptedModel } from "../../servers/openai-compatible.ts";
import { openCollector } from "./collector-on-port.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

function blocks(name: string): string[] {
  const text = readFileSync(`${root}packages/${name}/README.md`, "utf8");
  return [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!);
}

async function run(code: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const flags = ["-C", "@turnproof/source", "--input-type=module-typescript"];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, "-e", code], {
    cwd: root,
    env: { ...process.env, ...env },
  });
  return stdout;
}

test("memory: a quick start, and what operators do", async () => {
  const [start = "", operators = ""] = blocks("memory");
  const context = `${start}\nconsole.log(context.history.length, context.text.includes("Lisbon"));`;
  expect(await run(context)).toBe("1 true\n");
  expect(await run(`${operators}\nconsole.log(report.dry_run);`)).toBe("true\n");
});

test("agent: a quick start, a stream, a tool, what the host adds, and its job", async () => {
  await using server = await startScriptedModel();
  const store = ephemeral();
  const key = "q7KxZt4Wm9Rc2Yd8Vb5Ns1Lp6Hf3Gj0Tu";
  await using collector = await openCollector({ store, env: { TURNPROOF_IDENTITY_KEY: key } });
  const parts = blocks("agent");
  const [start = "", keyed = "", stream = "", , tool = "", , host = "", job = ""] = parts;
  const reported = `console.log("\\n" + result.status, result.cache.decision, refund.name);`;
  const root = "console.log(traceContext.rootTraceId);";
  const code = [start, keyed, stream, tool, host, job, reported, root]
    .join("\n")
    .replace("http://127.0.0.1:9000/v1", server.baseURL)
    .replace("http://127.0.0.1:4318", collector.url);
  const [answer, line, rootTraceId = ""] = (await run(code, { TURNPROOF_IDENTITY_KEY: key }))
    .trim()
    .split("\n");
  expect(answer).toBe("Happy to help with that.");
  expect(line).toBe("success disabled issue_refund");
  // The newcomer's turn is in the collector: the turn, what its host added, and its job.
  const kinds = async (): Promise<readonly string[]> => {
    const { events } = await store.root({ tenant: "user_1" }, rootTraceId, { limit: 1_000 });
    return events.map(({ event_kind }) => event_kind);
  };
  const wanted = ["turn", "model_call", "memory_supply", "feedback", "outcome"];
  await expect
    .poll(kinds, { timeout: 60_000 })
    .toEqual(expect.arrayContaining([...wanted, "application_action"]));
  const mail = encodeURIComponent("ann@example.com");
  const found = await fetch(`${collector.url}/traces/events.json?event_kind=turn&user_id=${mail}`);
  const { items } = (await found.json()) as { items: { readonly phase: string }[] };
  // A turn that took its time has a pending marker as well.
  expect(items.filter(({ phase }) => phase === "result")).toHaveLength(1);
});
