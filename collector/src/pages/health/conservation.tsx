/**
 * @module Conservation: the accounting of every received item as a sum that must balance, and the
 * journal between receiver and store.
 */
import type { Child, FC } from "hono/jsx";

import type { ConservationSnapshot } from "../../receive/conservation.ts";
import { bytesText, countedText, countText, wordsOf } from "../../ui/display/figures.ts";
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
          word={even ? "the sum is exact" : "the sum is off"}
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
export const JournalCard: FC<{ readonly of: CollectorHealth }> = ({ of }) => {
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
        <Behind of={of} />
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

/** What is unknown without the signed account of earlier starts. */
const Account: FC<{ readonly of: CollectorHealth["ingest"]["missing"] }> = ({ of }) => {
  if (of?.account !== "damaged" && of?.account !== "new") return <></>;
  const isNew = of.account === "new";
  return (
    <>
      {" "}
      <Badge
        tone={isNew ? "quiet" : "bad"}
        icon={isNew ? "unjudged" : "failed"}
        word={isNew ? "a new account" : "the account was damaged"}
      />{" "}
      <code>evidence-account.jws</code>{" "}
      {isNew
        ? "was not there, and a new one began at the start. "
        : "could not be checked, and a new one began. Move evidence-account.jws.corrupt away once this is known. "}
      Whether events were gone before is unknown.
    </>
  );
};

/** Rows that are there and cannot be decoded. */
const Damaged: FC<{ readonly traces: number }> = ({ traces }) => (
  <>
    <Badge tone="bad" icon="failed" word={`damaged rows in ${countedText(traces, "trace")}`} />{" "}
    cannot be decoded. None of their turns is answered as a success. <code>turnproof restore</code>,
    or the backup of the database, brings them back.{" "}
  </>
);

/** Turns are not compared with what is left, or a server's damage was met without a table's name. */
const Unlocated: FC = () => (
  <>
    <Badge tone="warn" icon="unknown" word="it is not known which turns rest on it" />, so that a
    success is answered as unknown: until turns are compared with what is left, and after damage
    that no comparison finds until everything is read without meeting it, over restarts as
    well.{" "}
  </>
);

/** No verdict is written, so each that may rest on damage is hidden. */
const Unwithdrawn: FC = () => (
  <>
    <Badge tone="warn" icon="unknown" word="no verdict is withdrawn in read-only mode" />, so that a
    success is answered as unknown until the damage is repaired.{" "}
  </>
);

/** Whether the evidence that turns rest on is there. */
const Missing: FC<{
  readonly of: CollectorHealth["ingest"]["missing"];
  readonly damaged: CollectorHealth["ingest"]["damaged"];
  readonly judge: CollectorHealth["judge"];
}> = ({ of, damaged, judge }) => {
  if (damaged.store !== null) {
    return <Badge tone="quiet" icon="unjudged" word="unknown while the store is damaged" />;
  }
  const isSure = damaged.located && damaged.traces === 0;
  return (
    <>
      {damaged.located ? null : judge === "off_read_only" ? <Unwithdrawn /> : <Unlocated />}
      {damaged.traces === 0 ? null : <Damaged traces={damaged.traces} />}
      {isSure || !isWhole(of) ? <Gone of={of} /> : null}
    </>
  );
};

/** Whether nothing is gone by the comparison of the start, or nothing was compared. */
const isWhole = (of: CollectorHealth["ingest"]["missing"]): boolean =>
  of === null || (of.roots_missing === 0 && !of.events_missing && of.parts_set_aside === 0);

/** What is gone by the comparison of the start. */
const Gone: FC<{ readonly of: CollectorHealth["ingest"]["missing"] }> = ({ of }) => {
  const notCompared = <Badge tone="quiet" icon="unjudged" word="not compared with its turns" />;
  if (of === null) return notCompared;
  const { turns, roots_missing: roots, rows_missing: rows, parts_set_aside: parts } = of;
  const events = of.events_missing ?? 0;
  if (isWhole(of)) {
    // The comparison of the start found no turn; what came since is not in it.
    if (turns === 0) return notCompared;
    return <Badge tone="ok" icon="success" word={`all of it, in ${countedText(turns, "turn")}`} />;
  }
  return (
    <>
      {roots === 0 ? null : (
        <>
          <Badge
            tone="bad"
            icon="failed"
            word={rows === 1 ? "1 row is gone" : `${countText(rows)} rows are gone`}
          />{" "}
          in <Count of={roots} /> traces, without a deletion. Their turns are no success any
          more.{" "}
        </>
      )}
      {events === 0 ? null : (
        <>
          <Badge
            tone="bad"
            icon="failed"
            word={events === 1 ? "1 event is gone" : `${countText(events)} events are gone`}
          />{" "}
          by the signed account of what was stored.{" "}
        </>
      )}
      {parts === 0 ? null : (
        <>
          <Badge tone="bad" icon="failed" word={countedText(parts, "damaged part")} /> set aside,
          and the rest is served:{" "}
          {of.parts.map(({ table, path }, at) => (
            <>
              {at === 0 ? "" : ", "}
              <b>{table}</b> <code>{path}</code>
            </>
          ))}
          {parts > of.parts.length ? ` and ${countText(parts - of.parts.length)} more` : ""}.{" "}
        </>
      )}
      <code>turnproof doctor</code> shows what is known of them. Restore a backup: of a data
      directory by <code>turnproof restore</code>, of a server by its own means.
      {events === 0 ? null : (
        <>
          {" "}
          After a restored database, or to go on without them, move{" "}
          <code>evidence-account.jws</code> out of the data directory and start again.
        </>
      )}
    </>
  );
};

/** Lost frames whose own count of items is lost as well. */
function uncountedText(frames: number): string {
  return frames === 0 ? "" : `, ${countText(frames)} of them with an unknown number of items`;
}

/** Behind the journal: the store and the audit log. */
const Behind: FC<{ readonly of: CollectorHealth }> = ({ of }) => {
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
        <Missing of={of.ingest.missing} damaged={of.ingest.damaged} judge={of.judge} />
        <Account of={of.ingest.missing} />
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
  return (
    <>
      {damage !== null ? (
        <>
          <Badge tone="bad" icon="failed" word={wordsOf(damage.code)} />
          <span>
            from record <Count of={damage.record} />; <Count of={damage.total} /> findings.{" "}
            <code>turnproof audit verify</code> lists them
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
