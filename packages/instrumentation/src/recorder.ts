/**
 * @module ObservabilityRecorder: the host's own intents, spans, artifacts, contracts and
 * deliveries (requirements: Host recorder, Recording rules). It records what was already
 * observed; it does not create or repair anything, parse markup or acknowledge deliveries.
 */
import { SpanKind } from "@opentelemetry/api";
import type { Context } from "@opentelemetry/api";
import { attribute, CodedError, ownSpanNames } from "@turnproof/semconv";
import type {
  ArtifactStatus,
  AttributeName,
  EventAttributes,
  EventKind,
  ParserStatus,
} from "@turnproof/semconv";

import { activeContext, parentsAreKept } from "./active-context.ts";
import type { EvidenceSink } from "./evidence-sink.ts";
import { feedbackFacts, outcomeFacts } from "./feedback.ts";
import type { Feedback, TaskOutcome } from "./feedback.ts";
import { RecorderSpan } from "./recorder-span.ts";
import { refAttributes } from "./resource-ref.ts";
import type { ResourceRef } from "./resource-ref.ts";
import { TraceContext } from "./trace-context.ts";
import { GuardedRecorder } from "./guarded-recorder.ts";
import { operationName } from "./step-name.ts";
import type { Facts, Observation } from "./observation.ts";
import type { RecorderHealth, RecorderOptions } from "./guarded-recorder.ts";

/** Fields that every record may have. */
interface Named {
  readonly taskId?: string;
  /** Recording again under the same id replaces; a new attempt needs a new id. */
  readonly externalId?: string;
}

/** `recordIntent`: what the turn is expected to produce. */
export interface IntentOptions extends Named {
  readonly expectedArtifactTypes?: readonly string[];
  readonly requiredContracts?: readonly string[];
  readonly inputRefs?: readonly ResourceRef[];
  /**
   * `chat_response`, `content_ingestion`, `content_derived_artifact`, `interactive_response`, or
   * one of the host's.
   */
  readonly coverageProfile?: string;
}

/** `startSpan`: a host operation. Attributes use their event names and are allowlisted. */
export interface SpanOptions {
  readonly taskId?: string;
  readonly inputRefs?: readonly ResourceRef[];
  readonly attributes?: EventAttributes;
  /** `queue` for a hand-over between processes. Default: `action`. */
  readonly kind?: "action" | "queue";
  /** The parent span. Default: the one that is active here. */
  readonly parent?: RecorderSpan;
}

/** `recordArtifact`: the observed state of an artifact. */
export interface ArtifactOptions extends Named {
  /** Its sources. An empty list without `sourceIndependent` is recorded as invalid provenance. */
  readonly inputRefs: readonly ResourceRef[];
  readonly producingSpanId: string;
  readonly persistenceVerified?: boolean;
  readonly sourceIndependent?: boolean;
  /** Default `created`. */
  readonly status?: ArtifactStatus;
  readonly contentVersion?: string;
}

/** `contract`: a required form of an output. */
export interface ContractOptions {
  readonly required?: boolean;
  readonly outputLimit?: number;
  readonly taskId?: string;
  /** True: the output has no markers; otherwise a marker that is not found counts as missing. */
  readonly unmarked?: boolean;
}

/** What was observed of one output under a contract. */
export interface ContractRecord {
  readonly openingMarkerFound?: boolean;
  readonly closingMarkerFound?: boolean;
  readonly parserStatus?: ParserStatus;
  readonly recoveryUsed?: boolean;
  readonly itemCounts?: Readonly<Record<string, number>>;
  readonly finishReason?: string;
  readonly outputChars?: number;
  readonly externalId?: string;
}

/** A contract under which outputs are recorded. */
export interface Contract {
  readonly name: string;
  record(record: ContractRecord): Promise<void>;
}

/** `recordDelivery`: something that was delivered. `acknowledged` null means unknown. */
export interface DeliveryOptions extends Named {
  readonly emitted?: boolean;
  readonly acknowledged?: boolean | null;
  /** The delivered resources, with versions. */
  readonly inputRefs?: readonly ResourceRef[];
  /** The contract whose output is delivered, if any. */
  readonly contractName?: string;
}

/** Records into a sink for one turn. Use one recorder for nested spans. */
export class ObservabilityRecorder {
  readonly #recorder: GuardedRecorder;
  readonly #turn: TraceContext;
  #orphansReported = false;

  /** @param options `strict`: a failed write throws; otherwise it is counted in `health`. */
  constructor(sink: EvidenceSink, traceContext: TraceContext, options: RecorderOptions = {}) {
    this.#recorder = new GuardedRecorder(sink, options);
    this.#turn = traceContext;
  }

  /** Counters of this recorder alone. */
  get health(): Readonly<RecorderHealth> {
    return this.#recorder.health;
  }

  /**
   * Records the intent of this turn. Resolves when the sink has it.
   * @throws CodedError (rejects) when a value is not admitted, or, strict, when the write fails
   */
  async recordIntent(name: string, options: IntentOptions = {}): Promise<void> {
    await this.#point(ownSpanNames.intent, "intent", options, {
      [attribute.intent_name.span]: operationName(name),
      [attribute.expected_artifact_types.span]: options.expectedArtifactTypes,
      [attribute.required_contracts.span]: options.requiredContracts,
      [attribute.coverage_profile.span]: options.coverageProfile,
      ...refAttributes("input", options.inputRefs),
    });
  }

  /**
   * Begins a host operation whose parent is the span that is active here.
   * @throws CodedError when the name or an attribute is not admitted
   */
  startSpan(name: string, options: SpanOptions = {}): RecorderSpan {
    const queue = options.kind === "queue";
    const kind: EventKind = queue ? "queue_transition" : "application_action";
    const facts = {
      ...byEventName(options.attributes),
      ...refAttributes("input", options.inputRefs),
    };
    const observation: Observation = {
      kind,
      name: operationName(name),
      spanKind: queue ? SpanKind.PRODUCER : SpanKind.INTERNAL,
      facts,
      ...(options.taskId === undefined ? {} : { taskId: options.taskId }),
    };
    const { turn, parent } = this.#here(options.parent?.context);
    return new RecorderSpan(this.#recorder.begin(turn, parent, observation, "result"), turn);
  }

  /** Runs `fn` as a host operation: a throw fails it, a return without an end succeeds it. */
  async span<T>(
    name: string,
    fn: (span: RecorderSpan) => Promise<T> | T,
    options: SpanOptions = {},
  ): Promise<T> {
    const span = this.startSpan(name, options);
    let value: T;
    try {
      value = await span.run(() => fn(span));
    } catch (error) {
      await span.fail(error);
      throw error;
    }
    await span.succeed();
    return value;
  }

  /**
   * Records an artifact; deliveries refer to its `ref` and version.
   * @throws CodedError record_invalid without its sources or its producer
   */
  async recordArtifact(ref: ResourceRef, options: ArtifactOptions): Promise<void> {
    required(ref, "ref");
    // An empty list of sources is allowed and becomes a finding; an absent list is an error.
    required(options?.inputRefs, "input_refs");
    required(options.producingSpanId, "producing_span_id");
    const status = options.status ?? "created";
    await this.#point(
      `${ownSpanNames.artifact}.${operationName(ref.resourceType)}`,
      "artifact",
      options,
      {
        [attribute.artifact_type.span]: ref.resourceType,
        [attribute.artifact_status.span]: status,
        [attribute.persistence_verified.span]: options.persistenceVerified,
        [attribute.source_independent.span]: options.sourceIndependent,
        [attribute.producing_span_id.span]: options.producingSpanId,
        [attribute.content_version.span]: options.contentVersion,
        [attribute.ownership_verified.span]: ref.ownershipVerified,
        ...refAttributes("output", [ref]),
        ...refAttributes("input", options.inputRefs),
      },
      status === "failed" ? "error" : "success",
    );
  }

  /** A contract by name; record each output that was observed under it. */
  contract(name: string, options: ContractOptions = {}): Contract {
    const spanName = `${ownSpanNames.contract}.${operationName(name)}`;
    const record = async (seen: ContractRecord): Promise<void> => {
      required(seen, "record");
      const items = Object.entries(seen.itemCounts ?? {});
      const named = {
        ...options,
        ...(seen.externalId === undefined ? {} : { externalId: seen.externalId }),
      };
      await this.#point(
        spanName,
        "contract",
        named,
        {
          [attribute.contract_name.span]: name,
          [attribute.required.span]: options.required,
          [attribute.output_limit.span]: options.outputLimit,
          [attribute.unmarked.span]: options.unmarked,
          [attribute.opening_marker_found.span]: seen.openingMarkerFound,
          [attribute.closing_marker_found.span]: seen.closingMarkerFound,
          [attribute.parser_status.span]: seen.parserStatus,
          [attribute.recovery_used.span]: seen.recoveryUsed,
          [attribute.contract_finish_reason.span]: seen.finishReason,
          [attribute.output_chars.span]: seen.outputChars,
          [attribute.item_names.span]: items.length === 0 ? undefined : items.map(([item]) => item),
          [attribute.item_values.span]:
            items.length === 0 ? undefined : items.map(([, count]) => count),
        },
        contractStatus(seen),
      );
    };
    return { name, record };
  }

  /** Records a delivery, and whether its acknowledgement was observed. */
  async recordDelivery(name: string, options: DeliveryOptions = {}): Promise<void> {
    const { emitted, acknowledged } = options;
    const bad = emitted === false || acknowledged === false;
    await this.#point(
      `${ownSpanNames.delivery}.${operationName(name)}`,
      "delivery",
      options,
      {
        [attribute.delivery_target.span]: name,
        [attribute.emitted.span]: emitted,
        // Null is the explicit unknown; on a span the attribute is absent then.
        [attribute.acknowledged.span]: acknowledged ?? undefined,
        [attribute.contract_name.span]: options.contractName,
        ...refAttributes("input", options.inputRefs),
      },
      bad ? "error" : "success",
    );
  }

  /**
   * Records feedback on the recorder's turn, also after the turn has ended; a comment as its hash.
   */
  async recordFeedback(feedback: Feedback, fingerprint?: (text: string) => string): Promise<void> {
    const facts = feedbackFacts(feedback, fingerprint);
    await this.#point(ownSpanNames.feedback, "feedback", feedback, facts);
  }

  /** Records the task outcome of the recorder's turn, e.g. `success` or `failure`. */
  async recordTaskOutcome(outcome: string, options: TaskOutcome = {}): Promise<void> {
    const facts = outcomeFacts(outcome, options);
    await this.#point(ownSpanNames.outcome, "outcome", options, facts);
  }

  #here(active: Context = activeContext()): { turn: TraceContext; parent: Context } {
    this.#reportOrphans();
    const current = TraceContext.active(active);
    // Another turn may be active in this process: a recorder always uses its own.
    const own =
      current?.rootTraceId === this.#turn.rootTraceId &&
      current.identity.turnId === this.#turn.identity.turnId;
    const turn = own ? current : this.#turn;
    return { turn, parent: own ? active : turn.toContext(active) };
  }

  /**
   * Reported once, when the active span cannot be determined: all records get the turn's span as
   * parent.
   */
  #reportOrphans(): void {
    if (this.#orphansReported || parentsAreKept()) return;
    this.#orphansReported = true;
    this.#recorder.refuse("context_manager_missing");
  }

  async #point(
    name: string,
    kind: EventKind,
    named: Named,
    facts: Facts,
    status: "success" | "partial" | "error" = "success",
  ): Promise<void> {
    const { turn, parent } = this.#here();
    const ids = {
      ...(named.taskId === undefined ? {} : { taskId: named.taskId }),
      ...(named.externalId === undefined ? {} : { externalId: named.externalId }),
    };
    await this.#recorder.point(turn, parent, { kind, name, facts, ...ids }, status);
  }
}

function contractStatus(seen: ContractRecord): "success" | "partial" | "error" {
  if (seen.parserStatus === "failed" || seen.parserStatus === "missing") return "error";
  const whole = seen.openingMarkerFound !== false && seen.closingMarkerFound !== false;
  return seen.parserStatus === "partial" || seen.recoveryUsed === true || !whole
    ? "partial"
    : "success";
}

/** A field that a caller without types may have left out. @throws CodedError record_invalid */
function required(value: unknown, field: string): void {
  if (value === undefined || value === null) throw new CodedError("record_invalid", { field });
}

/** Attributes by event name, converted to span names. @throws CodedError attribute_unknown */
function byEventName(attributes: EventAttributes = {}): Facts {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => {
      if (!Object.hasOwn(attribute, name)) throw new CodedError("attribute_unknown");
      return [attribute[name as AttributeName].span, value];
    }),
  );
}
