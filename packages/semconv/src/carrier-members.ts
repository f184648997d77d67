/**
 * @module Carrier members: the baggage names in which a turn's identity travels (vocabulary:
 * Carrier).
 */
export const carrierMembers = {
  agent_id: "turnproof.agent_id",
  thread_id: "turnproof.thread_id",
  run_id: "turnproof.run_id",
  turn_id: "turnproof.turn_id",
  application_id: "turnproof.application_id",
  user_id: "turnproof.user_id",
  scope: "turnproof.scope",
  memory_id: "turnproof.memory_id",
  caused_by: "turnproof.caused_by",
} as const;
