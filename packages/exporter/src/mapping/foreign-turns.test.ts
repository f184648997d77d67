/** @module Foreign turns: which spans of other libraries are turns, and which agent they name. */
import type { TurnEvent } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { screenedSpan } from "../gate/screened-span.ts";
import { AttributeScreen } from "../gate/screened-attributes.ts";
import type { ReadableSpanLike } from "../gate/sdk-shapes.ts";
import { spanRecordOf } from "../gate/span-record-of.ts";
import { spanToEvent } from "./span-to-event.ts";

const context = { receivedAt: "2026-11-21T10:00:00.123456Z" };
const traceId = "0af7651916cd43dd8448eb211c80319c";

/** A span of an SDK, with a parent in its process unless it is a root. */
function span(
  name: string,
  attributes: ReadableSpanLike["attributes"],
  root = false,
): ReadableSpanLike {
  const ids = (spanId: string): ReturnType<ReadableSpanLike["spanContext"]> => ({
    traceId,
    spanId,
    traceFlags: 1,
  });
  return {
    name,
    kind: 0,
    spanContext: () => ids("b7ad6b7169203331"),
    ...(root ? {} : { parentSpanContext: ids("b7ad6b7169203332") }),
    startTime: [1_793_491_200, 1],
    endTime: [1_793_491_201, 1],
    status: { code: 0 },
    attributes,
    links: [],
    events: [],
    duration: [1, 0],
    ended: true,
    resource: { attributes: { "service.name": "desk" } },
    instrumentationScope: { name: "" },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** The event of the span, which must be the same directly from the SDK and through our gate. */
function eventOf(...of: Parameters<typeof span>): TurnEvent {
  const memory = {
    screen: new AttributeScreen({ keyed: new Set(), keyIdentity: undefined }, () => {}),
    resources: new WeakMap<object, never>(),
    scopes: new WeakMap<object, never>(),
  };
  const whole = spanToEvent(spanRecordOf(span(...of)), context);
  const gated = spanToEvent(spanRecordOf(screenedSpan(span(...of), memory, () => {})), context);
  const { dropped: _, ...stated } = whole;
  const { dropped: __, ...left } = gated;
  expect(left).toEqual(stated);
  expect(JSON.stringify(left)).not.toContain("CANARY");
  return whole;
}

const kind = "openinference.span.kind";
const metadata = (stated: object): string => JSON.stringify(stated);

test("a chain is a turn where a request enters, and structure anywhere else", () => {
  expect(eventOf("CANARY", { [kind]: "CHAIN" }, true)).toMatchObject({
    event_kind: "turn",
    operation: "invoke_workflow",
  });
  expect(eventOf("CANARY", { [kind]: "CHAIN" }).event_kind).toBe("span");
  const remote = span("CANARY", { [kind]: "CHAIN" });
  const parent = { ...remote.parentSpanContext, isRemote: true } as const;
  const record = spanRecordOf({ ...remote, parentSpanContext: parent } as ReadableSpanLike);
  expect(spanToEvent(record, context).event_kind).toBe("turn");
});

test("below a web server a graph is known by its metadata, and its nodes as well", () => {
  const stated = {
    ls_integration: "langgraph",
    thread_id: "thread-1",
    user_id: "user-1",
    note: "CANARY",
  };
  expect(eventOf("researcher", { [kind]: "CHAIN", metadata: metadata(stated) })).toMatchObject({
    event_kind: "turn",
    operation: "invoke_workflow researcher",
    agent_id: "researcher",
    identity_derived: ["agent_id"],
    thread_id: "thread-1",
    user_id: "user-1",
  });
  const node = metadata({ ...stated, langgraph_node: "CANARY" });
  expect(eventOf("planner", { [kind]: "CHAIN", metadata: node })).toMatchObject({
    event_kind: "span",
    operation: "internal",
    thread_id: "thread-1",
  });
  const unnamed = eventOf("LangGraph", { [kind]: "CHAIN", metadata: metadata(stated) });
  expect(unnamed.agent_id).toBeUndefined();
});

test("an agent's own chain names it in its metadata; what it calls gives way to the turn", () => {
  const stated = { ls_integration: "langchain_create_agent", lc_agent_name: "helper" };
  const chain = eventOf("CANARY", { [kind]: "CHAIN", metadata: metadata(stated) });
  expect(chain).toMatchObject({ operation: "invoke_agent helper", agent_id: "helper" });
  expect(chain.identity_derived).toBeUndefined();
  const call = eventOf("CANARY", { [kind]: "LLM", metadata: metadata(stated) });
  expect(call).toMatchObject({ agent_id: "helper", identity_derived: ["agent_id"] });
});

test("a node of a graph names an agent only where it is an agent's span", () => {
  expect(eventOf("CANARY", { [kind]: "AGENT", "graph.node.id": "helper" })).toMatchObject({
    event_kind: "turn",
    agent_id: "helper",
  });
  expect(eventOf("CANARY", { [kind]: "TOOL", "graph.node.id": "helper" }).agent_id).toBe(undefined);
});

test("a tool's entity is its name and no agent's; a workflow gives way to an agent", () => {
  const entity = { "traceloop.entity.name": "lookup", "traceloop.workflow.name": "answer" };
  const tool = eventOf("CANARY", { "traceloop.span.kind": "tool", ...entity });
  expect(tool.attributes).toMatchObject({ tool_name: "lookup", agent_name: "answer" });
  expect(tool).toMatchObject({ agent_id: "answer", identity_derived: ["agent_id"] });
  const flow = eventOf("CANARY", { "traceloop.span.kind": "workflow", ...entity });
  expect(flow).toMatchObject({
    operation: "invoke_workflow lookup",
    identity_derived: ["agent_id"],
  });
  const chain = { ...entity, "traceloop.association.properties.lc_agent_name": "helper" };
  expect(eventOf("CANARY", { "traceloop.span.kind": "workflow", ...chain }).agent_id).toBe(
    "helper",
  );
  const agent = eventOf("CANARY", { "traceloop.span.kind": "agent", ...entity });
  expect(agent).toMatchObject({ operation: "invoke_agent lookup", agent_id: "lookup" });
  expect(agent.identity_derived).toBeUndefined();
});

test("our own attribute wins over every name, and nothing overrules it", () => {
  for (const operation of ["execute_tool", "invoke_workflow", "invoke_agent", "chat"]) {
    const event = eventOf("CANARY", {
      "gen_ai.operation.name": operation,
      "gen_ai.agent.id": "library",
      "gen_ai.agent.name": "name",
      "turnproof.agent.id": "chosen",
    });
    expect(event.agent_id).toBe("chosen");
    expect(event.identity_derived).toBeUndefined();
  }
});

test("names that only a span's own name says are read where the library writes no other", () => {
  const type = "langfuse.observation.type";
  expect(eventOf("helper", { [type]: "agent" }).agent_id).toBe("helper");
  expect(eventOf("lookup_weather", { [type]: "tool" }).attributes.tool_name).toBe("lookup_weather");
  expect(JSON.stringify(eventOf("CANARY", { [type]: "generation" }))).not.toContain("CANARY");
  const flow = { "mastra.span.type": "workflow_run", "gen_ai.operation.name": "invoke_workflow" };
  expect(eventOf("invoke_workflow answer", flow)).toMatchObject({
    event_kind: "turn",
    agent_id: "answer",
  });
  expect(eventOf("CANARY", flow).agent_id).toBeUndefined();
  // A name of any length is keyed, its span is kept, and two names stay distinct.
  const long = "Who asked for it? ".repeat(80);
  const ids = [
    eventOf(long, { [type]: "agent" }).agent_id,
    eventOf(`${long}2`, { [type]: "agent" }).agent_id,
    eventOf(`invoke_workflow ${long}`, flow).agent_id,
  ];
  expect(ids.map((id) => /^n0_\w{26}$/.test(String(id)))).toEqual([true, true, true]);
  expect([ids[0] === ids[1], ids[0] === ids[2]]).toEqual([false, true]);
  expect(eventOf("invoke_agent", { [type]: "agent" }).agent_id).toBeUndefined();
});

test("a call of an MCP tool is a tool call, and other messages are structure", () => {
  const method = "mcp.method.name";
  const call = { [method]: "tools/call", "gen_ai.tool.name": "lookup" };
  expect(eventOf("CANARY", call)).toMatchObject({
    event_kind: "tool_call",
    operation: "execute_tool lookup",
  });
  expect(eventOf("CANARY", { [method]: "tools/list" }).event_kind).toBe("span");
});
