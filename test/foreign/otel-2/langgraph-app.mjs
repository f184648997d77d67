/** @module A graph of two nodes that call the model, in a thread of a user. */
import { HumanMessage } from "@langchain/core/messages";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";

/** Plays one run against the scripted model. */
export async function playLangGraph() {
  const model = new ChatOpenAI({
    model: "scripted-model",
    apiKey: "none",
    maxRetries: 0,
    configuration: { baseURL: process.env.MODEL_URL },
  });
  const complete = async (state) => ({ messages: [await model.invoke(state.messages)] });
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("planner", complete)
    .addNode("writer", complete)
    .addEdge("__start__", "planner")
    .addEdge("planner", "writer")
    .addEdge("writer", "__end__")
    .compile({ name: "researcher" });
  await graph.invoke(
    { messages: [new HumanMessage("CANARY-prompt")] },
    { configurable: { thread_id: "thread-lg" }, metadata: { user_id: "user-lg" } },
  );
}
