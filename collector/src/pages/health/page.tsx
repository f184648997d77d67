/**
 * @module Health page: whether telemetry is lost, whether every received item is accounted for,
 * and the composition of the evidence. It covers what was read, and states how much that is.
 */
import type { KnownNumber } from "@turnproof/evidence";
import type { Child, FC } from "hono/jsx";

import { countText } from "../../ui/display/figures.ts";
import { requestedRange } from "../../ui/display/time-range.ts";
import { knownText, nothingRead, nothingReceived } from "./health-figures.ts";
import type { PageContext } from "../../http/page-context.ts";
import type { HealthModel } from "./route.ts";
import { Chip, Chips } from "../../ui/elements/chip.tsx";
import { Count, Duration } from "../../ui/elements/figure.tsx";
import { RangeInputs } from "../../ui/elements/range-picker.tsx";
import { Empty, Note, Tile, Tiles } from "../../ui/elements/panel.tsx";
import { ConservationCard, JournalCard } from "./conservation.tsx";
import { ContractsCard } from "./contracts-card.tsx";
import { LossCard } from "./losses.tsx";
import { MixCards, RefusalsCard } from "./mix.tsx";
import { FailuresCard, IdentityCard, StructureCard } from "./structure.tsx";
import { StoresCard } from "./stores.tsx";
import { NoFigure, RangeCards } from "./range-cards.tsx";
import { TimelineCard } from "./timeline.tsx";
import { Icon } from "../../ui/icons.tsx";
import { RulesRefusedNote } from "../../ui/groups/rules-refused-note.tsx";
import { Page, hrefOf, hrefWith } from "../../ui/layout.tsx";

/** The health view. */
export function healthPage(model: HealthModel, context: PageContext): Child {
  const bare = model.normalized_events === 0;
  const isRanged = Object.keys(requestedRange(context.query)).length > 0;
  return (
    <Page
      context={context}
      title="Health"
      script="health"
      bar={
        <div class="page-actions">
          <HealthFilter context={context} />
          <button class="button" type="button" data-watch hidden aria-pressed="false">
            <Icon name="live" /> <span data-word>Watch</span>
          </button>
        </div>
      }
    >
      <Scope context={context} model={model} />
      <RangeCards of={model.range} context={context} />
      <h2 class="health-part">Now, and in the newest rows</h2>
      <p class="muted" data-not-ranged>
        Independent of the range{isRanged ? " that is chosen" : ""}: the state of this collector
        now, and counts of the newest {countText(model.limit)} rows of each store.
      </p>
      <Headline model={model} />
      <div class="watch-plots" data-watch-plots hidden></div>
      {isRanged ? null : <LossCard model={model} />}
      <RulesRefusedNote refused={model.collector?.alert_rules_refused ?? null} />
      {model.collector === null ? (
        <Note>
          The collector's own state is for operators who are bound to no tenant and no application.
        </Note>
      ) : (
        <div class="health-pair">
          <ConservationCard of={model.collector.ingest.conservation} />
          <JournalCard of={model.collector} context={context} />
        </div>
      )}
      <ContractsCard of={model.contracts} context={context} />
      {bare ? (
        <Empty title="No evidence was read" icon="health">
          <p>
            {bareText(model)} <a href={hrefOf(context, "/traces")}>Turns</a>
          </p>
        </Empty>
      ) : (
        <>
          <TimelineCard timeline={model.timeline} events={model.normalized_events} />
          <MixCards model={model} />
        </>
      )}
      <div class="health-panels">
        <div class="stack">
          <StoresCard model={model} />
          <StructureCard model={model} />
          <FailuresCard model={model} />
        </div>
        <div class="stack">
          <RefusalsCard model={model} />
          <IdentityCard model={model} />
        </div>
      </div>
    </Page>
  );
}

const fields = ["agent_id", "thread_id", "user_id", "scope"] as const;

const Scope: FC<{ readonly context: PageContext; readonly model: HealthModel }> = ({
  context,
  model,
}) => (
  <Chips label="Scope and reach">
    <Chip
      name="read"
      value={
        model.window_complete
          ? "every row"
          : `the newest rows, up to ${countText(model.limit)} of each store`
      }
      dashed={!model.window_complete}
      chars={60}
      title={
        model.window_complete
          ? "Everything in this scope was read."
          : "The newest rows were read; what is older does not show here."
      }
    />
    {fields.flatMap((field) => {
      const value = context.query.get(field);
      if (value === null || value === "") return [];
      return [
        <a class="chip term" href={hrefWith(context, { [field]: null })} title={`Remove ${field}`}>
          <span class="value">
            {field}:{value}
          </span>
          <Icon name="close" label="remove" />
        </a>,
      ];
    })}
  </Chips>
);

const HealthFilter: FC<{ readonly context: PageContext }> = ({ context }) => (
  <form class="inline-filter" method="get" role="search" aria-label="Narrow the health view">
    <input
      class="field mono"
      name="agent_id"
      placeholder="agent"
      aria-label="Agent"
      value={context.query.get("agent_id") ?? ""}
      autocomplete="off"
    />
    <input
      class="field mono"
      name="thread_id"
      placeholder="thread"
      aria-label="Thread"
      value={context.query.get("thread_id") ?? ""}
      autocomplete="off"
    />
    <RangeInputs query={context.query} />
    <button class="button" type="submit">
      Narrow
    </button>
  </form>
);

/** What producers report, over the rows that were read. */
const reported: readonly (readonly [string, string, (of: HealthModel) => KnownNumber])[] = [
  ["events lost", "as producers account for them", (of) => of.dropped_events],
  ["write failures", "of recorders, as they report", (of) => of.write_failures],
  ["sampled out", "on purpose, by producers", (of) => of.sampled_out],
];

/** A count that producers report; without any evidence there is nothing to be unknown. */
const Reported: FC<{
  readonly name: string;
  readonly more: string;
  readonly of: KnownNumber;
  readonly none: boolean;
}> = ({ name, more, of, none }) => (
  <Tile name={name} more={none ? "nothing received" : more}>
    {none ? (
      <NoFigure />
    ) : (
      <span class={of.value === null ? "unknown-figure" : ""}>{knownText(of)}</span>
    )}
  </Tile>
);

function readTexts(model: HealthModel): string {
  if (nothingRead(model)) return "no evidence could be read";
  return model.window_complete ? "all rows" : "the newest rows";
}

const isDamaged = ({ code }: { readonly code: string | null }): boolean => code === "store_corrupt";

function storeTexts(store: NonNullable<HealthModel["collector"]>["store"]): string {
  if (store.ok) return "answers";
  return isDamaged(store) ? "what helps is below" : (store.reason ?? "fails");
}

/** The most important answers, in one line. */
const Headline: FC<{ readonly model: HealthModel }> = ({ model }) => {
  const { collector } = model;
  const conservation = collector?.ingest.conservation;
  return (
    <Tiles label="At a glance">
      {reported.map(([name, more, of]) => (
        <Reported name={name} more={more} of={of(model)} none={nothingReceived(model)} />
      ))}
      {conservation === undefined ? null : (
        <Tile
          name="received items"
          more={conservation.balanced ? "all accounted for" : "the counts do not add up"}
        >
          <Count of={conservation.received + conservation.recovered} short />
        </Tile>
      )}
      {collector === null ? null : (
        <Tile name="store" more={storeTexts(collector.store)}>
          {collector.store.ok ? (
            <Duration ms={collector.store.elapsed_ms} />
          ) : (
            <span class="unknown-figure">{isDamaged(collector.store) ? "damaged" : "away"}</span>
          )}
        </Tile>
      )}
      <Tile name="events read" more={readTexts(model)}>
        {nothingRead(model) ? (
          <span class="unknown-figure">unknown</span>
        ) : (
          <Count of={model.normalized_events} />
        )}
      </Tile>
    </Tiles>
  );
};

/** Why no event was read. */
function bareText(model: HealthModel): string {
  if ("audit_unavailable" in model.failures_by_code) {
    return "Reads cannot be recorded while the audit log cannot be written, so no row is read.";
  }
  if (nothingRead(model)) return "No evidence could be read: see the stores below.";
  return Object.keys(model.failures_by_code).length > 0
    ? "The stores answered with failures; see below."
    : "Nothing in this scope yet. Point an application here, or widen the filters.";
}
