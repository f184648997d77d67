/**
 * @module Reconcile page: the strict verdict over the whole window of a root, on its own page: a
 * target of links, with a signed statement to download.
 */
import type { Child } from "hono/jsx";

import { countText, durationText } from "../../ui/display/figures.ts";
import type { PageContext } from "../../http/page-context.ts";
import type { ReconcileModel } from "./route.ts";
import { Badge } from "../../ui/elements/badge.tsx";
import { Chip, Chips } from "../../ui/elements/chip.tsx";
import { Count, Time } from "../../ui/elements/figure.tsx";
import { Card, Fact, Facts } from "../../ui/elements/panel.tsx";
import { Page, hrefOf } from "../../ui/layout.tsx";
import { VerdictStrip } from "../../ui/elements/verdict-strip.tsx";
import { pageAddress } from "../../ui/display/page-address.ts";

/** The verdict. */
export function reconcilePage(model: ReconcileModel, context: PageContext): Child {
  const { read } = model;
  const query = context.query.toString();
  return (
    <Page
      context={context}
      title={`Verdict on a turn of ${model.agent_id}`}
      bar={
        <div class="page-actions">
          <a class="button" href={hrefOf(context, pageAddress("traces", model.root_trace_id))}>
            Open the turn
          </a>
          <a class="button" href={hrefOf(context, `/traces/reconcile.jws?${query}`)}>
            Signed statement
          </a>
        </div>
      }
    >
      <Chips label="What was judged">
        <Chip name="agent" value={model.agent_id} />
        <Chip name="root" value={model.root_trace_id} chars={20} copy="Trace id" />
        <Chip
          name="task"
          value={model.task_id ?? "all"}
          title={model.task_id ?? "Every intent of the window has to be satisfied."}
        />
      </Chips>
      <VerdictStrip verdict={model} failures={[]} />
      <Card title="Basis of the verdict" icon="info">
        <Facts>
          <Fact name="events">
            <Count of={model.event_count} /> judged of <Count of={read.event_count} /> read
          </Fact>
          <Fact name="intents">
            <Count of={model.intent_count} />
          </Fact>
          <Fact name="as of">
            <Time at={model.as_of} form="full" />
          </Fact>
          <Fact name="reading">
            <span class="spread">
              <Badge
                tone={read.complete ? "ok" : "warn"}
                icon={read.complete ? "success" : "partial"}
                word={read.complete ? "complete" : "not complete"}
              />
              <span class="muted">
                {countText(read.pages)} {read.pages === 1 ? "page" : "pages"} in{" "}
                {durationText(read.elapsed_ms)}
                {read.bounded ? ", ended by a bound" : ""}
                {read.pending_frames > 0
                  ? `, ${countText(read.pending_frames)} frames still on their way`
                  : ""}
              </span>
            </span>
          </Fact>
        </Facts>
      </Card>
    </Page>
  );
}
