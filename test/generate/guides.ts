/**
 * @module Guides: the pages of docs/instrument as lines, for the tool that shows them to agents.
 */
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

import { instrumentPage, instrumentPages } from "./instrument-pages.ts";

/** The file that the collector reads. */
export const guidesFile: string = fileURLToPath(
  new URL("../../collector/src/mcp/guides.json", import.meta.url),
);

/** Lines without the comments that name a source, and without empty lines outside of code. */
function linesOf(page: string): readonly string[] {
  return page
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^<!-- .* -->$/.test(line))
    .map((line) => line.replaceAll(/\]\((?!https?:)[^)]*\)/g, "]").trimEnd());
}

/** Text of the file: lines by the name of a page. */
export function guides(): string {
  const pages = instrumentPages
    .filter((path) => basename(path) !== "README.md")
    .map((path) => [basename(path, ".md"), linesOf(instrumentPage(path))] as const);
  return `${JSON.stringify(Object.fromEntries(pages), null, 2)}\n`;
}
