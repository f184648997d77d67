/** @module FailedTurn: a turn in which a tool failed, and spans as an agent sends them. */
import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";

/** Makes spans of one trace, one agent and one moment; each lasts a millisecond. */
export function spansOf(
  traceId: string | undefined,
  agent: string,
): (spanId: string | undefined, operation: string, more: object) => object {
  const now = BigInt(Date.now()) * 1_000_000n;
  return (spanId, operation, more) => ({
    traceId,
    spanId,
    name: operation,
    startTimeUnixNano: String(now),
    endTimeUnixNano: String(now + 1_000_000n),
    attributes: {
      "gen_ai.operation.name": operation,
      "gen_ai.agent.name": agent,
      "gen_ai.agent.id": agent,
      "gen_ai.conversation.id": "thread",
    },
    ...more,
  });
}

/** @param number names the trace and its spans @throws Error with another status than 200 */
export async function sendFailedTurn(url: string, agent: string, number: number): Promise<void> {
  const [traceId, root, tool] = [32, 16, 16].map((digits, at) =>
    (number * 10 + at + 1).toString(16).padStart(digits, "0"),
  );
  const span = spansOf(traceId, agent);
  const failed = { parentSpanId: root, status: { code: 2 } };
  const spans = [span(root, "invoke_agent", {}), span(tool, "execute_tool", failed)];
  const answer = await fetch(`${url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/x-protobuf" },
    body: encodeProtobuf(traceRequest(spans as never, { "service.name": "desk" })) as BodyInit,
  });
  if (answer.status !== 200) throw new Error(`status ${answer.status}`);
}
