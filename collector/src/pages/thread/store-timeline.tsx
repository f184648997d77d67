/**
 * @module StoreTimeline: events of the trace, conversation and tool-log stores in one order of
 * time, through one normalizer. A dot is in the lane of its event's store.
 */
import type { SourceStore, TurnEvent } from "@turnproof/evidence";
import type { FC } from "hono/jsx";

import { countText, isToday, wordsOf } from "../../ui/display/figures.ts";
import type { TimeForm } from "../../ui/display/figures.ts";
import { kindTexts } from "../../ui/display/kind-texts.ts";
import type { PageContext } from "../../http/page-context.ts";
import { StatusBadge } from "../../ui/elements/badge.tsx";
import { Duration, Id, NotThere, Time } from "../../ui/elements/figure.tsx";
import { Card, Table } from "../../ui/elements/panel.tsx";
import { hrefOf, hrefWith } from "../../ui/layout.tsx";
import { pageAddress } from "../../ui/display/page-address.ts";

const stores: readonly SourceStore[] = ["trace", "conversation", "tool_log"];
const rowsMax = 400;
/** Events that are shown for each turn that the page shows. */
const rowsOfTurn = 3;

/** The newest events of a thread, oldest first; `turns` is the number of turns on the page. */
export const StoreTimeline: FC<{
  readonly timeline: { readonly events: readonly TurnEvent[]; readonly complete: boolean };
  readonly turns: number;
  readonly context: PageContext;
}> = ({ timeline, turns, context }) => {
  const { events, complete } = timeline;
  const shown = events.slice(-Math.min(rowsMax, turns * rowsOfTurn));
  const counts = Map.groupBy(events, storeOf);
  const isOfToday = shown.every(({ timestamp }) => isToday(Date.parse(timestamp)));
  const form = isOfToday ? "time" : "full";
  return (
    <Card
      title="Timeline of the three stores"
      id="timeline"
      icon="clock"
      flush
      end={stores
        .map((store) => `${wordsOf(store)} ${countText(counts.get(store)?.length ?? 0)}`)
        .join(" · ")}
    >
      <Table
        label="Events of the three stores in order of time"
        head={
          <>
            <th scope="col">Time</th>
            <th scope="col">Store</th>
            <th scope="col">Event</th>
            <th scope="col">State</th>
            <th scope="col" class="num">
              Took
            </th>
            <th scope="col">Turn</th>
          </>
        }
      >
        {shown.map((event) => (
          <Row event={event} form={form} context={context} />
        ))}
      </Table>
      <p class="muted padded">
        {shown.length < events.length
          ? `The newest ${countText(shown.length)} of ${countText(events.length)} events. `
          : `${countText(events.length)} events. `}
        {shown.length < Math.min(rowsMax, events.length) ? (
          <>
            <a href={`${hrefWith(context, { limit: String(rowsMax) })}#timeline`}>Show more</a>{" "}
          </>
        ) : null}
        {complete ? "All that the stores hold of it was read." : "The reading met its bound."}
      </p>
    </Card>
  );
};

function storeOf({ source_store: store }: TurnEvent): SourceStore {
  return store ?? "trace";
}

const Row: FC<{
  readonly event: TurnEvent;
  readonly form: TimeForm;
  readonly context: PageContext;
}> = ({ event, form, context }) => {
  const store = storeOf(event);
  const root = event.root_trace_id;
  const words = kindTexts(event.event_kind);
  return (
    <tr>
      <td>
        <Time at={event.timestamp} form={form} />
      </td>
      <td class={`lane-cell ${store}`}>
        <span class="lane-word">{wordsOf(store)}</span>
      </td>
      <td>
        {words}
        {event.operation === event.event_kind ? null : (
          <span class="muted"> {event.operation}</span>
        )}
        {event.phase === "start" ? <span class="muted"> start</span> : null}
      </td>
      <td>
        <StatusBadge status={event.status} />
      </td>
      <td class="num">
        {event.duration_ms === undefined || event.duration_ms === null ? (
          <NotThere why="a point in time, or a duration that was not recorded" />
        ) : (
          <Duration ms={event.duration_ms} />
        )}
      </td>
      <td>
        {root === undefined ? (
          <Id of={event.turn_id} chars={14} why="It names no turn." />
        ) : (
          <Id
            of={event.turn_id ?? root}
            chars={14}
            href={hrefOf(
              context,
              `${pageAddress("traces", root)}#e-${encodeURIComponent(event.event_id)}`,
            )}
          />
        )}
      </td>
    </tr>
  );
};
