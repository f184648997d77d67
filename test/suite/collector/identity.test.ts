/** Identities that are not opaque: keyed on receipt, and in everything that people type. */
import { allowNames } from "@turnproof/semconv";
import { expect, test } from "vitest";

import { traceRequest } from "../../otlp/encode.ts";
import { openDesk } from "./desk.ts";

const mail = "alice@example.test";
const accounts = JSON.stringify({
  otto: { token: "otto-q7KxZt4Wm9Rc2Yd8", role: "viewer" },
  alice: { token: "alice-q7KxZt4Wm9Rc2Yd8", role: "viewer", user_id: mail },
});

test("a raw id still finds its events, and is stored nowhere", async () => {
  const env = {
    TURNPROOF_UI_ACCOUNTS: accounts,
    TURNPROOF_IDENTITY_KEY: "q7KxZt4Wm9Rc2Yd8Vb5Ns1Lp6Hf3Gj0Tu",
  };
  const desk = await openDesk(env);
  const text = (key: string, value: string): object => ({ key, value: { stringValue: value } });
  const sent = await desk.collector.app.request("http://localhost:4318/v1/traces", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      resourceSpans: [
        {
          scopeSpans: [
            {
              spans: [
                {
                  traceId: "0af7651916cd43dd8448eb211c80319c",
                  spanId: "b7ad6b7169203331",
                  startTimeUnixNano: "1760000000000000000",
                  endTimeUnixNano: "1760000001000000000",
                  attributes: [
                    text("gen_ai.operation.name", "invoke_agent"),
                    text("gen_ai.agent.name", "helper"),
                    text("user.id", mail),
                  ],
                },
              ],
            },
          ],
        },
      ],
    }),
  });
  expect(sent.status).toBe(200);
  const as = (name: string): Record<string, string> => ({
    authorization: `Bearer ${name}-q7KxZt4Wm9Rc2Yd8`,
  });
  // The turn page waits until what was acknowledged is readable.
  await desk.json("/traces/0af7651916cd43dd8448eb211c80319c.json", as("otto"));
  const query = encodeURIComponent(mail);
  for (const [path, name] of [
    [`/traces/events.json?user_id=${query}`, "otto"],
    [`/traces/find.json?id=${query}`, "otto"],
    [`/traces/events.json?user_id=${query}`, "alice"],
    ["/traces/events.json", "alice"],
    ["/traces/turns.json", "alice"],
  ] as const) {
    const page = await desk.json<{ items: unknown[] }>(path, as(name));
    expect([path, page.items.length]).toEqual([path, 1]);
    expect(JSON.stringify(page)).not.toContain(mail);
  }
  await desk.collector.close();
});

test("an agent that is known by a name with spaces is found by it; a raw thread has its page", async () => {
  const desk = await openDesk();
  const span = {
    traceId: "0af7651916cd43dd8448eb211c80319d",
    spanId: "b7ad6b7169203331",
    name: "any",
    startTimeUnixNano: "1760000000000000000",
    endTimeUnixNano: "1760000001000000000",
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "Support Desk",
      "gen_ai.conversation.id": "chat of carol@example.test",
    },
  };
  const request = traceRequest([span], { "service.name": "desk" });
  const sent = await desk.collector.app.request("http://localhost:4318/v1/traces", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
  });
  expect(sent.status).toBe(200);
  await desk.json(`/traces/${span.traceId}.json`);
  const thread = encodeURIComponent("chat of carol@example.test");
  for (const path of [
    "/traces/turns.json?agent_id=Support%20Desk",
    "/traces/events.json?agent_id=Support%20Desk",
    `/traces/turns.json?thread_id=${thread}`,
  ]) {
    const { items } = await desk.json<{ items: unknown[] }>(path);
    expect([path, items.length]).toEqual([path, 1]);
  }
  const verdict = `agent_id=Support%20Desk&root_trace_id=${span.traceId}`;
  await desk.json(`/traces/reconcile.json?${verdict}`);
  const agent = await desk.json<{ agent: { agent_id: string; turns: number }; turns: unknown[] }>(
    "/agents/Support%20Desk.json",
  );
  expect(agent).toMatchObject({ agent: { agent_id: "Support Desk", turns: 1 } });
  const page = await desk.json<{ thread: { turns: number }; timeline: { events: unknown[] } }>(
    `/threads/${thread}.json`,
  );
  expect([page.thread.turns, page.timeline.events.length]).toEqual([1, 1]);
  expect(JSON.stringify(page)).not.toContain("carol");
  await desk.collector.close();
});

test("an agent whose name may be content is keyed, found by its name, and readable once listed", async () => {
  const prompt = "Please tell me where my order is";
  const token = "producer-q7KxZt4Wm9Rc2Yd8";
  const env = { TURNPROOF_INGEST_TOKENS: `shop:${token}:What a shop this is` };
  for (const [listed, shown] of [
    ["", /^k1_[a-z2-7]{26}$/],
    [`Other name; ${prompt}`, new RegExp(`^${prompt}$`)],
  ] as const) {
    const desk = await openDesk({ ...env, TURNPROOF_KNOWN_NAMES: listed });
    const span = {
      traceId: "0af7651916cd43dd8448eb211c80319e",
      spanId: "b7ad6b7169203331",
      name: "any",
      startTimeUnixNano: "1760000000000000000",
      endTimeUnixNano: "1760000001000000000",
      attributes: { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": prompt },
    };
    // A token's application is named by the operator, so it is known whatever it looks like.
    const request = traceRequest([span], { "service.name": "What a shop this is" });
    const sent = await desk.collector.app.request("http://localhost:4318/v1/traces", {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify(request),
    });
    expect([sent.status, await sent.json()]).toEqual([200, {}]);
    await desk.json(`/traces/${span.traceId}.json`);
    const query = `/traces/turns.json?agent_id=${encodeURIComponent(prompt)}`;
    const { items } = await desk.json<{ items: { agent_id: string; application_id: string }[] }>(
      query,
    );
    expect(items).toHaveLength(1);
    expect(items[0]?.agent_id).toMatch(shown);
    expect(items[0]?.application_id).toBe("What a shop this is");
    allowNames([]);
    await desk.collector.close();
  }
});
