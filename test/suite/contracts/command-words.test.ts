/**
 * @module What `check` and `gate` report of a wrong call: the option, the side, the line, the
 * field.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { TurnEvent } from "@turnproof/evidence";
import { ephemeral } from "@turnproof/store";
import { afterAll, describe, expect, test } from "vitest";

import { openCollector } from "../agent/collector-on-port.ts";
import { recordEvents } from "../collector/desk.ts";
import { turnproof } from "./command.ts";
import { end, tool } from "./turns.ts";

const folder = mkdtempSync(join(tmpdir(), "turnproof-words-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, lines: readonly unknown[]): string {
  const path = join(folder, name);
  writeFileSync(path, lines.map((line) => JSON.stringify(line)).join("\n"));
  return path;
}

const turn = [tool("lookup", 1), end()];
const good = file("good.ndjson", turn);
const other = file(
  "other.ndjson",
  turn.map((event) => ({ ...event, root_trace_id: "other" })),
);
const empty = file("empty.ndjson", [[]]);

describe("a wrong option is named with what it takes", () => {
  const gate = ["gate", "--baseline", good, "--candidate", other];
  test.each([
    [[...gate, "--alpha", "2"], "alpha"],
    [[...gate, "--alpha", ""], "alpha"],
    [[...gate, "--allowed-drop", "5%"], "allowed-drop"],
    [[...gate, "--allowed-growth", "-1"], "allowed-growth"],
    [[...gate, "--power", "1"], "power"],
    [[...gate, "--k", "1.5"], "k"],
    [[...gate, "--limit", "0"], "limit"],
    [[...gate, "--format", "junit"], "format"],
    [["check", "--events", good, "--limit", "none"], "limit"],
    [["check", "--events", good, "--format", "constructor"], "format"],
  ])("%j", async (args, option) => {
    const ran = await turnproof(...args);
    expect(ran).toMatchObject({ code: 2, out: "" });
    expect(ran.err).toContain(`--${option} takes `);
    expect(ran.err).toContain(`(parameter_invalid, ${option})`);
  });

  test.each([["check", "--events", good], gate])(
    "%s: --json beside another --format",
    async (...args) => {
      const ran = await turnproof(...args, "--json", "--format", "markdown");
      expect(ran.code).toBe(2);
      expect(JSON.parse(ran.out)).toMatchObject({ code: "parameter_invalid", field: "json" });
      expect(ran.err).toContain("--json is --format json: name one of both.");
      const same = await turnproof(...args, "--json", "--format", "json", "--whole");
      expect(same.code).not.toBe(2);
      expect(JSON.parse(same.out)).toBeTypeOf("object");
    },
  );
});

describe("a side without a turn is named", () => {
  test("in files", async () => {
    const gate = (baseline: string, candidate: string) =>
      turnproof("gate", "--baseline", baseline, "--candidate", candidate);
    expect((await gate(empty, good)).err).toContain("--baseline has no turn to compare.");
    expect((await gate(good, empty)).err).toContain("--candidate has no turn to compare.");
    const both = await gate(empty, empty);
    expect(both.err).toContain("--baseline and --candidate have no turn to compare.");
    expect(both.code).toBe(4);
  });

  test("of a release that no turn has, with those that turns have", async () => {
    const store = ephemeral();
    const events: TurnEvent[] = [...turn, end({ root_trace_id: "root-2", event_id: "e2" })];
    await store.append({ batchId: "b", receivedAt: "2026-01-01T01:00:00.000000Z", events });
    await recordEvents(store, events);
    await using collector = await openCollector({ store });
    const gate = (...sides: readonly string[]) =>
      turnproof(
        "gate",
        "--url",
        collector.url,
        "--baseline",
        sides[0] ?? "",
        "--candidate",
        sides[1] ?? "",
      );
    const ran = await gate("release:3.2", "release:9.9");
    expect(ran.code).toBe(4);
    expect(ran.err).toContain("No turn matches release:9.9; releases with turns are 3.2.");
    expect(ran.err).toContain("service.version");
    expect(ran.err).not.toContain("No turn matches release:3.2");
    expect(ran.err).toContain("--candidate has no turn to compare.");
    const other = await gate("release:3.2", "agent:nobody release:9.9");
    expect(other.err).toContain("no turn has a recorded release");
    expect((await gate("release:3.2", "agent:nobody")).err).not.toContain("No turn matches");
  });
});

describe("what is no event is named by line and field, never by what it holds", () => {
  const secret = "ada@example.com 4111";
  const wrong: readonly (readonly [object | string, string])[] = [
    [{ ...turn[0], timestamp: secret }, "line 2: timestamp (invalid_event)"],
    [{ ...turn[0], event_kind: secret }, "line 2: event_kind (invalid_event)"],
    [{ ...turn[0], schema_version: 9 }, "line 2: schema_version (unsupported_schema)"],
    [{ ...turn[0], event_id: "" }, "line 2: event_id (invalid_event_id)"],
    [{ ...turn[0], duration_ms: secret }, "line 2: duration_ms (invalid_metadata)"],
    [
      { ...turn[0], attributes: { tool_name: 4, [secret]: secret } },
      "line 2: attributes.tool_name, an unknown attribute (invalid_metadata)",
    ],
    [{ ...turn[0], attributes: secret }, "line 2: attributes (invalid_metadata)"],
    [secret, "line 2: not an object (invalid_event)"],
  ];
  test.each(wrong)("%j", async (line, words) => {
    const path = file("wrong.ndjson", [turn[1], line]);
    for (const command of [["check", "--whole"], ["reconcile"]]) {
      const ran = await turnproof(...command, "--events", path);
      expect(ran.err).toContain(`events_rejected: ${words}\n`);
      expect(ran.err + ran.out).not.toContain("4111");
    }
  });

  test("in a list by its place, and of many the first", async () => {
    const bad = { ...turn[0], timestamp: "never" };
    const path = file("list.json", [[turn[1], ...Array.from({ length: 9 }, () => bad)]]);
    const { err } = await turnproof("check", "--events", path, "--whole");
    expect(err).toContain("events_rejected: item 2: timestamp (invalid_event)");
    expect(err).toContain("events_rejected: 4 more values");
  });

  test("a line that is not JSON is named", async () => {
    const path = join(folder, "broken.ndjson");
    writeFileSync(path, `${JSON.stringify(turn[0])}\n{"secret":`);
    const ran = await turnproof("check", "--events", path);
    expect(ran).toMatchObject({ code: 2, out: "" });
    expect(ran.err).toContain("Line 2 of a file that was named is not JSON. (file_invalid)");
  });

  test("right files report nothing", async () => {
    expect((await turnproof("check", "--events", good, "--whole")).err).toBe("");
  });
});
