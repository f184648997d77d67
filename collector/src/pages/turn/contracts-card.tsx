/**
 * @module ContractsCard: the standing contracts on these turns, each with its result, its version,
 * and the clauses that do not hold with the events behind them.
 */
import type { ClauseResult, ContractResult } from "@turnproof/contracts";
import type { FC } from "hono/jsx";

import { countText, wordsOf } from "../../ui/display/figures.ts";
import { OutcomeBadge } from "../../ui/elements/outcome-badge.tsx";
import { EvidenceLinks } from "../../ui/elements/evidence-links.tsx";
import { Card } from "../../ui/elements/panel.tsx";
import type { ContractsOfTurn } from "./turn-contracts.ts";

/** Turns whose contracts are shown; the others have them on their own pages. */
const turnsMax = 10;

/** The card; nothing without contracts. */
export const ContractsCard: FC<{ readonly turns: readonly ContractsOfTurn[] | null }> = ({
  turns,
}) => {
  if (turns === null || turns.length === 0) return <></>;
  const all = turns.flatMap(({ results }) => results);
  const violated = all.filter(({ result }) => result === "violated").length;
  return (
    <Card
      title="Contracts"
      id="contracts"
      icon="mark"
      flush
      end={violated === 0 ? `${countText(all.length)} judged` : `${countText(violated)} violated`}
    >
      {turns.slice(0, turnsMax).map((turn) => (
        <TurnContracts of={turn} named={turns.length > 1} />
      ))}
      {turns.length > turnsMax ? (
        <p class="muted padded">
          {countText(turns.length - turnsMax)} more turns have them on their own pages.
        </p>
      ) : null}
    </Card>
  );
};

const TurnContracts: FC<{ readonly of: ContractsOfTurn; readonly named: boolean }> = ({
  of: { turn, results, recorded },
  named,
}) => (
  <>
    {named ? (
      <h3 class="padded">
        <code>{turn.turn_id ?? "without an id"}</code>
      </h3>
    ) : null}
    <ul class="findings" aria-label={`Contracts of turn ${turn.turn_id ?? ""}`}>
      {results.map((result) => {
        const before = recorded.find(({ contract }) => contract === result.contract);
        const same = before?.result === result.result && before.version === result.version;
        return (
          <li>
            <OutcomeBadge outcome={result.result} />
            <div>
              <b>{result.contract}</b>{" "}
              <span class="muted" title="Version of the contract that was judged">
                version {result.version}
              </span>
              <Clauses of={result} />
              {before === undefined || same ? null : (
                <p class="muted">
                  Stored when the turn was judged: {wordsOf(before.result)}, by version{" "}
                  {before.version}.
                </p>
              )}
            </div>
            <EvidenceOf clauses={unmet(result)} />
          </li>
        );
      })}
    </ul>
  </>
);

function unmet({ clauses }: ContractResult): readonly ClauseResult[] {
  return clauses.filter(({ result }) => result !== "holds");
}

const Clauses: FC<{ readonly of: ContractResult }> = ({ of }) => {
  const open = unmet(of);
  if (open.length === 0) return <p class="muted">{countText(of.clauses.length)} clauses hold.</p>;
  return (
    <>
      {open.map(({ id, clause, severity, result, sentence, diverged_at: at }) => (
        <p>
          <code>{id ?? clause}</code> {result === "violated" ? "" : "not established: "}
          {sentence}
          {at === undefined ? null : <span class="muted"> First difference at step {at}.</span>}
          {severity === "error" ? null : <span class="flag">{severity}</span>}
        </p>
      ))}
    </>
  );
};

const EvidenceOf: FC<{ readonly clauses: readonly ClauseResult[] }> = ({ clauses }) => {
  const ids = [...new Set(clauses.flatMap(({ evidence_ids: own }) => own))];
  return ids.length === 0 ? <span></span> : <EvidenceLinks ids={ids} />;
};
