/**
 * @module RawEvents: the stored events, one line each; every piece of evidence has an anchor here,
 * also without script.
 */
import type { TurnEvent } from "@turnproof/evidence";
import type { FC } from "hono/jsx";

import { countText } from "../../ui/display/figures.ts";
import { kindTexts } from "../../ui/display/kind-texts.ts";
import { StatusBadge } from "../../ui/elements/badge.tsx";
import { Id, Time } from "../../ui/elements/figure.tsx";
import { Card } from "../../ui/elements/panel.tsx";

const shownMax = 100;

/** The first events, and a link to all of them. */
export const RawEvents: FC<{
  readonly events: readonly TurnEvent[];
  readonly href: string;
  /** Evidence linked from the page; always shown. */
  readonly linked: ReadonlySet<string>;
}> = ({ events, href, linked }) => {
  const shown = events.filter((event, index) => index < shownMax || linked.has(event.event_id));
  return (
    <Card
      title="Raw events"
      icon="raw"
      id="raw"
      end={
        <a href={href}>
          {countText(events.length)} {events.length === 1 ? "event" : "events"} as JSON
        </a>
      }
      flush
    >
      <div class="scroll raw" role="group" aria-label="Raw events" tabindex={0}>
        <table class="grid" aria-label="Raw events">
          <thead>
            <tr>
              {["Time", "Kind", "Phase", "Status", "Operation", "Event"].map((name) => (
                <th scope="col">{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((event) => (
              <tr id={`e-${event.event_id}`} data-raw={event.event_id}>
                <td>
                  <Time at={event.timestamp} />
                </td>
                <td>{kindTexts(event.event_kind)}</td>
                <td class="muted">{event.phase}</td>
                <td>
                  <StatusBadge status={event.status} />
                </td>
                <td>{event.operation ?? ""}</td>
                <td>
                  <Id of={event.event_id} chars={28} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown.length < events.length ? (
        <p class="muted padded">
          The first {countText(shown.length)} of {countText(events.length)}.
        </p>
      ) : null}
    </Card>
  );
};
