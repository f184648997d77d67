/**
 * One Vitest configuration: unit tests beside their subjects, suites under test/, both OTel lines.
 */
import { fileURLToPath } from "node:url";

import { defineConfig } from "vitest/config";

import { LongFirst } from "./long-first.ts";
import { patienceMs } from "./patience.ts";

const conditions = ["@turnproof/source"];
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Suites whose files share the modules of their worker. */
const shared = [
  "test/suite/{collector,contracts,docs,evidence,memory,receive,semconv}/**/*.test.{ts,tsx}",
];

/** Tests that compare what a process holds, or how long it is silent. */
const measured = ["test/suite/faults/{overload,stall}.test.ts"];

export default defineConfig({
  root: here(".."),
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  oxc: { jsx: { runtime: "automatic", importSource: "hono/jsx" } },
  test: {
    pool: "forks",
    // Twice the cores of the machine that this is measured on: many files wait for servers.
    maxWorkers: 4,
    testTimeout: 120_000,
    hookTimeout: 180_000,
    sequence: { sequencer: LongFirst },
    globalSetup: [here("temporary-files.ts")],
    setupFiles: [here("property-seed.ts"), here("patient-waits.ts")],
    expect: { poll: { timeout: patienceMs } },
    projects: [
      {
        extends: true,
        // Modules are evaluated once in a worker: these tests leave nothing in them.
        test: {
          name: "unit",
          include: ["{packages/*,collector}/src/**/*.test.{ts,tsx}"],
          isolate: false,
        },
      },
      {
        // Modules are evaluated once in a worker here, too; no file leaves a server or a global.
        extends: true,
        test: {
          name: "shared",
          include: shared,
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "suite",
          include: ["test/suite/**/*.test.{ts,tsx}"],
          exclude: [...shared, ...measured, "test/suite/browser/**"],
        },
      },
      {
        // Memory and waiting are measured here: alone, after the others.
        extends: true,
        test: {
          name: "faults",
          include: measured,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        resolve: { alias: { "#sdk": here("otel/sdk.ts") } },
        test: { name: "otel-3", include: ["test/otel/**/*.test.ts"] },
      },
      {
        extends: true,
        resolve: {
          alias: {
            "#sdk": here("otel-2/sdk.ts"),
            "@opentelemetry/api": here("otel-2/node_modules/@opentelemetry/api"),
          },
        },
        test: { name: "otel-2", include: ["test/otel/**/*.test.ts"] },
      },
      {
        // One browser and one scene for a worker.
        extends: true,
        test: {
          name: "browser",
          include: ["test/suite/browser/**/*.test.ts"],
          isolate: false,
        },
      },
    ],
  },
});
