/**
 * @module SqlLiterals: numbers in SQL text have no underscores, which PostgreSQL reads since
 * version 16 only. SQL text is a file of statements, or a text of the store's modules.
 */
import type { Breach, SourceFile } from "./source-file.ts";

const separated = /(?<![\w$])\d{1,3}(?:_\d{3})+(?![\w])/;
const text = /`(?:\\.|\$\{[^}]*\}|[^`\\])*`|"(?:\\.|[^"\\\n])*"/g;
const remark = /\/\*[\s\S]*?\*\/|(?<=^\s*)\/\/.*$/gm;
const value = /\$\{[^}]*\}/g;

/** The numbers with underscores. */
export function separatedNumbers({ path, text: source }: SourceFile): readonly Breach[] {
  const isModule =
    /^packages\/store\/src\/(?!testing\/).*\.ts$/.test(path) && !path.endsWith(".test.ts");
  if (!isModule && !path.endsWith(".sql")) return [];
  const blank = (part: string): string => part.replaceAll(/[^\n]/g, " ");
  const code = isModule ? source.replaceAll(remark, blank) : source;
  const texts = isModule ? [...code.matchAll(text)] : [/[\s\S]*/.exec(code) ?? []];
  return texts.flatMap((match) => {
    const [found = ""] = match;
    const at = separated.exec(found.replaceAll(value, blank))?.index;
    if (at === undefined) return [];
    const before = code.slice(0, ("index" in match ? match.index : 0) + at);
    const rule = "a number in SQL text has no underscore";
    return [{ path, line: before.split("\n").length, rule }];
  });
}
