/**
 * @module Playground: runs a mounted agent and streams its answer. Input and answer stay in this
 * page; the evidence of the run is content-free like any other.
 */
import type { TenantFilter } from "@turnproof/semconv";
import type { FC } from "hono/jsx";

import { permits } from "../../access/principal.ts";
import type { PageContext } from "../../http/page-context.ts";
import { TenantChip } from "../elements/chip.tsx";
import { Card } from "../elements/panel.tsx";
import { Icon } from "../icons.tsx";
import { hrefOf } from "../layout.tsx";
import { pageAddress } from "../display/page-address.ts";

/** The scope of the previous run, which the next one continues. */
export interface LastRun extends TenantFilter {
  readonly memory: string | null;
  readonly thread: string | null;
}

/** The card of a mounted agent; without the permission it states what is missing. */
export const Playground: FC<{
  readonly agent: string;
  readonly context: PageContext;
  readonly last?: LastRun;
}> = ({ agent, context, last }) => {
  const { principal } = context;
  const may = principal !== undefined && permits(principal, "agent.run");
  return (
    <Card title="Playground" icon="running" id="playground">
      {context.readOnly ? (
        <div class="closed">
          <Icon name="pause" />
          <p>
            <b>This collector is read-only.</b>
          </p>
          <p class="muted">Running an agent would write; start it without the read-only mode.</p>
        </div>
      ) : !may ? (
        <div class="closed">
          <Icon name="blocking" />
          <p>
            <b>Your role may not run agents.</b>
          </p>
          <p class="muted">
            It needs the permission <code>agent.run</code>, which operators and admins hold.
          </p>
        </div>
      ) : (
        <PlaygroundForm agent={agent} context={context} last={last} />
      )}
    </Card>
  );
};

const PlaygroundForm: FC<{
  readonly agent: string;
  readonly context: PageContext;
  readonly last: LastRun | undefined;
}> = ({ agent, context, last }) => {
  const { principal } = context;
  const bound = principal?.userId !== undefined;
  const path = pageAddress("agents", agent);
  return (
    <form
      class="playground"
      method="post"
      action={hrefOf(context, `${path}/run`)}
      data-playground
      data-stream={hrefOf(context, `${path}/playground/stream`)}
    >
      {context.csrfToken === undefined ? null : (
        <input type="hidden" name="csrf_token" value={context.csrfToken} />
      )}
      <label>
        <span>Ask</span>
        <textarea class="field" name="query" rows={3} required maxlength={100_000}></textarea>
      </label>
      <div class="scope-fields">
        {bound ? (
          <span class="bound">
            <span class="muted">You run as</span> <TenantChip userId={principal.userId} />
          </span>
        ) : (
          <label>
            <span>Tenant (empty: anonymous)</span>
            <input
              class="field mono"
              name="user_id"
              value={last?.tenant ?? ""}
              autocomplete="off"
            />
          </label>
        )}
        <label>
          <span>Memory</span>
          <input
            class="field mono"
            name="memory_id"
            value={last?.memory ?? ""}
            autocomplete="off"
          />
        </label>
        <label>
          <span>Thread</span>
          <input
            class="field mono"
            name="thread_id"
            value={last?.thread ?? ""}
            autocomplete="off"
          />
        </label>
      </div>
      <div class="page-actions">
        <button class="button primary" type="submit">
          Run
        </button>
        <button class="button" type="button" data-stop hidden>
          Stop
        </button>
      </div>
      <div class="transcript" data-transcript aria-live="polite" hidden></div>
    </form>
  );
};
