/**
 * @module FactsCards: context and cache, tool health, models, outcomes and feedback of a turn.
 */
import { countTools, toolBadge, toolOutcome, toolResults } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import {
  bindingBad,
  bindingGood,
  bindingUnscoped,
  groundingGood,
  metricAt,
} from "@turnproof/semconv";
import type { Child, FC } from "hono/jsx";

import { countText, durationText, shareText, wordsOf } from "../../ui/display/figures.ts";
import { metricTexts } from "../../ui/display/metric-texts.ts";
import { typicalByTool, typicalText } from "../../ui/display/typical-call.ts";
import type { TypicalCall } from "../../ui/display/typical-call.ts";
import { Badge, CacheBadge, ToolBadge } from "../../ui/elements/badge.tsx";
import type { Tone } from "../../ui/elements/badge.tsx";
import {
  Count,
  Duration,
  Id,
  NotMeasured,
  NotThere,
  Time,
  Unknown,
} from "../../ui/elements/figure.tsx";
import { Card, Fact, Facts, Table } from "../../ui/elements/panel.tsx";
import { EvidenceLinks } from "../../ui/elements/evidence-links.tsx";

interface OfEvents {
  readonly events: readonly TurnEvent[];
}

const callsMax = 12;

/** The first calls, failed ones before others. */
function shownFirst(calls: readonly TurnEvent[]): readonly TurnEvent[] {
  if (calls.length <= callsMax) return calls;
  const bad = calls.filter(({ status }) => status !== "success").slice(0, callsMax);
  const good = calls.filter(({ status }) => status === "success");
  const chosen = new Set([...bad, ...good.slice(0, callsMax - bad.length)]);
  return calls.filter((event) => chosen.has(event));
}

const Rest: FC<{ readonly of: readonly TurnEvent[] }> = ({ of: calls }) =>
  calls.length <= callsMax ? (
    <></>
  ) : (
    <p class="muted more-line">
      {countText(calls.length - callsMax)} more are in the waterfall; failures are shown first.
    </p>
  );

/** Calls as rows: text columns, then figures, then a link to the evidence. */
const CallTable: FC<{
  readonly label: string;
  readonly words: readonly string[];
  readonly figures: readonly string[];
  readonly calls: readonly TurnEvent[];
  readonly rowOf: (event: TurnEvent) => Child;
}> = ({ label, words, figures, calls, rowOf }) => (
  <Table
    label={label}
    head={[...words, ...figures, ""].map((name) => (
      <th scope="col" class={figures.includes(name) ? "num" : ""}>
        {name === "" ? <span class="sr">Evidence</span> : name}
      </th>
    ))}
    more={<Rest of={calls} />}
  >
    {shownFirst(calls).map(rowOf)}
  </Table>
);

/** Provenance of the page and thread, and decisions of the semantic cache. */
export const ContextCard: FC<OfEvents> = ({ events }) => {
  const bindings = events.filter(({ event_kind: kind }) => kind === "context_binding");
  const decisions = events.filter(({ event_kind: kind }) => kind === "cache_decision");
  return (
    <Card title="Context and cache" icon="link" id="context">
      {bindings.length === 0 ? (
        <p class="muted">No context binding was recorded.</p>
      ) : (
        bindings.slice(0, callsMax).map((event) => <Binding event={event} />)
      )}
      {decisions.length === 0 ? (
        <p class="muted">No decision of the semantic cache was recorded.</p>
      ) : (
        decisions.slice(0, callsMax).map((event) => <Decision event={event} />)
      )}
    </Card>
  );
};

const Binding: FC<{ readonly event: TurnEvent }> = ({ event }) => {
  const { attributes: of } = event;
  const ground = of.grounding_status;
  return (
    <Facts>
      <Fact name="thread binding">
        <Judged value={of.thread_binding_status} tone={bindingTone(of.thread_binding_status)} />{" "}
        <EvidenceLinks ids={[event.event_id]} />
      </Fact>
      <Fact name="ownership">
        {of.ownership_verified === undefined ? (
          <Unknown why="No check of ownership is recorded." />
        ) : of.ownership_verified ? (
          <Badge tone="ok" icon="success" word="verified" />
        ) : (
          <Badge tone="bad" icon="failed" word="check failed" />
        )}
      </Fact>
      <Fact name="grounding">
        <Judged value={ground} tone={ground === groundingGood ? "ok" : "warn"} />
        {of.grounding_source === undefined ? "" : ` from ${wordsOf(of.grounding_source)}`}
      </Fact>
      <Fact name="page">
        {of.canonical_page_type ?? <Unknown />}{" "}
        {of.canonical_page_id === undefined ? null : <Id of={of.canonical_page_id} chars={20} />}
        {of.client_page_id !== undefined && of.client_page_id !== of.canonical_page_id ? (
          <span class="flag bad">the client shows {of.client_page_id}</span>
        ) : null}
      </Fact>
      <Fact name="excerpts">
        <Count of={of.grounding_excerpt_count} />{" "}
        {(of.grounding_source_ids ?? []).map((id) => (
          <Id of={id} chars={16} />
        ))}
      </Fact>
      <Fact name="fields refused">
        <Count of={of.dropped_field_count} />
      </Fact>
    </Facts>
  );
};

function bindingTone(status: string | undefined): Tone {
  if (status === undefined) return "quiet";
  if (bindingGood.includes(status)) return "ok";
  return bindingBad.includes(status) || status === bindingUnscoped ? "bad" : "plain";
}

const Judged: FC<{ readonly value: string | undefined; readonly tone: Tone }> = ({
  value,
  tone,
}) => {
  if (value === undefined) return <Unknown />;
  const icon = tone === "ok" ? "success" : tone === "plain" ? "info" : "warning";
  return <Badge tone={tone} icon={icon} word={wordsOf(value)} />;
};

const Decision: FC<{ readonly event: TurnEvent }> = ({ event }) => {
  const { attributes: of } = event;
  return (
    <Facts>
      <Fact name="semantic cache">
        <CacheBadge decision={of.cache_decision ?? null} /> <EvidenceLinks ids={[event.event_id]} />
      </Fact>
      {of.cache_bypass_reason === undefined ? null : (
        <Fact name="reason">{wordsOf(of.cache_bypass_reason)}</Fact>
      )}
      <Fact name="similarity">
        {of.cache_similarity === undefined ? <Unknown /> : of.cache_similarity.toFixed(2)}
      </Fact>
      {of.cache_fingerprint === undefined ? null : (
        <Fact name="fingerprint">
          <Id of={of.cache_fingerprint} chars={22} />
        </Fact>
      )}
    </Facts>
  );
};

/** Tools by outcome, and each call. */
export const ToolsCard: FC<OfEvents & { readonly typical: readonly TypicalCall[] }> = ({
  events,
  typical,
}) => {
  const usual = typicalByTool(typical);
  const calls = toolResults(events);
  const counts = countTools(events);
  const failed = counts.error + counts.provider_error;
  const limited = counts.fallback + counts.degraded;
  return (
    <Card
      title="Tool health"
      icon="tool"
      id="tools"
      end={
        counts.results === 0
          ? undefined
          : `${counts.clean + counts.empty} clean · ${limited} limited · ${failed} failed`
      }
      flush={calls.length > 0}
    >
      {calls.length === 0 ? (
        <p class="muted">No tool result was recorded.</p>
      ) : (
        <CallTable
          label="Tool calls"
          words={["Tool", "Result", "Provider"]}
          figures={["Results", "Duration", "Usually"]}
          calls={calls}
          rowOf={(event) => <Call event={event} typical={usual.get(event.attributes.tool_name)} />}
        />
      )}
    </Card>
  );
};

const Call: FC<{ readonly event: TurnEvent; readonly typical: TypicalCall | undefined }> = ({
  event,
  typical,
}) => {
  const { attributes: of } = event;
  const provider = of.tool_provider ?? of.primary_provider;
  return (
    <tr>
      <td>{of.tool_name ?? <Unknown why="The tool's name was not recorded." />}</td>
      <td>
        <ToolBadge outcome={toolOutcome(event)} words={toolBadge(event)} />
      </td>
      <td class="muted">
        {provider ?? <NotThere why="no provider was recorded" />}
        {of.primary_provider !== undefined && provider !== of.primary_provider
          ? ` instead of ${of.primary_provider}`
          : ""}
      </td>
      <td class="num">
        {of.result_count === undefined ? (
          <NotMeasured short why="The number of results was not recorded." />
        ) : (
          countText(of.result_count)
        )}
      </td>
      <td class="num">
        <Duration ms={event.duration_ms} />
      </td>
      <td class="num">
        {typical === undefined ? (
          <NotMeasured short why="Too few calls of the week before have a known duration." />
        ) : (
          <span title={typicalText(typical)}>{durationText(typical.p50_ms)}</span>
        )}
      </td>
      <td>
        <EvidenceLinks ids={[event.event_id]} bare />
      </td>
    </tr>
  );
};

/** Model calls with what their providers reported. */
export const ModelsCard: FC<OfEvents> = ({ events }) => {
  const calls = events.filter(
    ({ event_kind: kind, phase }) => kind === "model_call" && phase !== "start",
  );
  if (calls.length === 0) {
    return (
      <Card title="Model calls" icon="model" id="models">
        <p class="muted">No model call was recorded.</p>
      </Card>
    );
  }
  return (
    <Card title="Model calls" icon="model" id="models" end={countText(calls.length)} flush>
      <CallTable
        label="Model calls"
        words={["Model", "Finish"]}
        figures={["In", "Cached", "Out", "First token", "Duration"]}
        calls={calls}
        rowOf={(event) => <ModelCall event={event} />}
      />
    </Card>
  );
};

const ModelCall: FC<{ readonly event: TurnEvent }> = ({ event }) => {
  const { attributes: of } = event;
  const chunk = of.time_to_first_chunk;
  const first = of.ttft_ms ?? (chunk === undefined ? undefined : chunk * 1_000);
  const { input_tokens: input, cached_tokens: cached } = of;
  return (
    <tr>
      <td>
        {of.model ?? of.response_model ?? <Unknown why="The model's name was not recorded." />}
        {event.status === "error" ? (
          <>
            {" "}
            <Badge tone="bad" icon="failed" word={of.error_type ?? "error"} />
          </>
        ) : null}
      </td>
      <td class="muted">{of.finish_reason?.join(", ") ?? <Unknown />}</td>
      <td class="num">
        <Tokens of={input} />
      </td>
      <td class="num">
        {cached === undefined || input === undefined ? (
          <Tokens of={cached} />
        ) : (
          shareText(cached, input)
        )}
      </td>
      <td class="num">
        <Tokens of={of.output_tokens} />
      </td>
      <td class="num">
        {first === undefined ? (
          <NotMeasured short why="Time to the first token was not measured." />
        ) : (
          durationText(first)
        )}
      </td>
      <td class="num">
        <Duration ms={event.duration_ms} />
      </td>
      <td>
        <EvidenceLinks ids={[event.event_id]} bare />
      </td>
    </tr>
  );
};

const Tokens: FC<{ readonly of: number | undefined }> = ({ of }) =>
  of === undefined ? (
    <NotMeasured short why="The provider did not report it." />
  ) : (
    <>{countText(of)}</>
  );

/** Outcomes and feedback from applications and people. */
export const OutcomesCard: FC<OfEvents> = ({ events }) => {
  const seen = events.filter(({ event_kind: kind }) => kind === "outcome" || kind === "feedback");
  return (
    <Card title="Outcomes and feedback" icon="outcome" id="outcomes">
      {seen.length === 0 ? (
        <p class="muted">
          No outcome and no feedback was recorded. A model's own claim would not count.
        </p>
      ) : (
        seen.slice(0, callsMax).map((event) => <Seen event={event} />)
      )}
    </Card>
  );
};

const Seen: FC<{ readonly event: TurnEvent }> = ({ event }) => {
  const { attributes: of } = event;
  const given = of.outcome ?? of.label ?? of.score_label;
  return (
    <Facts>
      <Fact name={event.event_kind}>
        <b>{given === undefined ? <Unknown /> : wordsOf(given)}</b>
        {of.rating === undefined ? "" : ` · rating ${of.rating > 0 ? "+" : ""}${of.rating}`}
        {of.score === undefined ? "" : ` · score ${of.score}`}{" "}
        <EvidenceLinks ids={[event.event_id]} />
      </Fact>
      <Fact name="observed by">
        {of.verified === true && event.ingest_trusted !== false ? (
          <Badge tone="ok" icon="success" word={`verified${of.source ? `, ${of.source}` : ""}`} />
        ) : (
          <Badge tone="quiet" icon="unknown" word="not verified" />
        )}
      </Fact>
      <Fact name="at">
        <Time at={event.timestamp} />
      </Fact>
      {(of.metric_names ?? []).map((name, index) => {
        const value = metricAt(of, index);
        const { name: words, duration } = metricTexts(name, value);
        return (
          <Fact name={words}>
            {duration === undefined ? (
              <MetricFigure of={value} />
            ) : (
              <span class="duration">{duration}</span>
            )}
          </Fact>
        );
      })}
    </Facts>
  );
};

const MetricFigure: FC<{ readonly of: number | string | undefined }> = ({ of }) =>
  typeof of === "string" ? <code>{of}</code> : <Count of={of} />;
