/**
 * @module MessageGroups: messages of rules with `group_by: rule`. The alerts of such a rule that
 * began in one evaluation are one message for each target, and so are those that ended. The last
 * message about a group is how things are: an event joins none that comes before a later one about
 * it.
 */
import type { AlertTarget } from "../config/alert-rules.ts";
import type { AlertEvent } from "./alert-message.ts";
import { foldId, messageId } from "./alert-ids.ts";
import type { AlertDocument, AlertMessage } from "./alert-state.ts";
import { foldedBody } from "./grouped-message.ts";
import { aboutOf, hasStart, withMessages, withOutbox } from "./outbox.ts";

interface Batch {
  readonly events: AlertEvent[];
  readonly targets: readonly AlertTarget[];
}

/** True for a target that gets the alerts of such a rule in one message. */
function foldsAt({ rule }: AlertEvent, { kind }: AlertTarget): boolean {
  // Alertmanager groups by itself, and needs each alert.
  return rule.group_by === "rule" && kind !== "alertmanager";
}

/** Events of one evaluation until the document is kept. */
export class Folding {
  #batches: Batch[] = [];

  /** The document with the messages of an event that are of it alone; the others wait. */
  add(document: AlertDocument, targets: readonly AlertTarget[], event: AlertEvent): AlertDocument {
    const folded = targets.filter((target) => foldsAt(event, target));
    if (folded.length > 0) this.#keep(event, folded);
    const apart = targets.filter((target) => !folded.includes(target));
    return withMessages(document, apart, event);
  }

  #keep(event: AlertEvent, targets: readonly AlertTarget[]): void {
    const { kind, rule, alert } = event;
    const own = this.#batches.filter(({ events: [one] }) => one?.rule.name === rule.name);
    const at = own.findLastIndex(({ events: [one] }) => one?.kind === kind);
    const joins = own[at];
    const isPast = own
      .slice(at + 1)
      .some(({ events }) => events.some((one) => one.alert.group === alert.group));
    if (joins === undefined || isPast) this.#batches.push({ events: [event], targets });
    else joins.events.push(event);
  }

  /** The document with their messages. */
  into(document: AlertDocument): AlertDocument {
    const batches = this.#batches;
    this.#batches = [];
    return batches.reduce(withFold, document);
  }
}

function withFold(document: AlertDocument, { events, targets }: Batch): AlertDocument {
  const name = events[0]?.rule.name;
  const firing = document.active.filter(
    (one) => one.rule === name && one.notified && !one.resolved,
  ).length;
  const fresh = targets.flatMap((target): AlertMessage[] => {
    const [first, ...others] = events.filter(
      ({ kind, alert }) => kind === "firing" || hasStart(target, alert),
    );
    if (first === undefined) return [];
    const own = [first, ...others] as const;
    const id = foldId(own.map(({ alert }) => alert.id));
    return [
      {
        id: messageId(id, first.kind, target.name),
        target: target.name,
        alert_id: id,
        members: own.map(({ rule, alert }) => ({
          alert_id: alert.id,
          about: aboutOf(rule, alert),
        })),
        body: foldedBody(target, { events: own, firing }),
        made_ms: Math.max(...own.map(({ atMs }) => atMs)),
        attempts: 0,
        next_ms: 0,
      },
    ];
  });
  return withOutbox(document, document.outbox, fresh);
}
