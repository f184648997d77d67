/**
 * @module Recommendation: one recommendation with its evidence and, with the permission to decide,
 * the three decisions as one form.
 */
import type { FC } from "hono/jsx";

import { permits } from "../../access/principal.ts";
import { countText } from "../../ui/display/figures.ts";
import type { PageContext } from "../../http/page-context.ts";
import type { RecommendationRow } from "./listed.ts";
import { Badge } from "../../ui/elements/badge.tsx";
import type { Tone } from "../../ui/elements/badge.tsx";
import { Chip, TenantChip } from "../../ui/elements/chip.tsx";
import { Id, Time } from "../../ui/elements/figure.tsx";
import type { IconName } from "../../ui/icons.tsx";
import { hrefOf } from "../../ui/layout.tsx";
import { pageAddress } from "../../ui/display/page-address.ts";

const states: { readonly [S in RecommendationRow["state"]]: readonly [Tone, IconName] } = {
  proposed: ["warn", "unjudged"],
  deferred: ["quiet", "clock"],
  accepted: ["ok", "success"],
  rejected: ["quiet", "close"],
};

const decisions = [
  ["accepted", "Accept", "makes a draft experiment"],
  ["deferred", "Defer", "remains undecided"],
  ["rejected", "Reject", "is kept as decided"],
] as const;

/** One recommendation. */
export const RecommendationItem: FC<{
  readonly row: RecommendationRow;
  readonly context: PageContext;
}> = ({ row, context }) => {
  const [tone, icon] = states[row.state];
  const { owner } = row;
  return (
    <li>
      <div class="recommendation-head">
        <Badge tone={tone} icon={icon} word={row.state} />
        <b>{row.title}</b>
        {row.subject === null ? null : <code>{row.subject}</code>}
        <span class="muted">revision {row.revision}</span>
      </div>
      <p>{row.recommendation}</p>
      <div class="chips">
        {owner.agent_id === undefined ? null : (
          <Chip
            name="agent"
            value={owner.agent_id}
            href={hrefOf(context, pageAddress("agents", owner.agent_id))}
          />
        )}
        <TenantChip userId={owner.user_id} />
        <span class="muted">
          {row.component} · rests on {countText(row.evidence_count)}{" "}
          {row.evidence_count === 1 ? "event" : "events"} · proposed{" "}
          <Time at={row.proposed_at} form="daytime" />
          {row.reviewed_at === null ? null : (
            <>
              , decided <Time at={row.reviewed_at} form="daytime" />
            </>
          )}
        </span>
      </div>
      <Evidence ids={row.evidence_ids} />
      {row.experiment_id === null ? null : (
        <p>
          Draft experiment: <a href={`#${row.experiment_id}`}>{row.experiment_id}</a>
        </p>
      )}
      {row.note === null ? (
        row.has_note ? (
          <p class="muted">A note is kept; the content mode or your role hides it.</p>
        ) : null
      ) : (
        <p class="note-text">{row.note}</p>
      )}
      <Decide row={row} context={context} />
    </li>
  );
};

const evidenceMax = 4;

const Evidence: FC<{ readonly ids: readonly string[] }> = ({ ids }) => (
  <p class="spread">
    {ids.slice(0, evidenceMax).map((id) => (
      <Id of={id} chars={24} copy />
    ))}
    {ids.length > evidenceMax ? (
      <span class="muted">and {countText(ids.length - evidenceMax)} more</span>
    ) : null}
  </p>
);

const Decide: FC<{ readonly row: RecommendationRow; readonly context: PageContext }> = ({
  row,
  context,
}) => {
  const { principal } = context;
  const may = principal !== undefined && permits(principal, "recommendation.review");
  if (!may || context.readOnly || row.state === "accepted" || row.state === "rejected") {
    return <></>;
  }
  const id = encodeURIComponent(row.recommendation_id);
  return (
    <form
      class="decide"
      method="post"
      action={hrefOf(context, `/traces/recommendations/${id}/review`)}
    >
      {context.csrfToken === undefined ? null : (
        <input type="hidden" name="csrf_token" value={context.csrfToken} />
      )}
      <input
        class="field"
        name="note"
        maxlength={2_000}
        placeholder="Note (kept as content)"
        aria-label={`Note on “${row.title}”`}
        autocomplete="off"
      />
      {decisions.map(([decision, word, why]) => (
        <button
          class={decision === "accepted" ? "button primary" : "button"}
          type="submit"
          name="decision"
          value={decision}
          title={why}
        >
          {word}
        </button>
      ))}
    </form>
  );
};
