/**
 * @module Collected tests: `describe`, `test` and `expect` for test files that one process loads
 * and runs again and again. Vitest starts a worker for each run, which costs seconds per mutant.
 */
const global = globalThis as { __vitest_worker__?: unknown };
// `expect` of Vitest reads its settings from the state of a worker.
global.__vitest_worker__ ??= { config: { expect: {} }, environment: { name: "node" } };
const { expect: vitestExpect } = await import("vitest");

/** A test by its full name, and what it does. */
export interface CollectedTest {
  readonly name: string;
  readonly run: () => unknown;
}

/** What costs a third of a run and rejects nothing that the others accept. */
const left = /chain of 10,000|digest of the judge's rules/;

let collected: CollectedTest[] = [];
let path: readonly string[] = [];

/** The tests that `load` declares, in order; names that repeat are numbered. */
export async function collect(load: () => Promise<unknown>): Promise<readonly CollectedTest[]> {
  collected = [];
  await load();
  const seen = new Map<string, number>();
  return collected.map(({ name, run }) => {
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return { name: times === 1 ? name : `${name} (${times})`, run };
  });
}

/** `name` with the values of one row: `$field`, `%s` and `%j`. */
function titled(name: string, row: unknown): string {
  const values = Array.isArray(row) ? [...(row as unknown[])] : [row];
  const fields = name.replaceAll(/\$(\w+)/g, (whole, field: string) =>
    typeof row === "object" && row !== null && field in row
      ? String((row as { readonly [field: string]: unknown })[field])
      : whole,
  );
  return fields.replaceAll(/%[sdijo]/g, () => {
    const value = values.shift();
    return typeof value === "string" ? value : JSON.stringify(value);
  });
}

type Body = (...row: unknown[]) => unknown;

function bodyOf(args: readonly unknown[]): Body {
  return args.find((arg) => typeof arg === "function") as Body;
}

function rowsOf(row: unknown): unknown[] {
  return Array.isArray(row) ? row : [row];
}

function declare(name: string, run: () => unknown): void {
  if (!left.test(name)) collected.push({ name: [...path, name].join(" "), run });
}

function group(name: string, body: () => unknown): void {
  const outer = path;
  path = [...outer, name];
  body();
  path = outer;
}

export const test = Object.assign(
  (name: string, ...args: unknown[]) => declare(name, () => bodyOf(args)()),
  {
    each: (rows: readonly unknown[]) => {
      return (name: string, ...args: unknown[]): void => {
        for (const row of rows) declare(titled(name, row), () => bodyOf(args)(...rowsOf(row)));
      };
    },
  },
);

export const describe = Object.assign(
  (name: string, ...args: unknown[]) => group(name, () => bodyOf(args)()),
  {
    each: (rows: readonly unknown[]) => {
      return (name: string, ...args: unknown[]): void => {
        for (const row of rows) group(titled(name, row), () => bodyOf(args)(...rowsOf(row)));
      };
    },
  },
);

export const expect = vitestExpect;
