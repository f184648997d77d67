/** The table of conventions states what the receiver does, and the command names what is new. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { spanToEvent } from "@turnproof/exporter";
import type { SpanRecord } from "@turnproof/exporter";
import type { AttributeValue } from "@turnproof/semconv";
import { describe, expect, test } from "vitest";

import { compareConventions } from "../../generate/compare-conventions.ts";
import { conventionRows, untrueRows } from "../../generate/convention-table.ts";

type Stated = Readonly<Record<string, AttributeValue>>;

/** The event of a client's span. */
function eventOf(attributes: Stated, resource: Stated = {}): ReturnType<typeof spanToEvent> {
  const span: SpanRecord = {
    traceId: "a".repeat(32),
    spanId: "b".repeat(16),
    kind: 3,
    startTimeUnixNano: "1793491200000000001",
    endTimeUnixNano: "1793491200250000001",
    statusCode: 0,
    attributes,
    resource,
  };
  return spanToEvent(span, { receivedAt: "2026-11-01T00:00:01.000000Z" });
}

describe("the table", () => {
  test("agrees with what is read, and holds each attribute once", () => {
    expect(untrueRows()).toEqual([]);
    const names = conventionRows().map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(240);
  });

  test("every attribute that is read fills a row, or decides the kind", () => {
    const deciding = conventionRows().filter((row) => row.reason === undefined && !row.fills[0]);
    expect(deciding.map(({ name }) => name)).toEqual([]);
  });
});

describe("current conventions", () => {
  const chat = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1" };
  const rows: readonly (readonly [string, Stated, Stated])[] = [
    [
      "a model call with its settings",
      {
        ...chat,
        "gen_ai.request.temperature": 0.2,
        "gen_ai.request.top_k": 40,
        "gen_ai.request.seed": 7,
        "gen_ai.request.stream": true,
        "gen_ai.request.reasoning.level": "high",
        "openai.response.service_tier": "flex",
        "gen_ai.request.stop_sequences": ["SECRET"],
      },
      {
        temperature: 0.2,
        top_k: 40,
        seed: 7,
        streamed: true,
        reasoning_level: "high",
        service_tier: "flex",
      },
    ],
    [
      "tokens by modality and of the cache",
      {
        ...chat,
        "gen_ai.usage.cache_write.input_tokens": 25,
        "gen_ai.usage.image.input_tokens": 258,
        "gen_ai.usage.audio.output_tokens": 240,
        "gen_ai.usage.text.cache_read.input_tokens": 40,
      },
      {
        cache_write_tokens: 25,
        image_input_tokens: 258,
        audio_output_tokens: 240,
        text_cached_tokens: 40,
      },
    ],
    [
      "the older name of written cache tokens",
      { ...chat, "gen_ai.usage.cache_creation.input_tokens": 9 },
      { cache_write_tokens: 9 },
    ],
    [
      "an agent, a workflow and a prompt with their versions",
      {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "Math Tutor",
        "gen_ai.agent.version": "2025-05-01",
        "gen_ai.workflow.name": "multi_agent_rag",
        "gen_ai.prompt.name": "analyze-code",
        "gen_ai.prompt.version": "v2",
      },
      {
        agent_name: "Math Tutor",
        agent_version: "2025-05-01",
        workflow_name: "multi_agent_rag",
        prompt_name: "analyze-code",
        prompt_version: "v2",
      },
    ],
    [
      "an MCP tool call with a skill",
      {
        "mcp.method.name": "tools/call",
        "mcp.session.id": "191c4850af6c49e08843a3f6c80e5046",
        "mcp.protocol.version": "2026-07-28",
        "jsonrpc.request.id": "10",
        "gen_ai.tool.name": "get_weather",
        "gen_ai.skill.name": "pdf-processing",
        "mcp.resource.uri": "file:///home/user/SECRET.pdf",
      },
      {
        mcp_method: "tools/call",
        mcp_session_id: "191c4850af6c49e08843a3f6c80e5046",
        mcp_protocol_version: "2026-07-28",
        jsonrpc_request_id: "10",
        skill_name: "pdf-processing",
      },
    ],
    [
      "a call of another agent",
      {
        "a2a.method.name": "SendMessage",
        "a2a.task.id": "task-5f2a7c7d9f8e4d2a",
        "a2a.task.state": "TASK_STATE_WORKING",
      },
      {
        a2a_method: "SendMessage",
        a2a_task_id: "task-5f2a7c7d9f8e4d2a",
        a2a_task_state: "TASK_STATE_WORKING",
      },
    ],
    [
      "an HTTP request",
      {
        "http.request.method": "GET",
        "http.route": "/users/{id}",
        "http.response.status_code": 404,
        "url.full": "SECRET",
      },
      { http_method: "GET", http_route: "/users/{id}", http_status: 404 },
    ],
    [
      "a database call",
      {
        "db.system.name": "postgresql",
        "db.operation.name": "SELECT",
        "db.collection.name": "public.orders",
        "db.query.text": "SECRET",
      },
      { db_system: "postgresql", db_operation: "SELECT", db_collection: "public.orders" },
    ],
    [
      "a database call in older names",
      { "db.system": "mysql", "db.operation": "INSERT", "db.sql.table": "orders" },
      { db_system: "mysql", db_operation: "INSERT", db_collection: "orders" },
    ],
    [
      "a message",
      {
        "messaging.system": "kafka",
        "messaging.destination.name": "orders.created",
        "messaging.operation.type": "send",
      },
      {
        messaging_system: "kafka",
        messaging_destination: "orders.created",
        messaging_operation: "send",
      },
    ],
    [
      "a remote call",
      {
        "rpc.system.name": "grpc",
        "rpc.method": "shop.Orders/Get",
        "rpc.response.status_code": "NOT_FOUND",
      },
      { rpc_system: "grpc", rpc_method: "shop.Orders/Get", rpc_status: "NOT_FOUND" },
    ],
  ];

  test.each(rows)("%s is read", (_name, stated, read) => {
    const event = eventOf(stated);
    expect(event?.attributes).toMatchObject(read);
    expect(JSON.stringify(event)).not.toContain("SECRET");
  });

  test.each(["/users/{id}", "/a/:id", "/a/<int:id>", "/files/*", "/api/[slug]", "/"])(
    "the route %s passes",
    (route) => {
      expect(eventOf({ "http.route": route })?.attributes).toEqual({ http_route: route });
    },
  );

  test.each(["/users?id=1", "a person's words", "/mail/jane.doe@example.com", "/é", "x\ny"])(
    "the route %s does not",
    (route) => {
      expect(eventOf({ "http.route": route })?.attributes).toEqual({});
    },
  );

  test("fetch_response is a model call, the environment comes from the resource", () => {
    const resource = { "deployment.environment.name": "staging", "service.name": "shop" };
    const event = eventOf({ "gen_ai.operation.name": "fetch_response" }, resource);
    expect(event).toMatchObject({
      event_kind: "model_call",
      attributes: { genai_operation: "fetch_response", deployment_environment: "staging" },
    });
  });
});

describe("a newer registry", () => {
  const definitions = `file_format: definition/2
attributes:
  - key: gen_ai.request.model
    type: string
  - key: gen_ai.brand.new
    type:
      members:
        - id: one
          value: one
  - key: cloud.region
    type: string
`;
  const groups = `groups:
  - id: registry.http
    type: attribute_group
    attributes:
      - id: http.route
        type: string
      - ref: url.full
  - id: old
    prefix: http.request
    attributes:
      - id: shiny.new
`;

  test("is compared in each of its forms", () => {
    expect(compareConventions(definitions)).toMatchObject({
      found: 2,
      added: ["gen_ai.brand.new"],
    });
    expect(compareConventions(definitions).absent).toContain("gen_ai.response.model");
    expect(compareConventions(definitions).absent).not.toContain("http.route");
    expect(compareConventions(groups)).toMatchObject({
      found: 2,
      added: ["http.request.shiny.new"],
    });
    const resolved = JSON.stringify({
      registry: { groups: [{ attributes: [{ name: "rpc.method" }] }] },
    });
    expect(compareConventions(resolved)).toMatchObject({ found: 1, added: [] });
  });

  test("the command's exit code says whether something is without a decision", () => {
    const directory = mkdtempSync(join(tmpdir(), "conventions-"));
    const run = (text: string) => {
      const file = join(directory, "registry.yaml");
      writeFileSync(file, text);
      const script = fileURLToPath(
        new URL("../../generate/compare-conventions.ts", import.meta.url),
      );
      return spawnSync(process.execPath, ["-C", "@turnproof/source", script, file], {
        encoding: "utf8",
      });
    };
    const found = run(definitions);
    expect(found.status).toBe(1);
    expect(found.stdout).toContain("  new     gen_ai.brand.new");
    expect(run(definitions.replace("brand.new", "response.id")).status).toBe(0);
    expect(run("attributes: []").status).toBe(2);
  });
});
