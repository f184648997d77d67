/** @module A morning at the desk: two customers, streaming, a retry, a failing tool, a refusal. */
import type { Ticket } from "./desk.ts";

/** In the order in which they come in. */
export const tickets: readonly Ticket[] = [
  { userId: "cust_ada", sessionId: "thread_ada_1", question: "Where is my order A-1001?" },
  {
    userId: "cust_ben",
    sessionId: "thread_ben_1",
    question: "My delivery B-2002 is broken, what is the return policy?",
    stream: true,
  },
  {
    userId: "cust_ada",
    sessionId: "thread_ada_1",
    question: "Then I want a refund for order A-1001, please",
    stream: true,
  },
  {
    userId: "cust_ben",
    sessionId: "thread_ben_2",
    question: "[overload-once] Do you have a warranty policy?",
  },
  { userId: "cust_ada", sessionId: "thread_ada_2", question: "Where is my order Z-9999?" },
  { userId: "cust_ben", sessionId: "thread_ben_2", question: "[refuse] Write me a poem" },
  { userId: "cust_ben", sessionId: "thread_ben_2", question: "Thank you, that was all." },
];
