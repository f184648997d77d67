/**
 * @module Judge rules: the digest of the judge's verdicts over the committed windows. A statement
 * names it, so that a verifier knows whether this judge has the same rules.
 */
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";

import { canonicalJson, reconcileOutcome } from "@turnproof/evidence";

import { applyChanges, verdictCases } from "../suite/evidence/verdict-cases.ts";
import type { Window } from "../suite/evidence/verdict-cases.ts";

export const judgeRulesFile: string = fileURLToPath(
  new URL("../../packages/evidence/src/reconcile/judge-rules.ts", import.meta.url),
);

function judged(window: Window): unknown {
  const { status, verified, as_of, missing_stages, ...verdict } = reconcileOutcome(window.events, {
    normalizationMetadata: window.metadata,
    taskId: window.taskId,
  });
  const codes = [...new Set(verdict.findings.map(({ code }) => code))].toSorted();
  return [status, verified, as_of, missing_stages, codes, verdict.window.reasons];
}

/** SHA-256 over every golden window and each of its changes, hex. */
export function judgeRulesDigest(): string {
  const hash = createHash("sha256");
  for (const { name, window, mutations } of verdictCases()) {
    const windows = [window, ...mutations.map(({ change }) => applyChanges(window, change))];
    for (const one of windows) hash.update(`${canonicalJson([name, judged(one)])}\n`);
  }
  return hash.digest("hex");
}

/** Text of the module that holds the digest. */
export function judgeRulesModule(): string {
  return `/**
 * @module Judge rules: version of the judge. Written by \`npm run generate\` from its verdicts over
 * the windows in test/golden/verdicts.
 */

/** SHA-256 over those verdicts, hex; a judge with another digest may decide differently. */
export const judgeRules = "${judgeRulesDigest()}";
`;
}
