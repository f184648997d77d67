/**
 * @module Every TypeScript block of the READMEs and docs compiles strictly and runs as it is
 * pasted, over the packages as they are built; only addresses are those of servers of this test.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { ephemeral } from "@turnproof/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startClickhouseServer } from "../../servers/clickhouse-http.ts";
import { openMongo } from "../../servers/mongo-database.ts";
import { startScriptedModel } from "../../servers/openai-compatible.ts";
import { startPostgres } from "../../servers/postgres.ts";
import { openCollector } from "../agent/collector-on-port.ts";
import { openProject, programs } from "./typescript-blocks.ts";
import type { Project } from "./typescript-blocks.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const all = await programs();

const options = {
  noEmit: true,
  strict: true,
  target: "es2024",
  lib: ["es2024", "esnext.disposable", "dom", "dom.iterable"],
  module: "nodenext",
  moduleDetection: "force",
  jsx: "react-jsx",
  jsxImportSource: "hono/jsx",
  skipLibCheck: true,
  types: ["node"],
};

/** The block that serves until it is stopped. */
const serving = "collector/README.md 1";
/** Blocks that are a test file. */
const testing = "@turnproof/store/testing";

let project: Project;
const parts: (() => Promise<unknown>)[] = [];
const addresses: (readonly [written: string, real: string])[] = [];
const env: Record<string, string> = {
  TURNPROOF_IDENTITY_KEY: "q7KxZt4Wm9Rc2Yd8Vb5Ns1Lp6Hf3Gj0Tu",
  TURNPROOF_BACKEND: "ephemeral",
  TURNPROOF_DATA_DIR: "data",
};

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

beforeAll(async () => {
  project = await openProject();
  const store = ephemeral();
  const dataDir = join(project.directory, "collector");
  const model = await startScriptedModel();
  const collector = await openCollector({ store, env: { ...env, TURNPROOF_DATA_DIR: dataDir } });
  const clickhouse = await startClickhouseServer();
  const mongo = await openMongo();
  const postgres = await startPostgres();
  parts.push(
    async () => model[Symbol.asyncDispose](),
    async () => collector[Symbol.asyncDispose](),
    () => clickhouse.close(),
    () => mongo.close(),
    () => postgres.close(),
  );
  addresses.push(
    ["http://127.0.0.1:9000/v1", model.baseURL],
    ["http://127.0.0.1:4318", collector.url],
    ["http://127.0.0.1:8123", clickhouse.url],
  );
  env["DATABASE_URL"] = postgres.url(await postgres.createDatabase());
  env["MONGODB_URI"] = mongo.url;
  env["OTEL_EXPORTER_OTLP_ENDPOINT"] = collector.url;
}, 120_000);

afterAll(async () => {
  for (const close of parts) await close();
  await project[Symbol.asyncDispose]();
});

test("each block compiles strictly", { timeout: 300_000 }, async () => {
  expect(all.size).toBeGreaterThan(25);
  for (const [name, code] of all) await project.write(name, code);
  const config = JSON.stringify({ compilerOptions: options, include: ["*.ts"] });
  await writeFile(join(project.directory, "tsconfig.json"), config);
  const tsc = join(root, "node_modules/.bin/tsc");
  const stated = await new Promise<string>((resolve) => {
    execFile(tsc, ["-p", ".", "--pretty", "false"], { cwd: project.directory }, (_, stdout) =>
      resolve(stdout),
    );
  });
  expect(stated.split("\n").filter((line) => line !== "")).toEqual([]);
});

interface Ran {
  readonly code: number | null;
  readonly stated: string;
}

/** Runs a program in the project; `until` ends it by SIGTERM. */
async function run(argv: readonly string[], until?: () => Promise<unknown>): Promise<Ran> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, argv, {
    cwd: project.directory,
    env: { PATH, HOME, ...env },
  });
  let stated = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (bytes: Buffer) => (stated += bytes.toString()));
  }
  const ended = once(child, "close") as Promise<[number | null]>;
  if (until !== undefined) void until().finally(() => child.kill("SIGTERM"));
  const [code] = await ended;
  return { code, stated };
}

describe("each block runs", () => {
  test.each([...all.keys()])("%s", { timeout: 120_000 }, async (name) => {
    let code = all.get(name) ?? "";
    for (const [written, real] of addresses) code = code.replaceAll(written, real);
    const port = await freePort();
    code = code.replace("port: 4318", `port: ${port}`);
    const file = await project.write(name, code);
    if (code.includes(testing)) {
      const vitest = join(root, "node_modules/vitest/vitest.mjs");
      const config = `export default { test: { include: ["${file}"], testTimeout: 60_000 } };`;
      await writeFile(join(project.directory, "vitest.config.js"), config);
      const ran = await run([vitest, "run"]);
      expect(ran, ran.stated).toMatchObject({ code: 0 });
      return;
    }
    const answers = async (): Promise<unknown> =>
      expect
        .poll(
          () =>
            fetch(`http://127.0.0.1:${port}/healthz`).then(
              ({ ok }) => ok,
              () => false,
            ),
          {
            timeout: 60_000,
          },
        )
        .toBe(true);
    const ran = await run([file], name === serving ? answers : undefined);
    expect(ran, ran.stated).toMatchObject({ code: 0 });
    // What stands in the way of `register` is printed and does not end a program.
    expect(ran.stated).not.toMatch(
      /sdk_missing|manager_missing|_mismatch|provider_registered|Warning/,
    );
  });
});
