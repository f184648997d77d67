/** @module AlertIds: ids of alerts and messages: the same from every collector. */
import { createHash } from "node:crypto";

const hash = (parts: readonly unknown[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);

/** Id of an alert: of deployment, rule, group and the first evidence of this episode. */
export function alertId(of: {
  readonly scope: string;
  readonly rule: string;
  readonly group: string | null;
  readonly onset: string;
}): string {
  return `alert_${hash([of.scope, of.rule, of.group, of.onset])}`;
}

/** Id of some alerts, whatever their order. */
export function foldId(alerts: readonly string[]): string {
  return `alerts_${hash(alerts.toSorted())}`;
}

/** Id of a message: of alert, event and target. */
export function messageId(alert: string, event: string, target: string): string {
  return `msg_${hash([alert, event, target])}`;
}
