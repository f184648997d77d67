/** @module A route of the edge runtime, which no set-up of Node may break. */
export const runtime = "edge";

/** Names the runtime it is in. */
export function GET() {
  return Response.json({ runtime: process.env.NEXT_RUNTIME });
}
