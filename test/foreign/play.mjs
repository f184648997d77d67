/** @module Play: a scenario as a process of its own that reaches loopback only. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const guard = join(here, "guard-sockets.cjs");
const msMax = 200_000;

/** Switches of libraries that would report their use to their makers. */
const silent = {
  DO_NOT_TRACK: "1",
  FASTIFY_OTEL_IGNORE_PATHS: "",
  LANGCHAIN_TRACING_V2: "false",
  LANGSMITH_TRACING: "false",
  MASTRA_TELEMETRY_DISABLED: "1",
  NEXT_TELEMETRY_DISABLED: "1",
  OTEL_NODE_RESOURCE_DETECTORS: "none",
  OTEL_METRICS_EXPORTER: "none",
  OTEL_LOGS_EXPORTER: "none",
  TRACELOOP_TELEMETRY: "false",
};

/** Runs a file to its end; gives its exit code, what it printed, and what it tried to reach. */
async function run(file, { work, name, env = {}, flags = [] }) {
  const reached = join(work, `${name}.reached`);
  const child = spawn(process.execPath, ["--require", guard, ...flags, file], {
    cwd: here,
    env: { PATH: process.env.PATH, HOME: work, ...silent, ...env, FOREIGN_REPORT: reached },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: msMax,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => (output += text));
  }
  const code = await new Promise((resolve) => child.once("close", resolve));
  const tries = existsSync(reached) ? readFileSync(reached, "utf8").trim().split("\n") : [];
  return { code, output, tries };
}

/** Plays a scenario of the table and returns what went wrong. */
export async function playScenario({ name, expected, work, env }) {
  const { file, flags } = expected;
  const dump = process.env.FOREIGN_DUMP;
  const more = dump === undefined ? {} : { FOREIGN_DUMP: join(dump, `${name}.spans`) };
  const ended = await run(file, { work, name, env: { ...env, ...more }, flags });
  const problems = ended.tries.map((how) => `it reached beyond loopback: ${how}`);
  if (ended.code !== 0) problems.push(`it ended with ${ended.code}: ${ended.output.slice(-2_000)}`);
  const lines = linesOf(expected.telemetry ?? [file]);
  if (lines !== expected.lines) problems.push(`lines of user code: ${lines}`);
  return problems;
}

/** Lines between `#region telemetry` and its end: what a user adds to be seen. */
function linesOf(files) {
  return files
    .flatMap((file) => readFileSync(join(here, file), "utf8").split("//#region telemetry").slice(1))
    .flatMap((part) => part.split("//#endregion")[0].split("\n"))
    .filter((line) => line.trim() !== "" && !/^\s*(\/\*\*|\*|\/\/)/.test(line)).length;
}

/** Holds the guard to its word: every way out is refused, and seen though its errors are not. */
export async function checkGuard(work) {
  const { code, tries } = await run("phone-home.mjs", { work, name: "phone-home" });
  const kinds = ["net.connect", "dns.lookup", "net.connect"];
  if (code === 0 && JSON.stringify(tries) === JSON.stringify(kinds)) return [];
  return [`it ended with ${code} and tried ${JSON.stringify(tries)}`];
}
