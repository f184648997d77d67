#!/usr/bin/env node
/**
 * @module Launcher. An older Node than the collector needs goes on in the Node that the project
 * brought along; where there is none, or no build, one sentence says what to do.
 */
import { spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import * as nodeModule from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const main = join(here, "..", "dist", "program", "main.js");
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

/** The Node of the nearest `node_modules` above this file, unless it is the one that runs this. */
function projectNode() {
  const name = process.platform === "win32" ? "node.exe" : "node";
  for (let folder = here; ; folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", ".bin", name);
    if (existsSync(candidate)) {
      return realpathSync(candidate) === realpathSync(process.execPath) ? undefined : candidate;
    }
    if (dirname(folder) === folder) return undefined;
  }
}

/** What gives a project a Node of its own: npm has one package for each platform. */
function installLine() {
  const platform = process.platform === "win32" ? "win" : process.platform;
  const name = platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node";
  return `npm install ${name}-${platform}-${process.arch}@26`;
}

/**
 * The compiled code is kept beside the program, which a build clears, for this thread and those
 * that it starts: compiling is a sixth of a start's CPU. Not in the temporary folder, which other
 * users of the machine can write. Where the folder is read-only, nothing is kept.
 */
function keepCompiled(folder) {
  process.env.NODE_COMPILE_CACHE ??= folder;
  nodeModule.enableCompileCache?.(process.env.NODE_COMPILE_CACHE);
}

/**
 * Settings of glibc's allocator for a collector. By default each of its threads has an arena of its
 * own, and freed memory stays in it: after a burst 200 MB more are resident than are in use.
 */
const allocator = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: "131072",
  MALLOC_TRIM_THRESHOLD_: "131072",
};

/** The environment with the allocator's settings; those that are set stand. */
const environment = { ...allocator, ...process.env };

/**
 * Starts a collector again in this process, with the allocator's settings: glibc reads them at a
 * start. Commands and their help run as they are, so that they take no longer (decision 0021).
 */
function startWithAllocator() {
  const [first = "ui"] = process.argv.slice(2);
  const helps = ["-h", "--help", "-V", "--version"].includes(first);
  const serves = first === "ui" || (first.startsWith("-") && !helps);
  const set = Object.keys(allocator).every((name) => process.env[name] !== undefined);
  // A channel to the parent would be closed.
  const can = process.platform === "linux" && "execve" in process && !process.channel;
  if (!serves || set || !can) return;
  const command = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  process.execve(process.execPath, command, environment);
}

/** Set for a process that a launcher of an older Node started, by a channel that ends with it. */
const launched = "TURNPROOF_LAUNCHED";

/**
 * Ends a launched process when its launcher is killed: it would keep the data directory, and the
 * supervisor that starts the launcher again would be refused.
 */
function endWithLauncher() {
  if (process.env[launched] === undefined || process.channel === undefined) return;
  delete process.env[launched];
  const end = () => process.kill(process.pid, "SIGTERM");
  process.once("disconnect", end);
  // Nothing comes by the channel, so it keeps no command running.
  process.channel.unref();
  if (!process.connected) end();
}

if (!existsSync(main)) {
  process.stderr.write("turnproof: the collector is not built yet. Run: npm run build\n");
  process.exitCode = 1;
} else if (major > 22 || (major === 22 && minor >= 15)) {
  startWithAllocator();
  endWithLauncher();
  keepCompiled(join(dirname(main), "compiled"));
  await import("../dist/program/main.js");
} else {
  const node = projectNode();
  if (node === undefined) {
    process.stderr.write(
      `turnproof needs Node 22.15 or newer; this is ${process.version}. ` +
        `Run \`${installLine()}\` to install a Node for this project.\n`,
    );
    process.exitCode = 1;
  } else {
    // The launcher again, so that a project's Node that is too old says so and nothing else.
    const self = fileURLToPath(import.meta.url);
    const child = spawn(node, [self, ...process.argv.slice(2)], {
      stdio: ["inherit", "inherit", "inherit", "ipc"],
      env: { ...environment, [launched]: "yes" },
    });
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
