/**
 * @module Bill of materials: `sbom.cdx.json` of a published package (CycloneDX 1.5), written before
 * it is packed. It lists what installing the package brings, at the versions of the lockfile, with
 * their licenses, hashes and dependencies, and the packages that its build put into its bundle.
 * Optional peers are left out.
 */
import { Buffer } from "node:buffer";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** A package as npm's lockfile has it. */
interface Locked {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
}

type Lock = Readonly<Record<string, Locked>>;

/** A package that was found, by its place in the lockfile. */
interface Found {
  readonly place: string;
  readonly name: string;
  readonly row: Locked;
}

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Where a dependency of a place lies: in the nearest `node_modules` above it. */
function find(lock: Lock, from: string, name: string): Found {
  for (let folder = from; ; folder = folder.replace(/(^|\/)[^/]*$/, "")) {
    const place = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    const row = lock[place];
    if (row?.link === true) {
      const target = row.resolved ?? "";
      return { place: target, name, row: lock[target] as Locked };
    }
    if (row !== undefined) return { place, name, row };
    if (folder === "") throw new Error(`${name} is not in the lockfile`);
  }
}

const purl = ({ name, row }: Found): string =>
  `pkg:npm/${name.replace("@", "%40")}@${row.version ?? ""}`;

function component(found: Found): object {
  const { row, name } = found;
  const [algorithm, digest] = (row.integrity ?? "").split(/-(.*)/s);
  return {
    type: "library",
    "bom-ref": purl(found),
    name,
    version: row.version,
    ...(row.license === undefined ? {} : { licenses: [{ expression: row.license }] }),
    ...(algorithm === "sha512" && digest !== undefined
      ? { hashes: [{ alg: "SHA-512", content: Buffer.from(digest, "base64").toString("hex") }] }
      : {}),
    purl: purl(found),
  };
}

/** Packages inside the bundle of a folder, as its build listed them; none without such a list. */
function bundledIn(folder: string, lock: Lock): readonly Found[] {
  const list = join(root, folder, "dist/bundled-packages.json");
  if (!existsSync(list)) return [];
  const named = JSON.parse(readFileSync(list, "utf8")) as { name: string; version: string }[];
  return named.map(({ name, version }) => {
    const place = Object.keys(lock).find(
      (each) =>
        (each === `node_modules/${name}` || each.endsWith(`/node_modules/${name}`)) &&
        lock[each]?.version === version,
    );
    if (place === undefined) throw new Error(`${name} ${version} is not in the lockfile`);
    return { place, name, row: lock[place] as Locked };
  });
}

/** The bill of the package in a folder, e.g. `packages/semconv`. */
export function billOf(folder: string): object {
  const lock = (
    JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as { packages: Lock }
  ).packages;
  const row = lock[folder];
  if (row === undefined) throw new Error(`${folder} is not a workspace`);
  const subject: Found = { place: folder, name: row.name ?? folder, row };
  const bundled = bundledIn(folder, lock);
  const edges = new Map<string, { readonly found: Found; readonly on: readonly Found[] }>();
  const visit = (found: Found): void => {
    if (edges.has(found.place)) return;
    const installed = Object.keys(found.row.dependencies ?? {}).map((name) =>
      find(lock, found.place, name),
    );
    const on = found === subject ? [...installed, ...bundled] : installed;
    edges.set(found.place, { found, on });
    for (const each of on) visit(each);
  };
  visit(subject);
  const parts = [...edges.values()].toSorted((a, b) => (purl(a.found) < purl(b.found) ? -1 : 1));
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: { component: component(subject) },
    components: parts.filter(({ found }) => found !== subject).map(({ found }) => component(found)),
    dependencies: parts.map(({ found, on }) => ({
      ref: purl(found),
      dependsOn: [...new Set(on.map(purl))].toSorted(),
    })),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = relative(root, resolve(process.argv[2] ?? "."));
  const text = `${JSON.stringify(billOf(folder), undefined, 2)}\n`;
  writeFileSync(join(root, folder, "sbom.cdx.json"), text);
}
