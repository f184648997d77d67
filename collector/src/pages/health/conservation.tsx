/**
 * @module Conservation: the accounting of every received item as a sum that must balance, and the
 * journal between receiver and store.
 */
import type { Child, FC } from "hono/jsx";

import { findingAdvice, findingMeaning } from "../../access/audit/finding-texts.ts";

import type { ConservationSnapshot } from "../../receive/conservation.ts";
import { bytesText, countedText, countText, wordsOf } from "../../ui/display/figures.ts";
import type { PageContext } from "../../http/page-context.ts";
import { EvidenceFact } from "./evidence-fact.tsx";
import { ForwardFact } from "./forwarding.tsx";
import { conservationSum, ranked } from "./health-figures.ts";
import type { ConservationTerm } from "./health-figures.ts";
import type { CollectorHealth } from "./collector-health.ts";
import { Badge } from "../../ui/elements/badge.tsx";
import { ShareBar } from "../../ui/elements/bar.tsx";
import { Count, Duration, Time } from "../../ui/elements/figure.tsx";
import { Card, Fact, Facts } from "../../ui/elements/panel.tsx";

/** The sum, term by term. */
export const ConservationCard: FC<{ readonly of: ConservationSnapshot }> = ({ of }) => {
  const { left, right, leftTotal, rightTotal } = conservationSum(of);
  const even = of.balanced && leftTotal === rightTotal;
  return (
    <Card
      title="Every received item"
      id="conservation"
      icon="outcome"
      end={
        <Badge
          tone={even ? "ok" : "bad"}
          icon={even ? "success" : "failed"}
          word={even ? "the sum is exact" : "the counts do not add up"}
        />
      }
    >
      <div class="equation" role="group" aria-label="Sum of received items">
        <Terms terms={left} total={leftTotal} />
        <span class="equals">{even ? "=" : "≠"}</span>
        <Terms terms={right} total={rightTotal} />
      </div>
      <Reasons title="Refused requests" counts={of.requests_refused} />
      <Reasons title="Refused items" counts={of.refused_reasons} />
      <Reasons title="Rejected items" counts={of.rejected_reasons} />
      <p class="muted">
        Spans, log records and metric points of {countText(of.requests)}{" "}
        {of.requests === 1 ? "request" : "requests"} since this process began.
      </p>
    </Card>
  );
};

const Terms: FC<{ readonly terms: readonly ConservationTerm[]; readonly total: number }> = ({
  terms,
  total,
}) => (
  <div class="side">
    <ol>
      {terms.map(({ name, value, why }, index): Child => (
        <li class={value === 0 ? "none" : ""} title={`${name}: ${why}`}>
          <span class="plus" aria-hidden="true">
            {index === 0 ? "" : "+"}
          </span>
          <span class="name">{name}</span>
          <span class="num">{countText(value)}</span>
        </li>
      ))}
    </ol>
    <p class="total">
      <span class="name">in all</span>
      <span class="num">{countText(total)}</span>
    </p>
  </div>
);

const Reasons: FC<{
  readonly title: string;
  readonly counts: Readonly<Record<string, number>>;
}> = ({ title, counts }) => {
  const rows = ranked(counts);
  return rows.length === 0 ? (
    <></>
  ) : (
    <div class="reasons">
      <h3>{title}</h3>
      {rows.map(([code, count]) => (
        <span class="reason">
          {wordsOf(code)} <b>{countText(count)}</b>
        </span>
      ))}
    </div>
  );
};

/** The journal, the drain behind it, the store and the audit log. */
export const JournalCard: FC<{ readonly of: CollectorHealth; readonly context: PageContext }> = ({
  of,
  context,
}) => {
  const { ingest } = of;
  const { journal, drain } = ingest;
  return (
    <Card
      title="From receipt to store"
      id="journal"
      icon="artifact"
      end={
        <Badge
          tone={journal.healthy ? "ok" : "bad"}
          icon={journal.healthy ? "success" : "failed"}
          word={journal.healthy ? "journal healthy" : (journal.failure ?? "journal fails")}
        />
      }
    >
      <Facts>
        <Fact name="receiving">
          {ingest.receiving ? (
            <Badge tone="ok" icon="success" word="yes" />
          ) : (
            <Badge tone="quiet" icon="pause" word="switched off" />
          )}
        </Fact>
        <Fact name="journal in use">
          <span class="spread">
            {bytesText(journal.disk_bytes)} of {bytesText(journal.bytes_max)}
            <ShareBar
              part={journal.disk_bytes}
              whole={journal.bytes_max}
              label={`${bytesText(journal.disk_bytes)} of ${bytesText(journal.bytes_max)} in use`}
            />
          </span>
        </Fact>
        <Fact name="waiting">
          <Count of={journal.pending_spans} /> items in <Count of={journal.pending_frames} /> frames
          {journal.oldest_pending_at === null ? null : (
            <>
              , the oldest of <Time at={journal.oldest_pending_at} form="daytime" />
            </>
          )}
        </Fact>
        <JournalDamage of={ingest} />
        {journal.quarantined_spans === 0 ? null : (
          <Fact name="quarantine">
            <Badge
              tone="warn"
              icon="warning"
              word={`${countText(journal.quarantined_spans)} set aside`}
            />{" "}
            The store refuses them, or they cannot be decoded; they are kept.{" "}
            <code>turnproof journal list</code> lists them with their reasons; after the repair,{" "}
            <code>turnproof journal replay</code> offers them again.
          </Fact>
        )}
        <Fact name="stored">
          <Count of={drain.stored_events} /> events in <Count of={drain.stored_batches} /> blocks ·{" "}
          <Count of={drain.retries} /> retries · <Count of={drain.unverified} /> not read back
        </Fact>
        <Behind of={of} context={context} />
      </Facts>
    </Card>
  );
};

/** What the journal lost, and where what is left of it is. */
const JournalDamage: FC<{ readonly of: CollectorHealth["ingest"] }> = ({
  of: { journal, conservation },
}) => (
  <Fact name="damage">
    <Count of={journal.corrupt_ranges} /> corrupt ranges ·{" "}
    {conservation.loss_is_lower_bound ? "at least " : ""}
    <Count of={journal.lost_frames} /> frames lost
    {uncountedText(conservation.lost_frames_uncounted)} · <Count of={journal.quarantined_spans} />{" "}
    items quarantined
    {journal.lost_frames === 0 ? null : (
      <>
        . <code>turnproof doctor</code> and the lines <code>journal_event</code> of the log name
        what is left of them in <code>journal</code> of the data directory, whose files no other
        program may remove.
      </>
    )}
  </Fact>
);

/** Lost frames whose own count of items is lost as well. */
function uncountedText(frames: number): string {
  return frames === 0 ? "" : `, ${countText(frames)} of them with an unknown number of items`;
}

/** Behind the journal: the store and the audit log. */
const Behind: FC<{ readonly of: CollectorHealth; readonly context: PageContext }> = ({
  of,
  context,
}) => {
  const { store, audit } = of;
  const { drain } = of.ingest;
  return (
    <>
      <Fact name="store">
        <span class="spread">
          <code>{store.name}</code>
          {store.host === null ? null : <code>{store.host}</code>}
          <Badge
            tone={store.ok ? "ok" : "bad"}
            icon={store.ok ? "success" : "failed"}
            word={store.ok ? "answers" : (store.reason ?? wordsOf(store.code ?? "fails"))}
          />
          <Duration ms={store.elapsed_ms} />
        </span>
      </Fact>
      <Fact name="evidence">
        <EvidenceFact of={of} context={context} />
      </Fact>
      {of.ingest.forward === null ? null : <ForwardFact of={of.ingest.forward} />}
      {drain.failure === null ? null : <Fact name="drain">{wordsOf(drain.failure)}</Fact>}
      <Fact name="audit log">
        {audit.on ? (
          <span class="spread">
            <Badge
              tone={audit.healthy ? "ok" : "bad"}
              icon={audit.healthy ? "success" : "failed"}
              word={audit.healthy ? "written" : "cannot be written"}
            />
            {audit.failure === "disk_full" ? (
              <span>
                <code>disk_full</code>: make room on its disk; reads are served again by themselves
              </span>
            ) : null}
            <span>
              <Count of={audit.records} /> records
            </span>
            <AuditDetails of={audit} />
          </span>
        ) : (
          <Badge tone="quiet" icon="unjudged" word="off: no sign-in is configured" />
        )}
      </Fact>
    </>
  );
};

/** What was found in the log, and which part of it is known elsewhere. */
const AuditDetails: FC<{ readonly of: CollectorHealth["audit"] }> = ({ of }) => {
  const { checked, damage, shipping } = of;
  const meaning = damage === null ? undefined : findingMeaning(damage.code);
  return (
    <>
      {damage !== null ? (
        <>
          <Badge tone="bad" icon="failed" word={wordsOf(damage.code)} />
          <span>
            from record <Count of={damage.record} />
            {meaning === undefined ? "" : `: ${meaning}`}; {countedText(damage.total, "finding")}.{" "}
            <code>turnproof audit verify</code> lists {damage.total === 1 ? "it" : "them"}.{" "}
            {findingAdvice(damage.code)}
          </span>
        </>
      ) : checked ? null : (
        <span class="muted">earlier records are not checked yet</span>
      )}
      {shipping.targets === 0 ? null : (
        <Badge
          tone={shipping.failing === 0 ? "ok" : "warn"}
          icon={shipping.failing === 0 ? "success" : "warning"}
          word={
            shipping.shipped === null
              ? "no checkpoint sent yet"
              : `checkpoint of ${countText(shipping.shipped)} records sent`
          }
        />
      )}
    </>
  );
};
