/**
 * @module Foreign: real libraries with mock models report their turns to a real collector, and one
 * table has what its JSON API must show. `npm run test:foreign` installs what is missing first;
 * `npm run test:foreign -- mastra mcp` plays only the named scenarios.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { scriptedServer } from "../dialects/scripted-server.mjs";
import { startCollector } from "./collector.mjs";
import { expectations } from "./expectations.mjs";
import { install } from "./install.mjs";
import { checkGuard, playScenario } from "./play.mjs";
import { differences, readScenario } from "./reading.mjs";

const wanted = process.argv.slice(2);
const scenarios = Object.entries(expectations).filter(
  ([name]) => wanted.length === 0 || wanted.includes(name),
);
const unknown = wanted.filter((name) => !(name in expectations));
if (unknown.length > 0) throw new Error(`no such scenario: ${unknown.join(", ")}`);

await install();
const work = mkdtempSync(join(tmpdir(), "turnproof-foreign-"));
const model = await scriptedServer();
const collector = await startCollector(work);
let passed = 0;
let failed = 0;

function report(name, problems, seconds) {
  if (problems.length === 0) passed += 1;
  else failed += 1;
  console.log(`${problems.length === 0 ? "ok  " : "FAIL"} ${name} (${seconds} s)`);
  for (const problem of problems) console.log(`     ${problem}`);
}

/** Plays one scenario after the other from a shared list. */
async function player(queue) {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const [name, expected] = next;
    const begun = Date.now();
    const problems = await playScenario({
      name,
      expected,
      work,
      env: { MODEL_URL: model.url, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    });
    const read = await readScenario(collector.url, name, expected);
    problems.push(...differences(expected, read));
    report(name, problems, ((Date.now() - begun) / 1_000).toFixed(1));
  }
}

try {
  report("sockets beyond loopback are refused", await checkGuard(work), "0");
  const queue = [...scenarios];
  await Promise.all([player(queue), player(queue)]);
} finally {
  await collector.stop();
  model.close();
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
