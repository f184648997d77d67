/** One Vitest configuration: unit tests beside their subjects, suites under test/, both OTel lines. */
import { fileURLToPath } from "node:url";

import { defineConfig } from "vitest/config";

const conditions = ["@turnproof/source"];
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here(".."),
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  oxc: { jsx: { runtime: "automatic", importSource: "hono/jsx" } },
  test: {
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 180_000,
    globalSetup: [here("temporary-files.ts")],
    setupFiles: [here("property-seed.ts")],
    projects: [
      {
        extends: true,
        test: { name: "unit", include: ["{packages/*,collector}/src/**/*.test.{ts,tsx}"] },
      },
      {
        extends: true,
        test: {
          name: "suite",
          include: ["test/suite/**/*.test.{ts,tsx}"],
          exclude: ["test/suite/faults/**"],
        },
      },
      {
        // Memory and waiting are measured here: alone, after the others, and never a second time.
        extends: true,
        test: {
          name: "faults",
          include: ["test/suite/faults/**/*.test.ts"],
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
    ],
  },
});
