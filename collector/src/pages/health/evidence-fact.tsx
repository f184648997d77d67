/** @module EvidenceFact: whether the evidence that turns rest on is there and whole. */
import type { FC } from "hono/jsx";

import type { PageContext } from "../../http/page-context.ts";
import { countedText, countText } from "../../ui/display/figures.ts";
import { Badge } from "../../ui/elements/badge.tsx";
import { Count } from "../../ui/elements/figure.tsx";
import { hrefOf } from "../../ui/layout.tsx";
import type { CollectorHealth } from "./collector-health.ts";
import { pageAddress } from "../../ui/display/page-address.ts";

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

/** The first of the traces that are counted. */
const Named: FC<{
  readonly roots: readonly string[];
  readonly count: number;
  readonly context: PageContext;
}> = ({ roots, count, context }) =>
  roots.length === 0 ? (
    <></>
  ) : (
    <>
      (
      {roots.map((root, at) => (
        <>
          {at === 0 ? "" : ", "}
          <a href={hrefOf(context, pageAddress("traces", root))}>
            <code>{root}</code>
          </a>
        </>
      ))}
      {count > roots.length ? ` and ${countText(count - roots.length)} more` : ""}){" "}
    </>
  );

/** Rows that are there and cannot be decoded. */
const Damaged: FC<{
  readonly of: CollectorHealth["ingest"]["damaged"];
  readonly context: PageContext;
}> = ({ of: { traces, roots_named: roots }, context }) => (
  <>
    <Badge tone="bad" icon="failed" word={`damaged rows in ${countedText(traces, "trace")}`} />{" "}
    <Named roots={roots} count={traces} context={context} />
    cannot be decoded. None of their turns is answered as a success. <code>turnproof restore</code>,
    or the backup of the database, brings them back.{" "}
  </>
);

/**
 * Turns are not compared with what is left, or a server's damage was met without a table's name.
 */
const Unlocated: FC = () => (
  <>
    <Badge tone="warn" icon="unknown" word="unknown which turns rest on the damage" />. Each success
    is shown as unknown until all turns were compared with the remaining evidence. After damage that
    no comparison finds, it is shown so until everything was read without finding it, across
    restarts too.{" "}
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
const Missing: FC<{ readonly of: CollectorHealth; readonly context: PageContext }> = ({
  of: { ingest, judge },
  context,
}) => {
  const { missing: of, damaged } = ingest;
  if (damaged.store !== null) {
    return <Badge tone="quiet" icon="unjudged" word="unknown while the store is damaged" />;
  }
  const isSure = damaged.located && damaged.traces === 0;
  return (
    <>
      {damaged.located ? null : judge === "off_read_only" ? <Unwithdrawn /> : <Unlocated />}
      {damaged.traces === 0 ? null : <Damaged of={damaged} context={context} />}
      {isSure || !isWhole(of) ? <Gone of={of} context={context} /> : null}
    </>
  );
};

/** Whether nothing is gone by the comparison of the start, or nothing was compared. */
const isWhole = (of: CollectorHealth["ingest"]["missing"]): boolean =>
  of === null || (!of.roots_missing && !of.events_missing && of.parts_set_aside === 0);

/** What is gone by the comparison of the start. */
const Gone: FC<{
  readonly of: CollectorHealth["ingest"]["missing"];
  readonly context: PageContext;
}> = ({ of, context }) => {
  const notCompared = <Badge tone="quiet" icon="unjudged" word="not compared with its turns" />;
  if (of === null) return notCompared;
  const { turns, roots_missing: roots, rows_missing: rows, parts_set_aside: parts } = of;
  const events = of.events_missing ?? 0;
  if (isWhole(of)) {
    // The comparison of the start found no turn; what came since is not in it.
    if (turns === null || turns === 0) return notCompared;
    return <Badge tone="ok" icon="success" word={`all of it, in ${countedText(turns, "turn")}`} />;
  }
  return (
    <>
      {roots === null || roots === 0 ? null : (
        <>
          <Badge
            tone="bad"
            icon="failed"
            word={rows === 1 ? "1 row is gone" : `${countText(rows ?? 0)} rows are gone`}
          />{" "}
          in <Count of={roots} /> {roots === 1 ? "trace" : "traces"}{" "}
          <Named roots={of.roots_named} count={roots} context={context} />
          without a deletion. None of their turns is answered as a success.{" "}
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
      {turns === null ? "Turns are compared with their evidence now. " : ""}
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

/** What is known of it. */
export const EvidenceFact: FC<{ readonly of: CollectorHealth; readonly context: PageContext }> = ({
  of,
  context,
}) => (
  <>
    <Missing of={of} context={context} />
    <Account of={of.ingest.missing} />
  </>
);
