/**
 * Turns that have ended are judged soon; others when their root is quiet, with the same verdict.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { TurnEvent } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { isoOf, Stand, start, turnAt } from "./stopped-judge.ts";

const quietMs = 60_000;
const openStand = (): Stand =>
  new Stand(mkdtempSync(join(tmpdir(), "turnproof-ended-")), { recorded: true });
/** A turn that succeeds, as the span of the turn and those below it, all ended. */
function spans(root: string, more: Partial<TurnEvent> = {}): TurnEvent[] {
  const below = turnAt(root, start).map((event) => ({
    ...event,
    span_id: event.span_id ?? event.event_id,
    parent_span_id: `${root}-turn`,
    ...more,
  }));
  const { attributes: _attributes, ...last } = below.at(-1) as TurnEvent;
  const id = `${root}-turn`;
  const end = { ...last, event_id: id, span_id: id, event_kind: "turn", phase: "result" } as const;
  const { parent_span_id: _parent, ...turn } = end;
  return [...below, { ...turn, duration_ms: 5_000, attributes: {} }];
}

test("a turn that has ended with all its spans is judged after a second", async () => {
  const stand = openStand();
  const judge = stand.judge({}, { quietMs });
  await stand.put(spans("whole"));
  const [whole] = await stand.records();
  expect(whole?.row).toMatchObject({ timing_state: "measured", orphan_spans: 0 });
  stand.now += 500;
  expect(await judge.look()).toBe(0);
  stand.now += 1_000;
  expect(await judge.look()).toBe(1);
  expect(await stand.verdicts()).toEqual({ whole: "success" });
  // It is not judged again when it is quiet.
  stand.now += 2 * quietMs;
  expect(await judge.look()).toBe(0);
  await judge.close();
});

test("what could still come is waited for", async () => {
  const stand = openStand();
  const judge = stand.judge({}, { quietMs });
  const isEnd = ({ event_kind: kind }: TurnEvent): boolean => kind === "turn";
  const isArtifact = ({ event_kind: kind }: TurnEvent): boolean => kind === "artifact";
  await stand.put(spans("unended").filter((event) => !isEnd(event)));
  await stand.put(spans("orphan").map((event) => ({ ...event, parent_span_id: "elsewhere" })));
  await stand.put(spans("missing").filter((event) => !isArtifact(event)));
  const [first, ...others] = spans("services", { producer_id: "p1" });
  if (first === undefined) throw new Error("no event");
  await stand.put([{ ...first, producer_id: "p2" }, ...others]);
  stand.now += 5_000;
  expect(await judge.look()).toBe(0);
  stand.now += quietMs;
  expect(await judge.look()).toBe(4);
  await judge.close();
});

test("more evidence after an early verdict gives the verdict of all of it", async () => {
  const [early, quiet] = [openStand(), openStand()];
  const failed = spans("root")
    .slice(0, 1)
    .map((event) => ({ ...event, event_id: "late", span_id: "late", status: "error" as const }));
  const verdicts: unknown[] = [];
  for (const stand of [early, quiet]) {
    const judge = stand.judge({}, { quietMs });
    await stand.put(spans("root"));
    stand.now += 1_500;
    expect(await (stand === early ? judge.look() : 0)).toBe(stand === early ? 1 : 0);
    await stand.put(failed, isoOf(stand.now));
    stand.now += 2 * quietMs;
    expect(await judge.look()).toBe(1);
    const [record] = await stand.records();
    verdicts.push([record?.row.verdict, record?.row.finding_codes, record?.version.settled]);
    await judge.close();
  }
  expect(verdicts[0]).toEqual(verdicts[1]);
});
