/**
 * @module Citations: code names the rule that it keeps, as `(requirements: Reconciliation 4)`,
 * `(storage: Providers)` or `(faults R17)`. Each names a document of this repository, a heading as
 * it stands there, and a number that the heading's list or table has.
 */
import type { SourceFile } from "./source-file.ts";

/** Where the documents are that code cites. */
export const citedDocuments: { readonly [name: string]: string } = {
  requirements: "docs/requirements.md",
  architecture: "docs/architecture.md",
  collector: "docs/design/collector.md",
  evidence: "docs/design/evidence.md",
  privacy: "docs/design/privacy.md",
  security: "docs/design/security.md",
  storage: "docs/design/storage.md",
  vocabulary: "docs/design/vocabulary.md",
};

/** The numbers under each heading of a document. */
export type Headings = ReadonlyMap<string, ReadonlySet<number>>;

/** The headings of a document, and the numbers of the lists below each. */
export function headingsOf(document: string): Headings {
  const sections = document.split(/^#{2,3} /m).slice(1);
  return new Map(
    sections.map((section) => {
      const heading = section.slice(0, section.indexOf("\n")).trim();
      const numbers = [...section.matchAll(/^(\d+)\. /gm)].map((match) => Number(match[1]));
      return [heading, new Set(numbers)];
    }),
  );
}

/** Letters and numbers of the table of faults. */
export function faultsOf(document: string): ReadonlySet<string> {
  return new Set([...document.matchAll(/^\| ([RHWT]\d+) \|/gm)].map((match) => match[1]!));
}

/** Everything that can be cited. */
export interface Cited {
  readonly documents: { readonly [name: string]: Headings };
  readonly faults: ReadonlySet<string>;
}

/** What is not in the repository: sections of other documents by number, issues, their points. */
const outsideNames = "design(?:\\.md)?|requirements\\.md|faults|style|ui|ground|issues?|points?";
const elsewhere = new RegExp(
  `\\b(?:${outsideNames}) \\d+|\\((?:ui|ground|style|design): |\\bissue "`,
  "i",
);

/** The prose of a file: a document as a whole, the captions of a golden, the comments of code. */
function proseOf({ path, text }: SourceFile): string {
  if (path.endsWith(".md")) return text;
  if (path.endsWith(".json")) {
    return [...text.matchAll(/^ {2}"(?:caption|rule)": (".*")/gm)].map((row) => row[1]).join("\n");
  }
  const comments = text.match(/\/\*[\s\S]*?\*\/|(?:^[ \t]*(?:\/\/|--).*\n?)+/gm) ?? [];
  return comments.join("\n");
}

/** A comment that goes on in the next line, as one line. */
const joined = (text: string): string => text.replaceAll(/\s*\n\s*(?:\*|\/\/|--)?[ \t]*/g, " ");

function longestHeading(headings: Headings, text: string): string | undefined {
  return [...headings.keys()]
    .filter((heading) => text.toLowerCase().startsWith(heading.toLowerCase()))
    .toSorted((one, other) => other.length - one.length)[0];
}

function numbersAfter(text: string): readonly number[] {
  const [list = ""] = /^(?:,? rules?)?(?: \d+(?:,| to| and)?)+(?![\w.])/.exec(text) ?? [];
  return [...list.matchAll(/\d+/g)].map(([digits]) => Number(digits));
}

function* wrongHeadings(text: string, { documents }: Cited): Generator<string> {
  const names = Object.keys(documents).join("|");
  for (const match of text.matchAll(
    new RegExp(`(?:["(;] ?(?=[^:]+: [A-Za-z])|, ?(?=[^:]+: [A-Z]))(${names}): `, "g"),
  )) {
    const rest = text.slice(match.index + match[0].length);
    const headings = documents[match[1]!]!;
    const heading = longestHeading(headings, rest);
    const cited = `${match[1]}: ${rest.slice(0, 40)}`;
    const after = rest.slice(heading?.length ?? 0);
    // A citation names one heading: text after a second colon is refused.
    if (heading === undefined || after.startsWith(": ")) yield `no heading ${cited}`;
    else if (numbersAfter(after).some((each) => !headings.get(heading)!.has(each)))
      yield `no such number ${cited}`;
    // Letters and numbers are those of the faults, which are cited as `faults W12`.
    else if (/^,? (?:and )?[A-Z]\d/.test(after)) yield `no such number ${cited}`;
  }
}

function* wrongFaults(text: string, { faults }: Cited): Generator<string> {
  const list = /\bfaults:? ((?:[RHWT]\d+(?:, | to | and )?)+)/g;
  for (const match of text.matchAll(list)) {
    for (const [fault] of match[1]!.matchAll(/[RHWT]\d+/g)) {
      if (!faults.has(fault)) yield `no fault ${fault}`;
    }
  }
}

/** Citations of a file that resolve to nothing, each as a sentence with the file's path. */
export function brokenCitations(file: SourceFile, cited: Cited): readonly string[] {
  const text = joined(proseOf(file));
  const old = elsewhere.exec(text);
  const outside = old === null ? [] : [`not in the repository: ${old[0]}`];
  return [...outside, ...wrongHeadings(text, cited), ...wrongFaults(text, cited)].map(
    (breach) => `${file.path} ${breach}`,
  );
}
