/**
 * @module SupplyCard: Retrieved → Supplied → Referenced. Each candidate is one line with the stage
 * that it reached; what cannot be detected is not measured, never unused; and the scope proof
 * states the applied filter and that no row of another scope was returned.
 */
import type { Metric as MetricValue, Supply, TurnEvent } from "@turnproof/evidence";
import { codes } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";
import type { Child, FC } from "hono/jsx";

import { countText, wordsOf } from "../../ui/display/figures.ts";
import { Badge } from "../../ui/elements/badge.tsx";
import { ShareBar } from "../../ui/elements/bar.tsx";
import { Count, Id, Metric, NotMeasured, Unknown } from "../../ui/elements/figure.tsx";
import { Word } from "../../ui/elements/glossary-word.tsx";
import { Card, Fact, Facts } from "../../ui/elements/panel.tsx";
import { Icon } from "../../ui/icons.tsx";

const candidatesMax = 16;

/** The card; without any memory stage it shows that none is recorded. */
export const SupplyCard: FC<{
  readonly supply: Supply;
  readonly events: readonly TurnEvent[];
}> = ({ supply, events }) => {
  const states = [supply.retrieved, supply.supplied, supply.referenced];
  const recorded = states.some(({ value }) => value !== null);
  return (
    <Card
      title="Memory supply"
      heading={
        <>
          Memory <Word of="supply" />
        </>
      }
      icon="memory"
      id="memory"
      end={
        supply.degraded === true ? (
          <Badge tone="warn" icon="warning" word="degraded" />
        ) : supply.fallback_used === true ? (
          <Badge tone="warn" icon="remote" word="via fallback" />
        ) : undefined
      }
    >
      {recorded ? (
        <>
          <div class="flow">
            <Stage name="Retrieved" of={supply.retrieved} about="candidates considered" />
            <Icon name="more" />
            <Stage name="Supplied" of={supply.supplied} about="placed in the model's context" />
            <Icon name="more" />
            <Stage name="Referenced" of={supply.referenced} about="exact overlap in the answer" />
          </div>
          <div class="supply-columns">
            <Candidates supply={supply} events={events} />
            <div class="supply-side">
              <Reasons of={supply.degraded_reasons} />
              <Sources supply={supply} />
              <ScopeProof events={events} />
            </div>
          </div>
        </>
      ) : (
        <p class="muted">No memory stage was recorded. Whether memory was used is unknown.</p>
      )}
    </Card>
  );
};

const Stage: FC<{ readonly name: string; readonly of: MetricValue; readonly about: string }> = ({
  name,
  of,
  about,
}) => (
  <div class="flow-stage">
    <span class="value">
      <Metric state={of.state} value={of.value} why={`How many were ${name} is not recorded.`} />
    </span>
    <b>{name}</b>
    <span class="muted">{about}</span>
  </div>
);

interface SupplyCandidate {
  readonly ref: string;
  readonly type: string;
  readonly score: number | undefined;
  readonly supplied: boolean;
  readonly referenced: boolean;
  readonly reason: string | undefined;
}

/** Candidates of every stage, in the order of retrieval, then those of later stages only. */
function candidatesOf(supply: Supply, events: readonly TurnEvent[]): readonly SupplyCandidate[] {
  const ledger = new Map(
    events
      .flatMap((event) => event.selection_ledger ?? [])
      .map((line) => [line.resource.ref, line] as const),
  );
  const supplied = new Set(supply.supplied_refs.map(({ ref }) => ref));
  const referenced = new Set(supply.referenced_refs.map(({ ref }) => ref));
  const all = new Map(
    [
      ...supply.retrieved_refs,
      ...[...ledger.values()].map(({ resource }) => resource),
      ...supply.supplied_refs,
      ...supply.referenced_refs,
    ].map((ref) => [ref.ref, ref] as const),
  );
  return [...all.values()].map(({ ref, resource_type: type }, index) => ({
    ref,
    type,
    score: ledger.get(ref)?.relevance_score ?? supply.retrieved_scores[index],
    supplied: supplied.has(ref),
    referenced: referenced.has(ref),
    reason: ledger.get(ref)?.selection_reason,
  }));
}

const Candidates: FC<{ readonly supply: Supply; readonly events: readonly TurnEvent[] }> = ({
  supply,
  events,
}) => {
  const candidates = candidatesOf(supply, events);
  if (candidates.length === 0) {
    return <p class="muted">No hashed reference was recorded; only the counts are known.</p>;
  }
  const names = ["Reference", "Source", "Score", "Supplied", "Referenced", "Reason"];
  return (
    <div class="scroll" role="group" aria-label="Candidates" tabindex={0}>
      <table class="grid candidates" aria-label="Candidates">
        <thead>
          <tr>
            {names.map((name) => (
              <th scope="col">{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {candidates.slice(0, candidatesMax).map((candidate) => (
            <tr>
              <td>
                <Id of={candidate.ref} chars={16} />
              </td>
              <td>{candidate.type}</td>
              <td>
                <Score of={candidate.score} />
              </td>
              <td>{reached(candidate.supplied, "supplied")}</td>
              <td>{reached(candidate.referenced, "referenced")}</td>
              <td class="muted">
                {candidate.reason === undefined ? "" : wordsOf(candidate.reason)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {candidates.length > candidatesMax ? (
        <p class="muted more-line">and {countText(candidates.length - candidatesMax)} more</p>
      ) : null}
    </div>
  );
};

function reached(yes: boolean, word: string): Child {
  return yes ? (
    <span class="dot on" title={word}>
      <span class="sr">{word}</span>
    </span>
  ) : (
    <span class="dot" title={`not ${word}`}>
      <span class="sr">not {word}</span>
    </span>
  );
}

const Score: FC<{ readonly of: number | undefined }> = ({ of }) =>
  of === undefined ? (
    <Unknown why="No score was recorded." />
  ) : (
    <span class="score">
      <ShareBar part={of} whole={1} />
      {of.toFixed(2)}
    </span>
  );

const sourceNames: { readonly [source: string]: string } = {
  history: "History",
  profile: "Profile attributes",
  preference: "Preferences",
  cross_thread: "Cross-thread excerpts",
  summary: "Summaries",
  writing_sample: "Writing samples",
};

/** Why a better item may have been missed. */
const Reasons: FC<{ readonly of: readonly string[] }> = ({ of }) =>
  of.length === 0 ? (
    <></>
  ) : (
    <section aria-label="Why degraded">
      <h3>Why degraded</h3>
      {of.map((code) => (
        <p>
          <code>{code}</code> <span class="muted">{codes[code as Code]?.sentence ?? ""}</span>
        </p>
      ))}
    </section>
  );

const Sources: FC<{ readonly supply: Supply }> = ({ supply }) => (
  <section aria-label="Sources">
    <h3>Supplied by source</h3>
    <table class="grid" aria-label="Supplied by source">
      <thead>
        <tr>
          <th scope="col">Source</th>
          <th class="num" scope="col">
            Supplied
          </th>
          <th scope="col" title="Whether the answer's overlap with this source was measured">
            In the answer
          </th>
        </tr>
      </thead>
      <tbody>
        {supply.sources.map(({ source, supplied, reference_state: reference }) => (
          <tr>
            <th scope="row">{sourceNames[source] ?? wordsOf(source)}</th>
            <td class="num">
              <Metric state={supplied.state} value={supplied.value} />
            </td>
            <td>
              {reference === "measured" ? (
                <span class="muted">measured</span>
              ) : (
                <NotMeasured why="Whether the answer used it cannot be detected." />
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
    <Names title="Profile attributes" of={supply.profile_attribute_names} />
    <Names title="Preferences" of={supply.preference_names} />
  </section>
);

const Names: FC<{ readonly title: string; readonly of: readonly string[] }> = ({ title, of }) =>
  of.length === 0 ? (
    <></>
  ) : (
    <p class="names">
      <span class="muted">{title}:</span>{" "}
      {of.map((name) => (
        <code>{name}</code>
      ))}
    </p>
  );

/** Scope of the reads, their results, and that no row of another scope was among them. */
const ScopeProof: FC<{ readonly events: readonly TurnEvent[] }> = ({ events }) => {
  const reads = events.filter(({ event_kind: kind }) => kind.startsWith("memory_"));
  const applied = new Set(reads.flatMap(({ attributes }) => attributes.scope_applied ?? []));
  const foreign = reads.flatMap(({ attributes }) => attributes.foreign_rows ?? []);
  const returned = reads.flatMap(
    ({ event_kind: kind, attributes }) =>
      (kind === "memory_operation" ? attributes.record_count : undefined) ?? [],
  );
  const sum = (values: readonly number[]): number | null =>
    values.length === 0 ? null : values.reduce((a, b) => a + b, 0);
  const strangers = sum(foreign);
  return (
    <section aria-label="Scope proof">
      <h3>Scope proof</h3>
      <Facts>
        <Fact name="filter applied">
          {applied.size === 0 ? (
            <Unknown why="No read reported the scope that it applied." />
          ) : (
            [...applied].join(", ")
          )}
        </Fact>
        <Fact name="rows returned">
          <Count of={sum(returned)} why="No read reported how many rows it returned." />
        </Fact>
        <Fact name="foreign rows">
          {strangers === null ? (
            <Unknown why="No read counted rows of other scopes." />
          ) : strangers === 0 ? (
            <Badge tone="ok" icon="success" word="0" />
          ) : (
            <Badge tone="bad" icon="failed" word={countText(strangers)} />
          )}
        </Fact>
      </Facts>
    </section>
  );
};
