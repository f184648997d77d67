/**
 * @module Results: sources, artifacts, contracts, deliveries and diagnostic codes of both sides.
 */
import type { CodeComparison, StateComparison } from "@turnproof/evidence";
import { findingTexts } from "@turnproof/evidence";
import type { Child, FC } from "hono/jsx";

import { verbOf } from "../../ui/display/compare-texts.ts";
import type { Verb as VerbName } from "../../ui/display/compare-texts.ts";
import { countText, wordsOf } from "../../ui/display/figures.ts";
import { VerdictBadge } from "../../ui/elements/badge.tsx";
import { Id, NotThere, Unknown } from "../../ui/elements/figure.tsx";
import { More } from "../../ui/elements/more.tsx";
import { Card } from "../../ui/elements/panel.tsx";
import type { ComparedSides } from "./heads.tsx";
import { ChangeBadge } from "../../ui/elements/change-badge.tsx";

/** Lines of a panel shown at first. */
const openLines = 12;

/** Verdicts, artifacts and contracts. */
export const Outcome: FC<{ readonly model: ComparedSides }> = ({ model }) => {
  const { verdicts } = model;
  const same = verdicts.baseline === verdicts.candidate;
  return (
    <Card title="Outcome" id="outcome" icon="outcome">
      <div class="compared">
        <Line
          verb={same ? "unchanged" : "changed"}
          name="verdict"
          before={<VerdictBadge verdict={verdicts.baseline} />}
          after={<VerdictBadge verdict={verdicts.candidate} />}
        />
        <States rows={model.artifacts} what="artifact" model={model} />
        <States rows={model.contracts} what="contract" model={model} />
      </div>
    </Card>
  );
};

/** Deliveries by their target. */
export const Deliveries: FC<{ readonly model: ComparedSides }> = ({ model }) => (
  <Card title="Delivery" id="delivery" icon="delivery">
    {model.deliveries.length === 0 ? (
      <p class="muted">Neither side recorded a delivery.</p>
    ) : (
      <div class="compared">
        <States rows={model.deliveries} what="delivery" model={model} />
      </div>
    )}
  </Card>
);

const States: FC<{
  readonly rows: readonly StateComparison[];
  readonly what: string;
  readonly model: ComparedSides;
}> = ({ rows, what, model }) => (
  <More
    first={openLines}
    lines={rows.map((row) => (
      <Line
        verb={verbOf(row.change, model.trust)}
        name={
          <>
            {what} {row.name === null ? null : <code>{row.name}</code>}
          </>
        }
        before={<Stated states={row.baseline} complete={model.trust.baseline.complete} />}
        after={<Stated states={row.candidate} complete={model.trust.candidate.complete} />}
      />
    ))}
  />
);

const Stated: FC<{
  readonly states: readonly (string | null)[] | null;
  readonly complete: boolean;
}> = ({ states, complete }) => {
  if (states === null) {
    return complete ? (
      <NotThere why="not on this side" />
    ) : (
      <Unknown why="This side is incomplete: it may exist without having been read." />
    );
  }
  return <>{states.map((state) => wordsOf(state ?? "used, no version")).join(", ")}</>;
};

const Line: FC<{
  readonly verb: VerbName;
  readonly name: Child;
  readonly before: Child;
  readonly after: Child;
}> = ({ verb, name, before, after }) => (
  <div class={`line ${verb}`}>
    <ChangeBadge of={verb} bare />
    <span class="name">{name}</span>
    <span class="before">{before}</span>
    <span class="arrow" aria-hidden="true">
      →
    </span>
    <span class="after">{after}</span>
  </div>
);

/** Sources by name, with the versions in use. */
export const Sources: FC<{ readonly model: ComparedSides }> = ({ model }) => {
  const { sources } = model;
  const same = sources.filter(({ change }) => change === "unchanged");
  const moved = sources.filter(({ change }) => change !== "unchanged");
  return (
    <Card
      title="Sources"
      id="sources"
      icon="memory"
      end={sources.length === 0 ? null : `${countText(same.length)} same`}
    >
      {sources.length === 0 ? (
        <p class="muted">Neither side names a source.</p>
      ) : (
        <div class="compared">
          <More
            first={openLines}
            lines={[...moved, ...same].map((row) => (
              <Line
                verb={verbOf(row.change, model.trust)}
                name={
                  <>
                    {row.resource_type} <Id of={row.ref} chars={22} />
                  </>
                }
                before={
                  <Stated states={row.baseline_versions} complete={model.trust.baseline.complete} />
                }
                after={
                  <Stated
                    states={row.candidate_versions}
                    complete={model.trust.candidate.complete}
                  />
                }
              />
            ))}
          />
        </div>
      )}
    </Card>
  );
};

const presences: { readonly [P in CodeComparison["presence"]]: VerbName } = {
  only_in_baseline: "removed",
  only_in_candidate: "added",
  in_both: "unchanged",
  not_established: "not_established",
};

/** Diagnostic codes of either side. */
export const Diagnostics: FC<{ readonly model: ComparedSides }> = ({ model }) => (
  <Card title="Diagnostics" id="diagnostics" icon="warning">
    {model.diagnostics.length === 0 ? (
      <p class="muted">No findings on either side.</p>
    ) : (
      <ul class="codes">
        {model.diagnostics.map(({ code, presence }) => (
          <li class={presences[presence]}>
            <ChangeBadge of={presences[presence]} />
            <span title={findingTexts[code].finding}>{findingTexts[code].title}</span>
            <code class="muted">{code}</code>
          </li>
        ))}
      </ul>
    )}
  </Card>
);
