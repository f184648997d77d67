/**
 * The API description in the hands of public tools: a linter accepts it, and a client that is
 * generated from it compiles and is used against a running collector.
 */
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, test } from "vitest";

import { listen } from "../../../collector/src/server.ts";
import type { Listening } from "../../../collector/src/http/connections.ts";
import { openDesk, quiet, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

const at = (path: string): string =>
  fileURLToPath(new URL(`../../openapi/${path}`, import.meta.url));
const bin = (name: string): string =>
  fileURLToPath(new URL(`../../../node_modules/.bin/${name}`, import.meta.url));
const description = at("generated/openapi.json");
const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };

/** Runs a tool of Node; its output, whatever its exit code. */
async function run(
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly out: string }> {
  const requested = promisify(execFile)(process.execPath, args, {
    env,
    cwd: at(""),
    maxBuffer: 64 << 20,
  });
  return requested.then(
    ({ stdout }) => ({ code: 0, out: stdout }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      out: `${stdout}${stderr}`,
    }),
  );
}

let desk: Desk;
let server: Listening;
beforeAll(async () => {
  desk = await openDesk();
  await desk.put(turnEvents({ root: "root-1", user: "alice" }));
  server = await listen(desk.collector.app, { host: "127.0.0.1", port: 0, log: quiet });
  await mkdir(at("generated"), { recursive: true });
  const answer = await fetch(`${server.url}/openapi.json`);
  await writeFile(description, await answer.text());
});
afterAll(async () => {
  await server.close(1_000);
  await desk.collector.close();
});

interface Problem {
  readonly ruleId: string;
  readonly message: string;
  readonly location: readonly { readonly pointer: string }[];
}

interface Operation {
  readonly responses: Readonly<Record<string, unknown>>;
  readonly parameters: readonly { readonly in: string; readonly description?: string }[];
}

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** True for the lack of a 2XX in an operation whose only answer is a redirect. */
function isOfRedirect({ ruleId, location }: Problem, { paths }: Described): boolean {
  if (ruleId !== "operation-2xx-response") return false;
  const [, , path = "", method = ""] = location[0]?.pointer.split("/") ?? [];
  const name = path.replaceAll("~1", "/").replaceAll("~0", "~");
  return Object.keys(paths[name]?.[method]?.responses ?? {}).some((status) =>
    /^3\d\d$/.test(status),
  );
}

test("a public linter finds no error and no warning", async () => {
  const found = await run(bin("redocly"), "lint", description, "--format=json");
  const { problems } = JSON.parse(found.out.slice(found.out.indexOf("{"))) as {
    readonly problems: readonly Problem[];
  };
  const api = JSON.parse(await readFile(description, "utf8")) as Described;
  const left = problems.filter((problem) => !isOfRedirect(problem, api));
  expect(left.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  const parameters = Object.values(api.paths).flatMap((path) =>
    Object.values(path).flatMap((operation) => operation.parameters),
  );
  expect(parameters.filter((each) => each.in === "path" && !each.description)).toEqual([]);
});

test("a generated client compiles, and is answered what its types say", async () => {
  const types = await run(
    at("node_modules/openapi-typescript/bin/cli.js"),
    description,
    "--output",
    at("generated/api.d.ts"),
  );
  expect(types.code, types.out).toBe(0);
  const compiled = await run(at("node_modules/typescript/bin/tsc"), "-p", at("tsconfig.json"));
  expect(compiled.out).toBe("");
  const { out } = await run(at("client.ts"), server.url, "root-1", "helper");
  expect(JSON.parse(out)).toEqual({
    turns: [["helper", "success"]],
    window: 3,
    verdict: "unknown",
    findings: expect.any(Number),
    roots: ["root-1"],
    turns_counted: 1,
    health: true,
    compared: "root-1",
    refused: [400, "parameter_invalid", "limit"],
  });
});
