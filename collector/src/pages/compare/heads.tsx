/** @module CompareHeads: the two compared turns, and how far each window was read. */
import type { TurnRow, WindowTrust } from "@turnproof/evidence";
import type { Child, FC } from "hono/jsx";

import { sideNames, trustText } from "../../ui/display/compare-texts.ts";
import { countText } from "../../ui/display/figures.ts";
import type { PageContext } from "../../http/page-context.ts";
import type { CompareModel, CompareSide } from "./route.ts";
import { Badge, VerdictBadge } from "../../ui/elements/badge.tsx";
import { ShareBar } from "../../ui/elements/bar.tsx";
import { Chip, Chips, TenantChip } from "../../ui/elements/chip.tsx";
import { Count, Id, NotMeasured, Time, TurnDuration, Unknown } from "../../ui/elements/figure.tsx";
import { Fact, Facts } from "../../ui/elements/panel.tsx";
import { hrefOf } from "../../ui/layout.tsx";
import { pageAddress } from "../../ui/display/page-address.ts";

/** A comparison of two selected turns. */
export type ComparedSides = Extract<CompareModel, { readonly requested: true }>;

/** Address of a side's turn page. */
export function sideHref(
  context: PageContext,
  model: ComparedSides,
  side: "baseline" | "candidate",
): string {
  const { root_trace_id: root, turn_id: turn } = model[side];
  const query = turn === null ? "" : `?turn_id=${encodeURIComponent(turn)}`;
  return hrefOf(context, `${pageAddress("traces", root)}${query}`);
}

/** Both headers. */
export const CompareHeads: FC<{ readonly model: ComparedSides; readonly context: PageContext }> = ({
  model,
  context,
}) => (
  <div class="heads">
    {(["baseline", "candidate"] as const).map((side) => (
      <Head
        side={side}
        of={model[side]}
        releases={model.releases[side]}
        verdict={model.verdicts[side]}
        trust={model.trust[side]}
        href={sideHref(context, model, side)}
      />
    ))}
  </div>
);

const Head: FC<{
  readonly side: "baseline" | "candidate";
  readonly of: CompareSide;
  readonly releases: readonly string[];
  readonly verdict: string;
  readonly trust: WindowTrust;
  readonly href: string;
}> = ({ side, of, releases, verdict, trust, href }) => {
  const [turn] = of.turns;
  const name = side === "baseline" ? "Baseline" : "Candidate";
  return (
    <section class="card head" aria-label={`${name} ${sideNames[side]}`}>
      <header>
        <span class="letter" aria-hidden="true">
          {sideNames[side]}
        </span>
        <h2>{name}</h2>
        <VerdictBadge verdict={verdict} />
        <span class="end">
          <a href={href}>Open the turn</a>
        </span>
      </header>
      <div class="body">
        <Chips label={`Identity of ${sideNames[side]}`}>
          <Chip name="agent" value={turn?.agent_id ?? "unknown"} />
          <TenantChip userId={turn?.user_id} />
          {turn?.thread_id === undefined ? null : (
            <Chip name="thread" value={turn.thread_id} chars={18} />
          )}
        </Chips>
        <Facts>
          <Fact name="root">
            <Id of={of.root_trace_id} chars={24} copy />
            {of.turns.length > 1 ? ` · ${countText(of.turns.length)} turns` : ""}
          </Fact>
          <Fact name="ended">
            <Time at={turn?.ended_at} form="full" />
          </Fact>
          <Fact name="took">
            <TurnDuration of={turn} />
          </Fact>
          <Fact name="release">
            {releases.length === 0 ? (
              <Unknown why="Its service reports no version." />
            ) : (
              <code>{releases.join(", ")}</code>
            )}
          </Fact>
          <Fact name="models">{modelsOf(of.turns)}</Fact>
          <Fact name="window">
            <Trust trust={trust} events={of.read.event_count} />
          </Fact>
        </Facts>
      </div>
    </section>
  );
};

function modelsOf(turns: readonly TurnRow[]): Child {
  const models = [...new Set(turns.flatMap((turn) => turn.models))];
  return models.length === 0 ? (
    <NotMeasured why="No model was recorded." />
  ) : (
    <code>{models.join(", ")}</code>
  );
}

const Trust: FC<{ readonly trust: WindowTrust; readonly events: number }> = ({ trust, events }) => (
  <span class="spread">
    <Badge
      tone={trust.complete ? "plain" : "warn"}
      icon={trust.complete ? "success" : "partial"}
      word={trust.complete ? "complete" : trust.read_completeness}
      title={trust.complete ? "Everything of this root was read." : trustText(trust)}
    />
    <span class="muted">
      <Count of={events} /> events
    </span>
  </span>
);

/** How reliable the alignment is. */
export const TrustBar: FC<{ readonly model: ComparedSides }> = ({ model }) => {
  const { trust, counts } = model;
  const matched = trust.matched_percent;
  return (
    <section class="trust" aria-label="Trust in this comparison">
      <div class="trust-bar">
        <ShareBar
          part={matched}
          whole={100}
          label={matched === null ? "nothing to match" : `${matched} % of the operations matched`}
        />
      </div>
      <p>
        <b>{matched === null ? "Nothing to match" : `${matched} % matched`}</b>
        <span class="muted">
          {countText(counts.matched)} of {countText(counts.total)} operations stand at the same
          logical place on both sides
        </span>
      </p>
      <p>
        <b>{trust.ambiguous_percent ?? 0} % ambiguous</b>
        <span class="muted">
          of the pairs may match the wrong calls: one side repeats an operation more often
        </span>
      </p>
      {(["baseline", "candidate"] as const).map((side) => (
        <p>
          <b>
            {sideNames[side]} {trust[side].complete ? "complete" : trust[side].read_completeness}
          </b>
          <span class="muted">
            {trust[side].complete ? "all pages read, no errors" : trustText(trust[side])}
          </span>
        </p>
      ))}
    </section>
  );
};
