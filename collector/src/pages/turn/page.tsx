/**
 * @module Turn page: everything known about one root: its scope, the verdict and its reasons, the
 * causal waterfall, memory supply, context, tools, outcomes, insights, raw events, and what is
 * unknown.
 */
import { releasesOf } from "@turnproof/evidence";
import { limits } from "@turnproof/semconv";
import type { Child, FC } from "hono/jsx";

import { prioritiesOf } from "../../ui/display/event-priorities.ts";
import { failuresOf } from "../../ui/display/failure-texts.ts";
import { countText, wordsOf } from "../../ui/display/figures.ts";
import { spanPage } from "../../ui/display/span-table.ts";
import { typicalByTool } from "../../ui/display/typical-call.ts";
import { traceLink } from "../../ui/display/trace-link.ts";
import type { PageContext } from "../../http/page-context.ts";
import type { TurnModel } from "./turn-reading.ts";
import { VerdictBadge } from "../../ui/elements/badge.tsx";
import { Chip, Chips, ScopeChips } from "../../ui/elements/chip.tsx";
import type { ScopeParts } from "../../ui/elements/chip.tsx";
import { Duration, Id, Time, TurnDuration } from "../../ui/elements/figure.tsx";
import { Note } from "../../ui/elements/panel.tsx";
import { turnHref } from "../../ui/elements/turn-row.tsx";
import { Icon } from "../../ui/icons.tsx";
import type { IconName } from "../../ui/icons.tsx";
import { Page, hrefOf, hrefWith } from "../../ui/layout.tsx";
import { ContractsCard } from "./contracts-card.tsx";
import { ContextCard, ModelsCard, OutcomesCard, ToolsCard } from "./facts-cards.tsx";
import { FlameCard } from "./flame-card.tsx";
import { Word } from "../../ui/elements/glossary-word.tsx";
import { InsightsCard } from "./insights-card.tsx";
import { NotesCard, NotesLink } from "./notes-card.tsx";
import { ProofCard } from "./proof-card.tsx";
import { RawEvents } from "./raw-events.tsx";
import { agentsText, rootScope, rootTitle } from "./root-scope.ts";
import { StatisticsCard } from "./statistics-card.tsx";
import { SpanTabs, SpansCard, spanParameters, spanViewOf } from "./spans-card.tsx";
import { SupplyCard } from "./supply-card.tsx";
import { VerdictStrip } from "../../ui/elements/verdict-strip.tsx";
import { WaterfallCard } from "./waterfall-card.tsx";

/** The page of one root, or of one of its turns. */
export function turnPage(model: TurnModel, context: PageContext, note?: Child): Child {
  const { turns, events, verdict, waterfall, supply, insights } = model;
  const name = agentsText(model);
  const failures = failuresOf(waterfall, events);
  const view = spanViewOf(context.query);
  const spans = view === undefined ? undefined : spanPage(waterfall, view);
  const linked = new Set([
    ...failures.map(({ event_id: id }) => id),
    ...(spans?.rows ?? []).map(({ node }) => node.event_id),
    ...verdict.findings.flatMap(({ evidence_ids: ids }) => ids),
    ...verdict.chain.flatMap(({ evidence_ids: ids }) => ids),
    ...insights.insights.flatMap(({ evidence_ids: ids }) => ids),
    ...(model.contracts ?? []).flatMap(({ results }) =>
      results.flatMap(({ clauses }) => clauses.flatMap(({ evidence_ids: ids }) => ids)),
    ),
  ]);
  return (
    <Page
      context={context}
      title={rootTitle(turns.length, name)}
      script="turn"
      bar={
        <>
          <NotesLink notes={model.notes} context={context} />
          <Actions />
          <OtherBackend model={model} context={context} />
        </>
      }
    >
      {note}
      <Identity model={model} context={context} />
      <Warnings model={model} context={context} />
      <OtherTurns model={model} context={context} />
      <VerdictStrip verdict={verdict} failures={failures} />
      <ContractsCard turns={model.contracts} />
      <SpanTabs context={context} />
      <WaterfallCard
        waterfall={waterfall}
        priorities={prioritiesOf(model)}
        typical={typicalByTool(model.typical_calls)}
        label={`Causal waterfall of ${name}`}
      />
      {view === undefined || spans === undefined ? null : (
        <SpansCard page={spans} view={view} context={context} />
      )}
      <FlameCard waterfall={waterfall} />
      <StatisticsCard waterfall={waterfall} events={events} />
      <div class="cards">
        <SupplyCard supply={supply} events={events} />
        <div class="stack">
          <InsightsCard insights={insights} />
          <ToolsCard events={events} typical={model.typical_calls} />
          <ModelsCard events={events} />
          <OutcomesCard events={events} />
        </div>
        <div class="stack">
          <ContextCard events={events} />
          <ProofCard model={model} context={context} />
          <NotesCard model={model} context={context} />
        </div>
      </div>
      <RawEvents events={events} href={context.jsonHref ?? ""} linked={linked} />
    </Page>
  );
}

const Actions: FC = () => (
  <div class="actions" data-actions hidden>
    <Action name="link" icon="link" word="Link" />
    <Action name="trace" icon="copy" word="Trace id" />
    <Action name="curl" icon="raw" word="curl" />
    <Action name="json" icon="copy" word="JSON" />
    <Action name="mark" icon="mark" word="Mark" />
  </div>
);

const Action: FC<{ readonly name: string; readonly icon: IconName; readonly word: string }> = ({
  name,
  icon,
  word,
}) => (
  <button
    class="button small"
    type="button"
    data-action={name}
    aria-label={name === "mark" ? "Mark this turn" : `Copy ${word} of this turn`}
  >
    <Icon name={icon} />
    <span data-word>{word}</span>
  </button>
);

/** The same trace in the operator's other backend. */
const OtherBackend: FC<{ readonly model: TurnModel; readonly context: PageContext }> = ({
  model,
  context,
}) => {
  const { traceLink: template } = context;
  const link = template === undefined ? undefined : traceLink(template, model.root_trace_id);
  return link === undefined ? null : (
    <a
      class="button small"
      href={link.href}
      rel="noreferrer noopener"
      title="The same trace in the other backend; nothing but its id goes along."
    >
      <Icon name="remote" /> Open in {link.host}
    </a>
  );
};

/** Most releases that a chip names; the others are in its tooltip. */
const releasesMax = 4;

const Identity: FC<{ readonly model: TurnModel; readonly context: PageContext }> = ({
  model,
  context,
}) => {
  const { turns, events, root_trace_id: root } = model;
  const [turn] = turns;
  const by = (field: keyof ScopeParts, value: string | null | undefined): string => {
    const query =
      field === "user_id" && value === null
        ? new URLSearchParams({ scope: "anonymous" })
        : new URLSearchParams({ [field]: value ?? "" });
    return `${hrefOf(context, "/traces")}?${query.toString()}`;
  };
  const { common, several } = rootScope(turns);
  const releases = releasesOf(events);
  const dialects = [...new Set(events.flatMap(({ dialect }) => dialect ?? []))];
  const refused = events
    .flatMap(({ dropped }) => Object.values(dropped ?? {}))
    .reduce((sum, count) => sum + count, 0);
  return (
    <section class="identity" aria-label="Identity">
      <ScopeChips of={common} several={several} hrefBy={by} />
      <Chips label="Times and ids">
        {turn === undefined ? null : (
          <span class="when">
            <Time at={turn.started_at} form="full" />
            <span class="muted" data-ago={turn.started_at}></span>
            <span class="muted">·</span>
            {turns.length === 1 ? <TurnDuration of={turn} /> : <Duration ms={extentOf(model)} />}
          </span>
        )}
        <Word of="root" />
        <Chip name="trace" value={root} chars={16} copy="Trace id" />
        {turns.length === 1 && turn?.turn_id !== undefined ? (
          <Chip name="turn" value={turn.turn_id} chars={16} copy="Turn id" />
        ) : null}
        {turns.length === 1 && turn?.run_id !== undefined ? (
          <Chip name="run" value={turn.run_id} chars={16} copy="Run id" />
        ) : null}
        <Chip
          name="release"
          value={releases.length === 0 ? "unknown" : releases.slice(0, releasesMax).join(", ")}
          title={releases.length === 0 ? "No service named its version." : releases.join(", ")}
        />
        {dialects.map((dialect) => (
          <Chip name="dialect" value={dialect} />
        ))}
        <Chip
          name="refused attributes"
          value={countText(refused)}
          title="Attributes that the guard dropped; neither their keys nor their values are stored."
        />
      </Chips>
    </section>
  );
};

function extentOf({ waterfall }: TurnModel): number | null {
  const known = waterfall.groups.filter(({ origin_ms: at }) => at !== null);
  if (known.length === 0) return null;
  const from = Math.min(...known.map(({ origin_ms: at }) => at ?? 0));
  const to = Math.max(...known.map(({ origin_ms: at, extent_ms: ms }) => (at ?? 0) + (ms ?? 0)));
  return to - from;
}

const Warnings: FC<{ readonly model: TurnModel; readonly context: PageContext }> = ({
  model,
  context,
}) => {
  const { window } = model;
  return (
    <>
      <PartNote model={model} context={context} />
      {window.bounded && model.partial_read === null ? (
        <Note tone="warn">
          This root was not read to its end: {countText(window.event_count)} events were read, then
          a bound was met. What is missing below may merely not have been read.
        </Note>
      ) : null}
      {window.pending_frames > 0 ? (
        <Note tone="warn">
          {countText(window.pending_frames)} acknowledged batches are not readable yet.
        </Note>
      ) : null}
      {window.errors.length > 0 ? (
        <Note tone="bad">
          Some records could not be read:{" "}
          {window.errors
            .map(({ code, count }) => `${wordsOf(code)} (${countText(count)})`)
            .join(", ")}
        </Note>
      ) : null}
    </>
  );
};

/** What was read of a large root, and where its verdict is. */
const PartNote: FC<{ readonly model: TurnModel; readonly context: PageContext }> = ({
  model,
  context,
}) => {
  const { partial_read: part, turns, root_trace_id: root } = model;
  if (part === null) return null;
  const { events_read: read, events_recorded: all } = part;
  const { rootEventsMax: most } = limits;
  const agent = turns.find(({ agent_id: id }) => id !== undefined)?.agent_id;
  const query = new URLSearchParams({ agent_id: agent ?? "", root_trace_id: root });
  return (
    <Note tone="warn">
      This root was read in part: the first {countText(read)}
      {all === null ? "" : ` of ${countText(all)}`} events, in the order of receipt.
      {all === null ? "" : " Its turns are counted over all events."} The rest of the page is about
      those that were read. There is no verdict on a part
      {agent === undefined ? null : (
        <>
          :{" "}
          <a href={hrefOf(context, `/traces/reconcile?${query.toString()}`)}>verdict on the root</a>
        </>
      )}
      .
      {context.query.get("read") === "whole" ? null : (
        <>
          {" "}
          <a href={hrefWith(context, { read: "whole" })}>Read up to {countText(most)} events</a>.
        </>
      )}
    </Note>
  );
};

/** Most turns of a root that its page lists; the others are in the list of turns. */
const turnsListedMax = 100;

/** The turns of a root with several, or a link back to all of them. */
const OtherTurns: FC<{ readonly model: TurnModel; readonly context: PageContext }> = ({
  model,
  context,
}) => {
  const { turns } = model;
  const table: readonly string[] = [...spanParameters, "read"];
  const narrowing = [...context.query.keys()].filter((name) => !table.includes(name));
  if (turns.length < 2) {
    return narrowing.length > 0 ? (
      <p class="muted">
        Narrowed to a part of this root.{" "}
        <a href={hrefWith(context, Object.fromEntries(narrowing.map((name) => [name, null])))}>
          Show the whole root
        </a>
      </p>
    ) : (
      <></>
    );
  }
  return (
    <nav class="card siblings" aria-label="Turns of this root">
      <ul>
        {turns.slice(0, turnsListedMax).map((turn) => (
          <li>
            <a href={turnHref(hrefOf(context, ""), turn, true)}>
              <Time at={turn.started_at} /> <b>{turn.agent_id ?? "unknown agent"}</b>
            </a>
            <Id of={turn.thread_id} chars={18} why="No thread was recorded." />
            <VerdictBadge verdict={turn.verdict} />
            <span class="muted">
              <TurnDuration of={turn} />
            </span>
          </li>
        ))}
      </ul>
      {turns.length > turnsListedMax ? (
        <p class="muted">
          The first {turnsListedMax} of {countText(turns.length)} turns.{" "}
          <a href={hrefOf(context, `/traces?q=${encodeURIComponent(`root:${rootTerm(model)}`)}`)}>
            All turns of this root
          </a>
        </p>
      ) : null}
    </nav>
  );
};

const rootTerm = ({ root_trace_id: root }: TurnModel): string => JSON.stringify(root);
