/**
 * @module The turn propagates beside foreign baggage, to allowed hosts only, and is never trusted.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import {
  context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  propagation,
  ROOT_CONTEXT,
  trace,
} from "@opentelemetry/api";
import type { Context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  CompositePropagator,
  W3CBaggagePropagator,
  W3CTraceContextPropagator,
} from "@opentelemetry/core";
import { afterAll, beforeAll, expect, test } from "vitest";

import { TraceContext } from "./trace-context.ts";
import { propagateTurn, receivedTurn, turnFetch, TurnPropagator } from "./turn-propagator.ts";

const propagator = new CompositePropagator({
  propagators: [new W3CTraceContextPropagator(), new TurnPropagator(new W3CBaggagePropagator())],
});
const turn = new TraceContext(
  { agentId: "helper", userId: "user_1", threadId: "thread_1", runId: "run_1", turnId: "turn_1" },
  { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", traceFlags: 1 },
);

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(propagator);
});
afterAll(() => {
  context.disable();
  propagation.disable();
});

const inject = (): Record<string, string> => {
  const headers: Record<string, string> = {};
  propagator.inject(context.active(), headers, defaultTextMapSetter);
  return headers;
};
const extract = (headers: Record<string, string>): Context =>
  propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);

test("identity leaves only inside propagateTurn, and foreign baggage always does", () => {
  const baggage = propagation.createBaggage({ tier: { value: "gold" } });
  context.with(propagation.setBaggage(turn.toContext(), baggage), () => {
    expect(inject()["baggage"]).toBe("tier=gold");
    const sent = propagateTurn(inject);
    expect(sent["baggage"]).toMatch(/^tier=gold,turnproof\.agent_id=helper,/);
    const received = extract(sent);
    expect(receivedTurn(received)?.identity).toEqual(turn.identity);
    expect(
      propagation
        .getBaggage(received)
        ?.getAllEntries()
        .map(([name]) => name),
    ).toEqual(["tier"]);
    // A received turn is not active: it has not been compared with the caller yet.
    expect(TraceContext.active(received)).toBeUndefined();
  });
});

test("an incomplete or forged turn is left out, and the trace goes on", () => {
  const sent = context.with(turn.toContext(), () => propagateTurn(inject));
  const broken = [
    { ...sent, baggage: "turnproof.agent_id=helper" },
    { ...sent, baggage: `${sent["baggage"]},turnproof.scope=all` },
    { ...sent, baggage: sent["baggage"]!.replace("user_1", "ada%40shop.example") },
  ];
  for (const headers of broken) {
    const received = extract(headers);
    expect(receivedTurn(received)).toBeUndefined();
    expect(trace.getSpanContext(received)?.traceId).toBe(turn.rootTraceId);
  }
  expect(receivedTurn(extract({ ...sent, traceparent: "00-0-0-00" }))).toBeUndefined();
});

test("turnFetch tells allowed hosts and nobody else, and follows no redirect with identity", async () => {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers["baggage"] as string | undefined);
    if (request.url === "/away") response.writeHead(302, { location: "/there" });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const members = context.with(turn.toContext(), () => propagateTurn(inject))["baggage"];
  const { port } = server.address() as AddressInfo;
  const open = turnFetch({ allow: ["127.0.0.1"] });
  const closed = turnFetch({ allow: ["partner.example", ".shop.example"] });
  const sent: string[] = [];
  const named = turnFetch({
    allow: ["Partner.Example", ".Shop.example"],
    fetch: (request) => {
      const { headers, url } = new Request(request);
      if (headers.has("baggage")) sent.push(url);
      return Promise.resolve(new Response());
    },
  });
  await turn.with(async () => {
    await open(`http://127.0.0.1:${port}/`);
    await closed(`http://127.0.0.1:${port}/`);
    expect((await open(`http://127.0.0.1:${port}/away`)).status).toBe(302);
    const hosts = ["PARTNER.example", "jobs.shop.EXAMPLE", "shop.example", "evilshop.example"];
    for (const host of hosts) await named(`http://${host}/`);
    expect(sent).toEqual(["http://partner.example/", "http://jobs.shop.example/"]);
  });
  // Baggage that the caller set is sent along with the turn.
  const given: RequestInit = { headers: { baggage: "tier=gold,turnproof.user_id=user_2" } };
  await turn.with(() => open(`http://127.0.0.1:${port}/`, given));
  expect(seen.pop()).toBe(`tier=gold,${members}`);
  server.close();
  expect(seen.map((header) => header?.includes("turn_1") ?? false)).toEqual([true, false, true]);
});
