/**
 * @module What an agent is made of, and whose turn a call is: refusals at construction,
 * definitions, personas, identity.
 */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@turnproof/agent";
import type { AgentOptions, AnyTool } from "@turnproof/agent";
import { register } from "@turnproof/exporter/register";
import { CodedError, keyCalls } from "@turnproof/semconv";
import { ephemeralMemory } from "@turnproof/store";
import { afterEach, describe, expect, test } from "vitest";

import { agentParts } from "../../../packages/agent/src/agent-parts.ts";
import { startScriptedModel } from "../../servers/openai-compatible.ts";
import { observe, ofKind } from "./observed.ts";

const observed = observe();
const nowhere = { export() {}, shutdown: async () => {} };
const openai = (baseURL: string): AgentOptions["model"] =>
  createOpenAICompatible({ name: "desk-model", baseURL })("desk-1");
const here = { userId: "ann", memoryId: "m1", threadId: "t1" };
const codeOf = (error: unknown): string => (CodedError.is(error) ? error.code : String(error));
const tool = (name: string): AnyTool => ({
  name,
  description: "A tool",
  inputSchema: { type: "object" },
  execute: () => null,
});
const lookup = tool("lookup_order");
const refund = tool("issue_refund");

describe("an agent", () => {
  test("is refused with two tools of one name, or what is no model of the AI SDK", async () => {
    await using server = await startScriptedModel();
    const model = openai(server.baseURL);
    const store = ephemeralMemory();
    const make = (more: object): string => {
      try {
        return typeof new Agent({ model, store, ...more });
      } catch (error) {
        return codeOf(error);
      }
    };
    expect(make({})).toBe("object");
    expect(make({ tools: [lookup, refund, lookup] })).toBe("record_invalid");
    for (const older of [{ ...model, specificationVersion: "v1" }, "openai/gpt", undefined]) {
      expect(make({ model: older })).toBe("model_unsupported");
    }
  });

  test("keeps its definition, which has no tenant", async () => {
    await using server = await startScriptedModel();
    const options = { model: openai(server.baseURL), store: ephemeralMemory(), tools: [lookup] };
    const agent = new Agent({ ...options, agentId: "desk", instructions: "Be brief." });
    await agent.saveDefinition();
    const saved = await agent.memory.shared.of("agent_definition").get("desk");
    expect(saved?.data).toMatchObject({
      instructions: "Be brief.",
      memory_id: "desk",
      tools: [{ name: "lookup_order" }],
    });
  });

  test("reads a persona by its id, and fails by a code when there is none", async () => {
    await using server = await startScriptedModel();
    const model = openai(server.baseURL);
    const agent = new Agent({ model, store: ephemeralMemory(), persona: "nobody" });
    expect(await agent.run("Hello", here).then(() => "resolved", codeOf)).toBe("not_found");
    expect(server.requests()).toBe(0);
  });
});

describe("identity", () => {
  test("an empty id is an error, a missing one the anonymous scope or a new thread", async () => {
    await using server = await startScriptedModel();
    const agent = new Agent({ model: openai(server.baseURL), store: ephemeralMemory() });
    const rejection = (options: object): Promise<string> =>
      agent.run("Hello", options).then(() => "resolved", codeOf);
    expect(await rejection({ userId: "" })).toBe("identity_empty");
    expect(await rejection({ userId: 7 })).toBe("record_invalid");
    expect(await rejection({ userId: "ann@example.com" })).toBe("identity_not_opaque");
    expect(await rejection({ threadId: "" })).toBe("identity_empty");
    const result = await agent.run("Hello");
    expect(result).toMatchObject({ userId: null, memoryId: "agent" });
    expect(result.threadId).toMatch(/^thread_/);
    const [turn] = ofKind(await observed.events(null, result.traceContext.rootTraceId), "turn");
    expect(turn?.user_id).toBeNull();
  });
});

describe("fingerprints of tool inputs", () => {
  afterEach(() => keyCalls(undefined));
  const fingerprintOf = (key = ""): string => {
    const model = openai("http://127.0.0.1:9");
    const { callFingerprint } = agentParts({ model, store: ephemeralMemory() });
    const variables = { TURNPROOF_FINGERPRINT_KEY: key, OTEL_LOG_LEVEL: "none" };
    register({ provider: false, exporter: nowhere, variables, flushOnExit: false });
    return callFingerprint("refund 1");
  };

  test("are comparable between runs under a configured key, and under no other", () => {
    const first = fingerprintOf("run1:0123456789abcdef0123456789abcdef");
    expect(first).toMatch(/^run1_[a-z2-7]{26}$/);
    expect(fingerprintOf("run1:0123456789abcdef0123456789abcdef")).toBe(first);
    expect(fingerprintOf("run1:fedcba9876543210fedcba9876543210")).not.toBe(first);
    expect(() => fingerprintOf("short")).toThrow(/TURNPROOF_FINGERPRINT_KEY|config_invalid/);
  });

  test("without a key have a name that no other agent has", () => {
    const [one = "", other = ""] = [fingerprintOf(), fingerprintOf()].map((of) => of.split("_")[0]);
    expect(one).toMatch(/^p[0-9a-f]{10}$/);
    expect(one).not.toBe(other);
  });
});
