/** The registry holds what the requirements and the design name, once; dialects name no content. */
import { readFileSync, readdirSync } from "node:fs";

import { describe, expect, test } from "vitest";

import {
  attribute,
  dialectOfScope,
  dialectTables,
  eventKinds,
  kindOf,
  limits,
  mayCarry,
  registryRows,
  sourceAttributeNames,
  usageDetailNames,
  valueAdapters,
} from "@turnproof/semconv";
import type { EventKind } from "@turnproof/semconv";

/** vocabulary: Event fields, word for word: who carries what. */
const carried: { readonly [kind in EventKind]?: string } = {
  intent: "expected_artifact_types required_contracts coverage_profile",
  artifact: `artifact_type artifact_status persistence_verified source_independent producing_span_id
    content_version`,
  contract: `contract_name required output_limit opening_marker_found closing_marker_found
    parser_status recovery_used item_names item_values`,
  delivery: "delivery_target emitted acknowledged contract_name",
  application_action:
    "side_effect fallback_reason credit_decision error_code job_ref queue_status context_missing",
  queue_transition: "queue_status job_ref",
  model_call: `model response_model provider request_id input_tokens output_tokens total_tokens
    cached_tokens cache_write_tokens reasoning_tokens max_output_tokens
    finish_reason response_chars response_bytes ttft_ms provider_time_ms
    stream_duration_ms retry_count iteration error_type server_address`,
  tool_call: `tool_name tool_type tool_call_id tool_outcome tool_provider primary_provider
    fallback_provider result_count fallback_used degraded retry_count error_type`,
  memory_supply: `retrieved_count supplied_count referenced_count history_count profile_count
    preference_count cross_thread_count summary_count writing_sample_count
    profile_attribute_names preference_names retrieved_scores memory_degraded
    memory_fallback_used memory_operation store_id record_id record_count
    scope_applied`,
  cache_decision: "cache_decision cache_bypass_reason cache_fingerprint",
  context_binding: `provenance_request_id client_page_type client_page_id canonical_page_type
    canonical_page_id thread_binding_status expected_thread_id ownership_verified
    grounding_status grounding_source grounding_source_ids grounding_excerpt_count
    content_fingerprint dropped_field_count request_context_fingerprint`,
  feedback: "rating label comment_hash verified score",
  outcome: "outcome source verified metric_names metric_values",
  learning: "learning_event candidate_ref lifecycle_state",
};
const everywhere = "task_id ownership_verified instrumentation_version";

/** Ours, and the namespaces of OpenTelemetry's conventions that are read. */
const conventional =
  /^(?:turnproof|gen_ai|service|server|error|openai|deployment|mcp|jsonrpc|a2a|http|db|messaging|rpc)\.[a-z0-9_.]+$/;

describe("registry", () => {
  test("no name occurs twice, and both names are of the allowed form", () => {
    for (const names of [
      registryRows.map((row) => row.event),
      registryRows.map((row) => row.span),
    ]) {
      expect(new Set(names).size).toBe(names.length);
    }
    for (const row of registryRows) {
      expect(row.event).toMatch(/^[a-z][a-z0-9_]*$/);
      expect(row.span).toMatch(conventional);
      expect(row.cap).toBe(limits.stringCharsMax);
      expect(row.shape === "none").toBe(!row.type.startsWith("string"));
      expect(row.values !== undefined).toBe(row.shape === "closed");
    }
  });

  test.each(Object.entries(carried))("%s carries what the design gives it", (kind, names) => {
    for (const name of `${names} ${everywhere}`.split(/\s+/)) {
      const row = registryRows.find((each) => each.event === name);
      expect(row, name).toBeDefined();
      if (row !== undefined) expect(mayCarry(row, kind as EventKind), name).toBe(true);
    }
  });

  test("every row is carried by kinds that exist", () => {
    for (const row of registryRows) {
      if (row.kinds !== "all") expect(eventKinds).toEqual(expect.arrayContaining([...row.kinds]));
    }
    expect(kindOf("memory_context")).toBe("memory_supply");
    expect(kindOf("nothing")).toBeUndefined();
  });
});

interface Fixture {
  readonly dialect: string;
  readonly spans: readonly {
    readonly attributes: Readonly<Record<string, unknown>>;
    readonly scope: { readonly name: string };
  }[];
}

const folder = new URL("../../fixtures/dialects/", import.meta.url);
const fixtures = readdirSync(folder)
  .filter((file) => file.endsWith(".json") && !file.endsWith(".events.json"))
  .map(
    (file) => [file, JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Fixture] as const,
  );

describe("dialects", () => {
  test("every table fills rows that exist, by an adapter that exists", () => {
    for (const table of dialectTables) {
      for (const { to, adapter } of table.names) {
        expect(attribute[to], to).toBeDefined();
        expect(valueAdapters).toContain(adapter);
      }
      for (const { to } of table.identity) expect(attribute[to].holds).toBe("identity");
      for (const { kinds } of table.kindRules) {
        expect(eventKinds).toEqual(expect.arrayContaining(Object.values(kinds)));
      }
    }
    for (const to of Object.values(usageDetailNames)) expect(attribute[to].holds).toBe("count");
  });

  test("there is a recording of every dialect", () => {
    expect(fixtures.length).toBeGreaterThanOrEqual(5);
  });

  test.each(fixtures)("%s: no name that carries content is listed", (_file, fixture) => {
    for (const { attributes } of fixture.spans) {
      for (const [name, value] of Object.entries(attributes)) {
        if (JSON.stringify(value).includes("CANARY"))
          expect(sourceAttributeNames).not.toContain(name);
      }
    }
  });

  test.each(fixtures)(
    "%s: its scopes are known, its kinds told, its identity found",
    (_file, fixture) => {
      const kinds = new Set<string>();
      const identities = new Set<string>();
      for (const { attributes, scope } of fixture.spans) {
        const dialect = dialectOfScope(scope.name);
        expect(dialect, scope.name).toBeDefined();
        const marked = dialectTables.find((each) => each.marks.some((mark) => mark in attributes));
        for (const table of dialectTables.filter(
          (each) => each === marked || each.dialect === dialect,
        )) {
          const rule = table.kindRules.find((each) => each.source in attributes);
          const kind = rule?.kinds[String(attributes[rule.source])];
          if (kind !== undefined) kinds.add(kind);
          for (const { source, to } of table.identity) if (source in attributes) identities.add(to);
        }
      }
      expect([...kinds]).toEqual(expect.arrayContaining(["turn", "model_call", "tool_call"]));
      expect([...identities]).toEqual(expect.arrayContaining(["user_id", "thread_id"]));
    },
  );
});
