/**
 * @module The house rules as functions from source files to breaches, so that a test can hold the
 * house to them and another test can hold the rules themselves to planted breaches.
 */

import { againstRooms } from "./rooms.ts";
import type { Breach, SourceFile } from "./source-file.ts";
import { speechNames, words } from "./words.ts";

type Rule = (file: SourceFile) => readonly Breach[];

/** Which of our packages each room may import (architecture: Packages). */
export const importGraph: { readonly [room: string]: readonly string[] } = {
  "packages/semconv": [],
  "packages/evidence": ["semconv"],
  "packages/contracts": ["semconv", "evidence"],
  "packages/instrumentation": ["semconv"],
  "packages/journal": ["semconv", "evidence"],
  "packages/store": ["semconv", "evidence", "journal"],
  "packages/exporter": ["semconv", "evidence", "journal"],
  "packages/memory": ["semconv", "store", "instrumentation"],
  "packages/agent": ["semconv", "instrumentation", "memory", "store"],
  "packages/support-agent": ["semconv", "agent", "exporter", "store", "collector"],
  "packages/ci": [],
  collector: ["semconv", "evidence", "contracts", "journal", "store", "exporter"],
};

const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path);

function room(path: string): string {
  return path.startsWith("packages/") ? path.split("/").slice(0, 2).join("/") : path.split("/")[0]!;
}

function everyLine(
  file: SourceFile,
  rule: string,
  broken: (line: string, index: number, lines: readonly string[]) => boolean,
): readonly Breach[] {
  const lines = file.text.split("\n");
  return lines.flatMap((line, index) =>
    broken(line, index, lines) ? [{ path: file.path, line: index + 1, rule }] : [],
  );
}

const comment = /^\s*(\*|\/\/|\/\*)/;

const arrows: Rule = (file) => {
  const allowed = importGraph[room(file.path)];
  if (allowed === undefined || isTest(file.path)) return [];
  const own = file.path.split("/")[1];
  const statement =
    /(import|export)\s+(type\s)?[^;"]*?from\s+"@turnproof\/([a-z-]+)[^"]*"|import\("@turnproof\/([a-z-]+)/g;
  return [...file.text.matchAll(statement)].flatMap((match) => {
    const target = match[3] ?? match[4] ?? "";
    if (target === own) return [];
    if (allowed.includes(target)) return [];
    const line = file.text.slice(0, match.index).split("\n").length;
    return [{ path: file.path, line, rule: `${room(file.path)} may not import ${target}` }];
  });
};

const crossRelative: Rule = (file) =>
  everyLine(
    file,
    "other rooms are imported by package name",
    (line) =>
      /from "(\.\.\/)+(packages|collector|test)\//.test(line) && !file.path.startsWith("test/"),
  );

const names: Rule = (file) => {
  if (isTest(file.path) || file.path.startsWith("test/")) return [];
  if (file.path.startsWith("packages/semconv/src/")) return [];
  return everyLine(
    file,
    "attribute and span names live in packages/semconv",
    (line) =>
      !comment.test(line) &&
      /["'`](gen_ai|turnproof|service|openinference|llm|traceloop|langfuse|mastra)\.[a-z_]+(\.[a-z_.]+)?["'`]/.test(
        line,
      ),
  );
};

const environment: Rule = (file) => {
  const home =
    file.path === "collector/src/config/read-config.ts" ||
    file.path.startsWith("packages/exporter/src/register") ||
    file.path.startsWith("test/") ||
    isTest(file.path);
  if (home) return [];
  return everyLine(
    file,
    "the environment is read in collector/src/config/read-config.ts and exporter's register alone",
    (line) => !comment.test(line) && line.includes("process.env"),
  );
};

const purity: Rule = (file) => {
  if (!file.path.startsWith("packages/evidence/src/") || isTest(file.path)) return [];
  return everyLine(
    file,
    "evidence has no clock, no randomness, no I/O, no crypto",
    (line) =>
      !comment.test(line) &&
      /Date\.now|new Date\(\)|isoNow|increasingClock|Math\.random|performance\.now|"node:|crypto\.|console\./.test(
        line,
      ),
  );
};

/** Fields of interfaces; variables and parameters are named as they like. */
const identities: Rule = (file) => {
  if (isTest(file.path) || file.path.startsWith("test/")) return [];
  if (file.path === "packages/semconv/src/identity.ts") return [];
  const fields = "(?:application|agent|user|memory|thread|run|turn|root_?trace)(?:_id|Id)";
  const declared = new RegExp(
    `readonly (?:(?:${fields})\\??: \\(?(?:string|null)\\b|tenant\\??: string \\| null)`,
    "i",
  );
  return everyLine(
    file,
    "identity fields have their types from packages/semconv/src/identity.ts",
    (line) => !comment.test(line) && declared.test(line),
  );
};

const times: Rule = (file) => {
  if (isTest(file.path) || file.path.startsWith("test/")) return [];
  if (file.path === "packages/semconv/src/time/clock.ts") return [];
  return everyLine(
    file,
    "a time becomes text in packages/semconv/src/time/clock.ts",
    (line) => !comment.test(line) && line.includes("toISOString"),
  );
};

const grants: Rule = (file) => {
  const home =
    file.path.startsWith("collector/src/access/") ||
    file.path.startsWith("packages/store/") ||
    file.path.startsWith("test/") ||
    isTest(file.path);
  if (home) return [];
  return everyLine(file, "only collector/src/access issues an operator's grant", (line) =>
    line.includes("issueOperatorGrant"),
  );
};

const admin: Rule = (file) => {
  const home =
    file.path.startsWith("packages/store/") ||
    file.path === "packages/memory/src/admin.ts" ||
    file.path === "packages/memory/src/delete-user.ts" ||
    file.path === "packages/memory/src/migrate-legacy-scope.ts" ||
    file.path.startsWith("collector/src/cli/") ||
    file.path.startsWith("test/") ||
    isTest(file.path);
  if (home) return [];
  return everyLine(file, "unscoped access is for operator commands", (line) =>
    line.includes("@turnproof/store/admin"),
  );
};

const markup: Rule = (file) =>
  everyLine(
    file,
    "no string becomes markup",
    (line) =>
      !isTest(file.path) &&
      !file.path.startsWith("test/") &&
      /dangerouslySetInnerHTML|\.innerHTML|\.outerHTML|insertAdjacentHTML|document\.write|\braw\(/.test(
        line,
      ),
  );

const drawers: Rule = (file) =>
  /(^|\/)(utils?|helpers?|common|misc|shared|managers?|services?|impl|base|types|constants)(\.|\/)/.test(
    file.path,
  )
    ? [{ path: file.path, line: 1, rule: "a file is named by its concept, not as a drawer" }]
    : [];

const kebab: Rule = (file) =>
  /(^|\/)[a-z0-9]+(-[a-z0-9]+)*(\.(test|bench|config|d))?\.(ts|tsx)$/.test(file.path)
    ? []
    : [{ path: file.path, line: 1, rule: "file names are kebab-case" }];

const sizes: Rule = (file) => {
  const exempt =
    /^packages\/semconv\/src\/(?:registry\/|codes\.ts)|^packages\/store\/src\/testing\/|corpus/.test(
      file.path,
    );
  const count = file.text.split("\n").length;
  return count > 401 && !exempt
    ? [{ path: file.path, line: count, rule: "a file has at most 400 lines" }]
    : [];
};

/** A comment is too long where it could be broken, a line of code where it holds no text. */
const width: Rule = (file) =>
  everyLine(
    file,
    "a line has at most 100 columns, unless one word or text makes it longer",
    (line) =>
      line.length > 100 &&
      (comment.test(line)
        ? /^\s*(?:\/\*\*?|\*|\/\/) +[^ ]+ (?!\*\/$)/.test(line)
        : !/["'`/]/.test(line)),
  );

const header: Rule = (file) =>
  /^(#!.*\n)?\/\*\*/.test(file.text)
    ? []
    : [{ path: file.path, line: 1, rule: "a file opens with what it owns" }];

const exported = /^export (async )?(function|const|class|interface|abstract class)\b/;

const docstrings: Rule = (file) => {
  if (isTest(file.path) || file.path.startsWith("test/")) return [];
  return everyLine(
    file,
    "an export has a docstring",
    (line, index, lines) => exported.test(line) && !/\*\/\s*$/.test(lines[index - 1] ?? ""),
  );
};

const barrels: Rule = (file) =>
  everyLine(file, "exports are named", (line) => line.startsWith("export * "));

const honesty: Rule = (file) =>
  everyLine(
    file,
    "no test is skipped, no work is promised in a comment",
    (line) =>
      !file.path.startsWith("test/suite/tidy/") &&
      (/\b(it|test|describe)\.(skip|only|todo)\b/.test(line) || /\b(TODO|FIXME|XXX)\b/.test(line)),
  );

const escapes: Rule = (file) =>
  everyLine(
    file,
    "the checkers are not switched off",
    (line) =>
      !file.path.startsWith("test/suite/tidy/") &&
      (/@ts-ignore|@ts-nocheck|eslint-disable|oxlint-disable/.test(line) ||
        (!comment.test(line) && /\bas any\b/.test(line))),
  );

/** A comment in the line or in one of the three before it; a handler of several lines is read. */
const swallowed: Rule = (file) => {
  if (isTest(file.path) || file.path.startsWith("test/") || file.path.includes("/src/testing/")) {
    return [];
  }
  return everyLine(
    file,
    "a swallowed rejection says why",
    (line, index, lines) =>
      !comment.test(line) &&
      /\.catch\(\(\) ?=>(?! \{$)|\.then\([^()]*, \(\) ?=> ?(?:\{\}|undefined|null)/.test(line) &&
      !lines.slice(Math.max(0, index - 3), index + 1).some((one) => one.includes("// ")),
  );
};

/** Every rule of the house. */
const rules: readonly Rule[] = [
  arrows,
  againstRooms,
  crossRelative,
  names,
  environment,
  purity,
  identities,
  times,
  grants,
  admin,
  markup,
  drawers,
  kebab,
  sizes,
  width,
  header,
  docstrings,
  barrels,
  honesty,
  escapes,
  swallowed,
  speechNames,
  words,
];

/** All breaches of all rules in these files, as lines that an editor can jump to. */
export function breaches(files: readonly SourceFile[]): readonly string[] {
  return files
    .flatMap((file) => rules.flatMap((rule) => rule(file)))
    .map(({ path, line, rule }) => `${path}:${line} ${rule}`);
}
