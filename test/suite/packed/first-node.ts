/**
 * @module First node: the oldest Node that the client packages declare, as the machine has it. The
 * project's own Node stands first on the path, so its folders are left out.
 */
import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Path of a Node 20 (20.19 or newer) outside `node_modules`; undefined when there is none. */
export async function firstNode(): Promise<string | undefined> {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const named = folders.map((folder) => join(folder, "node"));
  for (const file of [process.env["npm_node_execpath"] ?? "", ...named]) {
    try {
      const node = realpathSync(file);
      if (node.includes("node_modules")) continue;
      const { stdout } = await run(node, ["--version"]);
      const [, major, minor] = /^v(\d+)\.(\d+)\./.exec(stdout) ?? [];
      if (major === "20" && Number(minor) >= 19) return node;
    } catch {
      // Not there, or no Node.
    }
  }
  return undefined;
}

/** Printed where a test that needs it is left out. */
export const withoutFirstNode = "no Node 20.19 or newer 20 is on the path outside node_modules";
