/**
 * @module Packed files: our packages as they are published, installed in a folder outside the
 * workspaces, so that a test sees what a user gets.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
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

let packs: Promise<readonly string[]> | undefined;

/**
 * Path of the package's tarball, packed once in a run of tests: their files share the directory.
 */
export async function packed(name: PublishedPackage): Promise<string> {
  const begin = packageName(name).replace("@", "").replace("/", "-");
  // A digit follows: the names of all begin with that of the collector.
  const isOwn = (path: string): boolean => /^-\d.*\.tgz$/.test(basename(path).slice(begin.length));
  const file = (await (packs ??= tarballs())).find(
    (path) => basename(path).startsWith(begin) && isOwn(path),
  );
  if (file === undefined) throw new Error(`${name} was not packed`);
  return file;
}

/** Paths of all tarballs. */
async function tarballs(): Promise<readonly string[]> {
  const folder = await madeOnce("tarballs", packInto);
  return (await readdir(folder)).map((file) => join(folder, file));
}

/** A folder of the run, filled by the first worker that needs it, for which the others wait. */
export async function madeOnce(
  name: string,
  fill: (folder: string) => Promise<void>,
): Promise<string> {
  const ofTheRun = process.env["TURNPROOF_TEST_TMPDIR"];
  const folder = join(ofTheRun ?? (await mkdtemp(join(tmpdir(), "turnproof-"))), name);
  const making = `${folder}-being-made`;
  while (!existsSync(folder)) {
    try {
      await mkdir(making);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      await sleep(100);
      continue;
    }
    try {
      await fill(making);
      // Whole or not there.
      await rename(making, folder);
    } catch (error) {
      await rm(making, { recursive: true, force: true });
      throw error;
    }
  }
  return folder;
}

/** Packs everything by one command: the start of npm costs more than a package. */
async function packInto(target: string): Promise<void> {
  for (const name of publishedPackages) {
    const built = name === "turnproof" ? "dist/program/main.js" : "dist/index.js";
    if (!existsSync(join(root, packageFolder(name), built))) {
      throw new Error("build first: npm run build");
    }
  }
  const rooms = publishedPackages.flatMap((name) => ["-w", packageFolder(name)]);
  await run("npm", ["pack", "--silent", "--pack-destination", target, ...rooms], { cwd: root });
}

/** What else the folder has. */
export interface InstallOptions {
  readonly dependencies?: Readonly<Record<string, string>>;
  /** `commonjs` as npm's default, or `module`. */
  readonly type?: "commonjs" | "module";
}

/**
 * Installs the packages from their tarballs in a new folder and gives its path. What is the same is
 * installed once in a run: each folder has links to its files, so that no test may change them.
 */
export async function installPacked(
  names: readonly PublishedPackage[],
  options: InstallOptions = {},
): Promise<string> {
  const dependencies: Record<string, string> = { ...options.dependencies };
  for (const name of names) dependencies[packageName(name)] = `file:${await packed(name)}`;
  const manifest = JSON.stringify({
    private: true,
    type: options.type ?? "commonjs",
    dependencies,
  });
  const begin = async (folder: string): Promise<void> => {
    await writeFile(join(folder, "package.json"), manifest);
    await writeFile(join(folder, ".npmrc"), "install-links=true\nfund=false\naudit=false\n");
  };
  const digest = createHash("sha256").update(manifest).digest("hex").slice(0, 16);
  const installed = await madeOnce(`installed-${digest}`, async (folder) => {
    await begin(folder);
    const flags = ["--prefer-offline", "--ignore-scripts", "--no-package-lock", "--silent"];
    await run("npm", ["install", ...flags], { cwd: folder });
  });
  const folder = await mkdtemp(join(tmpdir(), "turnproof-packed-"));
  await begin(folder);
  await run("cp", ["-Rl", join(installed, "node_modules"), folder]);
  return folder;
}

/** The packages of an application that is observed. */
export const clientPackages = [
  "semconv",
  "evidence",
  "journal",
  "instrumentation",
  "exporter",
] as const satisfies readonly PublishedPackage[];

/** The versions of OpenTelemetry's 2.x line and of the API that this repository tests. */
export const secondLine = JSON.parse(
  await readFile(join(root, "test/otel-2/package.json"), "utf8"),
) as { readonly dependencies: Readonly<Record<string, string>> };

/**
 * Installs the client packages and nothing else of ours beside the 2.x line, with a bundler and the
 * types of Node, so that each test of them has the same installation.
 */
export const installClient = (): Promise<string> =>
  installPacked(clientPackages, {
    type: "module",
    dependencies: { ...secondLine.dependencies, "@types/node": "26.6.6", esbuild: "0.28.2" },
  });
