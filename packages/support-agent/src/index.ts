/** @module The parts of the example: the agent on any memory, and its chat server. */
export { startChat } from "./chat-server.ts";
export type { ChatServer } from "./chat-server.ts";
export { supportAgent } from "./support-agent.ts";
