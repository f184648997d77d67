/**
 * @module `npm run demo`: sends the support desk's morning and the recordings of other libraries to
 * a running collector, so that there are turns to look at; `--week` a whole week. `--help` lists
 * the rest.
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";

import { endpointOf, EndpointProblem, reach } from "./demo-endpoint.ts";
import { sendRecordings } from "./recorded.ts";
import type { Morning } from "./support-desk-memory/main.ts";
import { runDesk } from "./support-desk/main.ts";
import { tickets } from "./support-desk/tickets.ts";
import { countOn, progressOn, sightsOf } from "./week/guide.ts";
import { durationText } from "../../collector/src/ui/display/figures.ts";
import { readEvidence } from "./week/evidence.ts";
import { weekQuestions } from "./week/questions.ts";
import { sendWeek } from "./week/week.ts";
import type { Week } from "./week/week.ts";

const help = `Sends turns to a running collector.

  npm run demo                      the support desk, the same with our agent and memory, and
                                    the recorded dialects, once
  npm run demo -- --week            seven days of five agents, with incidents worth finding; ends
                                    with where to look for each (--turns N, default 4000; --seed S)
  npm run demo -- --endpoint URL    another collector (default http://127.0.0.1:4318,
                                    or OTEL_EXPORTER_OTLP_ENDPOINT); it is printed before
                                    anything is sent

The week is received now and has times of the past: retention counts from the receipt; lists, the
histogram and the time filters use the turns' own time.

Store of the memory of our agent; without one of these it is lost when the process ends:

  MEMORY_DIR=folder                 files
  MEMORY_POSTGRES_URL=postgres://…  a PostgreSQL
  MEMORY_PGLITE_DIR=folder          the embedded one
  MEMORY_MONGODB_URL=mongodb://…    a MongoDB

Start the collector first: npm start`;

const { values } = parseArgs({
  options: {
    endpoint: { type: "string" },
    week: { type: "boolean" },
    turns: { type: "string", default: "4000" },
    seed: { type: "string", default: "a week" },
    help: { type: "boolean", short: "h" },
  },
});

/**
 * A process of its own, because a process has one telemetry set-up and the desk above has taken it.
 */
async function playMemoryDesk(endpoint: string): Promise<Morning> {
  const file = fileURLToPath(new URL("support-desk-memory/main.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=@turnproof/source", file],
    { env: { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } },
  );
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "{}") as Morning;
}

/** Sends the week, waits for the judge, and prints where to look. */
async function playWeek(endpoint: string): Promise<number> {
  const turns = Number(values.turns);
  if (!Number.isInteger(turns) || turns < 50) {
    console.error("--turns is a whole number, 50 or more");
    return 1;
  }
  const began = performance.now();
  const onProgress = progressOn(process.stderr, "a week of turns");
  const week = await sendWeek({
    endpoint,
    endMs: Date.now(),
    turns,
    seed: values.seed,
    onProgress,
  });
  console.log(`${week.turns} turns, ${week.spans} evidence spans sent in ${secondsSince(began)}`);
  if (week.unplanned > 0) console.error(`${week.unplanned} spans were lost without being meant to`);
  console.error("waiting for the judge");
  const judged = await isJudged(endpoint, week.last.root);
  console.log(
    judged
      ? `judged after ${secondsSince(began)}`
      : "the judge is still at work: verdicts appear by themselves",
  );
  await requestAbout(endpoint, week);
  for (const { name, words, path } of sightsOf(week)) {
    console.log(`\n  ${name}: ${words}\n    ${endpoint}${path}`);
  }
  return week.unplanned > 0 ? 1 : 0;
}

/** Prints the questions with their answers, as the raw evidence has them. */
async function requestAbout(endpoint: string, week: Week): Promise<void> {
  const incidents = await fetch(`${endpoint}/traces/incidents.json`);
  // A collector that requires a credential shows nothing to this script.
  if (!incidents.ok) return;
  const { pause_ms: pauseMs } = (await incidents.json()) as { readonly pause_ms: number };
  const progress = countOn(
    process.stderr,
    "reading the raw evidence for the answers, events and turns",
  );
  const evidence = await readEvidence(endpoint, progress.count);
  progress.end();
  const questions = weekQuestions(evidence, week, { duration: durationText, pauseMs });
  console.log("\nTwelve questions, and their answers by the raw evidence:");
  for (const { question, steps, answer } of questions) {
    console.log(`\n  ${question}\n    ${steps}\n    ${answer}`);
  }
}

function secondsSince(began: number): string {
  return `${Math.round((performance.now() - began) / 1_000)} s`;
}

/** Waits until the judge has looked at a turn; it takes the longest quiet first. */
async function isJudged(endpoint: string, root: string): Promise<boolean> {
  for (const until = Date.now() + 60_000; Date.now() < until;) {
    const answer = await fetch(`${endpoint}/traces/turns.json?root_trace_id=${root}`);
    // A collector that requires a credential shows nothing to this script.
    if (!answer.ok) return false;
    const { items } = (await answer.json()) as { readonly items: readonly { verdict: unknown }[] };
    if (items.length > 0 && items.every(({ verdict }) => verdict !== null)) return true;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return false;
}

/** The collector that turns are sent to; undefined, with a line that has the code, without one. */
async function reachedEndpoint(): Promise<string | undefined> {
  try {
    const endpoint = endpointOf(values.endpoint, process.env);
    await reach(endpoint);
    return endpoint;
  } catch (error) {
    if (!(error instanceof EndpointProblem)) throw error;
    console.error(error.message);
    return undefined;
  }
}

async function main(): Promise<number> {
  if (values.help === true) {
    console.log(help);
    return 0;
  }
  const endpoint = await reachedEndpoint();
  if (endpoint === undefined) return 1;
  console.log(`Sends ${values.week === true ? "a week" : "turns"} to ${endpoint}`);
  if (values.week === true) return playWeek(endpoint);
  const failed = await runDesk(endpoint);
  console.log(`support desk: ${tickets.length} turns sent, ${failed} failed as planned`);
  const morning = await playMemoryDesk(endpoint);
  console.log(
    `support desk with memory: ${morning.turns} turns sent, ${morning.failed} failed as planned`,
  );
  console.log(`  cache: ${morning.cacheDecisions.join(", ")}`);
  console.log(`  a verified refund: ${endpoint}/traces/${morning.refundRoot}`);
  const spans = await sendRecordings(endpoint, { endMs: Date.now(), salt: crypto.randomUUID() });
  console.log(`other libraries: ${spans} recorded spans sent`);
  console.log(`Look at them: ${endpoint}/traces`);
  return 0;
}

process.exitCode = await main();
