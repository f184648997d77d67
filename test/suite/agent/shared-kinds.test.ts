/**
 * @module Every shared kind reaches the turns that it is for, by evidence without a word of it:
 * persona, toolbox, tool servers, skills from promoted candidates, shared memory, automations.
 */
import { createMCPClient } from "@ai-sdk/mcp";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent, Automations } from "@turnproof/agent";
import type { AgentOptions, AnyTool } from "@turnproof/agent";
import { CodedError } from "@turnproof/semconv";
import { ephemeralMemory } from "@turnproof/store";
import { expect, test } from "vitest";

import { startMcp } from "../../servers/mcp.ts";
import { startScriptedModel } from "../../servers/openai-compatible.ts";
import type { ScriptedModel } from "../../servers/openai-compatible.ts";
import { observe, ofKind } from "./observed.ts";

const observed = observe();
const place = { userId: "ann", memoryId: "m1" };
const tool = (name: string): AnyTool => ({
  name,
  description: `canary-host ${name}`,
  inputSchema: { type: "object" },
  readOnly: true,
  execute: () => ({ done: name }),
});

function open(server: ScriptedModel, more: Partial<AgentOptions> = {}): Agent {
  const model = createOpenAICompatible({ name: "m", baseURL: server.baseURL })("desk-1");
  return new Agent({ model, store: ephemeralMemory(), ...more });
}

interface Requested {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools?: readonly {
    readonly function: { readonly name: string; readonly description: string };
  }[];
}
const lastRequested = ({ bodies }: ScriptedModel): Requested =>
  JSON.parse(bodies.at(-1) ?? "") as Requested;
const systemOf = (server: ScriptedModel): string =>
  lastRequested(server).messages.find(({ role }) => role === "system")?.content ?? "";

/** What the turn read of the shared stores by its evidence: store id and rows. */
async function sharedReads(root: string): Promise<readonly string[]> {
  const events = ofKind(await observed.events("ann", root), "memory_operation");
  return events
    .filter(({ attributes }) => attributes.scope_applied === "shared")
    .map(({ attributes }) => `${attributes.store_id} ${attributes.record_count}`);
}

test("a promoted candidate is a skill of the next prompt, of every user, until it is taken back", async () => {
  await using server = await startScriptedModel();
  const agent = open(server, { tools: [tool("lookup_order"), tool("issue_refund")] });
  const requested = "I want a refund for order A-1001";
  for (const threadId of ["t1", "t2"]) await agent.run(requested, { ...place, threadId });
  const [candidate] = await agent.memory.learning.candidates({ ...place, agentId: "agent" });
  expect(candidate?.tools).toEqual(["lookup_order", "issue_refund"]);
  expect(systemOf(server)).not.toContain("canary-skill");
  const instructions = "canary-skill: look first, then pay back";
  const skill = { id: "refund", data: { name: "Refunds", instructions } };
  await agent.memory.learning.promote(candidate!, skill);
  await agent.memory.shared.of("skill").put("other", { tools: ["not_here"], told: "canary-other" });
  const { traceContext } = await agent.run("Hello", { ...place, threadId: "t3" });
  expect(systemOf(server)).toContain(
    `- Refunds: ${instructions} (tools in order: lookup_order, issue_refund)`,
  );
  expect(systemOf(server)).not.toContain("canary-other");
  expect(await sharedReads(traceContext.rootTraceId)).toEqual(["skills 2", "shared_memory 0"]);
  const events = await observed.events("ann", traceContext.rootTraceId);
  const ledger = ofKind(events, "memory_selection").flatMap(
    (event) => event.selection_ledger ?? [],
  );
  expect(
    ledger.map(({ resource, selected, selection_reason: why }) => [
      resource.resource_type,
      selected,
      why,
    ]),
  ).toEqual(
    expect.arrayContaining([
      ["skill", true, "shared"],
      ["skill", false, "tools_missing"],
    ]),
  );
  await agent.run("Hello", { userId: "ben", threadId: "t4" });
  expect(systemOf(server)).toContain("canary-skill");
  await agent.memory.learning.demote("refund");
  await agent.run("Hello", { ...place, threadId: "t5" });
  expect(systemOf(server)).not.toContain("canary-skill");
  expect(await observed.text(["ann", "ben"])).not.toContain("canary");
});

test("shared memory is read by every tenant's turn, the nearest rows first, or not at all", async () => {
  await using server = await startScriptedModel();
  const store = ephemeralMemory();
  const agent = open(server, { store, shared: { itemsMax: 2 } });
  const shared = agent.memory.shared.of("shared_memory");
  for (const day of ["monday", "tuesday", "friday", "sunday"]) {
    await shared.put(day, {}, `on ${day} the canary shop opens at nine`);
  }
  const first = await agent.run("When do you open on sunday?", { ...place, threadId: "t1" });
  expect(systemOf(server)).toContain("on sunday the canary shop");
  expect(systemOf(server).match(/canary shop/g)).toHaveLength(2);
  expect(await sharedReads(first.traceContext.rootTraceId)).toContain("shared_memory 4");
  const closed = open(server, { store, shared: { sharedMemory: false, skills: false } });
  const second = await closed.run("When do you open?", { ...place, threadId: "t2" });
  expect(server.bodies.at(-1)).not.toContain("canary shop");
  expect(await sharedReads(second.traceContext.rootTraceId)).toEqual([]);
});

test("the toolbox switches on what the host implements, and describes it", async () => {
  await using server = await startScriptedModel();
  const agent = open(server, { toolbox: [tool("lookup_order"), tool("issue_refund")] });
  const offered = (): readonly string[] =>
    (lastRequested(server).tools ?? []).map(({ function: f }) => `${f.name}: ${f.description}`);
  await agent.run("Hello", { ...place, threadId: "t1" });
  expect(offered()).toEqual([]);
  const toolbox = agent.memory.shared.of("toolbox_entry");
  await toolbox.put("lookup_order", { description: "canary-box finds an order" });
  await toolbox.put("issue_refund", { enabled: false });
  const question = "Where is my order A-1001?";
  const { tools, traceContext } = await agent.run(question, { ...place, threadId: "t2" });
  expect(offered()).toEqual(["lookup_order: canary-box finds an order"]);
  expect(tools).toMatchObject([{ toolName: "lookup_order", outcome: "success" }]);
  expect(await sharedReads(traceContext.rootTraceId)).toContain("toolbox 2");
  expect(await observed.text(["ann"])).not.toContain("canary");
});

test("a tool server's tools are called through the AI SDK's client; one that is away is said", async () => {
  await using server = await startScriptedModel();
  const call = ({ order_id: id }: Readonly<Record<string, unknown>>): string => {
    if (id === "Z-1") throw new Error("canary-mcp no such order");
    return `canary-mcp ${String(id)} is on its way`;
  };
  const inputSchema = { type: "object", properties: { order_id: { type: "string" } } };
  const reported = { name: "lookup_order", description: "canary-mcp finds an order", inputSchema };
  const mcp = await startMcp([{ ...reported, call }]);
  const agent = open(server, {
    toolServers: {
      connect: ({ url }) => createMCPClient({ transport: { type: "http", url: url as string } }),
    },
  });
  const servers = agent.memory.shared.of("tool_server");
  await servers.put("orders", { url: mcp.url });
  await servers.put("off", { url: "http://127.0.0.1:1/", enabled: false });
  const first = await agent.run("Where is my order A-1001?", { ...place, threadId: "t1" });
  expect(first.tools).toMatchObject([{ toolName: "lookup_order", outcome: "success" }]);
  expect(server.bodies.at(-1)).toContain("canary-mcp A-1001 is on its way");
  const failed = await agent.run("Where is my order Z-1?", { ...place, threadId: "t2" });
  expect(failed.tools).toMatchObject([{ toolName: "lookup_order", outcome: "error" }]);
  // One connection serves all turns.
  expect(mcp.methods.filter((method) => method === "initialize")).toHaveLength(1);
  const [event] = ofKind(await observed.events("ann", first.traceContext.rootTraceId), "tool_call");
  expect(event?.attributes).toMatchObject({ tool_type: "extension", primary_provider: "orders" });
  await mcp[Symbol.asyncDispose]();
  await servers.put("orders", { url: "http://127.0.0.1:1/mcp" });
  const away = await agent.run("Where is my order A-1001?", { ...place, threadId: "t3" });
  expect([away.status, away.tools]).toEqual(["success", []]);
  const reads = ofKind(
    await observed.events("ann", away.traceContext.rootTraceId),
    "memory_operation",
  );
  expect(reads.map(({ attributes }) => attributes.error_type)).toContain("tool_server_unavailable");
  await agent.close();
  expect(await observed.text(["ann"])).not.toMatch(/canary|127\.0\.0\.1/);
});

test("an automation runs its agent when it is due, once over all processes", async () => {
  await using server = await startScriptedModel();
  const agent = open(server, { agentId: "desk" });
  let now = new Date("2026-03-01T08:00:00Z");
  const options = { memory: agent.memory, agents: { desk: agent }, now: () => now };
  const [one, other] = [new Automations(options), new Automations(options)];
  const daily = { agentId: "desk", query: "canary-job sum the day up", cron: "0 9 * * *" };
  await one.schedule("morning", daily);
  await one.schedule("ping", {
    agentId: "desk",
    query: "[refuse] canary-job",
    everySeconds: 1_800,
  });
  await one.schedule("elsewhere", { agentId: "nobody", query: "x", everySeconds: 1 });
  await one.schedule("off", { agentId: "desk", query: "x", everySeconds: 1, enabled: false });
  expect(await one.runDue()).toEqual([]);
  now = new Date("2026-03-01T09:00:30Z");
  const runs = (await Promise.all([one.runDue(), other.runDue()])).flat();
  expect(
    runs.map(({ id, status }) => `${id} ${status}`).toSorted((a, b) => (a < b ? -1 : 1)),
  ).toEqual(["morning success", "ping error"]);
  expect(await one.runDue()).toEqual([]);
  const row = await agent.memory.shared.of("automation").get("morning");
  const morning = runs.find(({ id }) => id === "morning");
  expect(row?.data).toMatchObject({
    last_status: "success",
    last_turn_id: morning?.turnId,
    next_run_at: "2026-03-02T09:00:00.000Z",
  });
  const events = await observed.events(null, morning?.rootTraceId ?? "");
  const [job] = ofKind(events, "queue_transition");
  expect([job?.attributes.job_ref, job?.thread_id]).toEqual(["morning", "automation_morning"]);
  for (const wrong of [
    {},
    { cron: "canary" },
    { everySeconds: 0 },
    { ...daily, everySeconds: 5 },
  ]) {
    const schedule = { agentId: "desk", query: "x", ...wrong };
    await expect(one.schedule("bad", schedule)).rejects.toBeInstanceOf(CodedError);
  }
  now = new Date("2026-03-02T09:00:30Z");
  await using _running = one.start({ pollMs: 5 });
  await expect
    .poll(async () => (await agent.memory.shared.of("automation").get("morning"))?.data)
    .toMatchObject({ last_run_at: now.toISOString(), last_status: "success" });
  expect(await observed.text([null])).not.toContain("canary");
});

test("a schedule whose user is no text never runs as nobody", async () => {
  await using server = await startScriptedModel();
  const agent = open(server, { agentId: "desk" });
  const automations = new Automations({ memory: agent.memory, agents: { desk: agent } });
  const daily = { agentId: "desk", query: "Sum the day up", everySeconds: 60 };
  const wrong: readonly (readonly [object, string])[] = [
    [{ userId: 7 }, "record_invalid"],
    [{ userId: "" }, "identity_empty"],
    [{ threadId: 7 }, "record_invalid"],
    [{ everySeconds: 1e300 }, "record_invalid"],
  ];
  for (const [more, code] of wrong) {
    const scheduled = automations.schedule("wrong", { ...daily, ...more });
    await expect(scheduled).rejects.toMatchObject({ code });
  }
  const due = { agent_id: "desk", query: "Sum up", next_run_at: "2026-01-01T00:00:00Z" };
  const stored = { ...due, every_seconds: 60, user_id: 7, thread_id: "stored" };
  await agent.memory.shared.of("automation").put("stored", stored);
  expect(await automations.runDue()).toMatchObject([{ id: "stored", status: "error" }]);
  const anonymous = { agentId: "desk", memoryId: "desk", threadId: "stored" };
  expect(await agent.memory.conversation.history(anonymous)).toEqual([]);
});

test("a tool server that lost its session is connected anew by the next turn", async () => {
  await using server = await startScriptedModel();
  const reported = { name: "lookup_order", description: "finds an order", inputSchema: {} };
  let mcp = await startMcp([{ ...reported, call: () => "on its way" }]);
  const connect = (): ReturnType<typeof createMCPClient> =>
    createMCPClient({ transport: { type: "http", url: mcp.url } });
  const agent = open(server, { toolServers: { connect } });
  await agent.memory.shared.of("tool_server").put("orders", {});
  const outcome = async (threadId: string): Promise<unknown> => {
    const { tools } = await agent.run("Where is my order A-1001?", { ...place, threadId });
    return tools.map((tool) => tool.outcome);
  };
  expect(await outcome("t1")).toEqual(["success"]);
  await mcp[Symbol.asyncDispose]();
  mcp = await startMcp([{ ...reported, call: () => "on its way" }]);
  expect(await outcome("t2")).toEqual(["error"]);
  expect(await outcome("t3")).toEqual(["success"]);
  await agent.close();
  await mcp[Symbol.asyncDispose]();
});

test("a row that says no schedule keeps no other from running, and is told", async () => {
  await using server = await startScriptedModel();
  const agent = open(server, { agentId: "desk" });
  const automations = new Automations({ memory: agent.memory, agents: { desk: agent } });
  const rows = agent.memory.shared.of("automation");
  const due = { agent_id: "desk", query: "Sum up", next_run_at: "2026-01-01T00:00:00Z" };
  await rows.put("good", { ...due, every_seconds: 60 });
  await rows.put("wrong", { ...due, cron: "canary" });
  const wrong = { id: "wrong", status: "error", errorType: "record_invalid" };
  expect(await automations.runDue()).toMatchObject([wrong, { id: "good", status: "success" }]);
  expect((await rows.get("wrong"))?.data["last_status"]).toBe("error");
  expect(await automations.runDue()).toMatchObject([wrong]);
});
