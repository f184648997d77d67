/**
 * A client that `openapi-typescript` makes from the description: reads a running collector, and the
 * compiler checks each field that it reads. `node client.ts URL ROOT AGENT`.
 */
import createClient from "openapi-fetch";

import type { components, paths } from "./generated/api.d.ts";

const [baseUrl = "", root = "", agent = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl });

/** The body, or the problem as an error. */
async function answered<T>(
  requested: Promise<{ readonly data?: T; readonly error?: components["schemas"]["Problem"] }>,
): Promise<T> {
  const { data, error } = await requested;
  if (data === undefined) throw new Error(error?.code ?? "no answer");
  return data;
}

const turns = await answered(
  client.GET("/traces/turns.json", { params: { query: { limit: 5, q: `agent:${agent}` } } }),
);
const path = { root_trace_id: root };
const one = await answered(
  client.GET("/traces/{root_trace_id}.json", { params: { path, query: { agent_id: agent } } }),
);
const query = { root_trace_id: root, agent_id: agent };
const verdict = await answered(client.GET("/traces/reconcile.json", { params: { query } }));
const found = await answered(client.GET("/traces/find.json", { params: { query: { id: root } } }));
const facets = await answered(client.GET("/traces/facets.json"));
const health = await answered(client.GET("/traces/health.json"));
const compared = await answered(
  client.GET("/traces/compare.json", {
    params: { query: { agent_id: agent, baseline_root: root, candidate_root: root } },
  }),
);
const refused = await client.GET("/traces/turns.json", {
  // @ts-expect-error A number is a number.
  params: { query: { limit: "many" } },
});

console.log(
  JSON.stringify({
    turns: turns.items.map(({ agent_id, status }) => [agent_id, status]),
    window: one.window.event_count,
    verdict: verdict.status,
    findings: verdict.findings.length,
    roots: found.items.map(({ root_trace_id }) => root_trace_id),
    turns_counted: facets.turns,
    health: health.collector?.store.ok,
    compared: compared.baseline.root_trace_id,
    refused: [refused.response.status, refused.error?.code, refused.error?.field],
  }),
);
