/**
 * @module Published: what every tarball of ours holds, and what installing it brings.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { npxInstallation } from "./npx-installation.ts";
import { clientPackages, packageFolder, packageName, packed, root } from "./packed-files.ts";
import { publishedPackages } from "./packed-files.ts";
import type { PublishedPackage } from "./packed-files.ts";

const run = promisify(execFile);

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
}

interface Bill {
  readonly components: readonly { readonly name: string; readonly licenses?: unknown }[];
}

/** Some files of a tarball in a new folder: thousands of others are not looked into. */
async function unpacked(name: PublishedPackage, ...files: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "turnproof-unpacked-"));
  const paths = files.map((file) => `package/${file}`);
  await run("tar", ["-xzf", await packed(name), "-C", folder, ...paths]);
  return join(folder, "package");
}

describe.each(publishedPackages)("%s", (name) => {
  let folder = "";
  let manifest: Manifest;
  beforeAll(async () => {
    folder = await unpacked(name, "LICENSE", "package.json");
    manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("holds the license", async () => {
    const license = await readFile(join(root, "LICENSE"), "utf8");
    expect(await readFile(join(folder, "LICENSE"), "utf8")).toBe(license);
  });

  test("holds no file that a build alone reads", async () => {
    const { stdout } = await run("tar", ["-tzf", await packed(name)]);
    const files = stdout.split("\n");
    expect(files).toContain("package/LICENSE");
    expect(files.filter((file) => /(^|\/)\.|\.tsbuildinfo$/.test(file))).toEqual([]);
  });

  test("takes patches of what it depends on", () => {
    for (const [dependency, range] of Object.entries(manifest.dependencies ?? {})) {
      const exact = publishedPackages.map(packageName).includes(dependency);
      expect([dependency, range]).toEqual([
        dependency,
        // A tilde where a later minor version cannot be installed.
        expect.stringMatching(exact ? /^\d+\.\d+\.\d+$/ : /^[\^~]/),
      ]);
    }
  });

  test("names the Node it runs on", () => {
    expect(manifest.engines.node).toBe(name === "turnproof" ? ">=22.15" : ">=20.19");
  });
});

test("a start of the collector loads few files, and its threads lie beside them", async () => {
  const folder = await unpacked("turnproof", "dist/program");
  try {
    const program = join(folder, "dist/program");
    const threads = ["judging", "reading", "ingest", "file-check"].map((name) => `${name}-thread`);
    threads.push("block-worker");
    expect(await readdir(program)).toEqual(
      expect.arrayContaining(["main", ...threads].map((name) => `${name}.js`)),
    );
    const loaded = async (file: string, seen: Set<string>): Promise<Set<string>> => {
      if (seen.has(file)) return seen;
      seen.add(file);
      const code = await readFile(join(program, file), "utf8");
      const imports = code.matchAll(/^(?:import|export)\b[^;]*?"\.\/([\w-]+\.js)";/gm);
      for (const [, name = ""] of imports) await loaded(name, seen);
      return seen;
    };
    for (const name of threads) {
      const files = await loaded(`${name}.js`, new Set());
      expect(files.size).toBeGreaterThan(1);
      expect(files.size).toBeLessThan(60);
    }
    // A path inside the sources would be another one in the bundle.
    for (const name of await readdir(program)) {
      const code = await readFile(join(program, name), "utf8");
      expect(code).not.toMatch(/new URL\("[^"]*\bsql\/[^"]*", import\.meta\.url\)/);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("the packages of an application need no store, engine or driver", async () => {
  for (const name of clientPackages) {
    const file = join(root, packageFolder(name), "package.json");
    const { dependencies } = JSON.parse(await readFile(file, "utf8")) as Manifest;
    const foreign = Object.keys(dependencies ?? {}).filter((key) => !key.startsWith("@turnproof/"));
    expect([name, foreign]).toEqual([name, name === "semconv" ? ["@noble/hashes"] : []]);
    expect(Object.keys(dependencies ?? {})).not.toContain("@turnproof/store");
  }
});

describe("the bill of materials", () => {
  interface Listed {
    readonly dependencies: Readonly<Record<string, object>>;
  }
  let folder = "";
  let listed: Listed;
  beforeAll(async () => {
    folder = (await npxInstallation()).installation;
    // npm fails here where a package is missing or another one than is needed.
    const { stdout } = await run("npm", ["ls", "--all", "--json"], {
      cwd: folder,
      maxBuffer: 64 * 1024 * 1024,
    });
    listed = JSON.parse(stdout) as Listed;
  }, 300_000);

  /** Names that npm installed for one package, and whatever these need in turn. */
  async function installedFor(name: PublishedPackage): Promise<string[]> {
    const names = new Set<string>();
    const visit = async (folderName: string): Promise<void> => {
      const file = join(folder, "node_modules", folderName, "package.json");
      const { dependencies = {} } = JSON.parse(await readFile(file, "utf8")) as Manifest;
      for (const dependency of Object.keys(dependencies)) {
        if (names.has(dependency)) continue;
        names.add(dependency);
        await visit(dependency);
      }
    };
    expect(Object.keys(listed.dependencies)).toContain(packageName(name));
    await visit(packageName(name));
    return [...names].toSorted();
  }

  test.each(publishedPackages)("of %s lists what its installation brings", async (name) => {
    const file = join(folder, "node_modules", packageName(name), "sbom.cdx.json");
    const { components } = JSON.parse(await readFile(file, "utf8")) as Bill;
    const stated = components.map((component) => component.name);
    expect(stated.toSorted()).toEqual(await installedFor(name));
    expect(components.filter(({ licenses }) => licenses === undefined)).toEqual([]);
  });
});
