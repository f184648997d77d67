/**
 * @module GroupedMessage: alerts of one rule in one message. It lists those furthest over the
 * limit, and the number of the others.
 */
import { isoTime } from "@turnproof/semconv";

import type { AlertTarget } from "../config/alert-rules.ts";
import { countText } from "../ui/display/figures.ts";
import { alertSentence, slackEnd, slackSign, slackText, evidencePath } from "./alert-message.ts";
import type { AlertEvent } from "./alert-message.ts";
import { limitText, measureText, valueText } from "./breach.ts";

/** Alerts of one rule that began or ended in one evaluation. */
export interface Fold {
  /** At least one, all of one kind and rule. */
  readonly events: readonly [AlertEvent, ...AlertEvent[]];
  /** Alerts of the rule that fire now, these included where they do. */
  readonly firing: number;
}

/** Most alerts that are listed: by a webhook, and by Slack, whose texts are short. */
const listedMax = { webhook: 50, slack: 10 } as const;
/** Most characters of a text of Slack are 3,000. */
const slackCharsMax = 2_900;

/** Body of a message, JSON. */
export function foldedBody({ kind }: AlertTarget, fold: Fold): string {
  return JSON.stringify(kind === "slack" ? slackBody(fold) : webhookBody(fold));
}

function webhookBody(fold: Fold): object {
  const [{ kind, rule, base }] = fold.events;
  const listed = ordered(fold.events).slice(0, listedMax.webhook);
  const atMs = Math.max(...fold.events.map((event) => event.atMs));
  return {
    type: `turnproof.alerts.${kind}`,
    timestamp: isoTime(atMs),
    data: {
      rule: rule.name,
      severity: rule.severity,
      measure: rule.measure,
      by: rule.by ?? null,
      sentence: foldSentence(fold),
      window_ms: rule.window_ms,
      count: fold.events.length,
      not_listed: fold.events.length - listed.length,
      firing: fold.firing,
      groups: listed.map((event) => {
        const { alert, value, cost } = event;
        return {
          alert_id: alert.id,
          group: alert.group,
          value,
          ...(cost === undefined ? {} : { cost }),
          sentence: alertSentence(event),
          since: alert.since,
          root_trace_ids: alert.roots,
          turns: turnsLink(event),
        };
      }),
      alerts: `${base}/alerts`,
    },
  };
}

function slackBody(fold: Fold): object {
  const [first] = fold.events;
  const { kind, rule, base } = first;
  const sign = kind === "resolved" ? slackEnd(first) : slackSign[rule.severity];
  const text = `${sign} ${slackText(foldSentence(fold))}`;
  const lines: string[] = [];
  const page = `<${base}/alerts|Alerts>`;
  let chars = text.length + page.length;
  for (const event of ordered(fold.events).slice(0, listedMax.slack)) {
    const line = `• <${turnsLink(event)}|${slackText(groupText(event))}>: ${valueLine(event)}`;
    chars += line.length + 1;
    if (chars > slackCharsMax) break;
    lines.push(line);
  }
  const left = fold.events.length - lines.length;
  const more = left === 0 ? [] : [`and ${countText(left)} more`];
  const mrkdwn = { type: "mrkdwn", text: [text, ...lines, ...more, page].join("\n") };
  return { text, blocks: [{ type: "section", text: mrkdwn }] };
}

/** Furthest over the limit first; ties by the name of the group. */
function ordered(events: readonly AlertEvent[]): readonly AlertEvent[] {
  const over = ({ rule, alert: { value } }: AlertEvent): number =>
    value === null ? -Infinity : rule.below === undefined ? value : -value;
  return events.toSorted((a, b) => over(b) - over(a) || (groupText(a) < groupText(b) ? -1 : 1));
}

/** One sentence about all of them. */
function foldSentence({ events, firing }: Fold): string {
  const [{ kind, rule, isRemoved = false }] = events;
  const count = events.length;
  const of = `${countText(count)} ${rule.by ?? "group"}${count === 1 ? "" : "s"}`;
  if (kind === "resolved") {
    if (isRemoved) {
      return `${rule.name} is no longer evaluated for ${of}: the rule was removed. ${measureText(rule)}.`;
    }
    const left = firing === 0 ? "None fires now" : `${countText(firing)} still fire`;
    return `${rule.name} is resolved for ${of}. ${left}. ${measureText(rule)}.`;
  }
  const all = firing > count ? ` ${countText(firing)} fire now.` : "";
  return `${rule.name} fires for ${of}.${all} ${measureText(rule)}, ${limitText(rule)}.`;
}

const groupText = ({ alert }: AlertEvent): string => alert.group ?? "not recorded";

function valueLine({
  kind,
  rule,
  alert,
  value,
  cost,
  byOperator = false,
  isRemoved = false,
}: AlertEvent): string {
  const fired = valueText(rule, alert.value, alert.cost);
  if (kind === "firing") return fired;
  if (isRemoved) return `${fired} when it last fired`;
  if (byOperator) return `resolved by an operator, ${fired} when it last fired`;
  return `${valueText(rule, value, cost)}, ${fired} when it last fired`;
}

function turnsLink({ rule, alert, base }: AlertEvent): string {
  return `${base}${evidencePath(rule, alert)}`;
}
