/**
 * @module EventPanel: everything recorded of one event: its identity, its allowlisted attributes
 * by the registry, its references, and refused attributes.
 */
import type { EventResource, TurnEvent } from "@turnproof/evidence";
import { attribute } from "@turnproof/semconv";
import type { AttributeRow } from "@turnproof/semconv";
import type { Child, FC } from "hono/jsx";

import { countText, wordsOf } from "../display/figures.ts";
import { kindTexts } from "../display/kind-texts.ts";
import { StatusBadge } from "./badge.tsx";
import { Duration, Id, Time, Unknown } from "./figure.tsx";
import { Fact, Facts } from "./panel.tsx";

const rows: { readonly [name: string]: AttributeRow | undefined } = attribute;

/** One event. */
export const EventPanel: FC<{ readonly event: TurnEvent }> = ({ event }) => (
  <article class="event" aria-label={`${kindTexts(event.event_kind)} ${event.phase}`}>
    <header>
      <h3>{kindTexts(event.event_kind)}</h3>
      <span class="muted">{event.operation}</span>
      <StatusBadge status={event.status} />
    </header>
    <Facts>
      <Fact name="phase">{event.phase}</Fact>
      <Fact name="at">
        <Time at={event.timestamp} form="full" />
      </Fact>
      {event.started_at === undefined ? null : (
        <Fact name="started">
          <Time at={event.started_at} form="full" />
        </Fact>
      )}
      {event.phase === "result" ? (
        <Fact name="duration">
          <Duration ms={event.duration_ms} />
        </Fact>
      ) : null}
      {event.task_id === undefined ? null : (
        <Fact name="task">
          <Id of={event.task_id} copy />
        </Fact>
      )}
    </Facts>
    <Attributes event={event} />
    <References title="Inputs" refs={event.input_refs} />
    <References title="Outputs" refs={event.output_refs} />
    <Ledger event={event} />
    <Dropped event={event} />
    <Provenance event={event} />
  </article>
);

const Attributes: FC<{ readonly event: TurnEvent }> = ({ event }) => {
  const values = Object.entries(event.attributes);
  if (values.length === 0) return <></>;
  return (
    <>
      <h4>Attributes</h4>
      <Facts>
        {values.map(([name, value]) => (
          <Fact name={name} title={aboutOf(name)}>
            <Value value={value} />
          </Fact>
        ))}
      </Facts>
    </>
  );
};

/** The registry's description of an attribute. */
function aboutOf(name: string): string {
  const row = rows[name];
  return row === undefined ? name : `${row.span} · holds a ${row.holds} · ${row.source}`;
}

const Value: FC<{ readonly value: unknown }> = ({ value }) => {
  if (value === null) return <Unknown why="It was recorded as unknown." />;
  if (typeof value === "number") return <>{countText(value)}</>;
  if (typeof value === "boolean") return <>{value ? "true" : "false"}</>;
  if (Array.isArray(value)) {
    return (
      <span class="list">
        {(value as readonly unknown[]).map((each) => (
          <code>{String(each)}</code>
        ))}
      </span>
    );
  }
  return typeof value === "string" ? <code>{value}</code> : <Unknown why="No text." />;
};

const References: FC<{
  readonly title: string;
  readonly refs: readonly EventResource[] | undefined;
}> = ({ title, refs }) =>
  refs === undefined || refs.length === 0 ? (
    <></>
  ) : (
    <>
      <h4>
        {title} <span class="muted">{refs.length}</span>
      </h4>
      <ul class="refs">
        {refs.map((ref) => (
          <li>
            <span>{ref.resource_type}</span>
            <Id of={ref.ref} chars={22} />
            {ref.version === undefined ? null : <span class="muted">{ref.version}</span>}
            {ref.ownership_verified === false ? <span class="flag bad">not owned</span> : null}
            {ref.provenance_status === "missing" || ref.provenance_status === "unverified" ? (
              <span class="flag">{ref.provenance_status}</span>
            ) : null}
          </li>
        ))}
      </ul>
    </>
  );

const Ledger: FC<{ readonly event: TurnEvent }> = ({ event }) => {
  const ledger = event.selection_ledger;
  if (ledger === undefined || ledger.length === 0) return <></>;
  const taken = ledger.filter((line) => line.selected === true).length;
  return (
    <>
      <h4>
        Selection ledger <span class="muted">{`${taken} of ${ledger.length} taken`}</span>
      </h4>
      <ul class="refs">
        {ledger.map((line) => (
          <li>
            <span>{line.candidate_rank ?? "?"}</span>
            <Id of={line.resource.ref} chars={18} />
            <span class="muted">
              {line.selected === undefined ? "unknown" : line.selected ? "taken" : "left"}
              {line.selection_reason ? ` · ${line.selection_reason}` : ""}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
};

const Dropped: FC<{ readonly event: TurnEvent }> = ({ event }) => {
  const dropped = Object.entries(event.dropped ?? {});
  if (dropped.length === 0) return <></>;
  const total = dropped.reduce((sum, [, count]) => sum + count, 0);
  return (
    <>
      <h4>
        Refused attributes <span class="muted">{countText(total)}</span>
      </h4>
      <Facts>
        {dropped.map(([code, count]): Child => (
          <Fact name={wordsOf(code)}>{countText(count)}</Fact>
        ))}
      </Facts>
    </>
  );
};

const Provenance: FC<{ readonly event: TurnEvent }> = ({ event }) => (
  <>
    <h4>Record</h4>
    <Facts>
      <Fact name="event id">
        <Id of={event.event_id} copy />
      </Fact>
      <Fact name="span">
        <Id of={event.span_id} why="It names no span." copy />
      </Fact>
      {event.parent_span_id === undefined ? null : (
        <Fact name="parent span">
          <Id of={event.parent_span_id} copy />
          {event.parent_remote === true ? " (remote)" : ""}
        </Fact>
      )}
      {event.caused_by_event_id === undefined ? null : (
        <Fact name="caused by">
          <Id of={event.caused_by_event_id} copy />
        </Fact>
      )}
      <Fact name="application">
        {event.application_id ?? <Unknown why="No service named itself." />}
      </Fact>
      <Fact name="dialect">{event.dialect ?? <Unknown />}</Fact>
      <Fact name="schema">v{event.schema_version}</Fact>
      <Fact name="received">
        <Time at={event.received_at} form="full" />
      </Fact>
      {event.producer_id === undefined ? null : (
        <Fact name="producer">
          <Id of={event.producer_id} chars={20} copy />
          {event.producer_seq === undefined ? "" : ` #${event.producer_seq}`}
        </Fact>
      )}
      {event.contested === true ? (
        <Fact name="contents">
          {event.revision ?? "several"} of one time; which is the latest is not known
        </Fact>
      ) : null}
      {event.ingest_trusted === false ? (
        <Fact name="trust">its sender may not assert verification</Fact>
      ) : null}
      {event.identity_derived === undefined || event.identity_derived.length === 0 ? null : (
        <Fact name="inherited">{event.identity_derived.map(wordsOf).join(", ")}</Fact>
      )}
    </Facts>
  </>
);
