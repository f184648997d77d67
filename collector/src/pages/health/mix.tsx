/**
 * @module Mix: composition of the evidence (kinds, schema versions, dialects), and refused
 * attributes, by dialect and reason.
 */
import { codes } from "@turnproof/semconv";
import type { FC } from "hono/jsx";

import { countText, shareText, wordsOf } from "../../ui/display/figures.ts";
import { nothingRead, ranked } from "./health-figures.ts";
import { kindTexts } from "../../ui/display/kind-texts.ts";
import type { HealthModel } from "./route.ts";
import { ShareBar } from "../../ui/elements/bar.tsx";
import { Card, Table } from "../../ui/elements/panel.tsx";

/** Three lists of bars: the long one beside the two short ones. */
export const MixCards: FC<{ readonly model: HealthModel }> = ({ model }) => (
  <div class="health-panels">
    <Mix title="Kinds" counts={model.kind_counts} print={kindTexts} />
    <div class="stack">
      <Mix
        title="Dialects"
        counts={model.dialect_counts}
        print={(name) => (name === "unknown" ? "not recorded" : name)}
      />
      <Mix title="Schema versions" counts={model.schema_counts} print={(name) => `v${name}`} />
    </div>
  </div>
);

const Mix: FC<{
  readonly title: string;
  readonly counts: { readonly [name: string]: number | undefined };
  readonly print: (name: string) => string;
}> = ({ title, counts, print }) => {
  const rows = ranked(counts);
  const total = rows.reduce((sum, [, count]) => sum + count, 0);
  return (
    <Card title={title} end={countText(rows.length)}>
      <dl class="mix">
        {rows.map(([name, count]) => (
          <div>
            <dt>{print(name)}</dt>
            <dd class="mix-bar">
              <ShareBar part={count} whole={total} label={`${shareText(count, total)} of events`} />
            </dd>
            <dd class="num">{countText(count)}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
};

/** Attributes refused on entry; the key and the value are never kept. */
export const RefusalsCard: FC<{ readonly model: HealthModel }> = ({ model }) => {
  const unread = nothingRead(model);
  const dialects = Object.keys(model.dropped_by_dialect).toSorted();
  const reasons = ranked(model.dropped_attributes);
  const total = reasons.reduce((sum, [, count]) => sum + count, 0);
  const dropped = ranked(model.collector?.ingest.conservation.dropped_attributes ?? {});
  const sinceStart = dropped.reduce((sum, [, count]) => sum + count, 0);
  return (
    <Card
      title="Refused attributes"
      id="refusals"
      icon="blocking"
      flush
      end={unread ? "unknown in this window" : `${countText(total)} attributes in this window`}
    >
      {unread ? (
        <p class="muted padded">Unknown for this window: no evidence could be read.</p>
      ) : reasons.length === 0 ? (
        <p class="muted padded">No event in this window had an attribute refused.</p>
      ) : (
        <Table
          label="Refused attributes by reason and dialect"
          head={
            <>
              <th scope="col">Reason</th>
              {dialects.map((dialect) => (
                <th scope="col" class="num">
                  {dialect}
                </th>
              ))}
              <th scope="col" class="num">
                in all
              </th>
            </>
          }
        >
          {reasons.map(([reason, count]) => (
            <tr>
              <td title={sentenceOf(reason)}>{wordsOf(reason)}</td>
              {dialects.map((dialect) => {
                const own = model.dropped_by_dialect[dialect]?.[reason] ?? 0;
                return <td class={own === 0 ? "num muted" : "num"}>{countText(own)}</td>;
              })}
              <td class="num">
                <b>{countText(count)}</b>
              </td>
            </tr>
          ))}
        </Table>
      )}
      {model.collector === null ? null : (
        <p class="muted padded">
          {countText(sinceStart)} since this process began. Keys and values are never kept, only
          reasons and counts.
        </p>
      )}
    </Card>
  );
};

function sentenceOf(reason: string): string {
  return Object.hasOwn(codes, reason) ? codes[reason as keyof typeof codes].sentence : reason;
}
