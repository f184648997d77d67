/**
 * @module Run page: a mounted agent's answer, for a form posted without script. The answer is
 * shown as text; the form below continues in the same scope.
 */
import type { Child } from "hono/jsx";

import type { PageContext } from "../../http/page-context.ts";
import type { RunModel } from "./route.ts";
import { Chip, Chips, TenantChip } from "../../ui/elements/chip.tsx";
import { Card } from "../../ui/elements/panel.tsx";
import { Playground } from "../../ui/groups/playground.tsx";
import { Page, hrefOf } from "../../ui/layout.tsx";
import { pageAddress } from "../../ui/display/page-address.ts";

/** One run. */
export function runPage(model: RunModel, context: PageContext): Child {
  const { agent_id: agent, user_id: tenant, answer } = model;
  const text = wordOf(answer, "text");
  const root = wordOf(fieldOf(answer, "trace_context"), "root_trace_id");
  const thread = wordOf(answer, "thread_id") ?? model.thread_id;
  const memory = wordOf(answer, "memory_id") ?? model.memory_id;
  const agentHref = hrefOf(context, pageAddress("agents", agent));
  return (
    <Page context={context} title="Run" windowTitle={`Run of ${agent}`}>
      <Chips label="Agent and tenant of the run">
        <Chip name="agent" value={agent} icon="agents" href={agentHref} chars={60} />
        <TenantChip userId={tenant} />
        {thread === null ? null : (
          <Chip
            name="thread"
            value={thread}
            href={hrefOf(context, pageAddress("threads", thread))}
          />
        )}
      </Chips>
      <Card title="Answer" icon="running" id="answer">
        <div class="transcript">
          {text === null || text === "" ? (
            <p class="muted">The run ended, and its answer has no text.</p>
          ) : (
            <p class="said">{text}</p>
          )}
          <p class="step">
            {root === null ? (
              "The agent did not name the evidence of this run."
            ) : (
              <a href={hrefOf(context, pageAddress("traces", root))}>The evidence of this run</a>
            )}
          </p>
        </div>
      </Card>
      <Playground agent={agent} context={context} last={{ tenant, memory, thread }} />
    </Page>
  );
}

/** A host agent's answer has no schema: a field counts when it has the expected type. */
function fieldOf(value: unknown, field: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, field)) return undefined;
  return (value as { readonly [name: string]: unknown })[field];
}

function wordOf(value: unknown, field: string): string | null {
  const word = fieldOf(value, field);
  return typeof word === "string" ? word : null;
}
