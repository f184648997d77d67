/**
 * @module Alerts page: what fires, what did, the rules with their last values, and what a rule
 * would have done on past data. Rules count over every tenant, so it is for unbound principals.
 */
import { Hono } from "hono";
import { z } from "zod";
import { CodedError, isoTime } from "@turnproof/semconv";

import { standingSilences, valueOf } from "../../alerts/alert-state.ts";
import type { ActiveAlert, AlertSilence } from "../../alerts/alert-state.ts";
import { turnsQuery } from "../../alerts/alert-message.ts";
import { limitText, measureText, valueText } from "../../alerts/breach.ts";
import { storeUnavailable } from "../../backend/store-unavailable.ts";
import type { StoreUnavailable } from "../../backend/store-unavailable.ts";
import { openPriceList } from "../../cost/price-list.ts";
import type { PriceList } from "../../cost/price-list.ts";
import { parseAlertRules } from "../../config/alert-rules.ts";
import type { AlertRule, RefusedRules } from "../../config/alert-rules.ts";
import type { KnownNames } from "../../config/rule-names.ts";
import { readBody } from "../../http/body.ts";
import { formOrJson, orForm, withTwin } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import { principalOf, wantsPage } from "../../http/environment.ts";
import type { AppEnv } from "../../http/environment.ts";
import { readParameters } from "../../http/parameters.ts";
import { readingFor } from "../../http/query.ts";
import { respond, respondJson } from "../../http/respond.tsx";
import type { Parts } from "../../parts.ts";
import { alertFileEndpoints, alertRange, isWithin, mountAlertFiles } from "./alert-files.ts";
import { draftCharsMax, groupCharsMax, silenceHoursMax } from "./alert-lists.ts";
import type { AlertLists, FiringAlert, RuleState } from "./alert-lists.ts";
import { alertsPage } from "./page.tsx";
import { previewOf, spanOf } from "./preview-model.ts";
import type { PreviewModel } from "./preview-model.ts";

const alertsParameters = z
  .strictObject({
    rule: z.string().max(63).describe("Show what this rule would have done on past data."),
    draft: z
      .string()
      .max(2 * draftCharsMax)
      .describe("The same of a rule that is not in the file: one rule in YAML."),
    days: z
      .string()
      .regex(/^([1-9]|[12]\d|30)$/)
      .transform(Number)
      .describe("How far back, 1 to 30; default 7, or the range.")
      .meta({ type: "integer", minimum: 1, maximum: 30, pattern: undefined }),
    ...alertRange,
  })
  .partial();

const silenceBody = z.strictObject({
  rule: z.string().min(1).max(63).describe("Name of the rule."),
  group: z
    .string()
    .max(groupCharsMax)
    .optional()
    .describe("One of its groups; without it all of them."),
  hours: z.coerce
    .number<string | number>()
    .min(0)
    .max(silenceHoursMax)
    .describe("Length from now; 0 ends a silence."),
});

const resolveBody = z.strictObject({
  id: z
    .string()
    .regex(/^alert_[0-9a-f]{32}$/)
    .describe("Id of a firing alert."),
});

/** Body of `/alerts.json`. */
export interface AlertsModel extends AlertLists {
  /** False in read-only mode, which writes nothing beside the evidence. */
  readonly running: boolean;
  readonly looked_at: string | null;
  /** Why the store cannot be used: the rules are not looked at meanwhile. Null while it answers. */
  readonly store_away: StoreUnavailable | null;
  /** Why the present file of rules is not used; null while it is. */
  readonly rules_refused: RefusedRules | null;
  /** Messages that their target did not take in three days, or that it did not want any more. */
  readonly given_up: number;
  readonly preview: PreviewModel | null;
  /** Problems of the draft, without its text. */
  readonly draft_problems: readonly string[];
}

/** Answer of a change. */
export interface AlertsChanged {
  readonly changed: true;
}

/** Its JSON, by route. */
export interface AlertsAnswers {
  readonly "GET /alerts.json": AlertsModel;
  readonly "POST /alerts/silence": AlertsChanged;
  readonly "POST /alerts/resolve": AlertsChanged;
}

/** Alerts: what each route needs, records and answers. */
export const alertsGroup: RouteGroup<AlertsAnswers> = {
  tag: "Alerts",
  rail: { order: 9, href: "/alerts", name: "Alerts", icon: "warning", key: "w" },
  endpoints: {
    ...withTwin("/alerts", {
      needs: "trace.read",
      unbound: true,
      audit: "alerts.read",
      id: "getAlerts",
      summary: "Firing and past alerts; preview of a rule",
      query: alertsParameters,
      returns: "Alerts, rules with their last values, silences, targets, and the past of one rule.",
      failures: ["scope_forbidden", "store_unavailable", "preview_timeout", "not_found"],
    }),
    ...alertFileEndpoints,
    "POST /alerts/silence": {
      needs: "alert.manage",
      unbound: true,
      audit: "alert.silenced",
      mutates: true,
      id: "silenceAlerts",
      summary: "Send no alerts of a rule, or of one of its groups, for some hours",
      body: formOrJson(silenceBody),
      also: orForm,
      returns: "A confirmation: `changed` is true.",
      failures: ["not_found", "not_configured", "store_read_only"],
    },
    "POST /alerts/resolve": {
      needs: "alert.manage",
      unbound: true,
      audit: "alert.resolved",
      mutates: true,
      id: "resolveAlert",
      summary: "End an alert; it stays quiet until its condition has ended",
      body: formOrJson(resolveBody),
      also: orForm,
      returns: "A confirmation: `changed` is true.",
      failures: ["not_found", "not_configured", "store_read_only"],
    },
  },
  routes: alertsRoutes,
};

/** GET `/alerts` and its twin, POST `/alerts/silence` and `/alerts/resolve`. */
function alertsRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  let list: Promise<PriceList> | undefined;
  const prices = (): Promise<PriceList> => (list ??= openPriceList(parts.config.prices));
  const here = `${parts.config.basePath === "/" ? "" : parts.config.basePath}/alerts`;
  app.on("GET", ["/alerts", "/alerts.json"], async (c) => {
    const { rule: name, draft, days, ...requested } = readParameters(c, alertsParameters);
    const range = readingFor(c, requested).query;
    const { rule, problems } =
      draft === undefined ? namedRule(parts, name) : draftRule(draft, namesOf(parts.config));
    if (name !== undefined && draft === undefined && rule === undefined) {
      throw new CodedError("not_found");
    }
    const store_away = await storeUnavailable(parts);
    // A page has its other parts without the past; a program's request is refused.
    const past = rule !== undefined && (store_away === null || !wantsPage(c));
    const state = await stateOf(parts);
    const model: AlertsModel = {
      ...state,
      ended: state.ended.filter((alert) => isWithin(alert, range)),
      store_away,
      preview: past ? await previewOf(parts, prices(), rule, spanOf(parts, range, days)) : null,
      draft_problems: problems,
    };
    return respond(c, { model, view: alertsPage });
  });

  mountAlertFiles(app, parts, () => stateOf(parts));

  app.post("/alerts/silence", async (c) => {
    const { data, form } = await readBody(c, silenceBody);
    const { rule, group = null, hours } = data;
    if (parts.alerts === undefined) throw new CodedError("not_configured");
    const own = parts.alerts.rules.find((one) => one.name === rule);
    if (own === undefined) throw new CodedError("not_found");
    // It would cover no alert.
    if (group !== null && own.by === undefined && hours > 0) {
      throw new CodedError("body_invalid", { field: "group" });
    }
    const until = isoTime(parts.now() + hours * 3_600_000);
    await parts.alerts.silence({ rule, group, until, by: principalOf(c).name });
    if (form) return c.redirect(here, 303);
    return respondJson(c, { changed: true } satisfies AlertsChanged);
  });

  app.post("/alerts/resolve", async (c) => {
    const { data, form } = await readBody(c, resolveBody);
    if (parts.alerts === undefined) throw new CodedError("not_configured");
    if (!(await parts.alerts.resolve(data.id))) throw new CodedError("not_found");
    if (form) return c.redirect(here, 303);
    return respondJson(c, { changed: true } satisfies AlertsChanged);
  });
  return app;
}

interface RequestedRule {
  readonly rule: AlertRule | undefined;
  readonly problems: readonly string[];
}

function namedRule(parts: Parts, name: string | undefined): RequestedRule {
  return { rule: rulesOf(parts).find((one) => one.name === name), problems: [] };
}

function namesOf({ alertTargets: targets, contracts }: Parts["config"]): KnownNames {
  return { targets, contracts: contracts !== undefined };
}

/** A rule as typed; its problems name fields and rules, never what was typed. */
function draftRule(text: string, known: KnownNames): RequestedRule {
  // A browser ends the lines of a text area with CR and LF, and `^` matches between the two.
  const typed = text.trim().replaceAll(/\r\n?/g, "\n");
  const indented = typed.replaceAll(/^/gm, "    ");
  try {
    const body = typed.startsWith("-") ? typed : `  -\n${indented}`;
    const [rule] = parseAlertRules(`version: 1\nrules:\n${body}`, known);
    return { rule, problems: [] };
  } catch (error) {
    if (!(error instanceof z.ZodError))
      return { rule: undefined, problems: ["The rule is not valid YAML."] };
    const problems = error.issues.map(({ path, message }) => {
      const field = path.findLast((part) => typeof part === "string");
      return field === undefined ? message : `${field}: ${message}`;
    });
    return { rule: undefined, problems: problems.slice(0, 10) };
  }
}

/** The rules that are looked at; in read-only mode those of the start. */
function rulesOf({ alerts, config }: Pick<Parts, "alerts" | "config">): readonly AlertRule[] {
  return alerts?.rules ?? config.alertRules.rules;
}

async function stateOf({
  alerts,
  config,
  contracts,
  now,
}: Parts): Promise<Omit<AlertsModel, "store_away" | "preview" | "draft_problems">> {
  const {
    active = [],
    closed = [],
    silences: kept = [],
    outbox = [],
    looked_ms = null,
    given_up = 0,
    disabled = [],
  } = (await alerts?.shown()) ?? {};
  const silences = standingSilences(kept, now());
  const rules = rulesOf({ alerts, config });
  const ruleOf = (name: string): AlertRule | undefined => rules.find((one) => one.name === name);
  return {
    running: alerts !== undefined,
    looked_at: looked_ms === null ? null : isoTime(looked_ms),
    firing: active.flatMap((alert) => {
      const rule = ruleOf(alert.rule);
      return rule === undefined || alert.resolved ? [] : [firingOf(rule, alert, silences)];
    }),
    rules: rules.map((rule) => ({
      ...ruleState(rule, alerts?.values.get(rule.name)),
      contract_state: contractState(rule, contracts),
    })),
    ended: closed.slice(0, 100).map((alert) => {
      const rule = ruleOf(alert.rule);
      const value_text = rule === undefined ? "unknown" : valueText(rule, alert.value, alert.cost);
      return { ...alert, value_text };
    }),
    silences,
    targets: config.alertTargets.map(({ name, kind }) => {
      const own = outbox.filter(({ target }) => target === name);
      const state = disabled.includes(name) ? "disabled" : "enabled";
      const { attempts = 0, status = null } = own[0] ?? {};
      return { name, kind, waiting: own.length, attempts, status, state };
    }),
    given_up,
    rules_refused: alerts?.refused ?? null,
  };
}

function firingOf(
  rule: AlertRule,
  alert: ActiveAlert,
  silences: readonly AlertSilence[],
): FiringAlert {
  const { id, rule: name, group, since, value, cost, roots, notified, started } = alert;
  return {
    id,
    rule: name,
    group,
    since,
    ...valueOf(alert),
    roots,
    severity: rule.severity,
    sentence: `${measureText(rule)}: ${valueText(rule, value, cost)}, ${limitText(rule)}`,
    silenced: silences.some(
      (one) => one.rule === name && (one.group === null || one.group === group),
    ),
    started: notified ? (started ?? null) : [],
    turns_query: rule.measure === "lost_events" ? null : turnsQuery(rule, group, alert.broken_ms),
  };
}

type LastValues =
  NonNullable<Parts["alerts"]>["values"] extends ReadonlyMap<string, infer V> ? V : never;

function contractState(
  { contract }: AlertRule,
  contracts: Parts["contracts"],
): RuleState["contract_state"] {
  if (contract === undefined) return null;
  const isDefined = contracts?.set.contracts.some(({ name }) => name === contract) ?? false;
  return isDefined ? "defined" : "undefined";
}

function ruleState(
  rule: AlertRule,
  values: LastValues | undefined,
): Omit<RuleState, "contract_state"> {
  const { name, severity, by = null, where = null, min_count, group_by = "group" } = rule;
  const [largest] = (values ?? []).toSorted((a, b) => (b.value ?? -1) - (a.value ?? -1));
  return {
    name,
    severity,
    measures: measureText(rule),
    limit: limitText(rule),
    by,
    where,
    min_count,
    group_by,
    last: values === undefined ? null : valueText(rule, largest?.value ?? null, largest?.cost),
    firing: (values ?? []).filter(({ broken }) => broken === true).length,
    not_established: (values ?? []).filter(({ broken }) => broken === null).length,
  };
}
