/**
 * Random statements (evidence: Statements): the verdict on a random history holds when it is judged
 * again, in any order of the events; any single lie about the verdict or its window does
 * not, although it is signed.
 */
import { judgeRules, reconcileOutcome } from "@turnproof/evidence";
import type { TurnEvent, WindowMetadata } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { checkStatement, equivocations } from "../../../collector/src/judge/statement-check.ts";
import {
  createStatementSigner,
  evidenceDigest,
  trustedAmong,
} from "../../../collector/src/judge/statement.ts";
import type { Statement } from "../../../collector/src/judge/statement.ts";
import { honestWindow } from "../evidence/oracle/honest-windows.ts";
import { mutate, mutationClasses } from "../evidence/oracle/mutation-classes.ts";
import { oracle } from "../evidence/oracle/oracle.ts";
import { randomOf } from "../evidence/oracle/random.ts";
import type { Random } from "../evidence/oracle/random.ts";

const seeds = Array.from({ length: 150 }, (_, seed) => seed);
const signer = await createStatementSigner(undefined, undefined);
const statuses = ["success", "partial", "failed", "unknown"];

/**
 * A history as a collector would sign it. `lawful` are the statuses that an oracle of the law
 * allows.
 */
interface Signed {
  readonly events: readonly TurnEvent[];
  readonly statement: Statement;
  readonly lawful: readonly string[];
}

function signedWindow(seed: number): Signed {
  const random = randomOf(seed + 31_000);
  const honest = honestWindow(seed);
  const judged =
    seed % 2 === 0
      ? honest
      : mutate(honest, random.pick(["flip", "drop", "duplicate"] as const), random);
  const events = judged.events as unknown as TurnEvent[];
  const window = { ...judged.metadata, as_of: "2026-11-23T09:00:00.000000Z" };
  const { status, findings } = reconcileOutcome(events, { normalizationMetadata: window });
  const identity = { agent_id: "agent", root_trace_id: String(events[0]?.root_trace_id) };
  return {
    events,
    lawful: oracle({ ...judged, metadata: window }).allowed,
    statement: {
      v: 2,
      iss: "turnproof:test",
      iat: 1_795_000_000,
      identity: { ...identity, scope: "operator" },
      task_id: null,
      status,
      findings: [...new Set(findings.map(({ code }) => code))].toSorted(),
      as_of: window.as_of,
      event_count: events.length,
      digest: evidenceDigest(events),
      judge: { version: "0.1.0", rules: judgeRules },
      trusted: trustedAmong(events, undefined),
      bounds: { events_max: 200_000, bounded: false },
      window: JSON.parse(JSON.stringify(window)) as Record<string, unknown>,
    },
  };
}

async function verdictOf(statement: Statement, events: readonly TurnEvent[]): Promise<string> {
  const jws = await signer.sign(statement);
  const { signature, evidence, verdict } = await checkStatement(jws, signer.keys, events);
  expect([signature, evidence]).toEqual(["valid", "matches"]);
  return verdict;
}

test("what was judged is supported, by this judge and by the law", async () => {
  const seen = new Set<string>();
  for (const seed of seeds) {
    const { events, statement, lawful } = signedWindow(seed);
    expect([seed, lawful]).toEqual([seed, expect.arrayContaining([statement.status])]);
    seen.add(statement.status);
    expect(`${seed} ${await verdictOf(statement, events)}`).toBe(`${seed} supported`);
    expect(`${seed} ${await verdictOf(statement, events.toReversed())}`).toBe(`${seed} supported`);
  }
  expect([...seen]).toEqual(expect.arrayContaining(["success", "partial", "failed"]));
});

type Lie = (of: Signed, random: Random) => Partial<Statement> | undefined;
const windowOf = (of: Signed, stated: WindowMetadata): Partial<Statement> => ({
  window: { ...of.statement.window, ...stated },
});
const ifSuccess =
  (lie: Lie): Lie =>
  (of, random) =>
    of.statement.status === "success" ? lie(of, random) : undefined;

test.each<[string, Lie]>([
  [
    "another status",
    ({ statement }, random) => ({
      status: random.pick(statuses.filter((one) => one !== statement.status)),
    }),
  ],
  ["a finding that is not there", ({ statement }) => ({ findings: ["a", ...statement.findings] })],
  [
    "a finding that is left out",
    ({ statement }) =>
      statement.findings.length === 0 ? undefined : { findings: statement.findings.slice(1) },
  ],
  ["a task that nobody had", () => ({ task_id: "task-none" })],
  ["another agent", ({ statement }) => ({ identity: { ...statement.identity, agent_id: "x" } })],
  [
    "another root",
    ({ statement }) => ({ identity: { ...statement.identity, root_trace_id: "0".repeat(32) } }),
  ],
  ["another turn", ({ statement }) => ({ identity: { ...statement.identity, turn_id: "turn-9" } })],
  [
    "another tenant",
    ({ statement }) => ({ identity: { ...statement.identity, user_id: "user-9" } }),
  ],
  ["another thread", ({ statement }) => ({ identity: { ...statement.identity, thread_id: "x" } })],
  ["a mark that the window does not have", () => ({ as_of: "2026-11-24T09:00:00.000000Z" })],
  [
    "a mark before the evidence came",
    ifSuccess((of) => {
      const as_of = "2026-11-21T09:00:00.000000Z";
      return { as_of, ...windowOf(of, { as_of }) };
    }),
  ],
  ["a window that was cut", ifSuccess(() => ({ bounds: { events_max: 200_000, bounded: true } }))],
  ["a window that says so", ifSuccess((of) => windowOf(of, { truncated: true }))],
  ["a known loss", ifSuccess((of) => windowOf(of, { known_loss: 1 }))],
  ["no metadata", ifSuccess(() => ({ window: {} }))],
])("%s is not supported, although it is signed", async (_caption, lie) => {
  let reported = 0;
  for (const seed of seeds.slice(0, 60)) {
    const of = signedWindow(seed);
    const claim = lie(of, randomOf(seed));
    if (claim === undefined) continue;
    reported += 1;
    const verdict = await verdictOf({ ...of.statement, ...claim }, of.events);
    expect(`${seed} ${verdict}`).toBe(`${seed} not_supported`);
  }
  expect(reported).toBeGreaterThan(15);
});

test("evidence that was changed differs, and signed anew it needs a verdict of its own", async () => {
  let lost = 0;
  for (const seed of seeds) {
    const { events, statement } = signedWindow(seed * 2);
    const random = randomOf(seed + 41_000);
    const kind = random.pick(mutationClasses);
    const metadata = statement.window as WindowMetadata;
    const window = { events: events as never, metadata, taskId: null };
    const after = mutate(window, kind, random);
    const changed = after.events as unknown as TurnEvent[];
    const digest = evidenceDigest(changed);
    if (digest === statement.digest || after.metadata !== metadata) continue;
    const check = await checkStatement(await signer.sign(statement), signer.keys, changed);
    expect(check).toMatchObject({ evidence: "differs", verdict: "not_checked" });
    const { allowed } = oracle({ ...after, metadata });
    if (allowed.includes("success")) continue;
    lost += 1;
    const claim = { ...statement, digest, event_count: changed.length };
    expect(`${seed} ${await verdictOf(claim, changed)}`).toBe(`${seed} not_supported`);
  }
  expect(lost).toBeGreaterThan(20);
});

test("trust is what it was at receipt: a later setting takes none from an honest statement", async () => {
  for (const seed of seeds.slice(0, 40)) {
    const random = randomOf(seed + 51_000);
    const { events } = signedWindow(seed * 2);
    const sent = events.map((event) => {
      const ingest_principal =
        event.ingest_trusted === false ? "stranger" : random.pick(["a", "b"]);
      return { ...event, ingest_principal };
    });
    const { statement } = signedWindow(seed * 2);
    const digest = evidenceDigest(sent);
    for (const configured of [undefined, ["a"], ["other"], ["stranger"]]) {
      const trusted = trustedAmong(sent, configured);
      expect(await verdictOf({ ...statement, digest, trusted }, sent)).toBe("supported");
    }
    expect(await verdictOf({ ...statement, digest, trusted: ["other"] }, sent)).toBe(
      "not_supported",
    );
  }
});

test("a file that holds more than events is other evidence, and no exception", async () => {
  const { statement, events } = signedWindow(0);
  const jws = await signer.sign(statement);
  for (const junk of [null, 1, "x", [], {}]) {
    const check = await checkStatement(jws, signer.keys, [...events, junk] as TurnEvent[]);
    expect(check).toMatchObject({ signature: "valid", evidence: "differs" });
  }
});

test("a mark that is written in another way is the same mark", () => {
  const { statement } = signedWindow(0);
  const at = (as_of: string, status = "x"): Statement => ({ ...statement, as_of, status });
  for (const same of [
    "2026-11-23T09:00:00Z",
    "2026-11-23T09:00:00.0Z",
    "2026-11-23T10:00:00+01:00",
  ]) {
    expect([same, equivocations([statement, at(same)])]).toEqual([same, [[0, 1]]]);
  }
  expect(equivocations([statement, at("2026-11-23T09:00:00.000001Z")])).toEqual([]);
  expect(
    equivocations([at("2026-11-23T09:00:00.5Z"), at("2026-11-23T09:00:00.500Z", "y")]),
  ).toEqual([[0, 1]]);
});

test("two verdicts over one digest and mark are shown, whoever is said to have issued them", () => {
  const statements = seeds.map((seed) => signedWindow(seed).statement);
  expect(equivocations(statements)).toEqual([]);
  const lying = statements.map((one, at) => ({ ...one, status: "x", iss: `turnproof:${at % 3}` }));
  const pairs = equivocations([...statements, ...lying]);
  expect(pairs).toEqual(seeds.map((seed) => [seed, seed + seeds.length]));
});
