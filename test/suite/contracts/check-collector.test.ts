/** @module `turnproof check` against a running collector: its filters, and its complete windows. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { parseContracts } from "@turnproof/contracts";
import { ephemeral } from "@turnproof/store";
import { expect, test } from "vitest";

import { openCollector } from "../agent/collector-on-port.ts";
import { recordEvents } from "../collector/desk.ts";
import { turnproof } from "./command.ts";
import { end, tool } from "./turns.ts";

test("turns of a collector are judged over their whole roots", async () => {
  const store = ephemeral();
  const other = { root_trace_id: "root-2", agent_id: "other" };
  const events = [
    tool("lookup", 1),
    end(),
    tool("lookup", 1, { tool_outcome: "error" }, { ...other, event_id: "t2", status: "error" }),
    end({ ...other, event_id: "e2" }),
  ];
  await store.append({ batchId: "b", receivedAt: "2026-01-01T01:00:00.000000Z", events });
  await recordEvents(store, events);
  await using collector = await openCollector({ store });
  const at = ["check", "--url", collector.url, "--json"];
  const tallyOf = async (...more: string[]): Promise<unknown> => {
    const { code, out, err } = await turnproof(...at, ...more);
    return { code, err, ...(JSON.parse(out) as { tally: object }).tally };
  };
  expect(await tallyOf("--root", "root")).toMatchObject({ code: 0, turns: 1, holds: 1 });
  expect(await tallyOf("--agent", "other")).toMatchObject({ code: 1, turns: 1, violated: 1 });
  expect(await tallyOf()).toMatchObject({ code: 1, turns: 2, holds: 1, violated: 1 });
  expect(await tallyOf("--limit", "1")).toMatchObject({
    turns: 1,
    err: "More turns match; these are the newest 1.\n",
  });
  expect(await tallyOf("--root", "nowhere")).toMatchObject({ code: 4, turns: 0 });
});

test("--filter takes the terms of the list of turns, beside the other filters", async () => {
  const store = ephemeral();
  const newer = { root_trace_id: "root-2" };
  const release = { service_version: "3.3", deployment_environment: "staging" };
  const events = [
    tool("lookup", 1),
    end(),
    tool("refund", 1, { tool_outcome: "error" }, { ...newer, event_id: "t2", status: "error" }),
    { ...end({ ...newer, event_id: "e2" }), attributes: release },
  ];
  await store.append({ batchId: "b", receivedAt: "2026-01-01T01:00:00.000000Z", events });
  await recordEvents(store, events);
  await using collector = await openCollector({ store });
  const at = ["check", "--url", collector.url, "--json"];
  const tallyOf = async (...more: string[]): Promise<unknown> => {
    const { code, out } = await turnproof(...at, ...more);
    return { code, ...(JSON.parse(out) as { tally: object }).tally };
  };
  const [good, bad] = [
    { code: 0, turns: 1, holds: 1 },
    { code: 1, turns: 1, violated: 1 },
  ];
  expect(await tallyOf("--filter", "release:3.2")).toMatchObject(good);
  expect(await tallyOf("--filter", "release:3.3")).toMatchObject(bad);
  expect(await tallyOf("--filter", "-release:3.3")).toMatchObject(good);
  expect(await tallyOf("--filter", "tool:refund agent:agent")).toMatchObject(bad);
  expect(await tallyOf("--filter", "user:user", "--root", "root")).toMatchObject(good);
  expect(await tallyOf("--filter", "env:staging -tool:lookup")).toMatchObject(bad);
  expect(await tallyOf("--filter", "after:2026-01-01 release:3.2")).toMatchObject(good);
  expect(await tallyOf("--filter", "after:2026-01-02")).toMatchObject({ code: 4 });
  // Both of two filters hold.
  expect(await tallyOf("--filter", "agent:other", "--agent", "agent")).toMatchObject({ code: 4 });
  const unclear = await turnproof(...at, "--filter", "colour:blue");
  expect(unclear.code).toBe(2);
  expect(unclear.err).toContain("--filter: colour:blue: colour: is no key");
  const file = await turnproof("check", "--events", "window.ndjson", "--filter", "release:3.3");
  expect(file.code).toBe(2);
  expect(file.err).toContain("--filter selects turns of a collector");
});

test("without a collector nothing is judged", async () => {
  const ran = await turnproof("check", "--url", "http://127.0.0.1:9");
  expect(ran).toMatchObject({ code: 4 });
});

test("goldens of chosen turns are replayed: a check names the first step that differs", async () => {
  const store = ephemeral();
  const again = { root_trace_id: "root-2" };
  const open = { root_trace_id: "root-3", agent_id: "open" };
  const events = [
    tool("lookup", 1),
    tool("refund", 2),
    end(),
    tool("lookup", 1, {}, { ...again, event_id: "t1" }),
    tool("mail", 2, {}, { ...again, event_id: "t2" }),
    end({ ...again, event_id: "e2" }),
    tool("lookup", 1, {}, { ...open, event_id: "t3" }),
  ];
  await store.append({ batchId: "b", receivedAt: "2026-01-01T01:00:00.000000Z", events });
  await recordEvents(store, events);
  await using collector = await openCollector({ store });
  const at = ["--url", collector.url];
  const goldens = await turnproof("export", ...at, "--as-goldens", "--root", "root");
  expect(goldens).toMatchObject({ code: 0, err: "1 golden trajectory.\n" });
  const [golden] = parseContracts(goldens.out).goldens;
  expect(golden?.steps.map(({ name }) => name)).toEqual(["lookup", "refund"]);
  const chosen = (terms: string): Promise<{ code: number; out: string; err: string }> =>
    turnproof("export", ...at, "--as-goldens", "--filter", terms);
  expect(await chosen("root:root")).toEqual(goldens);
  expect((await chosen("tool:lookup -tool:mail agent:agent")).out).toBe(goldens.out);
  const both = await turnproof(
    "export",
    ...at,
    "--as-goldens",
    "--filter",
    "tool:mail",
    "--root",
    "root",
  );
  expect(both).toMatchObject({ code: 4, err: "0 golden trajectories.\n" });
  expect(await chosen("agent:open")).toMatchObject({ code: 3 });
  const unclear = await chosen("colour:blue");
  expect(unclear).toMatchObject({ code: 2, out: "" });
  expect(unclear.err).toContain("--filter: colour:blue: colour: is no key");
  const listed = await turnproof("export", ...at, "--filter", "root:root");
  expect(listed).toMatchObject({ code: 2, out: "" });
  expect(listed.err).toContain("--filter selects turns");
  const unended = await turnproof("export", ...at, "--as-goldens", "--agent", "open", "--json");
  expect(unended).toMatchObject({ code: 3, err: "0 golden trajectories; 1 turn gave none.\n" });

  const folder = mkdtempSync(join(tmpdir(), "turnproof-goldens-"));
  writeFileSync(join(folder, "goldens.yaml"), goldens.out);
  const clause = { clause: "trajectory", match: "strict", golden: golden?.golden };
  const contracts = [{ name: "replay", when: { agent: "agent" }, expect: [clause] }];
  writeFileSync(join(folder, "replay.json"), JSON.stringify({ version: 1, contracts }));
  const check = ["check", ...at, "--contract", folder, "--root"];
  expect(await turnproof(...check, "root")).toMatchObject({ code: 0 });
  const replayed = await turnproof(...check, "root-2");
  expect(replayed.code).toBe(1);
  expect(replayed.out).toContain("Step 2 differs: expected tool refund, recorded tool mail.");
  const { out } = await turnproof(...check, "root-2", "--json");
  expect(out).toContain('"diverged_at": 2');
  rmSync(folder, { recursive: true });
});
