/**
 * @module Compare page: two roots side by side. Changes in a neutral colour, open points in grey,
 * and nothing in the colours of better and worse.
 */
import type { Child } from "hono/jsx";

import type { PageContext } from "../../http/page-context.ts";
import type { CompareModel } from "./route.ts";
import { CompareChoice } from "./choice.tsx";
import { CompareHeads, TrustBar } from "./heads.tsx";
import { OpenPoints } from "./open-points.tsx";
import { Operations } from "./operations.tsx";
import { Deliveries, Diagnostics, Outcome, Sources } from "./results.tsx";
import { TimingAndTokens } from "./timing.tsx";
import { inRange } from "../../ui/display/time-range.ts";
import { CompareTabs } from "../../ui/groups/compare-tabs.tsx";
import { Page, hrefWith } from "../../ui/layout.tsx";

/** The comparison, or the form that selects two turns. */
export function comparePage(model: CompareModel, context: PageContext): Child {
  if (!model.requested) {
    return (
      <Page
        context={context}
        title="Compare"
        script="compare"
        bar={<CompareTabs context={context} here="turns" />}
      >
        <CompareChoice model={model} context={context} />
      </Page>
    );
  }
  const swapped = hrefWith(context, {
    baseline_root: model.candidate.root_trace_id,
    candidate_root: model.baseline.root_trace_id,
    baseline_turn: model.candidate.turn_id,
    candidate_turn: model.baseline.turn_id,
  });
  const agent = new URLSearchParams({ agent_id: model.agent_id });
  const others = inRange(`?${agent.toString()}`, context.query);
  return (
    <Page
      context={context}
      title={`Compare turns of ${model.agent_id}`}
      script="compare"
      passesRange
      bar={
        <div class="page-actions">
          <CompareTabs context={context} here="turns" />
          <a class="button" href={swapped} data-swap>
            Swap A and B
          </a>
          <a class="button" href={others}>
            Pick others
          </a>
        </div>
      }
    >
      <div class="compare">
        <CompareHeads model={model} context={context} />
        <TrustBar model={model} />
        <OpenPoints comparison={model} />
        <div class="compare-panels">
          <div class="stack">
            <Outcome model={model} />
            <Deliveries model={model} />
            <Diagnostics model={model} />
          </div>
          <div class="stack">
            <TimingAndTokens model={model} />
            <Sources model={model} />
          </div>
        </div>
        <Operations model={model} context={context} />
      </div>
    </Page>
  );
}
