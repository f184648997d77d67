/**
 * @module TypeScript blocks of the READMEs and docs as programs in a project of their own: what a
 * reader pastes. A block that begins with a comment of `continuing` is pasted below others.
 */
import { globSync } from "node:fs";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * The pages of docs/instrument hold parts of what test/foreign plays, and their own test holds
 * them.
 */
const pages = ["README.md", "packages/*/README.md", "collector/README.md", "docs/*.md"];

/** First lines by which a block names the one below which it is pasted. */
const continuing = {
  above: "// Continues the block above.\n",
  first: "// Continues the first block.\n",
};

/** Each block with what it continues, by page and number: `packages/agent/README.md 1`. */
export async function programs(): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const page of globSync(pages, { cwd: root }).toSorted()) {
    const text = await readFile(join(root, page), "utf8");
    const chains: string[] = [];
    for (const [, code = ""] of text.matchAll(/```(?:ts|tsx|typescript)\n([\s\S]*?)```/g)) {
      const before = code.startsWith(continuing.above)
        ? chains.at(-1)
        : code.startsWith(continuing.first)
          ? chains[0]
          : "";
      if (before === undefined) throw new Error(`${page}: a first block continues none`);
      chains.push(`${before}${code}`);
      found.set(`${page} ${chains.length}`, chains.at(-1) ?? "");
    }
  }
  return found;
}

/** A project outside of the repository that has its packages installed, as they are built. */
export interface Project extends AsyncDisposable {
  readonly directory: string;
  /** Writes a program and returns its file's name. */
  write(name: string, code: string): Promise<string>;
}

/** An empty project; what the repository has installed is installed in it. */
export async function openProject(): Promise<Project> {
  const directory = await mkdtemp(join(tmpdir(), "turnproof-blocks-"));
  await symlink(join(root, "node_modules"), join(directory, "node_modules"), "dir");
  await writeFile(join(directory, "package.json"), '{ "type": "module" }');
  return {
    directory,
    async write(name, code) {
      const [page = "", n = ""] = name.split(" ");
      const file = `${basename(dirname(page))}-${n}.ts`.replace(/^\.-/, "root-");
      await writeFile(join(directory, file), code);
      return file;
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}
