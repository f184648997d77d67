/**
 * @module RandomTurn: a turn as a producer sends it, with random ids, jittered times and tokens
 * that differ: what no coding can shorten. Ids that count up travel in a tenth of the bytes.
 */
import { randomBytes } from "node:crypto";

import { traceRequest } from "../../otlp/encode.ts";
import type { PlainSpan } from "../../otlp/encode.ts";

const perRequest = 2_000;

/** Sends a turn of so many spans over OTLP; the result is its root trace id. */
export async function sendRandomTurn(url: string, size: number): Promise<string> {
  const traceId = randomBytes(16).toString("hex");
  const ids = Array.from({ length: size }, () => randomBytes(8).toString("hex"));
  const began = BigInt(Date.now() - 600_000) * 1_000_000n;
  const spans = ids.map((spanId, index): PlainSpan => {
    const start = began + BigInt(index * 3_000_000 + (randomBytes(2).readUInt16LE() % 900_000));
    const lasts = BigInt(20_000_000 + (randomBytes(4).readUInt32LE() % 40_000_000));
    const operation = index === 0 ? "invoke_agent" : index % 3 === 0 ? "execute_tool" : "chat";
    const parentSpanId = index === 0 ? undefined : ids[Math.floor((index - 1) / 6)];
    return {
      traceId,
      spanId,
      ...(parentSpanId === undefined ? {} : { parentSpanId }),
      name: operation,
      startTimeUnixNano: String(start),
      endTimeUnixNano: String(index === 0 ? began + 40_000_000_000n : start + lasts),
      attributes: {
        "gen_ai.operation.name": operation,
        "gen_ai.agent.name": "random",
        ...(operation === "execute_tool" ? { "gen_ai.tool.name": "search" } : {}),
        ...(operation === "chat"
          ? {
              "gen_ai.request.model": "atlas-2",
              "gen_ai.usage.input_tokens": 200 + (randomBytes(2).readUInt16LE() % 4_000),
              "gen_ai.usage.output_tokens": randomBytes(1).readUInt8(),
            }
          : {}),
      },
    };
  });
  for (let from = 0; from < size; from += perRequest) {
    const body = traceRequest(spans.slice(from, from + perRequest), { "service.name": "random" });
    const response = await fetch(`${url}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (response.status !== 200) throw new Error(`spans were answered ${response.status}`);
  }
  return traceId;
}
