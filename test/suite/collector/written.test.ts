/**
 * What operators write: notes on turns, and shared views of the list. Two tenants and each role
 * over HTTP, content that is refused, changes of one version, the legal hold, and the audit log.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { deleteUserEvidence } from "@turnproof/store/admin";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

const accounts = {
  viewer: { role: "viewer" },
  analyst: { role: "analyst" },
  olga: { role: "operator" },
  omar: { role: "operator" },
  admin: { role: "admin" },
  alice: { role: "operator", user_id: "alice" },
  ann: { role: "viewer", user_id: "alice" },
  bob: { role: "operator", user_id: "bob" },
  shop: { role: "operator", application_id: "shop" },
} as const;
type Name = keyof typeof accounts;
const tokenOf = (name: string): string => `${name}-q7KxZt4Wm9Rc2Yd8`;
const env = {
  TURNPROOF_UI_ACCOUNTS: JSON.stringify(
    Object.fromEntries(
      Object.entries(accounts).map(([name, row]) => [name, { token: tokenOf(name), ...row }]),
    ),
  ),
};

let desk: Desk;
let held: Desk;
beforeAll(async () => {
  desk = await openDesk(env);
  held = await openDesk({ ...env, TURNPROOF_LEGAL_HOLD: "true" }, { store: desk.store });
});
afterAll(async () => {
  await desk.collector.close();
  await held.collector.close();
});

let roots = 0;
let root = "";
beforeEach(async () => {
  root = `root-${(roots += 1)}`;
  await desk.put(turnEvents({ root, user: "alice" }));
});

interface Note {
  readonly id: string;
  readonly text: string;
  readonly by: string;
  readonly version: number;
  readonly changed_at: string | null;
}

async function post(name: Name, path: string, body: object, at = desk): Promise<Response> {
  return at.collector.app.request(`http://localhost:4318${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${tokenOf(name)}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

const headersOf = (name: Name): Record<string, string> => ({
  authorization: `Bearer ${tokenOf(name)}`,
});

async function notesFor(name: Name, of = root): Promise<readonly Note[]> {
  const model = await desk.json<{ notes: readonly Note[] }>(`/traces/${of}.json`, headersOf(name));
  return model.notes;
}

async function add(name: Name, text: string): Promise<Note> {
  const response = await post(name, "/traces/notes", { root_trace_id: root, text });
  expect(response.status).toBe(201);
  return (await response.json()) as Note;
}

async function refusal(response: Response): Promise<readonly [number, unknown, unknown]> {
  const { code, field } = (await response.json()) as { code?: string; field?: string };
  return [response.status, code, field];
}

test("a note is shown with its turn, to all who read it and to no other tenant", async () => {
  const note = await add("alice", "  Asked the supplier.\r\nNo answer yet. ");
  expect(note).toMatchObject({ by: "alice", version: 1, changed_at: null });
  for (const name of ["alice", "ann", "viewer", "admin"] as const) {
    const [seen] = await notesFor(name);
    expect([name, seen?.text]).toEqual([name, "Asked the supplier.\nNo answer yet."]);
  }
  const foreign = await post("bob", "/traces/notes", { root_trace_id: root, text: "Hello" });
  expect(foreign.status).toBe(404);
  expect((await desk.get(`/traces/${root}.json`, headersOf("bob"))).status).toBe(404);
  const page = await desk.get(`/traces/${root}`, { ...headersOf("ann"), accept: "text/html" });
  const html = await page.text();
  expect(html).toContain("Asked the supplier.\nNo answer yet.");
  // A viewer reads, and has no form.
  expect(html).not.toContain("/traces/notes");
});

test("of a root of two tenants each reads the notes on its own turn", async () => {
  const events = (["alice", "bob"] as const).flatMap((user) =>
    turnEvents({ root: `${root}-two`, user, agent: `agent-${user}`, thread: `t-${user}` }).map(
      (event) => ({
        ...event,
        turn_id: `turn-${user}`,
        event_id: `${user}-${event.event_id}`,
        span_id: `${user}-${event.span_id ?? ""}`,
      }),
    ),
  );
  await desk.put(events);
  const body = { root_trace_id: `${root}-two`, text: "of which" };
  expect(await refusal(await post("olga", "/traces/notes", body))).toEqual([
    422,
    "body_invalid",
    "turn_id",
  ]);
  for (const user of ["alice", "bob"] as const) {
    const own = { ...body, turn_id: `turn-${user}`, text: `on ${user}` };
    expect((await post("olga", "/traces/notes", own)).status).toBe(201);
  }
  const texts = async (name: Name): Promise<readonly string[]> =>
    (await notesFor(name, `${root}-two`)).map(({ text }) => text);
  expect(await texts("alice")).toEqual(["on alice"]);
  expect(await texts("bob")).toEqual(["on bob"]);
  expect((await texts("viewer")).toSorted()).toEqual(["on alice", "on bob"]);
  // An id of another tenant's note opens nothing.
  const [his] = await notesFor("bob", `${root}-two`);
  const wrong = { root_trace_id: `${root}-two`, id: his?.id };
  expect((await post("alice", "/traces/notes/delete", wrong)).status).toBe(404);
});

test("a note stays with its turn when late evidence tells the tenant, and is not another's", async () => {
  const late = `${root}-late`;
  const [turn, ...others] = turnEvents({ root: late, thread: "t-late" });
  if (turn === undefined) throw new Error("no turn");
  await desk.put(others.map(({ turn_id: _none, ...event }) => event));
  const body = { root_trace_id: late, text: "Before its turn was known" };
  expect((await post("olga", "/traces/notes", body)).status).toBe(201);
  const [before] = await notesFor("olga", late);
  expect(before).toMatchObject({ text: body.text });
  await desk.put([{ ...turn, user_id: "alice", turn_id: "turn-late" }]);
  for (const name of ["olga", "alice", "ann"] as const) {
    expect([name, (await notesFor(name, late)).map(({ text }) => text)]).toEqual([
      name,
      [body.text],
    ]);
  }
  expect((await desk.get(`/traces/${late}.json`, headersOf("bob"))).status).toBe(404);
  const change = { root_trace_id: late, id: before?.id, version: 1, text: "After" };
  expect((await post("olga", "/traces/notes/change", change)).status).toBe(200);
  expect((await notesFor("alice", late)).map(({ text }) => text)).toEqual(["After"]);
  await deleteUserEvidence(desk.store, { userId: "alice", dryRun: false });
  expect((await desk.store.operatorRows.list("note", ["unattributed"], late)).length).toBe(0);
});

test("a note on one tenant's turn is not shown to the tenant that it turns out to be of", async () => {
  const moved = `${root}-moved`;
  const [turn, model, tool] = turnEvents({ root: moved, thread: "t-moved" });
  if (turn === undefined || model === undefined || tool === undefined) throw new Error("no turn");
  await desk.put([model, { ...tool, user_id: "bob" }]);
  const body = { root_trace_id: moved, text: "Seen on bob's turn" };
  expect((await post("bob", "/traces/notes", body)).status).toBe(201);
  await desk.put([
    { ...turn, user_id: "alice" },
    { ...tool, event_id: "x", span_id: "x" },
  ]);
  expect(await notesFor("alice", moved)).toEqual([]);
});

test("a principal of one application reads the notes on its turns alone", async () => {
  const both = (["desk", "shop"] as const).flatMap((application) =>
    turnEvents({
      root: `${root}-apps`,
      user: "alice",
      agent: `agent-${application}`,
      application,
    }).map((event) => ({
      ...event,
      turn_id: `turn-${application}`,
      event_id: `${application}-${event.event_id}`,
      span_id: `${application}-${event.span_id ?? ""}`,
    })),
  );
  await desk.put(both);
  for (const turn_id of ["turn-desk", "turn-shop"]) {
    const body = { root_trace_id: `${root}-apps`, turn_id, text: `on ${turn_id}` };
    expect((await post("alice", "/traces/notes", body)).status).toBe(201);
  }
  const texts = (await notesFor("shop", `${root}-apps`)).map(({ text }) => text);
  expect(texts).toEqual(["on turn-shop"]);
  expect(await notesFor("alice", `${root}-apps`)).toHaveLength(2);
});

test("the author alone changes a note; the author and an admin delete it", async () => {
  const note = await add("olga", "first");
  const change = { root_trace_id: root, id: note.id, version: 1, text: "second" };
  expect((await post("omar", "/traces/notes/change", change)).status).toBe(403);
  expect((await post("admin", "/traces/notes/change", change)).status).toBe(403);
  const changed = (await (await post("olga", "/traces/notes/change", change)).json()) as Note;
  expect(changed).toMatchObject({ text: "second", version: 2, by: "olga" });
  expect(changed.changed_at).not.toBeNull();
  const late = await post("olga", "/traces/notes/change", { ...change, text: "late" });
  expect(await refusal(late)).toEqual([409, "store_conflict", undefined]);
  expect(await notesFor("viewer")).toEqual([changed]);
  const end = { root_trace_id: root, id: note.id };
  expect((await post("omar", "/traces/notes/delete", end)).status).toBe(403);
  expect((await post("admin", "/traces/notes/delete", end)).status).toBe(200);
  expect((await post("olga", "/traces/notes/delete", end)).status).toBe(404);
  expect(await notesFor("viewer")).toEqual([]);
});

const refused: readonly (readonly [text: string, code: string])[] = [
  ["the key is sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCD", "attribute_credential"],
  ["password: hunter2secret!", "attribute_credential"],
  ["ask canary@example.test", "attribute_email"],
  ["paid with 4111 1111 1111 1111", "attribute_card"],
];

test.each(refused)("%s is refused and appears nowhere", async (text, code) => {
  const file = join(desk.dataDir, "audit.jsonl");
  const response = await post("olga", "/traces/notes", { root_trace_id: root, text });
  const body = await response.clone().text();
  expect(await refusal(response)).toEqual([400, code, "text"]);
  const view = await post("olga", "/traces/views", { name: text.slice(-60), query: "?q=x" });
  expect(view.status).toBe(400);
  const query = `?${new URLSearchParams({ q: text }).toString()}`;
  const named = await post("olga", "/traces/views", { name: "one", query });
  expect((await refusal(named))[2]).toBe("query");
  expect(await notesFor("olga")).toEqual([]);
  for (const stated of [body, readFileSync(file, "utf8")]) {
    // Long enough that no hash of the log has it by chance.
    expect(stated).not.toContain(text.slice(-12));
  }
});

test("a note has 1 to 2,000 characters, and a turn at most 100 notes", async () => {
  for (const text of ["", "  \n ", "x".repeat(2_001), "a\u0007b", "\ud800"]) {
    const response = await post("olga", "/traces/notes", { root_trace_id: root, text });
    expect(await refusal(response)).toEqual([422, "body_invalid", "text"]);
  }
  await add("olga", "word ".repeat(399));
  for (let n = 1; n < 100; n += 1) await add("olga", `note ${n}`);
  const more = await post("olga", "/traces/notes", { root_trace_id: root, text: "one more" });
  expect(await refusal(more)).toEqual([409, "written_limit", undefined]);
});

test("under a legal hold notes are added, and none is changed or deleted", async () => {
  const body = { root_trace_id: root, text: "seen" };
  const note = (await (await post("olga", "/traces/notes", body, held)).json()) as Note;
  const change = { ...body, id: note.id, version: 1 };
  for (const response of [
    await post("olga", "/traces/notes/change", change, held),
    await post("olga", "/traces/notes/delete", { root_trace_id: root, id: note.id }, held),
  ]) {
    expect(await refusal(response)).toEqual([409, "legal_hold", undefined]);
  }
  expect(await notesFor("olga")).toEqual([note]);
});

interface View {
  readonly id: string;
  readonly name: string;
  readonly query: string;
  readonly by: string;
}

async function viewsFor(name: Name): Promise<readonly View[]> {
  const { items } = await desk.json<{ items: readonly View[] }>(
    "/traces/views.json",
    headersOf(name),
  );
  return items;
}

async function share(name: Name, view: Pick<View, "name" | "query">): Promise<View> {
  const response = await post(name, "/traces/views", view);
  expect(response.status).toBe(201);
  return (await response.json()) as View;
}

test("a view is shared with the operators of its tenant and with no other", async () => {
  const names = async (name: Name): Promise<readonly string[]> =>
    (await viewsFor(name)).map((view) => view.name);
  const query = "?status=error&start_time=2026-11-21T00%3A00%3A00Z";
  const hers = await share("alice", { name: "Errors", query: `${query}&cursor=abc` });
  expect(hers).toMatchObject({ name: "Errors", query, by: "alice" });
  await share("bob", { name: "Errors", query: "?q=tool%3Asearch" });
  await share("shop", { name: "Of the shop", query: "?status=error" });
  await share("analyst", { name: "All errors", query: "?user_id=alice" });
  expect(await names("ann")).toEqual(["Errors"]);
  expect(await names("bob")).toEqual(["Errors"]);
  expect((await viewsFor("bob"))[0]?.query).toBe("?q=tool%3Asearch");
  expect(await names("shop")).toEqual(["Of the shop"]);
  expect(await names("viewer")).toEqual(["All errors"]);
  const page = await desk.get("/traces", { ...headersOf("ann"), accept: "text/html" });
  const html = await page.text();
  expect(html).toContain('href="/traces?status=error&amp;start_time=2026-11-21T00%3A00%3A00Z"');
  expect(html).not.toContain("All errors");
  for (const name of ["bob", "olga", "shop"] as const) {
    expect((await post(name, "/traces/views/delete", { id: hers.id })).status).toBe(404);
    const rename = { id: hers.id, name: "Mine" };
    expect((await post(name, "/traces/views/rename", rename)).status).toBe(404);
  }
  expect(await refusal(await post("alice", "/traces/views", { name: "Errors", query }))).toEqual([
    409,
    "name_taken",
    undefined,
  ]);
  const renamed = await post("alice", "/traces/views/rename", { id: hers.id, name: "Bad day" });
  expect(await renamed.json()).toEqual({ ...hers, name: "Bad day" });
  expect(await names("ann")).toEqual(["Bad day"]);
  expect((await post("ann", "/traces/views/delete", { id: hers.id })).status).toBe(403);
  expect((await post("alice", "/traces/views/delete", { id: hers.id })).status).toBe(200);
  expect(await names("alice")).toEqual([]);
});

test("a view is a query of the list and nothing else", async () => {
  for (const query of ["", "?", "?cursor=abc", "?nothing=1", "?status=never", "?q=a&q=b"]) {
    const response = await post("olga", "/traces/views", { name: "odd", query });
    expect([query, ...(await refusal(response))]).toEqual([query, 422, "body_invalid", "query"]);
  }
});

test("each change is in the audit log, without what was written", async () => {
  const note = await add("olga", "zebra-note");
  const target = { root_trace_id: root, id: note.id };
  const change = { ...target, version: 1, text: "zebra-changed" };
  await post("olga", "/traces/notes/change", change);
  await post("olga", "/traces/notes/delete", target);
  const view = await share("olga", { name: "zebra-view", query: "?q=zebra-query" });
  await post("olga", "/traces/views/rename", { id: view.id, name: "zebra-renamed" });
  await post("olga", "/traces/views/delete", { id: view.id });
  const text = readFileSync(join(desk.dataDir, "audit.jsonl"), "utf8");
  const events = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { event: string; result: string; principal?: string })
    .slice(-6);
  expect(events.map(({ event, result }) => `${event} ${result}`)).toEqual([
    "note.added ok",
    "note.changed ok",
    "note.deleted ok",
    "view.shared ok",
    "view.renamed ok",
    "view.deleted ok",
  ]);
  expect(text).not.toContain("zebra");
});

test("a deletion of a user takes the notes on the user's turns and views that name the user", async () => {
  const gone = await openDesk(env);
  const [hers, his] = [`${root}-hers`, `${root}-his`];
  await gone.put(turnEvents({ root: hers, user: "alice" }));
  await gone.put(turnEvents({ root: his, user: "bob" }));
  for (const at of [hers, his]) {
    const body = { root_trace_id: at, text: `seen for alice` };
    expect((await post("olga", "/traces/notes", body, gone)).status).toBe(201);
  }
  const queries = ["?user_id=alice", "?q=-user%3Aalice", "?q=alice", "?user_id=alice2"];
  for (const query of queries) {
    expect((await post("olga", "/traces/views", { name: query, query }, gone)).status).toBe(201);
  }
  const done = await deleteUserEvidence(gone.store, { userId: "alice", dryRun: false });
  expect(done).toMatchObject({ deleted: turnEvents({ root: hers }).length + 4, complete: true });
  const views = await gone.json<{ items: readonly View[] }>(
    "/traces/views.json",
    headersOf("olga"),
  );
  expect(views.items.map(({ query }) => query)).toEqual(["?user_id=alice2"]);
  const turn = await gone.json<{ notes: readonly Note[] }>(
    `/traces/${his}.json`,
    headersOf("olga"),
  );
  expect(turn.notes).toHaveLength(1);
  await gone.collector.close();
});
