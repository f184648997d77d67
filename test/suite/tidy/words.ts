/**
 * @module Words: a comment holds none of the words that CONTRIBUTING.md marks in its table, in bold
 * or in italics, and so do dashboards and deployment files. A text and a document hold none in
 * bold, and a name none in italics.
 */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";

import type { Breach, SourceFile } from "./source-file.ts";

const page = readFileSync(join(import.meta.dirname, "../../../CONTRIBUTING.md"), "utf8");

/** Words of the table below "Words" that are marked so. */
function marked(as: RegExp): readonly string[] {
  const table = (page.split("\n## Words\n")[1] ?? "").split("\n## ")[0]!;
  const found = [...table.matchAll(as)].map(([, word]) => word!);
  if (found.length === 0) throw new Error("CONTRIBUTING.md marks no word as strict");
  return found;
}

/** What has no voice, with a verb of speech. Texts may have one of pages and messages. */
const voiceless =
  "(?:calls?|turns?|reads?|sources?|stores?|spans?|producers?|wire) (?:says?|said|spoke)";
const strictWords = [...marked(/\*\*([^*]+)\*\*/g), voiceless];
const speechWords = marked(/(?<!\*)\*([a-z]+)\*(?!\*)/g);
const strict = new RegExp(`\\b(?:${strictWords.join("|")})\\b`, "i");
const strictComment = new RegExp(`\\b(?:${[...strictWords, ...speechWords].join("|")})\\b`, "i");
const speechName = new RegExp(`^(?:${speechWords.join("|")})$`, "i");

/** Lines of a document that hold a strict word; code in backquotes is no prose. */
export function documentWords({ path, text }: SourceFile): readonly Breach[] {
  return text.split("\n").flatMap((line, index) => {
    const prose = line.replaceAll(/`[^`]*`/g, "");
    const rule = "a document has plain words";
    return strict.test(prose) ? [{ path, line: index + 1, rule }] : [];
  });
}

/**
 * Lines of dashboards and deployment files that hold a marked word: all that a person reads there.
 */
export function deploymentWords({ path, text }: SourceFile): readonly Breach[] {
  const rule = "a dashboard or a deployment file has plain words";
  return text
    .split("\n")
    .flatMap((line, index) => (strictComment.test(line) ? [{ path, line: index + 1, rule }] : []));
}

/** Comments with the number of their first line; lines of one comment are joined. */
function comments(text: string): readonly { readonly line: number; readonly text: string }[] {
  const found: { line: number; text: string }[] = [];
  let last = -2;
  for (const [index, line] of text.split("\n").entries()) {
    const comment =
      /^\s*(?:\{?\/\*\*?|\*\/?|\/\/|--)(.*)$/.exec(line)?.[1] ??
      / \/\/ ([^"'`]*)$|\{?\/\* (.*?)\*\//.exec(line)?.slice(1).join("");
    if (comment === undefined) continue;
    if (last === index - 1) found.at(-1)!.text += ` ${comment.trim()}`;
    else found.push({ line: index + 1, text: comment.trim() });
    last = index;
  }
  return found;
}

const literal = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|\/\*.*?\*\/|(?:^|\s)\/\/.*$/g;
const named = [
  /\b(?:const|let|function|class|interface|type|readonly|async|private)\s+#?([A-Za-z]\w*)/g,
  /(?<=^|[\s({[<,.#!])([A-Za-z]\w*)(?=\??:\s|\s=\s|\()/g,
  /(?<=[{,]\s)([A-Za-z]\w*)(?=\s*[,}])/g,
];
const hasSpeech = (parts: readonly string[]): boolean => parts.some((one) => speechName.test(one));

/** Names of the packages and the collector, their files too, that have a verb of speech. */
export function speechNames({ path, text }: SourceFile): readonly Breach[] {
  if (!/^(packages\/[^/]+|collector)\/src\//.test(path) || /\.test\.tsx?$/.test(path)) return [];
  const rule = "a name states what a value is, without a verb of speech";
  const file = hasSpeech(basename(path).split(/[-.]/)) ? [{ path, line: 1, rule }] : [];
  const lines = text.split("\n").flatMap((line, index) => {
    if (/^\s*(?:\*|\/\*)/.test(line)) return [];
    const code = line.replaceAll(literal, '""');
    const names = named.flatMap((form) => [...code.matchAll(form)].map(([, name = ""]) => name));
    const wordy = names.some((name) => hasSpeech(name.split(/(?=[A-Z])|_/)));
    return wordy ? [{ path, line: index + 1, rule }] : [];
  });
  return [...file, ...lines];
}

/**
 * Comments of the packages, the collector and the tests that hold a marked word, and lines with a
 * strict word of the code of packages and collector, which has the texts of pages, commands, errors
 * and findings.
 */
export function words(file: SourceFile): readonly Breach[] {
  if (!/^(packages|collector|test)\//.test(file.path)) return [];
  const breach = (line: number, rule: string): Breach => ({ path: file.path, line, rule });
  const commented = comments(file.text)
    .filter(({ text }) => strictComment.test(text))
    .map(({ line }) => breach(line, "a comment has plain words"));
  const hasTexts = /^(?:collector|packages\/[^/]+)\/src\/(?!testing\/)/.test(file.path);
  if (!hasTexts || /\.test\.tsx?$/.test(file.path)) return commented;
  const shown = file.text
    .split("\n")
    .flatMap((line, index) =>
      /^\s*(?:\*|\/\/|\/\*)/.test(line) || !strict.test(line)
        ? []
        : [breach(index + 1, "a text has plain words")],
    );
  return [...commented, ...shown];
}
