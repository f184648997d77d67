/** @module Stores: how each store answered this page's own query. */
import type { FC } from "hono/jsx";

import { codes } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";

import { countedText, countText, wordsOf } from "../../ui/display/figures.ts";
import { nothingRead } from "./health-figures.ts";
import type { HealthModel } from "./route.ts";
import { Badge } from "../../ui/elements/badge.tsx";
import { DurationBar } from "../../ui/elements/bar.tsx";
import { Duration, Unknown } from "../../ui/elements/figure.tsx";
import { Card, Table } from "../../ui/elements/panel.tsx";

/** One row per store. */
export const StoresCard: FC<{ readonly model: HealthModel }> = ({ model }) => {
  const most = model.query_timing.reduce((max, { duration_ms: ms }) => Math.max(max, ms), 0);
  const path = model.compatibility_fallback;
  return (
    <Card
      title="Stores and query time"
      id="stores"
      icon="memory"
      flush
      end={path === null ? null : path ? "compatibility path: bounded reads" : "native indexes"}
    >
      <Table
        stacks
        label="Stores"
        head={
          <>
            <th scope="col">Store</th>
            <th scope="col">Answer</th>
            <th scope="col" class="num">
              Rows
            </th>
            <th scope="col" class="num">
              Took
            </th>
            <th scope="col" class="bar-col">
              <span class="sr">Query time as a bar</span>
            </th>
          </>
        }
      >
        {model.query_timing.map(({ source_store: store, duration_ms: ms, rows, failed }) => (
          <tr>
            <td>{wordsOf(store)}</td>
            <td>
              <Badge
                tone={failed ? "bad" : "ok"}
                icon={failed ? "failed" : "success"}
                word={failed ? "failed" : "answered"}
              />
            </td>
            <td data-head="Rows" class="num">
              {failed ? <Unknown why="The store did not answer." /> : countText(rows)}
            </td>
            <td data-head="Took" class="num">
              <Duration ms={ms} />
            </td>
            <td class="bar-col">
              <DurationBar ms={ms} scaleMs={most} error={failed} />
            </td>
          </tr>
        ))}
      </Table>
      <MemoryLine model={model} />
      {nothingRead(model) ? null : (
        <p class="muted padded">
          {model.source_rows === null ? "Rows unknown" : countedText(model.source_rows, "row")}
          {model.bundle_count === null
            ? ""
            : ` of ${countText(model.bundle_count)} bundles`} became{" "}
          {countedText(model.normalized_events, "event")}; {countText(model.duplicates_removed)}{" "}
          duplicates were removed.
        </p>
      )}
    </Card>
  );
};

/** The configured memory, and its problems. */
const MemoryLine: FC<{ readonly model: HealthModel }> = ({ model }) => {
  const memory = model.collector?.memory;
  if (memory === undefined || memory === null) return <></>;
  const wrong = [...(memory.code === null ? [] : [memory.code]), ...memory.diagnostics];
  return (
    <p class="padded">
      Memory ({memory.name}):{" "}
      {memory.ok ? (
        <Badge tone="ok" icon="success" word="answered" />
      ) : (
        <Badge tone="bad" icon="failed" word="failed" />
      )}
      {wrong.map((code) => (
        <>
          {" "}
          <Badge tone="warn" icon="warning" word={code} />{" "}
          <span class="muted">{codes[code as Code]?.sentence ?? ""}</span>
        </>
      ))}
    </p>
  );
};
