/**
 * @module HonestTasks: one task of an honest turn, from its intent to its acknowledged delivery.
 */
import type { Draft } from "./honest-windows.ts";
import type { Json, Ref } from "./reading.ts";

/** Writes a task. */
export function addTask(draft: Draft, task: number, inTurn: Json): void {
  const { plan, random, turn, write, pass, source } = draft;
  const label: Json = plan.labelled ? { task_id: `${turn}-task-${task}` } : {};
  const inTask = { ...inTurn, ...label };
  const needsArtifact = plan.profile === "content_derived_artifact";
  const needsContract = plan.profile === "interactive_response";
  const types = Array.from({ length: random.below(3) }, (_, type) => `type-${type}`);
  const names = Array.from({ length: random.below(3) }, (_, name) => `contract-${name}`);
  if (types.length === 0 && (needsArtifact || names.length === 0)) types.push("type-0");
  if (names.length === 0 && needsContract) names.push("contract-0");
  const profile = plan.profile === undefined ? {} : { coverage_profile: plan.profile };
  const sources = random.chance(0.7) ? [source] : [];
  if (random.chance(0.3)) {
    sources.push({ resource_type: "document", ref: "doc-8", version: "1", role: "background" });
  }
  const intent = { expected_artifact_types: types, required_contracts: names, ...profile };
  write("intent", intent, { ...inTask, input_refs: sources });
  const artifacts = types.map((type) => ({ type, ref: `${turn}-${task}-${type}` }));
  if (plan.retries) {
    for (const one of artifacts) writeArtifact(draft, inTask, one, "1", "failed");
    for (const name of names) writeContract(draft, inTask, name, "failed");
    write("delivery", { emitted: false, delivery_target: "browser" }, inTask);
    pass(5000);
  }
  const version = plan.retries ? "2" : "1";
  for (const one of artifacts) writeArtifact(draft, inTask, one, version, "updated");
  for (const name of names) writeContract(draft, inTask, name, "success");
  if (types.length > 0 && random.chance(0.2)) {
    const charge = { ...inTask, span_id: `${turn}-${task}-charge`, phase: "result" };
    write("application_action", { credit_decision: "charged" }, charge, "worker");
  }
  // What the worker records last may lie within the skew of the delivery; its version bridges that.
  pass(random.pick([0, 300, 2000]));
  deliver(
    draft,
    inTask,
    artifacts.map(({ type, ref }) => refOf(type, ref, version)),
    names,
  );
  if (random.chance(0.4)) {
    const key = { ...inTask, external_id: `check-${task}` };
    const stated = { verified: true, source: "checker" };
    if (random.chance(0.4)) write("outcome", { ...stated, outcome: "failure" }, key);
    pass(200);
    write("outcome", { ...stated, outcome: "success" }, key);
  }
}

const refOf = (type: string, ref: string, version: string): Ref => ({
  resource_type: type,
  ref,
  version,
});

interface Made {
  readonly type: string;
  readonly ref: string;
}

function writeArtifact(
  draft: Draft,
  inTask: Json,
  made: Made,
  version: string,
  status: string,
): void {
  const { random, write, source } = draft;
  const span = `${made.ref}-by-${version}`;
  const by = { ...inTask, span_id: span };
  // A handler may end after what it produced, and after the delivery of it.
  const ends = random.chance(0.8);
  write("application_action", {}, { ...by, phase: "start", status: "started" }, "worker");
  const end = (): Json =>
    write("application_action", { side_effect: true }, { ...by, phase: "result" }, "worker");
  if (ends) end();
  const attributes = {
    artifact_type: made.type,
    artifact_status: status,
    persistence_verified: status !== "failed",
    producing_span_id: span,
  };
  const refs = { input_refs: [source], output_refs: [refOf(made.type, made.ref, version)] };
  const point = { span_id: `${span}-point`, parent_span_id: span };
  write("artifact", attributes, { ...inTask, ...point, ...refs }, "worker");
  if (!ends) end();
}

function writeContract({ random, write }: Draft, inTask: Json, name: string, parser: string): void {
  const markers = random.chance(0.8)
    ? { opening_marker_found: true, closing_marker_found: true }
    : { unmarked: true };
  write("contract", { contract_name: name, parser_status: parser, ...markers }, inTask);
}

function deliver(
  { random, write, pass }: Draft,
  inTask: Json,
  refs: readonly Ref[],
  names: readonly string[],
): void {
  const done = { emitted: true, acknowledged: true, delivery_target: "browser" };
  const named = random.chance(0.4) ? names : [];
  for (const contract_name of named.slice(0, -1)) {
    write("delivery", { ...done, contract_name }, inTask);
    pass(50);
  }
  const last = named.at(-1);
  const carried = last === undefined ? {} : { contract_name: last };
  write("delivery", { ...done, ...carried }, { ...inTask, input_refs: refs });
}
