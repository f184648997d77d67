/** The program on a Node that is too old: one line names which is needed and how to get it. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { expect, test } from "vitest";

const program = promisify(execFile);
const built = ["main.js", "program/main.js"].map((path) =>
  fileURLToPath(new URL(`../../../collector/dist/${path}`, import.meta.url)),
);

/** This Node under the number of an older one. */
const renamed = `data:text/javascript,Object.defineProperty(process, "versions", {
  value: { ...process.versions, node: "22.14.0" } })`;

/** A runtime by its path and the flags it starts with, and the version it reports. */
interface Runtime {
  readonly node: string;
  readonly flags: readonly string[];
  readonly version: string;
}

/** Installed versions of Node that are older than the collector needs. */
async function oldRuntimes(): Promise<readonly Runtime[]> {
  const places = ["/usr/bin/node", "/usr/local/bin/node"].map(async (node) => {
    const { stdout } = await program(node, ["--version"]).catch(() => ({ stdout: "" }));
    const version = stdout.trim();
    return /^v(?:18|20)\./.test(version) ? [{ node, flags: [], version }] : [];
  });
  return (await Promise.all(places)).flat();
}

test.each(built)("%s names the Node that it needs, without a stack", async (path) => {
  const here = { node: process.execPath, flags: ["--import", renamed], version: process.version };
  for (const { node, flags, version } of [here, ...(await oldRuntimes())]) {
    await expect(program(node, [...flags, path, "serve"])).rejects.toMatchObject({
      code: 1,
      stdout: "",
      stderr:
        `turnproof needs Node 22.15 or newer; this is ${version}. Run \`npx turnproof\`: it runs ` +
        "in the Node of the project, or names the command that installs one.\n",
    });
  }
});
