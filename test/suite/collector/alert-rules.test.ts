/** Rules that are refused, in a file of its own and at the start. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test } from "vitest";
import { ConfigError, parseConfig } from "turnproof";

import { parseAlertRules } from "../../../collector/src/config/alert-rules.ts";

test("a file of rules is refused with the rule and the field", () => {
  for (const [rule, problem] of [
    ["{name: a, measure: p95_ms, window: 10m}", "one of above, below and change"],
    ["{name: a, measure: p95_ms, window: 10m, above: 1, below: 2}", "only one of"],
    ["{name: a, measure: p95_ms, window: 10x, above: 1}", "a time such as"],
    ["{name: a, measure: verdict_share, window: 10m, above: 1}", "has a verdict"],
    ["{name: a, measure: contract_share, window: 10m, above: 1}", "has a contract"],
    ["{name: a, measure: insights, window: 10m, above: 1}", "insights has an insight"],
    ["{name: a, measure: p95_ms, insight: answer_cut, window: 10m, above: 1}", "have none"],
    [
      "{name: a, measure: findings, finding: repeated_fallback, window: 10m, above: 1}",
      "repeated_fallback is an insight and no finding: measure: insights",
    ],
    [
      "{name: a, measure: findings, finding: artefact_missing, window: 10m, above: 1}",
      "no such finding; the closest code is artifact_missing",
    ],
    [
      "{name: a, measure: findings, finding: repeated_fallbacks, window: 10m, above: 1}",
      "no such finding; the closest code is repeated_fallback, an insight",
    ],
    [
      "{name: a, measure: insights, insight: turn_failed, window: 10m, above: 1}",
      "turn_failed is a finding and no insight: measure: findings",
    ],
    ["{name: a, measure: silence, window: 10m}", "by agent or by app"],
    ["{name: a, measure: p95_ms, window: 10m, above: 1, url: x}", "Unrecognized key"],
    ['{name: a, measure: p95_ms, window: 10m, above: 1, where: "no term"}', "terms of the filter"],
    ["{name: a, measure: p95_ms, window: 10m, above: -1}", "expected number to be >=0"],
    ["{name: a, measure: cost_usd, window: 10m, below: 0}", "expected number to be >0"],
    ["{name: a, measure: cost_usd, by: app, window: 10m, above: 1}", "by agent, model or release"],
    ["{name: a, measure: cost_usd, by: tool, window: 10m, above: 1}", "by agent, model or release"],
    ['{name: a, measure: lost_events, window: 10m, above: 1, where: "agent:a"}', "of producers"],
    ["{name: a, measure: lost_events, window: 10m, above: 1, min_count: 2}", "needs no turns"],
    ["{name: a, measure: judge_lag_ms, window: 10m, above: 1, min_count: 1}", "needs no turns"],
    ["{name: a, measure: error_share, window: 10m, above: 5}", "never above 1"],
    ["{name: a, measure: error_share, window: 10m, above: 1}", "never above 1"],
    ["{name: a, measure: error_share, window: 10m, below: 1.5}", "always below"],
    ["{name: a, measure: p95_ms, window: 10m, above: 1, to: []}", "to have >=1 items"],
    ["{name: a, measure: p95_ms, window: 10m, above: 1, to: [chat, nope]}", "ALERT_TARGETS"],
    [
      "{name: a, measure: contract_share, contract: o, window: 10m, above: 0}",
      "without TURNPROOF_C",
    ],
  ] as const) {
    const known = { targets: [{ name: "chat" }], contracts: false };
    expect(() => parseAlertRules(`version: 1\nrules:\n  - ${rule}`, known)).toThrow(problem);
  }
});

test("each problem of a file is named, with its line or its rule, and no word of it", () => {
  const file = join(mkdtempSync(join(tmpdir(), "turnproof-rules-")), "rules.yaml");
  const problems = (text: string): readonly string[] => {
    writeFileSync(file, text);
    try {
      parseConfig({ TURNPROOF_BACKEND: "ephemeral", TURNPROOF_ALERT_RULES: file });
      return [];
    } catch (error) {
      return error instanceof ConfigError ? error.problems.map(({ problem }) => problem) : [];
    }
  };
  expect(problems("version: 1\nversion: 1\nrules: []")).toEqual(["line 2: a key occurs twice"]);
  expect(problems("version: 1\nrules: [secret")).toEqual([
    expect.stringMatching(/^line 2: no valid YAML$/) as string,
  ]);
  const of = "measure: error_share, window: 10m, above: 0";
  const text = `version: 1
rules:
  - {name: a, ${of}, min_count: 1.5}
  - {name: a, ${of}, where: "agent:x verdict:secret"}
  - {name: b, measure: findings, finding: secret, window: 10m, above: 0}
`;
  expect(problems(text)).toEqual([
    "rule 1, min_count: a whole number",
    expect.stringMatching(/^rule 2, where: term 2, verdict: takes success, /) as string,
    "rule 3, finding: no such finding",
    "rule 2, name: rule 1 has this name",
  ]);
});

test("a start is refused where a rule names what is not configured", () => {
  const file = join(mkdtempSync(join(tmpdir(), "turnproof-rules-")), "rules.yaml");
  writeFileSync(
    file,
    `version: 1
rules:
  - {name: a, measure: p95_ms, window: 10m, above: 1}
  - {name: b, measure: contract_share, contract: order, window: 10m, above: 0, to: [ops]}`,
  );
  const env = { TURNPROOF_BACKEND: "ephemeral", TURNPROOF_ALERT_RULES: file };
  const problems = (more: Record<string, string>): readonly string[] => {
    try {
      parseConfig({ ...env, ...more });
      return [];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return error.problems.map(({ variable, problem }) => variable + problem);
    }
  };
  const TURNPROOF_CONTRACTS = mkdtempSync(join(tmpdir(), "turnproof-contracts-"));
  const [to, contract] = [
    expect.stringMatching(/ALERT_RULESrule 2, .*TURNPROOF_ALERT_TARGETS/) as string,
    expect.stringMatching(/ALERT_RULESrule 2, .*TURNPROOF_CONTRACTS/) as string,
  ];
  const TURNPROOF_ALERT_TARGETS = "ops=webhook+http://127.0.0.1:9/";
  expect(problems({})).toEqual([to, contract]);
  expect(problems({ TURNPROOF_ALERT_TARGETS })).toEqual([contract]);
  expect(problems({ TURNPROOF_ALERT_TARGETS, TURNPROOF_CONTRACTS })).toEqual([]);

  // A variable that is set and invalid has one problem, and is not reported as absent too.
  writeFileSync(
    join(TURNPROOF_CONTRACTS, "order.yaml"),
    "version: 1\ncontracts: [{name: order}]\n",
  );
  expect(problems({ TURNPROOF_ALERT_TARGETS: "ops=nowhere", TURNPROOF_CONTRACTS })).toEqual([
    expect.stringMatching(/^TURNPROOF_CONTRACTSorder\.yaml/) as string,
    expect.stringMatching(/^TURNPROOF_ALERT_TARGETSentry 1/) as string,
  ]);
});
