/**
 * @module The gate over HTTP where sides have turns in common, and the ways from its page: files
 * with its limit, the command that reads more, the turns behind each median.
 */
import { afterAll, beforeAll, expect, test } from "vitest";

import type { GateModel } from "../../../collector/src/pages/gate/route.ts";
import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

let desk: Desk;
const users = ["alice", "bob", "carol"];
const each = 20;

beforeAll(async () => {
  desk = await openDesk({}, { judge: false });
  const events = users.flatMap((user, day) =>
    Array.from({ length: each }, (_, n) => {
      const start = Date.UTC(2026, 10, 20, day, n);
      const at = new Date(start).toISOString();
      const ms = 1_000 + 10 * n;
      return turnEvents({ root: `${user}-${n}`, at, user }).map((event) =>
        event.event_kind === "turn"
          ? { ...event, duration_ms: ms, timestamp: new Date(start + ms).toISOString() }
          : event,
      );
    }).flat(),
  );
  await desk.put(events);
});
afterAll(() => desk.collector.close());

const model = (query: string): Promise<GateModel> =>
  desk.json<GateModel>(`/traces/compare/gate.json?${query}`);
const page = async (query: string): Promise<Response> =>
  desk.get(`/traces/compare/gate?${query}`, { accept: "text/html" });

const overlapping = "baseline=-user:carol&candidate=-user:alice";
const apart = "baseline=user:alice&candidate=user:bob";

test("turns on both sides leave the baseline, in the JSON, the page and the files", async () => {
  const { read, answer } = await model(overlapping);
  expect(read).toEqual({ baseline: 2 * each, candidate: 2 * each });
  expect(answer?.report.shared).toBe(each);
  const warning = `${each} turns are on both sides: they are left out of the baseline`;
  expect(answer?.report.warnings).toEqual([expect.stringContaining(warning)]);
  expect(await (await page(overlapping)).text()).toContain(warning);
  const roots = (side: string, turns: GateModel["answer"]): string[] => [
    ...new Set(
      (turns?.turns ?? [])
        .filter((turn) => turn.side === side)
        .map(({ root_trace_id: root }) => root?.split("-")[0] ?? ""),
    ),
  ];
  expect(roots("baseline", answer)).toEqual(["alice"]);
  expect(roots("candidate", answer).toSorted()).toEqual(["bob", "carol"]);
  const values = answer?.values.filter(
    ({ side, measure }) => side === "baseline" && measure === "duration",
  );
  expect(values?.map(({ root_trace_id: root }) => root)).toHaveLength(each);
  const file = await (await desk.get(`/traces/compare/gate.jsonl?${overlapping}`)).text();
  const lines = file
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { root_trace_id: string });
  expect(lines).toHaveLength(3 * each);
});

test("a baseline that is a part of the candidate is refused, and the page explains it", async () => {
  for (const query of [
    "baseline=user:bob&candidate=-user:alice",
    "baseline=user:bob&candidate=user:bob",
  ]) {
    const refused = await desk.get(`/traces/compare/gate.json?${query}`);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ code: "sides_overlap" });
    const shown = await page(query);
    expect(shown.status).toBe(400);
    const text = await shown.text();
    expect(text).toContain("Both sides are the same turns");
    expect(text).toContain("name two sides that differ, such as two releases");
  }
});

test("files have the limit of the page, and so does its form", async () => {
  const text = await (await page(`${apart}&limit=7&user_id=alice`)).text();
  expect(text).toMatch(/<input[^>]*name="limit"[^>]*value="7"/);
  expect(text).toMatch(/<input type="hidden" name="user_id" value="alice"/);
  const limited = await (await page(`${apart}&limit=7`)).text();
  for (const form of ["csv", "jsonl"]) {
    const [, href = ""] =
      new RegExp(`href="(/traces/compare/gate\\.${form}[^"]*)"`).exec(limited) ?? [];
    expect(href).toContain("limit=7");
    const lines = (await (await desk.get(href.replaceAll("&amp;", "&"))).text())
      .trim()
      .split(/\r?\n/);
    expect(lines).toHaveLength(14 + (form === "csv" ? 1 : 0));
  }
});

test("the page states how many turns it reads, and the command that reads more", async () => {
  expect((await model(apart)).limit).toBe(100);
  expect((await model(`${apart}&limit=200`)).limit).toBe(200);
  const more = await desk.get(`/traces/compare/gate.json?${apart}&limit=201`);
  expect(more.status).toBe(400);
  expect(await more.text()).toMatch(/"limit"/);
  const text = (await (await page(apart)).text()).replaceAll(/<[^>]*>/g, "");
  expect(text).toContain("The newest 100 turns of each side are read at most, here up to 200.");
  expect(text).toContain("turnproof gate reads 1,000 of each");
  const command = text.replaceAll("&#39;", "'");
  expect(command).toContain("turnproof gate --baseline 'user:alice' --candidate 'user:bob'");
});

test("a median leads to the turns behind it, those of the largest values first", async () => {
  const { answer } = await model(apart);
  const durations = answer?.values.filter(
    ({ side, measure }) => side === "candidate" && measure === "duration",
  );
  expect(durations?.map(({ low }) => low)).toEqual(
    Array.from({ length: each }, (_, n) => 1_000 + 10 * (each - 1 - n)),
  );
  const text = await (await page(apart)).text();
  const [measures = ""] = /aria-label="Measures"[^]*?<\/table>/.exec(text) ?? [];
  expect(measures).toMatch(/href="\/traces\/bob-19\?turn_id=bob-19-turn"[^]*1190/);
  expect(measures).toContain(`${each} turns`);
  expect(measures).toContain("and 8 more");
});

test("what must be decided is a field, and part of the command; other names are listed", async () => {
  const required = await model(`${apart}&require=cost`);
  expect(required).toMatchObject({ required: ["cost"], unknown_required: [] });
  expect(required.answer?.report.outcome).toBe("not_enough_evidence");
  expect((await model(apart)).answer?.report.notRecorded).toContain("cost");
  const shown = await (await page(`${apart}&require=cost%20default`)).text();
  expect(shown).toMatch(/<input[^>]*name="require"[^>]*value="cost default"/);
  expect(shown.replaceAll(/<[^>]*>/g, "")).toContain("--require cost default");
  expect(shown).toContain("cost is required, and not recorded on either side.");
  const refused = await desk.get(`/traces/compare/gate.json?${apart}&require=speed`);
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ code: "parameter_invalid" });
  const wrong = await (await page(`${apart}&require=speed`)).text();
  expect(wrong).toMatch(/Must be decided: <mark>speed<\/mark>/);
});

test("turns that are left out of pairs are named apart, in the page and the JSON", async () => {
  const start = Date.UTC(2026, 10, 26);
  await desk.put(
    ["erin", "frank"].flatMap((user) =>
      Array.from({ length: 3 }, (_, n) =>
        turnEvents({ root: `${user}-${n}`, at: new Date(start + n).toISOString(), user }).map(
          (event) =>
            event.event_kind === "turn"
              ? { ...event, external_id: n === 2 ? `${user}-own` : `case-${n}` }
              : event,
        ),
      ).flat(),
    ),
  );
  const query = "baseline=user:erin&candidate=user:frank";
  const { answer } = await model(query);
  expect(answer?.report.contracts[0]).toMatchObject({ paired: true, cases: 2 });
  const leftOut = answer?.turns.filter(({ compared }) => !compared);
  expect(leftOut?.map(({ root_trace_id: root }) => root)).toEqual(["erin-2", "frank-2"]);
  const text = await (await page(query)).text();
  expect(text).toMatch(/<summary>1 left out<\/summary>[^]*?erin-2/);
});

test("of a case that was run again the first attempt is compared, and a warning names the rest", async () => {
  const start = Date.UTC(2026, 10, 27);
  const attempt = (user: string, n: number, again: number, failed: boolean) =>
    turnEvents({
      root: `${user}-${n}-${again}`,
      at: new Date(start + again * 60_000 + n).toISOString(),
      user,
    }).map((event) =>
      event.event_kind === "turn"
        ? { ...event, external_id: `again-${n}`, status: failed ? "error" : "success" }
        : event,
    );
  await desk.put([
    ...Array.from({ length: 20 }, (_, n) => attempt("grace", n, 0, false)).flat(),
    ...Array.from({ length: 20 }, (_, n) => attempt("heidi", n, 0, n < 15)).flat(),
    // What failed is run again, and then holds; one fails again.
    ...Array.from({ length: 15 }, (_, n) => attempt("heidi", n, 1, n === 0)).flat(),
  ] as Parameters<typeof desk.put>[0]);
  const { answer } = await model("baseline=user:grace&candidate=user:heidi");
  expect(answer?.report.contracts[0]).toMatchObject({
    paired: true,
    repeated: { baseline: 0, candidate: 15 },
    candidate: { holds: 5, violated: 15 },
    outcome: "regressed",
  });
  expect(answer?.report.warnings).toContainEqual(
    expect.stringMatching(/beyond those of their case.*and 1 of 15 of the candidate\.$/),
  );
});

test("a cell counts turns without a value apart, as its median does", async () => {
  const start = Date.UTC(2026, 10, 25);
  await desk.put(
    Array.from({ length: 5 }, (_, n) =>
      turnEvents({ root: `dave-${n}`, at: new Date(start + n).toISOString(), user: "dave" })
        .filter(({ event_kind: kind }) => n > 1 || kind !== "turn")
        .map((event) => (event.event_kind === "turn" ? { ...event, duration_ms: 1_000 } : event)),
    ).flat(),
  );
  const text = await (await page("baseline=user:alice&candidate=user:dave")).text();
  expect(text).toContain("Intervals have 90 % confidence");
  const [measures = ""] = /aria-label="Measures"[^]*?<\/table>/.exec(text) ?? [];
  expect(measures).toMatch(/\(3 turns[^)]*, 2 unknown\)/);
  expect(measures).toContain("<summary>3 turns, 2 unknown</summary>");
});
