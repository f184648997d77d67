/** @module Printed: the commands of a page of docs/instrument, run as a reader pastes them. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const pages = join(import.meta.dirname, "../../docs/instrument");
const guard = join(import.meta.dirname, "guard-sockets.cjs");
const printedCollector = "http://127.0.0.1:4318";
const msMax = 60_000;

/** Lines of the page's shell blocks, without its install lines. */
export function commandsOf(page) {
  const text = readFileSync(join(pages, page), "utf8");
  const blocks = [...text.matchAll(/```sh\n([^]*?)```/g)].map(([, block]) => block);
  const lines = blocks.flatMap((block) => block.trim().split("\n"));
  return lines.filter((line) => !line.startsWith("npm install"));
}

/** Runs a line in a folder; only the collector's address is another. Throws when it fails. */
export async function runAsPrinted(line, cwd) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: collector, ...env } = process.env;
  const child = spawn("sh", ["-c", line.replace(printedCollector, collector)], {
    cwd,
    env: { ...env, NODE_OPTIONS: `--require ${guard}`, npm_config_update_notifier: "false" },
    stdio: ["ignore", 1, "pipe"],
    timeout: msMax,
  });
  let printed = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (printed += text));
  const code = await new Promise((resolve) => child.once("close", resolve));
  // A notice of ours is a line that a reader would see: none is expected.
  if (code !== 0 || printed.includes("turnproof:")) throw new Error(`${line}: ${code}: ${printed}`);
}
