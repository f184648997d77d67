/**
 * @module Timing: time and tokens of both sides, in total and where they differ most. Longer is
 * not worse and shorter is not better, so both bars have the same colour.
 */
import type { Delta, OperationRow } from "@turnproof/evidence";
import type { FC } from "hono/jsx";

import { differenceText } from "../../ui/display/compare-texts.ts";
import { countText, durationText } from "../../ui/display/figures.ts";
import { kindTexts } from "../../ui/display/kind-texts.ts";
import { Unknown } from "../../ui/elements/figure.tsx";
import { Card } from "../../ui/elements/panel.tsx";
import type { ComparedSides } from "./heads.tsx";
import { PairBar } from "../../ui/elements/pair-bar.tsx";

const moversMax = 6;

/** The panel. */
export const TimingAndTokens: FC<{ readonly model: ComparedSides }> = ({ model }) => {
  const movers = model.operations
    .filter(({ duration_ms }) => duration_ms.beyond_tolerance === true)
    .toSorted((a, b) => weight(b) - weight(a))
    .slice(0, moversMax);
  const most = movers.reduce(
    (max, { duration_ms: d }) => Math.max(max, d.baseline ?? 0, d.candidate ?? 0),
    0,
  );
  return (
    <Card title="Timing and tokens" id="timing" icon="clock">
      <Whole name="time" delta={model.duration_ms} text={durationText} />
      <Whole name="tokens" delta={model.tokens} text={countText} />
      {movers.length === 0 ? (
        <p class="muted">
          No matched operation differs by more than the tolerance: 5 ms, or a tenth of A.
        </p>
      ) : (
        <>
          <h3>Where the time differs most</h3>
          <ul class="movers">
            {movers.map((row) => (
              <li>
                <span class="name" title={row.operation ?? row.event_kind}>
                  {kindTexts(row.event_kind)}
                  {row.operation === null || row.operation === row.event_kind
                    ? ""
                    : ` ${row.operation}`}
                </span>
                <PairBar of={row.duration_ms} scale={most} words={durationText} />
                <span class="num">{differenceText(row.duration_ms, durationText)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  );
};

function weight({ duration_ms }: OperationRow): number {
  return Math.abs(duration_ms.difference ?? 0);
}

const Whole: FC<{
  readonly name: string;
  readonly delta: Delta;
  readonly text: (value: number) => string;
}> = ({ name, delta, text }) => {
  const scale = Math.max(delta.baseline ?? 0, delta.candidate ?? 0);
  return (
    <div class="whole">
      <span class="muted">{name}</span>
      <PairBar of={delta} scale={scale} words={text} />
      <span class="num">
        <Figure value={delta.baseline} side="A" text={text} />
        <span aria-hidden="true"> → </span>
        <Figure value={delta.candidate} side="B" text={text} />
      </span>
      <b class="num">{differenceText(delta, text) ?? <Unknown why="One side is not known." />}</b>
    </div>
  );
};

const Figure: FC<{
  readonly value: number | null;
  readonly side: string;
  readonly text: (value: number) => string;
}> = ({ value, side, text }) =>
  value === null ? <Unknown why={`Not known for ${side}.`} /> : <>{text(value)}</>;
