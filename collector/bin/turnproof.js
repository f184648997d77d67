#!/usr/bin/env node
/**
 * @module Launcher. An older Node than the collector needs goes on in the Node that the project
 * brought along; a build that is missing says so in one sentence.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const main = join(here, "..", "dist", "main.js");
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

/** The Node of the nearest `node_modules` above this file. */
function projectNode() {
  const name = process.platform === "win32" ? "node.exe" : "node";
  for (let folder = here; ; folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", ".bin", name);
    if (existsSync(candidate)) return candidate;
    if (dirname(folder) === folder) return undefined;
  }
}

if (!existsSync(main)) {
  process.stderr.write("turnproof: the collector is not built yet. Run: npm run build\n");
  process.exitCode = 1;
} else if (major > 22 || (major === 22 && minor >= 15)) {
  await import("../dist/main.js");
} else {
  const node = projectNode();
  if (node === undefined) {
    process.stderr.write(`turnproof needs Node 22.15 or newer; this is ${process.version}.\n`);
    process.exitCode = 1;
  } else {
    const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: "inherit" });
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGUSR2"]) {
      process.on(signal, () => child.kill(signal));
    }
    child.on("exit", (code, signal) => {
      if (signal === null) process.exitCode = code ?? 1;
      else {
        process.removeAllListeners(signal);
        process.kill(process.pid, signal);
      }
    });
  }
}
