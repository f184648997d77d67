/**
 * @module Everywhere: the client packages as published, compiled by strict foreign settings and
 * bundled for a browser, then played in one.
 */
import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { executablePath } from "../../chromium.ts";
import { installClient, root } from "./packed-files.ts";

const run = promisify(execFile);
/** Every entry point that a client package publishes. */
const roots = [
  "@turnproof/semconv",
  "@turnproof/semconv/fingerprint",
  "@turnproof/semconv/external-id",
  "@turnproof/evidence",
  "@turnproof/instrumentation",
  "@turnproof/exporter",
];

/** A turn through instrumentation and the gate, and its verdict, on nothing but a web platform. */
const application = `
import { trace } from "@opentelemetry/api";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { reconcileOutcome } from "@turnproof/evidence";
import { spanRecordOf, turnproofProcessor } from "@turnproof/exporter";
import { withTurn } from "@turnproof/instrumentation";
import { contentFingerprint } from "@turnproof/semconv/fingerprint";

async function play() {
  const sent = [];
  const exporter = {
    export(spans, done) {
      sent.push(...spans.map((span) => spanRecordOf(span)));
      done({ code: 0 });
    },
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const processor = turnproofProcessor({ exporter });
  const provider = new BasicTracerProvider({ spanProcessors: [processor] });
  trace.setGlobalTracerProvider(provider);
  await withTurn({ agentId: "desk", userId: "user_1", threadId: "t1" }, async (turn) => {
    await turn.toolCall({ name: "find_order" }, (call) => call.result({ outcome: "success" }));
  });
  await provider.shutdown();
  return {
    names: sent.map(({ attributes }) => attributes["gen_ai.operation.name"]).filter(Boolean),
    fingerprint: contentFingerprint("é"),
    verdict: reconcileOutcome([]).status,
    health: processor.health.exported,
  };
}
globalThis.played = play();
`;

let folder = "";
beforeAll(async () => {
  folder = await installClient();
  await writeFile(join(folder, "application.js"), application);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("types without skipLibCheck", () => {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const common = ["--noEmit", "--strict", "--skipLibCheck", "false", "--target", "es2022"];
  const browser = ["--lib", "es2022,dom,dom.iterable", "--types", ""];
  const node = ["--lib", "es2022", "--types", "node"];

  test.each([
    ["node16, browser", ["--module", "node16", ...browser], roots],
    ["nodenext, browser", ["--module", "nodenext", ...browser], roots],
    [
      "bundler, browser",
      ["--module", "esnext", "--moduleResolution", "bundler", ...browser],
      roots,
    ],
    [
      "nodenext, Node",
      ["--module", "nodenext", ...node],
      [...roots, "@turnproof/exporter/register", "@turnproof/journal"],
    ],
  ])("%s", async (name, flags, entries) => {
    const file = join(folder, `${name.replace(/\W+/g, "-")}.ts`);
    const lines = entries.map((entry, index) => `export * as e${index} from "${entry}";`);
    await writeFile(file, lines.join("\n"));
    const compiled = run(process.execPath, [compiler, ...common, ...flags, file], { cwd: folder });
    const { stdout } = await compiled.catch((error: { stdout: string }) => error);
    expect(stdout).toBe("");
  });
});

/** Plays a bundle in Chromium on an empty page. */
async function playInBrowser(script: string): Promise<unknown> {
  const browser = await chromium.launch({ executablePath });
  try {
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    await page.addScriptTag({ content: script, type: "module" });
    // An inline module runs after the tag is there.
    await expect
      .poll(async () => errors.length > 0 || (await page.evaluate("'played' in globalThis")))
      .toBe(true);
    expect(errors).toEqual([]);
    return await page.evaluate("globalThis.played");
  } finally {
    await browser.close();
  }
}

const expected = {
  names: expect.arrayContaining(["invoke_agent", "execute_tool"]) as unknown,
  fingerprint: "sha256:4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c",
  verdict: "unknown",
  // The turn, its tool call, and a finding: a page has no context manager.
  health: 3,
};

/** A whole set-up whose modules are given, so that a bundle holds them. */
const server = `
import { trace } from "@opentelemetry/api";
import * as contextHooks from "@opentelemetry/context-async-hooks";
import * as core from "@opentelemetry/core";
import * as exporter from "@opentelemetry/exporter-trace-otlp-http";
import * as resources from "@opentelemetry/resources";
import * as sdk from "@opentelemetry/sdk-trace-base";
import { register } from "@turnproof/exporter/register";
import { withTurn } from "@turnproof/instrumentation";

const turnproof = register({
  endpoint: process.env.COLLECTOR,
  serviceName: "bundled",
  modules: {
    "@opentelemetry/context-async-hooks": contextHooks,
    "@opentelemetry/core": core,
    "@opentelemetry/exporter-trace-otlp-http": exporter,
    "@opentelemetry/resources": resources,
    "@opentelemetry/sdk-trace-base": sdk,
  },
});
const turn = withTurn({ agentId: "desk", threadId: "t1" }, async () => {
  trace.getTracer("app").startSpan("work").end();
});
turn.then(() => turnproof.shutdown()).then(() => {
  console.log(JSON.stringify([turnproof.installed, turnproof.problem ?? null]));
});
`;

describe("bundled for Node, without node_modules", () => {
  test.each([
    ["esm", "bundle.mjs"],
    ["cjs", "bundle.cjs"],
  ])("%s", async (format, name) => {
    await writeFile(join(folder, "server.js"), server);
    const bundler = join(folder, "node_modules/esbuild/bin/esbuild");
    const flags = ["--bundle", "--platform=node", `--format=${format}`, `--outfile=${name}`];
    // Bundled CommonJS needs \`require\`, which an ES module lacks.
    const banner =
      'import { createRequire as r } from "node:module"; const require = r(import.meta.url);';
    const more = format === "esm" ? [`--banner:js=${banner}`] : [];
    await run(bundler, ["server.js", ...flags, ...more], { cwd: folder });
    const alone = await mkdtemp(join(tmpdir(), "turnproof-bundle-"));
    await copyFile(join(folder, name), join(alone, name));
    const received: string[] = [];
    const collector = createServer((request, response) => {
      request.on("data", (part: Buffer) => received.push(part.toString("latin1")));
      request.on("end", () => response.writeHead(200).end("{}"));
    });
    await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
    const { port } = collector.address() as AddressInfo;
    const env = { PATH: process.env["PATH"], COLLECTOR: `http://127.0.0.1:${port}` };
    const { stdout } = await run(process.execPath, [name], { cwd: alone, env });
    collector.close();
    await rm(alone, { recursive: true, force: true });
    expect(JSON.parse(stdout)).toEqual([true, null]);
    expect(received.join("")).toContain("invoke_agent");
  });
});

describe("bundled for a browser", () => {
  test("by esbuild", async () => {
    const bundler = join(folder, "node_modules/esbuild/bin/esbuild");
    const flags = ["--bundle", "--platform=browser", "--format=esm", "--outfile=by-esbuild.js"];
    await run(bundler, ["application.js", ...flags], { cwd: folder });
    const script = await readFile(join(folder, "by-esbuild.js"), "utf8");
    expect(await playInBrowser(script)).toMatchObject(expected);
  });

  test("by Vite", async () => {
    const { build } = await import("vite");
    const built = await build({
      root: folder,
      logLevel: "silent",
      configFile: false,
      build: {
        write: false,
        minify: false,
        lib: { entry: join(folder, "application.js"), formats: ["es"], fileName: "by-vite" },
      },
    });
    const outputs = Array.isArray(built) ? built : [built];
    const [chunk] = outputs.flatMap((output) => ("output" in output ? output.output : []));
    const script = chunk !== undefined && "code" in chunk ? chunk.code : "";
    expect(/(from|import|require\()\s*["']node:|__vite-browser-external/.exec(script)).toBeNull();
    expect(await playInBrowser(script)).toMatchObject(expected);
  });
});
