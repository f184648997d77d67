/** Recommendations and replays: proposed from evidence, decided once, kept inert. */
import { ephemeral, ephemeralMemory } from "@turnproof/store";
import type { MemoryStore } from "@turnproof/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

const accounts = JSON.stringify({
  root: { token: "root-q7KxZt4Wm9Rc2Yd8", role: "admin" },
  otto: { token: "otto-q7KxZt4Wm9Rc2Yd8", role: "operator" },
  alice: { token: "alice-q7KxZt4Wm9Rc2Yd8", role: "admin", user_id: "alice" },
  vera: { token: "vera-q7KxZt4Wm9Rc2Yd8", role: "viewer" },
});
const env = { TURNPROOF_UI_ACCOUNTS: accounts, TURNPROOF_UI_TRACE_CONTENT_MODE: "full" };
const bearer = (name: string): Record<string, string> => ({
  authorization: `Bearer ${name}-q7KxZt4Wm9Rc2Yd8`,
});

/** A recommendation, as far as a test looks at it. */
interface Row {
  readonly recommendation_id: string;
  readonly owner: { readonly user_id?: string };
  readonly note: string | null;
}

/** What the answers of these routes may have. */
interface Body {
  readonly recommendations: readonly Row[];
  readonly experiment?: object | null;
  readonly experiments?: readonly object[];
  readonly candidates?: readonly object[];
}

let desk: Desk;
let memory: MemoryStore;
beforeAll(async () => {
  memory = ephemeralMemory();
  desk = await openDesk(env, { memory, store: ephemeral() });
  await desk.put(turnEvents({ root: "root-alice", user: "alice" }));
});
afterAll(() => desk.collector.close());

async function post(
  path: string,
  body: object,
  name = "root",
): Promise<{ status: number; body: Body }> {
  const response = await desk.collector.app.request(`http://localhost:4318${path}`, {
    method: "POST",
    headers: { ...bearer(name), "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Body };
}

describe("learning", () => {
  const propose = { agent_id: "failing", root_trace_id: "root-fail", code: "tool_failures" };

  beforeAll(async () => {
    await desk.put(failing("root-fail", "alice", 0));
  });

  test("an insight becomes a recommendation of its owner, decided once", async () => {
    const first = await post("/traces/recommendations", propose, "otto");
    expect(first.status).toBe(201);
    const [row] = first.body.recommendations;
    if (row === undefined) throw new Error("nothing was proposed");
    expect(row).toMatchObject({ state: "proposed", revision: 1, owner: { user_id: "alice" } });
    const again = await post("/traces/recommendations", propose, "otto");
    expect(again.body.recommendations).toEqual(first.body.recommendations);
    const path = `/traces/recommendations/${encodeURIComponent(row.recommendation_id)}/review`;
    expect((await post(path, { decision: "accepted" }, "vera")).status).toBe(403);
    const note = "canary note to carol@example.test";
    const accepted = await post(path, { decision: "accepted", note }, "otto");
    expect(accepted.body).toMatchObject({
      recommendation: { state: "accepted", has_note: true, note: null },
      experiment: { state: "draft", revision: 1 },
    });
    const repeated = await post(path, { decision: "accepted" }, "otto");
    expect(repeated.body.experiment).toEqual(accepted.body.experiment);
    expect((await post(path, { decision: "rejected" }, "otto")).status).toBe(409);
    const learning = await desk.json<Body>("/learning.json", bearer("root"));
    expect(learning.experiments).toEqual([accepted.body.experiment]);
    expect(learning.recommendations[0]?.note).toBe(note);
  });

  test("new evidence makes a new revision of the same recommendation", async () => {
    await desk.put(failing("root-fail", "alice", 10));
    const { body } = await post("/traces/recommendations", propose, "otto");
    expect(body.recommendations).toMatchObject([{ revision: 2, state: "proposed" }]);
  });

  test("nobody reads, proposes or decides for another tenant", async () => {
    await desk.put(failing("root-fail-bob", "bob", 0));
    const foreign = { ...propose, root_trace_id: "root-fail-bob" };
    expect((await post("/traces/recommendations", foreign, "alice")).status).toBe(404);
    const { body } = await post("/traces/recommendations", foreign, "otto");
    const recommendation_id = body.recommendations[0]?.recommendation_id ?? "";
    const path = `/traces/recommendations/${encodeURIComponent(recommendation_id)}/review`;
    expect((await post(path, { decision: "accepted" }, "alice")).status).toBe(404);
    const own = await desk.json<Body>("/learning.json", bearer("alice"));
    const owners = own.recommendations.map((row) => row.owner.user_id);
    expect(new Set(owners)).toEqual(new Set(["alice"]));
    expect((await post("/traces/recommendations", { ...propose, code: "no_code" })).status).toBe(
      422,
    );
    const none = { ...propose, code: "page_thread_mismatch" };
    expect((await post("/traces/recommendations", none)).status).toBe(404);
  });
});

/** The lines of a file for one account. */
async function linesOf(path: string, name: string): Promise<readonly object[]> {
  const text = await (await desk.get(path, bearer(name))).text();
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as object);
}

test("draft experiments and candidates leave as files, in the scope of their reader", async () => {
  const [event] = turnEvents({ root: "root-learning", user: "bob" });
  if (event === undefined) throw new Error("a desk's turn has events");
  const attributes = {
    candidate_ref: "workflow:0123456789abcdef",
    learning_event: "skill_candidate_created",
  };
  const learned = { ...event, event_id: "learned", event_kind: "learning" as const, attributes };
  await desk.put([event, learned]);
  const model = await desk.json<Body>("/learning.json", bearer("root"));
  for (const name of ["experiments", "candidates"] as const) {
    const rows = model[name] ?? [];
    expect([name, rows.length]).toEqual([name, 1]);
    expect(await linesOf(`/learning/${name}.jsonl`, "root")).toEqual(rows);
    const csv = await (await desk.get(`/learning/${name}.csv`, bearer("root"))).text();
    expect(csv.split("\r\n")[0]).toBe(Object.keys(rows[0] ?? {}).join(","));
  }
  // The experiment is of alice's evidence, the candidate of bob's.
  expect(await linesOf("/learning/experiments.jsonl", "alice")).toEqual(model.experiments);
  expect(await linesOf("/learning/candidates.jsonl", "alice")).toEqual([]);
  const of = await desk.get("/learning?agent_id=helper", {
    ...bearer("root"),
    accept: "text/html",
  });
  const page = await of.text();
  expect(page).toContain('href="/learning/candidates.csv?agent_id=helper"');
  const all = await desk.get("/learning", { ...bearer("root"), accept: "text/html" });
  expect(await all.text()).toContain('href="/learning/experiments.csv"');
});

test("the permissions of the roles leave as files", async () => {
  const { permissions } = await desk.json<{ readonly permissions: readonly object[] }>(
    "/settings.json",
    bearer("vera"),
  );
  expect(permissions).toContainEqual(
    expect.objectContaining({
      permission: "trace.read",
      roles: ["viewer", "analyst", "operator", "admin"],
    }),
  );
  expect(await linesOf("/settings.jsonl", "vera")).toEqual(permissions);
  const page = await desk.get("/settings", { ...bearer("vera"), accept: "text/html" });
  expect(await page.text()).toContain('href="/settings.csv"');
});

test("the file has every recommendation, also where the list of the page is cut", async () => {
  const { records } = await memory.shared.list("recommendation", { limit: 1 });
  const [kept] = records;
  if (kept === undefined) throw new Error("no recommendation is kept");
  const more = Array.from({ length: 1_001 }, (_, n) => `recommendation:more-${n}`);
  for (const id of more) {
    const data = { ...kept.data, recommendation_id: id };
    await memory.shared.put("recommendation", { id, data, created_at: kept.created_at });
  }
  const page = await desk.json<Body & { readonly list_complete: boolean }>(
    "/learning.json",
    bearer("root"),
  );
  expect([page.recommendations.length, page.list_complete]).toEqual([1_000, false]);
  const written = await desk.get("/learning.jsonl", bearer("root"));
  const ids = (await written.text())
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as Row).recommendation_id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining(more));
});

describe("replays", () => {
  const replay = { agent_id: "helper", root_trace_id: "root-alice" };

  test("a replay is the inert plan, kept once", async () => {
    const made = await post("/traces/replays", replay, "otto");
    expect([made.status, made.body]).toEqual([
      201,
      expect.objectContaining({
        state: "draft",
        plan: expect.objectContaining({ execution: "off", inert: true, user_id: "alice" }),
      }),
    ]);
    const again = await post("/traces/replays", replay, "otto");
    expect([again.status, again.body]).toEqual([200, made.body]);
    const kept = async (kind: "replay" | "experiment"): Promise<number> =>
      (await memory.shared.list(kind, { limit: 10 })).records.filter(({ id }) =>
        id.startsWith("replay:"),
      ).length;
    expect([await kept("replay"), await kept("experiment")]).toEqual([1, 0]);
    expect((await post("/traces/replays", replay, "vera")).status).toBe(403);
    expect((await post("/traces/replays", { ...replay, root_trace_id: "none" })).status).toBe(404);
  });
});

/** A turn in which the same tool failed four times. */
function failing(root: string, user: string, from: number): ReturnType<typeof turnEvents> {
  const [turn, , tool] = turnEvents({ root, user, agent: "failing" });
  if (turn === undefined || tool === undefined) throw new Error("a desk's turn has a tool call");
  return [
    turn,
    ...[0, 1, 2, 3].map((index) => ({
      ...tool,
      event_id: `${root}-tool-${from + index}:result`,
      span_id: `${root}-tool-${from + index}`,
      status: "error" as const,
      attributes: { tool_name: "search", tool_outcome: "error" as const },
    })),
  ];
}
