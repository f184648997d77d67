/**
 * @module AlertRules: rules of alerts from the file of `TURNPROOF_ALERT_RULES`, in YAML or JSON,
 * and the targets of `TURNPROOF_ALERT_TARGETS`. Nothing is ever sent to another address.
 */
import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";

import { findingTexts, insightCodes } from "@turnproof/evidence";
import { isoTime, verdictStatuses } from "@turnproof/semconv";
import { parse, YAMLParseError } from "yaml";
import { z } from "zod";

import { textKey } from "../ui/display/filter-keys.ts";
import { firstUnclear, readTerms } from "../ui/display/filter-terms.ts";
import type { Log } from "../log.ts";
import { closestName } from "./closest-name.ts";
import { issueSentence, list, text } from "./config-values.ts";
import { unknownNames } from "./rule-names.ts";
import type { KnownNames } from "./rule-names.ts";
import { isGuessable } from "./token-strength.ts";

/** What a rule measures in its window. */
const alertMeasures = [
  "verdict_share",
  "error_share",
  "findings",
  "insights",
  "contract_share",
  "p95_ms",
  "cost_usd",
  "lost_events",
  "silence",
  "judge_lag_ms",
] as const;
const severities = ["critical", "warning", "info"] as const;
/** How urgent an alert is. */
export type AlertSeverity = "critical" | "warning" | "info";

const unitsMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Milliseconds of a text such as `10m`. */
const span = z
  .string()
  .regex(/^[1-9]\d{0,3}[smhd]$/, "a time such as 30s, 10m, 6h or 1d")
  .transform((duration) => Number(duration.slice(0, -1)) * unitsMs[duration.slice(-1) as "s"])
  .refine((ms) => ms >= 10_000 && ms <= 7 * unitsMs.d, "a time from 10s to 7d");

const name = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, "lower-case letters, digits, - and _");

const findingCodes = Object.keys(findingTexts);
const has = (codes: readonly string[], code: unknown): code is string =>
  codes.includes(code as string);

/** What is wrong with the code of a finding; it names codes of ours, never what was typed. */
function noSuchFinding(code: unknown): string {
  if (has(insightCodes, code)) {
    return `${code} is an insight and no finding: measure: insights, insight: ${code}`;
  }
  return `no such finding${closestTo(code, findingCodes, insightCodes)}`;
}

function noSuchInsight(code: unknown): string {
  if (has(findingCodes, code)) {
    return `${code} is a finding and no insight: measure: findings, finding: ${code}`;
  }
  return `no such insight${closestTo(code, insightCodes, findingCodes)}`;
}

function closestTo(code: unknown, ...lists: readonly (readonly string[])[]): string {
  const closest = typeof code === "string" ? closestName(code, lists.flat()) : undefined;
  if (closest === undefined) return "";
  const kind = has(findingCodes, closest) ? "" : ", an insight";
  return `; the closest code is ${closest}${kind}`;
}

const rule = z
  .strictObject({
    name,
    measure: z.enum(alertMeasures),
    /** Of `verdict_share`. */
    verdict: z.enum(verdictStatuses).optional(),
    /** Of `findings`. */
    finding: z.enum(findingCodes, { error: ({ input }) => noSuchFinding(input) }).optional(),
    /** Of `insights`. */
    insight: z.enum(insightCodes, { error: ({ input }) => noSuchInsight(input) }).optional(),
    /** Of `contract_share`: the contract's name. */
    contract: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,119}$/, "the name of a contract")
      .optional(),
    /** Terms of the filter bar. */
    where: z.string().max(1_000).optional(),
    /** One alert for each value. */
    by: z.enum(["agent", "app", "model", "release", "tool"]).optional(),
    window: span,
    above: z.number().min(0).optional(),
    below: z.number().gt(0).optional(),
    /** Times the value of the same window a week earlier. */
    change: z.number().gt(1).optional(),
    /** Fewest turns, or calls, for a result. */
    min_count: z.int("a whole number").min(1).optional(),
    severity: z.enum(severities).default("warning"),
    /** What is one message: all alerts of the rule in one evaluation, or each; default each. */
    group_by: z.enum(["rule", "group"]).optional(),
    /** Names of targets; default all. */
    to: z.array(name).min(1).optional(),
  })
  .superRefine((of, context) => {
    const wrong = (path: string, message: string): void =>
      context.addIssue({ code: "custom", path: [path], message });
    const { above, below, change, measure } = of;
    const limits = [above, below, change].filter((limit) => limit !== undefined).length;
    if (limits === 0 && measure !== "silence") wrong("above", "one of above, below and change");
    if (limits > 1) wrong("above", "only one of above, below and change");
    const isShare = measure.endsWith("_share");
    if (isShare && above !== undefined && above >= 1) wrong("above", "a share is never above 1");
    if (isShare && below !== undefined && below > 1) wrong("below", "a share is always below it");
    if (measure === "silence" && limits > 0) wrong("above", "silence is measured by its window");
    if ((measure === "verdict_share") !== (of.verdict !== undefined)) {
      wrong("verdict", "verdict_share has a verdict, other measures have none");
    }
    if ((measure === "findings") !== (of.finding !== undefined)) {
      wrong("finding", "findings has a finding, other measures have none");
    }
    if ((measure === "insights") !== (of.insight !== undefined)) {
      wrong("insight", "insights has an insight, other measures have none");
    }
    if ((measure === "contract_share") !== (of.contract !== undefined)) {
      wrong("contract", "contract_share has a contract, other measures have none");
    }
    if (measure === "silence" && of.by !== "agent" && of.by !== "app") {
      wrong("by", "silence is by agent or by app");
    }
    if ((measure === "lost_events" || measure === "judge_lag_ms") && of.by !== undefined) {
      wrong("by", "this measure is one number");
    }
    if (of.group_by !== undefined && of.by === undefined) {
      wrong("group_by", "messages are grouped where `by` makes groups");
    }
    if (measure === "lost_events" && of.where !== undefined) {
      wrong("where", "losses are of producers, not of turns");
    }
    if ((measure === "lost_events" || measure === "judge_lag_ms") && of.min_count !== undefined) {
      wrong("min_count", "this measure needs no turns");
    }
    if (measure === "cost_usd" && (of.by === "tool" || of.by === "app")) {
      wrong("by", "cost_usd is by agent, model or release");
    }
    const { terms, unclear } = readTerms(of.where ?? "");
    // Free text is searched for in names that change with the turns; a rule is of terms.
    const found = unclear.length > 0 ? firstUnclear(of.where ?? "") : undefined;
    const loose = terms.findIndex(({ key }) => key === textKey) + 1;
    if (found !== undefined) {
      const { place, key, allowed } = found;
      const isShort = allowed.length > 0 && allowed.length <= 12;
      const takes = isShort ? `takes ${allowed.join(", ")}` : "has no such value";
      wrong(
        "where",
        `term ${place}${key === undefined ? " has no known key" : `, ${key}: ${takes}`}`,
      );
    } else if (loose > 0) {
      wrong("where", `term ${loose} is none of the terms of the filter bar: it has no key`);
    }
  })
  .transform(({ window, min_count = 1, ...of }) => ({ ...of, min_count, window_ms: window }));

/** One rule. */
export type AlertRule = z.infer<typeof rule>;

const file = z.strictObject({ version: z.literal(1), rules: z.array(rule).max(200) });

/**
 * Reads rules. @param known what other variables define; without it any name is valid
 *
 * @throws ZodError, or an error of the YAML
 */
export function parseAlertRules(yaml: string, known?: KnownNames): readonly AlertRule[] {
  const typed: unknown = parse(yaml, { maxAliasCount: 50 });
  const read = file.safeParse(typed);
  const named = namesIn(typed);
  // All problems at once, also those of names beside those of a form.
  const problems = [
    ...(read.error?.issues ?? []),
    ...doubledNames(named),
    ...(known === undefined ? [] : unknownNames(named, known)),
  ];
  if (!read.success || problems.length > 0) throw new z.ZodError(problems);
  return read.data.rules;
}

const naming = z.object({
  name: z.string().optional().catch(undefined),
  to: z.array(z.string()).optional().catch(undefined),
  contract: z.string().optional().catch(undefined),
});
const namingFile = z.object({ rules: z.array(naming.catch({})) });

/** The names of rules, whatever else is wrong about them. */
function namesIn(typed: unknown): readonly z.infer<typeof naming>[] {
  return namingFile.safeParse(typed).data?.rules ?? [];
}

function doubledNames(
  rules: readonly { readonly name?: string | undefined }[],
): z.core.$ZodIssue[] {
  const names = rules.map((one) => one.name);
  return names.flatMap((own, index): z.core.$ZodIssue[] => {
    const first = names.indexOf(own);
    if (own === undefined || first === index) return [];
    const message = `rule ${first + 1} has this name`;
    return [{ code: "custom", path: ["rules", index, "name"], message, input: undefined }];
  });
}

/** What is wrong with a text that is no YAML: its line, and none of its words. */
function fileSentence(error: unknown): string {
  if (!(error instanceof YAMLParseError)) return "no readable YAML file";
  const line = error.linePos?.[0].line;
  const why = error.code === "DUPLICATE_KEY" ? "a key occurs twice" : "no valid YAML";
  return line === undefined ? why : `line ${line}: ${why}`;
}

/** Sentences about rules with a name that other variables do not define. */
export function nameProblems(rules: readonly AlertRule[], known: KnownNames): readonly string[] {
  return unknownNames(rules, known).map(ruleSentence);
}

/** Rules, and their file, if any. */
export interface AlertRulesValue {
  readonly rules: readonly AlertRule[];
  readonly file?: string | undefined;
}

/** The variable: the path of a file of rules. */
export const alertRulesIn = text.transform((value, context): AlertRulesValue => {
  const path = resolve(value);
  try {
    return { rules: parseAlertRules(readFileSync(path, "utf8")), file: path };
  } catch (error) {
    const issues =
      error instanceof z.ZodError ? error.issues.map(ruleSentence) : [fileSentence(error)];
    for (const message of issues) context.addIssue({ code: "custom", message });
    return z.NEVER;
  }
});

/** How often the file is checked, in milliseconds. */
const lookMs = 1_000;

/** The file, what was read of it, and what happens to its next rules. */
interface WatchedRules {
  readonly path: string;
  readonly rules: readonly AlertRule[];
  readonly names: KnownNames;
  readonly log: Log;
  readonly now: () => number;
  readonly changed: (rules: readonly AlertRule[]) => void;
  /** Reports why the file is not used; null once it is used again. */
  readonly refused: (refused: RefusedRules | null) => void;
}

/** Why the present file of rules is not used. */
export interface RefusedRules {
  /** Its name, without its folder. */
  readonly file: string;
  /** Names a rule by its number and a field, without its content. */
  readonly reason: string;
  /** When the rules that stay were read. */
  readonly rules_since: string;
}

/**
 * Passes on the rules of a file each time they have changed. A file that cannot be read or has a
 * wrong rule changes nothing, is passed on and logged once. Returns the function that stops it.
 */
export function watchAlertRules({
  path,
  rules: first,
  names,
  log,
  now,
  changed,
  refused,
}: WatchedRules): () => void {
  let text: string | undefined;
  let known = JSON.stringify(first);
  let problem: string | undefined;
  let since = isoTime(now());
  const look = (): void => {
    try {
      const read = readFileSync(path, "utf8");
      const rules = read === text ? undefined : parseAlertRules(read, names);
      if (problem !== undefined) refused(null);
      problem = undefined;
      if (rules === undefined) return;
      text = read;
      since = isoTime(now());
      if (JSON.stringify(rules) === known) return;
      known = JSON.stringify(rules);
      changed(rules);
      log.info("alert_rules_changed", { count: rules.length });
    } catch (error) {
      // The rules of before stay. A sentence names rules by their number and fields.
      const [issue] = error instanceof z.ZodError ? error.issues.map(ruleSentence) : [];
      const found = issue ?? fileSentence(error);
      if (found === problem) return;
      problem = found;
      refused({ file: basename(path), reason: found, rules_since: since });
      log.warn("alert_rules_invalid", { sentence: found });
    }
  };
  const timer = setInterval(look, lookMs).unref();
  return () => clearInterval(timer);
}

function ruleSentence(issue: z.core.$ZodIssue): string {
  const index = issue.path.find((part) => typeof part === "number");
  return `${index === undefined ? "" : `rule ${index + 1}, `}${issueSentence(issue)}`;
}

/** Forms of a message. */
export const targetKinds = ["webhook", "slack", "alertmanager"] as const;

/** Where alerts are sent. */
export interface AlertTarget {
  readonly name: string;
  readonly kind: (typeof targetKinds)[number];
  /** Secret: an address may hold a token. */
  readonly url: string;
}

/** Targets between commas: `name=kind+https://…`. */
export const alertTargets = list.transform((parts, context): readonly AlertTarget[] => {
  const targets = parts.flatMap((part, index) => {
    const target = targetOf(part);
    if (target !== undefined) return [target];
    const message = `entry ${index + 1}: name=webhook+https://…, name=slack+… or name=alertmanager+…`;
    context.addIssue({ code: "custom", message });
    return [];
  });
  if (new Set(targets.map((one) => one.name)).size < targets.length) {
    context.addIssue({ code: "custom", message: "a name occurs twice" });
  }
  return targets;
});

function targetOf(part: string): AlertTarget | undefined {
  const [, named = "", kind = "", address = ""] = /^([^=]+)=([a-z]+)\+(.+)$/.exec(part) ?? [];
  const known = targetKinds.find((one) => one === kind);
  if (known === undefined || !name.safeParse(named).success || !URL.canParse(address)) {
    return undefined;
  }
  const { protocol, username, password, hash, href } = new URL(address);
  if (!/^https?:$/.test(protocol) || username !== "" || password !== "" || hash !== "") {
    return undefined;
  }
  return { name: named, kind: known, url: href };
}

/** Signing secret of Standard Webhooks: `whsec_` and 24 to 64 bytes in base64. */
export const webhookSecret = text
  .refine((value) => {
    const bytes = bytesOf(value).length;
    return value.startsWith("whsec_") && bytes >= 24 && bytes <= 64;
  }, "whsec_ and 24 to 64 bytes in base64")
  .refine(
    (value) => !isGuessable(bytesOf(value).toString("latin1")),
    "it can be guessed; whsec_ and what `turnproof token` prints cannot",
  );

function bytesOf(secret: string): Buffer {
  return Buffer.from(secret.replace(/^whsec_/, ""), "base64");
}
