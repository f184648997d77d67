/**
 * @module Circles: files that import each other, directly or by way of others. A type counts as
 * much as a value: a reader who opens one file of a circle has to open all of them. The parts of a
 * page (`.tsx`) name the type of the model in its route, so a circle by way of that is allowed.
 */
import { posix } from "node:path";

import type { SourceFile } from "./source-file.ts";

type Graph = ReadonlyMap<string, readonly string[]>;

const statement = /^(?:import|export)\s[^;"]*?from\s+"(\.[^"]+)"|^import "(\.[^"]+)"/gm;

/** An import of types from the route of the page that this is a part of. */
const namesModel = (path: string, text: string, target: string): boolean =>
  /^collector\/src\/pages\/.*\.tsx$/.test(path) &&
  text.startsWith("import type ") &&
  target === posix.join(posix.dirname(path), "route.ts");

function graphOf(files: readonly SourceFile[]): Graph {
  const paths = new Set(files.map(({ path }) => path));
  return new Map(
    files.map(({ path, text }) => {
      const targets = [...text.matchAll(statement)].flatMap(([whole, from, bare]) => {
        const target = posix.normalize(posix.join(posix.dirname(path), from ?? bare ?? ""));
        return namesModel(path, whole, target) ? [] : [target];
      });
      return [path, targets.filter((target) => paths.has(target))];
    }),
  );
}

/** Strongly connected components of more than one file (Tarjan). */
function components(graph: Graph): readonly (readonly string[])[] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const found: string[][] = [];
  const visit = (file: string): void => {
    index.set(file, index.size);
    low.set(file, index.get(file)!);
    open.push(file);
    for (const next of graph.get(file) ?? []) {
      if (!index.has(next)) visit(next);
      if (open.includes(next)) low.set(file, Math.min(low.get(file)!, low.get(next)!));
    }
    if (low.get(file) !== index.get(file)) return;
    const members = open.splice(open.indexOf(file));
    if (members.length > 1) found.push(members.toSorted());
  };
  for (const file of graph.keys()) if (!index.has(file)) visit(file);
  return found;
}

/** Circles of imports, each as its files. */
export function circles(files: readonly SourceFile[]): readonly (readonly string[])[] {
  return components(graphOf(files));
}
