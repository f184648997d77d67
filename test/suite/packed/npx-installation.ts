/**
 * @module Npx installation: all published packages, installed from their tarballs by `npx` in a
 * cache that is empty, as on a stranger's machine. It is made once in a run: what installs
 * thousands of files costs more than all that its tests do with them.
 */
import { execFile } from "node:child_process";
import { mkdir, readFile, readdir, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

import { madeOnce, packed, publishedPackages } from "./packed-files.ts";

const run = promisify(execFile);

/** The path without the binaries of any project: what a newcomer's shell has. */
export const shellPath = (process.env["PATH"] ?? "")
  .split(delimiter)
  .filter((folder) => !folder.includes("node_modules"))
  .join(delimiter);

export const shellEnvironment = (path: string): Record<string, string> => ({
  PATH: path,
  HOME: process.env["HOME"] ?? "",
});

export interface NpxInstallation {
  /** Cache of npm whose downloads are the machine's and whose installation by npx is this one. */
  readonly cache: string;
  /**
   * Where npx installed the tarballs; directories in it find the binaries without an installation.
   */
  readonly installation: string;
  /** What the command printed that installed them, and the directory in which it was called. */
  readonly stated: string;
  readonly calledIn: string;
}

/** Installs everything by one call of the example's `--help`. */
export async function npxInstallation(): Promise<NpxInstallation> {
  const files = await Promise.all(publishedPackages.map((name) => packed(name)));
  const folder = await madeOnce("by-npx", async (making) => {
    const [cache, calledIn] = [join(making, "cache"), join(making, "called-in")];
    await mkdir(cache);
    await mkdir(calledIn);
    const env = shellEnvironment(shellPath);
    const { stdout: machines } = await run("npm", ["config", "get", "cache"], { cwd: cache, env });
    await symlink(join(machines.trim(), "_cacache"), join(cache, "_cacache"));
    const flags = ["--yes", "--prefer-offline", "--cache", cache];
    const packages = files.map((file) => `--package=file:${file}`);
    const command = ["exec", ...flags, ...packages, "--", "turnproof-support-agent", "--help"];
    const { stdout } = await run("npm", command, { cwd: calledIn, env });
    await writeFile(join(making, "stated"), stdout);
  });
  const cache = join(folder, "cache");
  const [key = ""] = await readdir(join(cache, "_npx"));
  return {
    cache,
    installation: join(cache, "_npx", key),
    stated: await readFile(join(folder, "stated"), "utf8"),
    calledIn: join(folder, "called-in"),
  };
}
