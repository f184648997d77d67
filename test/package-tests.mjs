/**
 * @module Package tests: `npm run test:package -- store` runs the tests beside the modules of one
 * package and the suites of `test/suite` that are about it; further arguments go to Vitest.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** Suites of each package, below `test`. */
const suites = {
  semconv: ["suite/semconv", "suite/privacy"],
  evidence: ["suite/evidence"],
  contracts: ["suite/contracts"],
  journal: ["suite/journal"],
  instrumentation: ["suite/instrumentation", "suite/w3c"],
  exporter: ["otel", "suite/dialects"],
  store: ["suite/store"],
  memory: ["suite/memory"],
  agent: ["suite/agent"],
  "support-agent": [],
  ci: ["suite/packed/ci.test.ts"],
  collector: ["suite/collector", "suite/receive", "suite/browser"],
};

const [name = "", ...more] = process.argv.slice(2);
if (!Object.hasOwn(suites, name)) {
  process.stderr.write(`Which package? ${Object.keys(suites).join(", ")}\n`);
  process.exitCode = 2;
} else {
  const root = join(import.meta.dirname, "..");
  const source = name === "collector" ? "collector/src" : `packages/${name}/src`;
  const paths = [source, ...suites[name].map((suite) => `test/${suite}`)];
  const run = ["vitest", "run", "--config", "test/vitest.config.ts", "--passWithNoTests"];
  const { status } = spawnSync("npx", [...run, ...paths, ...more], { cwd: root, stdio: "inherit" });
  process.exitCode = status ?? 1;
}
