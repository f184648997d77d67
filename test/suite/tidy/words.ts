/**
 * @module Words: a comment holds none of the words that CONTRIBUTING.md marks as strict, in bold,
 * in its table of words.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { Breach, SourceFile } from "./source-file.ts";

const page = readFileSync(join(import.meta.dirname, "../../../CONTRIBUTING.md"), "utf8");

/** The bold words of the table below "Words". */
const strictWords: readonly string[] = [
  ...(page.split("\n## Words\n")[1] ?? "").split("\n## ")[0]!.matchAll(/\*\*([^*]+)\*\*/g),
].map(([, word]) => word!);

if (strictWords.length === 0) throw new Error("CONTRIBUTING.md marks no word as strict");

/** What has no voice, with a verb of speech. People, pages and messages may say something. */
const speech =
  "(?:calls?|turns?|reads?|sources?|stores?|spans?|producers?|wire) (?:says?|said|spoke)";
const strict = new RegExp(`\\b(?:${[...strictWords, speech].join("|")})\\b`, "i");

/** Lines of a document that hold a strict word; code in backquotes is no prose. */
export function documentWords({ path, text }: SourceFile): readonly Breach[] {
  return text.split("\n").flatMap((line, index) => {
    const prose = line.replaceAll(/`[^`]*`/g, "");
    const rule = "a document has plain words";
    return strict.test(prose) ? [{ path, line: index + 1, rule }] : [];
  });
}

/** Comments with the number of their first line; lines of one comment are joined. */
function comments(text: string): readonly { readonly line: number; readonly text: string }[] {
  const found: { line: number; text: string }[] = [];
  let last = -2;
  for (const [index, line] of text.split("\n").entries()) {
    const stated =
      /^\s*(?:\/\*\*?|\*\/?|\/\/|--)(.*)$/.exec(line)?.[1] ?? / \/\/ ([^"'`]*)$/.exec(line)?.[1];
    if (stated === undefined) continue;
    if (last === index - 1) found.at(-1)!.text += ` ${stated.trim()}`;
    else found.push({ line: index + 1, text: stated.trim() });
    last = index;
  }
  return found;
}

const declared = /\b(?:const|let|function|class|interface|type|readonly)\s+#?([A-Za-z]\w*)/g;
const speechName = /^(?:ask|asked|asks|said|say|says|tell|tells|told)$/i;

/** Names that the packages and the collector declare and that are verbs of speech. */
export function speechNames({ path, text }: SourceFile): readonly Breach[] {
  if (!/^(packages\/[^/]+|collector)\/src\//.test(path) || /\.test\.tsx?$/.test(path)) return [];
  return text.split("\n").flatMap((line, index) => {
    const wordy = [...line.matchAll(declared)].some(([, name = ""]) =>
      name.split(/(?=[A-Z])|_/).some((word) => speechName.test(word)),
    );
    const rule = "a name says what a value is, without a verb of speech";
    return wordy ? [{ path, line: index + 1, rule }] : [];
  });
}

/**
 * Comments of the packages, their SQL files, the collector and the tests that hold a strict word,
 * and lines of the code of packages and collector, which has the texts of pages, commands, errors
 * and findings.
 */
export function words(file: SourceFile): readonly Breach[] {
  if (!/^(packages|collector|test)\//.test(file.path)) return [];
  const breach = (line: number, rule: string): Breach => ({ path: file.path, line, rule });
  const stated = comments(file.text)
    .filter(({ text }) => strict.test(text))
    .map(({ line }) => breach(line, "a comment has plain words"));
  const hasTexts = /^(?:collector|packages\/[^/]+)\/src\/(?!testing\/)/.test(file.path);
  if (!hasTexts || /\.test\.tsx?$/.test(file.path)) return stated;
  const shown = file.text
    .split("\n")
    .flatMap((line, index) =>
      /^\s*(?:\*|\/\/|\/\*)/.test(line) || !strict.test(line)
        ? []
        : [breach(index + 1, "a text has plain words")],
    );
  return [...stated, ...shown];
}
