/** @module WhyFailed: verdict, findings and first errors of one turn, by any id of it. */
import type { TurnRow } from "@turnproof/evidence";
import { limits } from "@turnproof/semconv";

import type { FoundRoot } from "../pages/find/found-roots.ts";
import type { FindModel } from "../pages/find/route.ts";
import type { TurnModel } from "../pages/turn/turn-reading.ts";
import type { TurnsModel } from "../pages/turns/route.ts";
import { durationText, countText } from "../ui/display/figures.ts";
import { failureText, failuresOf } from "../ui/display/failure-texts.ts";
import type { Failure } from "../ui/display/failure-texts.ts";
import { reasonText } from "../ui/display/kind-texts.ts";
import { AnswerText, evidence, value } from "./answer-text.ts";
import { Refused } from "./requester.ts";
import type { Requester } from "./requester.ts";
import { anId, tool } from "./tool.ts";
import type { Tool } from "./tool.ts";
import { pageAddress } from "../ui/display/page-address.ts";

/** Why did this turn fail? */
export const whyFailed: Tool = tool({
  name: "why_did_this_turn_fail",
  title: "Why did this turn fail?",
  description:
    "The strict verdict on one turn with its findings, the operations in which errors began, what " +
    "was promised and delivered, and the evidence ids behind each. Takes any id: root trace, turn, " +
    "thread, task, artifact or error.",
  input: {
    id: anId.describe("Root trace, or any other id of the turn."),
    turn_id: anId.optional().describe("One turn of a root that has several."),
  },
  async answer(request, { id, turn_id }) {
    const found = await turnOf(request, id, turn_id);
    if (found === undefined) {
      return new AnswerText().add(`Nothing in your scope mentions ${value(id)}.`);
    }
    const { model, note } = found;
    const text = new AnswerText().add(note);
    addVerdict(text, model);
    addTurns(text, model);
    addCauses(text, model);
    for (const turn of model.turns.slice(0, turnsNamedMax)) text.add(turnLine(turn));
    return text.end(`page: ${request.link(pageAddress("traces", model.root_trace_id))}`);
  },
});

type Findings = TurnModel["verdict"]["findings"];

interface FoundTurn {
  readonly model: TurnModel;
  /** How the root was found, where the id was another one. */
  readonly note: string | undefined;
}

const otherId = new Set(["trace_not_found_in_window", "not_found", "path_refused"]);
/** The form of a trace id, which most often names a root. */
const traceId = /^[0-9a-f]{32}$/i;

type RankedRoot = Pick<
  FoundRoot,
  "root_trace_id" | "turn_ids" | "matched_by" | "last_at" | "has_error" | "verdicts"
>;

/** The ledger answers by its indexes; the evidence itself is searched for any other id. */
async function turnOf(
  request: Requester,
  id: string,
  turn?: string,
): Promise<FoundTurn | undefined> {
  const read = (root: string, turn_id?: string): Promise<TurnModel> =>
    request.json<TurnModel>(`${pageAddress("traces", root)}.json`, { turn_id });
  const asRoot = async (): Promise<FoundTurn | undefined> => {
    try {
      return { model: await read(id, turn), note: undefined };
    } catch (error) {
      if (!(error instanceof Refused) || !otherId.has(error.code)) throw error;
      return undefined;
    }
  };
  const among = async (roots: readonly RankedRoot[]): Promise<FoundTurn | undefined> => {
    const sorted = roots.toSorted((a, b) => rank(a) - rank(b) || (a.last_at < b.last_at ? 1 : -1));
    const [first] = sorted;
    if (first === undefined) return undefined;
    const [only] = first.turn_ids;
    const model = await read(
      first.root_trace_id,
      turn ?? (first.turn_ids.length === 1 ? only : turn),
    );
    const others = sorted.slice(1, 4).map(({ root_trace_id: root }) => value(root));
    const more = roots.length > 1 ? `; ${roots.length - 1} other roots: ${others.join(" ")}` : "";
    return { model, note: `found by ${first.matched_by.join(", ")}${more}` };
  };
  const inLedger = async (): Promise<FoundTurn | undefined> =>
    among(await ledgerRoots(request, id));
  const first = traceId.test(id) ? [asRoot, inLedger] : [inLedger, asRoot];
  for (const look of first) {
    const found = await look();
    if (found !== undefined) return found;
  }
  const query = { id, limit: 1_000, names: "none" };
  return among((await request.json<FindModel>("/traces/find.json", query)).items);
}

/** Keys of the filter bar for ids of turns, by the field that they are in. */
const ledgerKeys = { turn_id: "turn", thread_id: "thread", run_id: "run" } as const;
/** Turns of an id that are compared, newest first. */
const ledgerTurnsMax = 200;

/** The roots whose turns have this id as their own. */
async function ledgerRoots(request: Requester, id: string): Promise<readonly RankedRoot[]> {
  if (id.length > limits.stringCharsMax || /\p{Cc}/u.test(id)) return [];
  const rows = await Promise.all(
    Object.entries(ledgerKeys).map(async ([field, key]) => {
      const query = { q: `${key}:${JSON.stringify(id)}`, limit: ledgerTurnsMax };
      const items = await termItems(request, query);
      return items.map((row) => ({ field, row }));
    }),
  );
  const byRoot = Map.groupBy(rows.flat(), ({ row }) => row.root_trace_id ?? "");
  return [...byRoot].map(([root_trace_id, own]) => ({
    root_trace_id,
    turn_ids: [...new Set(own.flatMap(({ row }) => row.turn_id ?? []))],
    matched_by: [...new Set(own.map(({ field }) => field))],
    last_at: own[0]?.row.ended_at ?? "",
    has_error: own.some(({ row }) => row.has_error),
    verdicts: own.map(({ row }) => ({
      turn_id: row.turn_id ?? null,
      verdict: row.verdict,
      finding_codes: row.finding_codes ?? [],
    })),
  }));
}

/** The turns of a term; none for an id that no term expresses, such as one with a quote. */
async function termItems(
  request: Requester,
  query: { readonly q: string; readonly limit: number },
): Promise<TurnsModel["items"]> {
  try {
    return (await request.json<TurnsModel>("/traces/turns.json", query)).items;
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== "parameter_invalid") throw error;
    return [];
  }
}

/** Roots that did not succeed come first. */
function rank({ verdicts, has_error }: RankedRoot): number {
  const words = (verdicts ?? []).map(({ verdict }) => verdict);
  if (words.includes("failed")) return 0;
  if (has_error || words.includes("partial")) return 1;
  return 2;
}

function addVerdict(text: AnswerText, model: TurnModel): void {
  const { root_trace_id, verdict, window, turns, partial_read: part } = model;
  const { status, why, window: read, as_of, open_until } = verdict;
  const complete = read.complete
    ? "the window is complete"
    : `the window is not complete: ${read.reasons.join(", ") || read.read_completeness}`;
  const [turn] = turns;
  text.add(
    `root ${value(root_trace_id)}, agent ${value(turn?.agent_id)}, thread ${value(turn?.thread_id)}`,
    `verdict: ${status}, ${part === null ? "judged now" : "not judged"}; ${complete}; ${countText(window.event_count)} events` +
      (as_of === undefined || as_of === null ? "" : ` as of ${as_of}`),
    `why: ${why}`,
    open_until === null ? undefined : `still open; silence counts as its end from ${open_until}`,
  );
}

/** Turns that are named, those with an error first. */
const turnsNamedMax = 8;
/** Errors before the findings: an operation in which an error began is the nearest cause. */
const errorsFirst = 3;
/** Subjects of one finding that are named. */
const subjectsMax = 3;

/** Ids of the turns of a root that has several: no budget cuts them. */
function addTurns(text: AnswerText, { turns }: TurnModel): void {
  if (turns.length < 2) return;
  const failed = turns.filter(({ has_error: error }) => error);
  const named = (failed.length > 0 ? failed : turns).slice(0, turnsNamedMax);
  const ids = named.map(({ turn_id: id }) => value(id)).join(" ");
  text.always(
    `${countText(turns.length)} turns, ${countText(failed.length)} with errors: give turn_id for the verdict on one, as ${ids}`,
  );
}

/** Errors and blocking findings, then the rest: a budget cuts what explains least. */
function addCauses(text: AnswerText, model: TurnModel): void {
  const { verdict, waterfall, events, insights, partial_read: part } = model;
  const failures = failuresOf(waterfall, events);
  const errors = [...Map.groupBy(failures, errorText)].map(
    ([line, all]) =>
      line +
      (all.length > 1 ? `, ${countText(all.length)} times` : "") +
      evidence(all.map(({ event_id: id }) => id)),
  );
  text.add(...errors.slice(0, errorsFirst));
  const { blocking = [], note = [] } = Object.groupBy(verdict.findings, ({ effect }) => effect);
  text.add(...findingLines(blocking));
  if (failures.length === 0 && verdict.status !== "success") {
    text.add(`errors: no operation ${part === null ? "" : "that was read "}recorded an error`);
  }
  text.add(...errors.slice(errorsFirst));
  for (const link of verdict.chain) {
    const name = link.name === null ? "" : ` ${value(link.name)}`;
    text.add(
      `chain: ${link.link}${name} ${link.state} (${reasonText(link.reason)})` +
        evidence(link.evidence_ids, link.evidence_ids.length, 1),
    );
  }
  text.add(...findingLines(note));
  for (const one of insights.insights) {
    const subject = one.subject === null ? "" : ` ${value(one.subject)}`;
    text.add(`insight ${one.code}${subject}: ${one.finding}`);
  }
}

function errorText(failure: Failure): string {
  return `error: ${failure.what} ${failureText(failure)}`;
}

/** A line for the findings of one text, with their subjects. */
function findingLines(findings: Findings): readonly string[] {
  const alike = Map.groupBy(findings, ({ code, confidence, finding, recommendation }) =>
    JSON.stringify([code, confidence, finding, recommendation]),
  );
  return [...alike.values()].map((all) => {
    const [one] = all as [Findings[number]];
    const subjects = all.flatMap(({ subject }) => (subject === null ? [] : value(subject)));
    const more = subjects.length > subjectsMax ? ` +${subjects.length - subjectsMax}` : "";
    const named = subjects
      .slice(0, subjectsMax)
      .map((subject) => ` ${subject}`)
      .join("");
    const low = one.confidence === "low" ? ", low confidence" : "";
    const ids = all.flatMap(({ evidence_ids: own }) => own);
    const count = all.reduce((sum, { evidence_count: own }) => sum + own, 0);
    return (
      `finding ${one.code} (${one.effect}${low})${named}${more}: ${one.finding} ` +
      `Do: ${one.recommendation}${evidence(ids, count)}`
    );
  });
}

/** One turn in a line; what was not measured is unknown. */
function turnLine(turn: TurnRow): string {
  const { tools, total_tokens: tokens, duration_ms: took } = turn;
  const failed = tools.error + tools.provider_error;
  const least = turn.usage_state === "partial" ? "at least " : "";
  return [
    `turn ${value(turn.turn_id)}: recorded status ${turn.status}, ${turn.started_at}`,
    took === null ? "duration unknown" : durationText(took),
    `${tools.results} tool results, ${failed} failed`,
    tokens === null ? "tokens unknown" : `${least}${countText(tokens)} tokens`,
    `models ${turn.models.map(value).join(" ") || "not recorded"}`,
    `release ${turn.releases.map(value).join(" ") || "not recorded"}`,
  ].join(", ");
}
