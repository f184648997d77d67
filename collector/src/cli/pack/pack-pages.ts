/** @module PackPages: the pages of a pack for people. */

import { compareTimes } from "@turnproof/semconv";

import { droppedText } from "./pack-losses.ts";
import type { PackFacts, PackRetention, PackRow } from "./pack-facts.ts";

const words = { proven: "proven", partial: "partial", not_evidenced: "not evidenced" } as const;

/** The table and the facts. */
export function tablePage(facts: PackFacts, table: readonly PackRow[]): string {
  const { events, losses, retention, audit, deletions } = facts;
  const rows = table.map(({ article, duty, state, because }) =>
    rowText([article, duty, words[state], because]),
  );
  const { dropped_by_producers: dropped, lost_frames, corrupt_ranges, quarantined } = losses;
  const held = [lost_frames, corrupt_ranges, quarantined].join(", ");
  const log =
    audit === null ? "not configured" : `${audit.records} records, ${audit.findings} findings`;
  const deleted = deletions
    .map(({ at, reason, result }) => `- ${at}${placeText(at, facts)}: ${reason} (${result})`)
    .join("\n");
  const retained = (facts.retentions?.runs ?? []).map((run) => runText(run, facts)).join("\n");
  return `# Evidence pack

From ${facts.from} to ${facts.to}, made at ${facts.made_at}
by turnproof ${facts.version} over ${facts.store}.

| Article | Duty | State | Because |
|---|---|---|---|
${rows.join("\n")}

| Fact | Value |
|---|---|
| Events | ${events.rows} |
| First receipt | ${events.first_received ?? "none"} |
| Last receipt | ${events.last_received ?? "none"} |
| Window read completely | ${completeText(facts)} |
| Root traces of the events, those of no turn that ended in the window | ${rootsText(facts)} |
| Turns that ended in the window, judged, with findings | ${turnsText(facts)} |
| Oldest turn kept, received | ${facts.oldest_kept ?? "none"} |
| Retention floor | ${retention.floor_days === null ? "not set" : `${retention.floor_days} days`} |
| Legal hold | ${retention.legal_hold ? "set" : "not set"} |
| Spans dropped by producers, by their reports of the window | ${droppedText(dropped)} |
| Lost frames, damaged ranges, refused rows, of any time | ${held} |
| Account of received items since the collector's start | ${losses.balanced ? "adds up" : "is off"} |
| Audit log | ${log} |

Deletions of users from the start of the window to the making of the pack, by their reason and
result. One after the window has removed rows of the window too:

${deleted === "" ? "None is recorded." : deleted}

Runs of retention in the same time, by the age of rows:

${retained === "" ? "None is recorded." : retained}
`;
}

function turnsText({ turns }: PackFacts): string {
  return `${turns.rows}, ${turns.judged}, ${turns.with_findings}`;
}

function rootsText({ roots }: PackFacts): string {
  return roots === undefined ? "not counted" : `${roots.rows}, ${roots.without_turn}`;
}

function completeText({ events, to, began_at: began, made_at: made }: PackFacts): string {
  if (events.complete) return "yes";
  if (compareTimes(to, made) > 0) return "no: it ends after the pack was made";
  return began !== undefined && compareTimes(to, began) > 0
    ? `no: it ended after its reading began (${began})`
    : "no";
}

/** Where a removal came after the window that it took rows of. */
function placeText(at: string, { to }: PackFacts): string {
  return compareTimes(at, to) < 0 ? "" : " (after the window)";
}

function runText(run: PackRetention, facts: PackFacts): string {
  const { at, reason, result, shortest_days, removed } = run;
  const counts = removed
    .filter(({ rows }) => rows > 0)
    .map((one) => `${one.rows} ${one.class} rows of ${one.store}`)
    .join(", ");
  const rows = result === "begun" ? "end not recorded" : counts === "" ? "no row" : counts;
  return `- ${at}${placeText(at, facts)}: ${reason}, at least ${shortest_days} days (${result}): ${rows}`;
}

const rowText = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

/** What a pack is not. */
export const limitsPage = `# What this does not prove

- That the system met the Act. The table lists the facts that the evidence shows; the duties are
  the operator's, and the text of the Act decides.
- That everything was recorded. A span that no producer sent, or that a producer dropped
  without a report, is in no file. "No loss is known" is not "nothing was lost".
- That what was recorded is true. An application records what it observed; the collector
  checks form, trust of the sender and agreement of the records, not the world.
- What users and models wrote. Prompts, answers and arguments are not kept, so no file shows them.
- Which rows retention removed. A run is recorded with its ages and the number of rows of each
  class; runs before the first record, and a rule of the database itself, are not recorded.
- That the floor and the legal hold always applied. They are settings of the command that made the
  pack, at that time; what retention did is in its runs.
- Accesses by a collector that ran without an audit log. Where one exists, such a start is a record
  in it and the table names the time; another data directory, or a program that reads the database
  itself, leaves none.
- Why a user was deleted. Deletions of users are recorded without the user. A reason is the code
  that the operator named, from a closed list; a request or an order behind it is in no file, and
  a deletion may have none ("reason not recorded"). A deletion by another way, such as a statement
  of the database, is not recorded.
- Anything before the oldest turn that is kept, or outside the window of the pack. Removals are
  listed up to the making of the pack; a row that a later one takes is still in the pack's files.
- Who holds the key. A signature shows that the collector's key signed this list; that the
  key is the collector's, compare with \`/.well-known/jwks.json\` or with a copy that you
  got by another way.
- The time. Times are those of the collector's clock and, for events, of the producers'
  clocks.
`;
