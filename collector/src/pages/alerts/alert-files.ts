/** @module AlertFiles: the lists of the alerts page as files: alerts, rules, silences, targets. */
import type { Hono } from "hono";
import { z } from "zod";

import { compareTimes } from "@turnproof/semconv";

import type { AlertEpisode, AlertSilence } from "../../alerts/alert-state.ts";
import type { AppEnv } from "../../http/environment.ts";
import { filters, readParameters } from "../../http/parameters.ts";
import { readingFor } from "../../http/query.ts";
import type { Parts } from "../../parts.ts";
import { fileEndpoints, mountFiles } from "../../tables/list-files.ts";
import type { ListFields } from "../../tables/list-files.ts";
import type { AlertLists, RuleState, TargetState } from "./alert-lists.ts";

/** An alert that fires or has ended, as a line of a file. */
interface AlertLine extends AlertEpisode {
  /** Null while it fires. */
  readonly ended: string | null;
  readonly reason: string | null;
}

const shared = {
  json: "/alerts.json",
  query: z.strictObject({}),
  unbound: true,
  evidence: false,
} as const;

/** Alerts of a range began before its end, and ended after its start. */
export const alertRange = {
  start_time: filters.start_time.describe(
    "Ended alerts, and a preview: at or after, ISO 8601 or before now (`-24h`).",
  ),
  end_time: filters.end_time.describe("Ended alerts, and a preview: before."),
} as const;

const alertsFile = {
  ...shared,
  query: z.strictObject(alertRange).partial(),
  path: "/alerts",
  name: "alerts",
  rows: "`firing` and `ended`: one line per alert, firing ones first",
} as const;

const rulesFile = {
  ...shared,
  path: "/alerts/rules",
  name: "rules",
  rows: "`rules`: one line per rule, with its last value",
} as const;

const silencesFile = {
  ...shared,
  path: "/alerts/silences",
  name: "silences",
  rows: "`silences`: one line per silence",
} as const;

const targetsFile = {
  ...shared,
  path: "/alerts/targets",
  name: "targets",
  rows: "`targets`: one line per target, with its waiting messages",
} as const;

/** Their endpoints. */
export const alertFileEndpoints = {
  ...fileEndpoints(alertsFile),
  ...fileEndpoints(rulesFile),
  ...fileEndpoints(silencesFile),
  ...fileEndpoints(targetsFile),
};

const alertFields: ListFields<AlertLine> = {
  id: "text",
  rule: "text",
  group: "text",
  since: "time",
  ended: "time",
  reason: "text",
  value: "number",
  roots: "texts",
  cost: "json",
};

const ruleFields: ListFields<RuleState> = {
  name: "text",
  severity: "text",
  measures: "text",
  limit: "text",
  by: "text",
  where: "text",
  min_count: "integer",
  group_by: "text",
  last: "text",
  firing: "integer",
  not_established: "integer",
  contract_state: "text",
};

const silenceFields: ListFields<AlertSilence> = {
  rule: "text",
  group: "text",
  until: "time",
  by: "text",
};

const targetFields: ListFields<TargetState> = {
  name: "text",
  kind: "text",
  waiting: "integer",
  attempts: "integer",
  status: "integer",
  state: "text",
};

/** The range of a request, in UTC. */
export interface Ranged {
  readonly start_time?: string | undefined;
  readonly end_time?: string | undefined;
}

/** True for an alert that fired at some time of the range. */
export function isWithin(
  { since, ended }: Pick<AlertLine, "since"> & { readonly ended: string },
  { start_time: start, end_time: end }: Ranged,
): boolean {
  if (start !== undefined && compareTimes(ended, start) < 0) return false;
  return end === undefined || compareTimes(since, end) < 0;
}

/** Answers the files; `lists` reads what the page shows. */
export function mountAlertFiles(
  app: Hono<AppEnv>,
  parts: Parts,
  lists: () => Promise<AlertLists>,
): void {
  mountFiles<AlertLine>(app, parts, {
    ...alertsFile,
    fields: alertFields,
    async *pages(c) {
      const range = readingFor(c, readParameters(c, alertsFile.query)).query;
      const { firing, ended } = await lists();
      yield [
        ...firing.map((one) => ({ ...one, ended: null, reason: null })),
        ...ended.filter((alert) => isWithin(alert, range)),
      ];
    },
  });
  mountFiles<RuleState>(app, parts, {
    ...rulesFile,
    fields: ruleFields,
    async *pages(c) {
      readParameters(c, shared.query);
      yield (await lists()).rules;
    },
  });
  mountFiles<AlertSilence>(app, parts, {
    ...silencesFile,
    fields: silenceFields,
    async *pages(c) {
      readParameters(c, shared.query);
      yield (await lists()).silences;
    },
  });
  mountFiles<TargetState>(app, parts, {
    ...targetsFile,
    fields: targetFields,
    async *pages(c) {
      readParameters(c, shared.query);
      yield (await lists()).targets;
    },
  });
}
