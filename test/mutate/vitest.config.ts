/** The tests that hold the judge, against sources that Stryker changed in a copy of the house. */
import { fileURLToPath } from "node:url";

import { defineConfig } from "vitest/config";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const conditions = ["@turnproof/source"];

export default defineConfig({
  root: here("../.."),
  resolve: {
    conditions,
    // The copy shares node_modules, whose workspaces are the originals.
    alias: { "@turnproof/evidence": here("../../packages/evidence/src/index.ts") },
  },
  ssr: { resolve: { conditions } },
  test: {
    pool: "forks",
    maxWorkers: 1,
    testTimeout: 120_000,
    setupFiles: [here("../property-seed.ts")],
    env: { ORACLE_MUTATIONS: "96", EVIDENCE_RUNS: "2" },
    include: ["packages/evidence/src/**/*.test.ts", "test/suite/evidence/**/*.test.ts"],
    exclude: [
      "packages/evidence/src/{normal,normalize,page,time,turns,resolve,dedupe,supply}*.test.ts",
      "test/suite/evidence/{growth,readme,golden-normalize,malformed}.test.ts",
      "test/suite/evidence/simulation/**",
    ],
  },
});
