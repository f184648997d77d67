/**
 * @module PackTable: the table of articles of the EU AI Act (Regulation 2024/1689), worked out from
 * the facts of a pack alone, so that a verifier works it out again. A row is `proven` only for what
 * the pack's own files and signatures show.
 */
import type { PackFacts, PackRow } from "./pack-facts.ts";
import { droppedReasons } from "./pack-losses.ts";
import { earlierTraceability, removals, sentence, traceability } from "./pack-logs.ts";

/** Six months, in days. */
const sixMonthsDays = 183;
const dayMs = 86_400_000;

/**
 * The rows, in the order of the articles. Facts without `retentions` are of a pack of an earlier
 * version, whose table followed by its own rules.
 */
export function packTable(facts: PackFacts): readonly PackRow[] {
  const logs =
    facts.retentions === undefined
      ? [earlierTraceability(facts)]
      : [traceability(facts), removals(facts, facts.retentions)];
  return [
    recording(facts),
    risks(facts),
    monitoring(facts),
    ...logs,
    kept(facts, "19(1)", "Providers keep the logs for at least six months."),
    kept(facts, "26(6)", "Deployers keep the logs for at least six months."),
    postMarket(facts),
  ];
}

function recording(facts: PackFacts): PackRow {
  const { events, losses } = facts;
  const article = "12(1)";
  const duty = "Events are recorded automatically over the lifetime of the system.";
  if (events.rows === 0) {
    return { article, duty, state: "not_evidenced", because: "No event lies in the window." };
  }
  const reasons = [
    ...(events.complete ? [] : ["the window was not read completely"]),
    ...droppedReasons(facts),
    ...(losses.lost_frames + losses.corrupt_ranges > 0 ? ["received data was damaged"] : []),
    ...(losses.quarantined > 0 ? ["the store refused records"] : []),
    ...(losses.balanced ? [] : ["the account of received items is off"]),
  ];
  return reasons.length === 0
    ? { article, duty, state: "proven", because: `${events.rows} events, and no loss is known.` }
    : { article, duty, state: "partial", because: sentence(reasons) };
}

function risks({ turns, roots }: PackFacts): PackRow {
  const article = "12(2)(a)";
  const duty =
    "Events identify situations that may result in a risk or a substantial modification.";
  if (turns.judged === 0) {
    const of = roots === undefined ? "of" : "that ended in";
    const because = `No turn ${of} the window is judged.`;
    return { article, duty, state: "not_evidenced", because };
  }
  const ended = roots === undefined ? "" : " that ended in the window";
  const others =
    roots === undefined || roots.without_turn === 0
      ? ""
      : ` Of ${counted(roots.without_turn, "root trace")} there are events and no such turn.`;
  const because = `${turns.judged} of ${turns.rows} turns${ended} are judged, ${turns.with_findings} with findings; which of them is a risk, a person decides.${others}`;
  return { article, duty, state: "partial", because };
}

function monitoring({ events, turns, roots }: PackFacts): PackRow {
  const article = "12(2)(b), (c)";
  const duty = "Events serve post-market monitoring and the monitoring of operation.";
  return events.rows === 0
    ? { article, duty, state: "not_evidenced", because: "No event lies in the window." }
    : {
        article,
        duty,
        state: "partial",
        because: `The files hold ${events.rows} events of ${heldText(turns, roots)}; that they are monitored is not in them.`,
      };
}

/** Events are those of the window; turns are those that ended in it. */
function heldText(turns: PackFacts["turns"], roots: PackFacts["roots"]): string {
  return roots === undefined
    ? `${turns.rows} turns`
    : `${counted(roots.rows, "root trace")}, and ${counted(turns.rows, "turn")} that ended in the window`;
}

function counted(rows: number, one: string): string {
  return `${rows} ${rows === 1 ? one : `${one}s`}`;
}

function kept(facts: PackFacts, article: string, duty: string): PackRow {
  const { retention, oldest_kept: oldest, made_at: made } = facts;
  const floored = retention.legal_hold || (retention.floor_days ?? 0) >= sixMonthsDays;
  const days = oldest === null ? 0 : Math.floor((Date.parse(made) - Date.parse(oldest)) / dayMs);
  if (!floored) {
    const because = `Neither a floor of ${sixMonthsDays} days nor a legal hold is set.`;
    return { article, duty, state: "not_evidenced", because };
  }
  const young = (facts.retentions?.runs ?? []).filter(
    ({ shortest_days, removed }) =>
      shortest_days < sixMonthsDays &&
      removed.some(({ store, rows }) => store === "evidence" && rows > 0),
  );
  if (young.length > 0) {
    const because = `A run of retention at ${young[0]?.at ?? ""} removed evidence by an age below ${sixMonthsDays} days.`;
    return { article, duty, state: "partial", because };
  }
  const { rules, deletions } = facts;
  if (rules !== undefined && deletions.length > 0) {
    // A deletion has a record at its start, and one at its end.
    const ends = deletions.filter(({ result }) => result !== "begun").length;
    const times = Math.max(1, ends);
    const because = `Logs of users were deleted, ${times} ${times === 1 ? "time" : "times"}, first at ${deletions[0]?.at ?? ""}; whether other law provides for it, a person decides.`;
    return { article, duty, state: "partial", because };
  }
  return days >= sixMonthsDays
    ? { article, duty, state: "proven", because: `The oldest turn was kept for ${days} days.` }
    : {
        article,
        duty,
        state: "partial",
        because: `The setting keeps them; the oldest turn is ${days} days old.`,
      };
}

function postMarket({ events, turns }: PackFacts): PackRow {
  const article = "72";
  const duty = "Data on performance is collected systematically over the lifetime.";
  return events.rows === 0 || turns.judged === 0
    ? { article, duty, state: "not_evidenced", because: "No judged turn lies in the window." }
    : {
        article,
        duty,
        state: "partial",
        because: "Data is collected and judged; the monitoring plan is not part of it.",
      };
}
