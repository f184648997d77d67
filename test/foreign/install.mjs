/**
 * @module Install: the libraries of both lines of OpenTelemetry, Next.js and a bundler, from their
 * lockfiles, and our own packages beside them as npm would publish them. Each folder is installed when its lockfile or our
 * build changed since; `dist` must be there, as `npm run build` makes it. `npm run install:foreign`
 * does only this.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));
const ours = ["semconv", "evidence", "journal", "exporter", "instrumentation"];
const lines = ["otel-2", "otel-3", "next", "bundles"];
const msMax = 300_000;

/** Installs what is missing or has changed. */
export async function install() {
  if (!existsSync(join(root, "packages/exporter/dist/index.js"))) {
    throw new Error("build first: npm run build");
  }
  const built = fingerprintOfBuild();
  let tarballs;
  for (const line of lines) {
    const folder = join(here, line);
    const stamp = join(folder, "node_modules/.turnproof-installed");
    const lock = readFileSync(join(folder, "package-lock.json"), "utf8");
    const mark = createHash("sha256").update(lock).update(built).digest("hex");
    if (existsSync(stamp) && readFileSync(stamp, "utf8") === mark) continue;
    const begun = Date.now();
    tarballs ??= await pack();
    const options = { cwd: folder, timeout: msMax };
    await run("npm", ["install", "--no-save"], options);
    await run("npm", ["install", "--no-save", "--no-package-lock", ...tarballs], options);
    writeFileSync(stamp, mark);
    console.log(`installed ${line} (${((Date.now() - begun) / 1_000).toFixed(0)} s)`);
  }
}

/** Newest change of any built file of ours. */
function fingerprintOfBuild() {
  const times = ours.flatMap((name) => {
    const folder = join(root, "packages", name, "dist");
    return readdirSync(folder, { recursive: true }).map((file) => {
      const { mtimeMs, size } = statSync(join(folder, file));
      return `${name}/${file} ${mtimeMs} ${size}`;
    });
  });
  return times.toSorted().join("\n");
}

/** Tarballs of our packages. */
async function pack() {
  const target = mkdtempSync(join(tmpdir(), "turnproof-foreign-packed-"));
  const rooms = ours.flatMap((name) => ["-w", `packages/${name}`]);
  await run("npm", ["pack", "--silent", "--pack-destination", target, ...rooms], { cwd: root });
  return readdirSync(target).map((file) => join(target, file));
}

if (import.meta.main) await install();
