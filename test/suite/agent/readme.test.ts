/** @module The examples of the READMEs of memory and agent run as they stand. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { expect, test } from "vitest";

import { startScriptedModel } from "../../servers/openai-compatible.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

function blocks(name: string): string[] {
  const text = readFileSync(`${root}packages/${name}/README.md`, "utf8");
  return [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!);
}

async function run(code: string): Promise<string> {
  const flags = ["-C", "@turnproof/source", "--input-type=module-typescript"];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, "-e", code], {
    cwd: root,
  });
  return stdout;
}

test("memory: a quick start, and what operators do", async () => {
  const [start = "", operators = ""] = blocks("memory");
  const context = `${start}\nconsole.log(context.history.length, context.text.includes("Lisbon"));`;
  expect(await run(context)).toBe("1 true\n");
  const provider = `import { ephemeralMemory } from "@turnproof/store";
    const provider = ephemeralMemory();`;
  expect(await run(`${provider}\n${operators}\nconsole.log(report.dry_run);`)).toBe("true\n");
});

test("agent: a quick start, a stream, a tool and what the host adds", async () => {
  await using server = await startScriptedModel();
  const [start = "", stream = "", tool = "", host = ""] = blocks("agent");
  const code = [
    start.replace("http://127.0.0.1:9000/v1", server.baseURL).replace("register({", "void ({"),
    stream,
    tool,
    "const { traceContext } = result;",
    "const { userId, memoryId, threadId } = result;",
    host,
    `console.log("\\n" + result.status, result.cache.decision, refund.name, typeof recorder);`,
  ].join("\n");
  expect(await run(code)).toBe("Happy to help with that.\nsuccess disabled issue_refund object\n");
});
