/**
 * @module Evidence README: the table of the judge's codes between markers in
 * packages/evidence/README.md, made from the judge's own tables.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import {
  diagnosticCodes,
  findingTexts,
  variantTexts,
} from "../../packages/evidence/src/reconcile/diagnostics-table.ts";
import type {
  FindingCode,
  FindingVariant,
} from "../../packages/evidence/src/reconcile/diagnostics-table.ts";
import { effectOf } from "../../packages/evidence/src/reconcile/finding-text.ts";
import { gapCodes } from "../../packages/evidence/src/reconcile/gap-table.ts";

/** The README that holds the table. */
export const evidenceReadmeFile: string = fileURLToPath(
  new URL("../../packages/evidence/README.md", import.meta.url),
);

/** Cases of a code with a priority of their own, and when they hold. */
const cases: { readonly [K in FindingCode]?: readonly [FindingVariant, string] } = {
  clock_ahead: ["clock_ahead_decides", "where moving the times back changes the verdict"],
};

function row(code: FindingCode): string {
  const { priority, title, finding } = findingTexts[code];
  const [variant, when] = cases[code] ?? [];
  const own = variant === undefined ? undefined : variantTexts[variant].priority;
  const effect =
    own === undefined
      ? effectOf(priority)
      : `${effectOf(priority)}; ${effectOf(own)} (P${own}) ${when}`;
  return `| \`${code}\` | P${priority} | ${effect} | ${title} | ${finding} |`;
}

/** The README with its table as the judge has it now. */
export function evidenceReadme(): string {
  const [begin, end] = ["<!-- generated: findings -->", "<!-- end: findings -->"];
  const head = ["| code | priority | effect | title | holds when |", "|---|---|---|---|---|"];
  const codes: readonly FindingCode[] = [...diagnosticCodes, ...gapCodes];
  const text = readFileSync(evidenceReadmeFile, "utf8");
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error("the README has no place for the findings");
  const body = [...head, ...codes.toSorted().map(row)].join("\n");
  return `${text.slice(0, from + begin.length)}\n\n${body}\n\n${text.slice(to)}`;
}
