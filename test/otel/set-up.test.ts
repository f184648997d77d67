/**
 * @module Set-up: everything or nothing. What stands in the way is one line of plain words on
 * standard error, silent where OpenTelemetry is switched off, and never an exception of ours.
 */
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { context, propagation, trace } from "@opentelemetry/api";
import { register } from "@turnproof/exporter/register";
import type { RegisterOptions } from "@turnproof/exporter/register";
import { CodedError } from "@turnproof/semconv";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { contextManager, createProvider, installFolder, line } from "#sdk";

const require = createRequire(`${installFolder}/`);
const sdk = line === "3" ? "sdk-trace" : "sdk-trace-base";
const companion = line === "3" ? "" : "@2";
const silent = { export() {}, shutdown: async (): Promise<void> => {} };
let folder = "";
let stated: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "turnproof-set-up-"));
  stated = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    stated.push(String(text));
    return true;
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  trace.disable();
  context.disable();
  propagation.disable();
  await rm(folder, { recursive: true, force: true });
});

/** A folder in which these packages of OpenTelemetry are installed and no others. */
async function installed(...names: readonly string[]): Promise<string> {
  const scope = join(folder, "node_modules/@opentelemetry");
  await mkdir(scope, { recursive: true });
  for (const name of names) {
    const entry = await realpath(require.resolve(`@opentelemetry/${name}`));
    const at = entry.lastIndexOf(`/@opentelemetry/${name}/`);
    await symlink(`${entry.slice(0, at)}/@opentelemetry/${name}`, join(scope, name));
  }
  return folder;
}

const setUp = (options: RegisterOptions = {}) =>
  register({ flushOnExit: false, variables: {}, ...options });

describe(`a set-up on line ${line}`, () => {
  test("names every package that is missing in one line, and leaves nothing half done", async () => {
    const { problem, installed: built, health } = setUp({ resolveFrom: await installed() });
    expect([problem, built, health.created]).toEqual(["sdk_missing", false, 0]);
    const names = ["sdk-trace", "exporter-trace-otlp-proto", "context-async-hooks", "core"];
    const packages = [...names, "resources"].map((name) => `@opentelemetry/${name}`).join(" ");
    expect(stated).toEqual([
      `turnproof: nothing is recorded: packages are missing. npm install ${packages}\n`,
    ]);
    expect(trace.getTracer("app").startSpan("x").isRecording()).toBe(false);
  });

  test("without a context manager there is none: it is asked for, unless one is registered", async () => {
    const resolveFrom = await installed(sdk, "core", "resources");
    const { problem, installed: built } = setUp({ resolveFrom, exporter: silent });
    expect([problem, built]).toEqual(["sdk_missing", false]);
    expect(stated.join()).toMatch(
      new RegExp(`npm install @opentelemetry/context-async-hooks${companion}\n$`),
    );
    context.setGlobalContextManager(contextManager().enable());
    const again = setUp({ resolveFrom, exporter: silent });
    expect([again.problem, again.installed]).toEqual([undefined, true]);
    expect(stated).toHaveLength(1);
  });

  test("an application with a provider of its own hears what the exporter lacks", async () => {
    const { problem } = setUp({ resolveFrom: await installed(), provider: false });
    expect(problem).toBe("sdk_missing");
    expect(stated.join()).toMatch(/npm install @opentelemetry\/exporter-trace-otlp-proto\n$/);
  });

  test("after a provider of the application: one line that says what to do", () => {
    trace.setGlobalTracerProvider(createProvider({ spanProcessors: [] }));
    const { problem, installed: built } = setUp({ exporter: silent });
    expect([problem, built]).toEqual(["provider_registered", false]);
    expect(stated).toEqual([expect.stringMatching(/^turnproof: [^\n]+provider: false[^\n]+\n$/)]);
  });

  test("a provider of an older API that cannot be seen", async () => {
    // What an API of another major version leaves behind: its registrations are not ours to use.
    const key = Symbol.for("opentelemetry.js.api.1");
    const shared = globalThis as { [key]?: unknown };
    const before = shared[key];
    shared[key] = { version: "1.0.0", trace: {} };
    try {
      const { problem } = setUp({ exporter: silent, resolveFrom: installFolder });
      expect(problem).toBe("api_version_mismatch");
      expect(stated).toEqual([expect.stringContaining("npm ls @opentelemetry/api")]);
    } finally {
      if (before === undefined) delete shared[key];
      else shared[key] = before;
    }
  });

  test("is silent where OpenTelemetry is, and throws where it is asked to", async () => {
    const resolveFrom = await installed();
    setUp({ resolveFrom, variables: { OTEL_LOG_LEVEL: "NONE" } });
    expect(stated).toEqual([]);
    expect(() => setUp({ resolveFrom, strict: true })).toThrow(CodedError);
    expect(() => setUp({ resolveFrom, strict: true })).toThrow("context-async-hooks");
  });

  test("by its environment alone: a wrong variable does not keep the application from starting", () => {
    const flags = ["-C", "@turnproof/source", "--import", "@turnproof/exporter/register/auto"];
    const app = ["-e", "console.log('started')"];
    const { stdout, stderr, status } = spawnSync(process.execPath, [...flags, ...app], {
      cwd: dirname(installFolder),
      env: { ...process.env, OTEL_BSP_MAX_QUEUE_SIZE: "CANARY" },
      encoding: "utf8",
    });
    expect([stdout, status]).toEqual(["started\n", 0]);
    expect(stderr).toMatch(/^turnproof: [^\n]*OTEL_BSP_MAX_QUEUE_SIZE[^\n]*\n$/);
    expect(stderr).not.toContain("CANARY");
  });
});
