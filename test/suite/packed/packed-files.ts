/**
 * @module Packed files: our packages as they are published, installed in a folder outside the
 * workspaces, so that a test sees what a user gets.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
export const root: string = fileURLToPath(new URL("../../../", import.meta.url));

/** Our published packages by their folder's last name; `turnproof` is the collector. */
export const publishedPackages = [
  "semconv",
  "evidence",
  "contracts",
  "journal",
  "instrumentation",
  "store",
  "exporter",
  "memory",
  "agent",
  "turnproof",
  "support-agent",
] as const;
export type PublishedPackage = (typeof publishedPackages)[number];

export const packageName = (name: PublishedPackage): string =>
  name === "turnproof" ? name : `@turnproof/${name}`;

export const packageFolder = (name: PublishedPackage): string =>
  name === "turnproof" ? "collector" : `packages/${name}`;

const packs = new Map<PublishedPackage, Promise<string>>();

/** Path of the package's tarball, packed once in a run of tests: their files share the directory. */
export function packed(name: PublishedPackage): Promise<string> {
  let file = packs.get(name);
  if (file === undefined) packs.set(name, (file = pack(name)));
  return file;
}

async function pack(name: PublishedPackage): Promise<string> {
  const folder = packageFolder(name);
  const built = name === "turnproof" ? "dist/program/main.js" : "dist/index.js";
  if (!existsSync(join(root, folder, built))) throw new Error("build first: npm run build");
  const ofTheRun = process.env["TURNPROOF_TEST_TMPDIR"];
  const kept = join(ofTheRun ?? "", `turnproof-packed-${name}.tgz`);
  if (ofTheRun !== undefined && existsSync(kept)) return kept;
  const target = await mkdtemp(join(tmpdir(), "turnproof-tarball-"));
  await run("npm", ["pack", "--silent", "--pack-destination", target, "-w", folder], { cwd: root });
  const [file] = (await readdir(target)).filter((entry) => entry.endsWith(".tgz"));
  const path = join(target, file ?? "");
  if (ofTheRun === undefined) return path;
  // Whole or not there: another worker may look for it now.
  await rename(path, kept);
  return kept;
}

/** What else the folder has. */
export interface InstallOptions {
  readonly dependencies?: Readonly<Record<string, string>>;
  /** `commonjs` as npm's default, or `module`. */
  readonly type?: "commonjs" | "module";
}

/** Installs the packages from their tarballs in a new folder and gives its path. */
export async function installPacked(
  names: readonly PublishedPackage[],
  options: InstallOptions = {},
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "turnproof-packed-"));
  const dependencies: Record<string, string> = { ...options.dependencies };
  for (const name of names) dependencies[packageName(name)] = `file:${await packed(name)}`;
  const manifest = { private: true, type: options.type ?? "commonjs", dependencies };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  await writeFile(join(folder, ".npmrc"), "install-links=true\nfund=false\naudit=false\n");
  const flags = ["--prefer-offline", "--ignore-scripts", "--no-package-lock", "--silent"];
  await run("npm", ["install", ...flags], { cwd: folder });
  return folder;
}
