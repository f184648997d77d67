/** Pages of the documentation by names of frameworks, languages and products. */
import { expect, test } from "vitest";

import { guideFor } from "./guide-names.ts";
import guides from "./guides.json" with { type: "json" };

const pages = Object.keys(guides);

test.each(pages)("the page %s is found by its name, with spaces and as a whole", (page) => {
  const found = { page, exact: true, also: [] };
  expect(guideFor(page, pages)).toEqual(found);
  expect(guideFor(page.replaceAll("-", " ").toUpperCase(), pages)).toEqual(found);
  expect(guideFor(page.replaceAll("-", ""), pages)).toEqual(found);
});

test.each([
  ["Vercel AI SDK 5", "ai-sdk"],
  ["@langchain/core", "langchain"],
  ["LangChain.js", "langchain"],
  ["OpenLLMetry", "python"],
  ["OpenLLMetry for Python", "python"],
  ["Traceloop", "python"],
  ["traceloop-sdk", "python"],
  ["OpenLLMetry JS", "langchain"],
  ["@traceloop/node-server-sdk", "langchain"],
  ["@traceloop/instrumentation-langchain", "langchain"],
  ["@traceloop/instrumentation-mcp", "mcp"],
  ["@arizeai/openinference-instrumentation-langchain", "langchain"],
  ["OpenInference", "langchain"],
  ["@langchain/langgraph", "langgraph"],
  ["OpenAI Agents SDK", "openai-agents"],
  ["OpenAI Responses API", "openai-sdk"],
  ["Next.js 16 app router", "nextjs"],
  ["Express.js", "express"],
  ["Model Context Protocol", "mcp"],
  ["claude code", "coding-agents"],
  ["Codex CLI", "coding-agents"],
  ["OpenAI Codex", "coding-agents"],
  ["@openai/codex", "coding-agents"],
  ["mcp server", "mcp"],
  ["Node.js", "node-sdk"],
  ["JavaScript", "node-sdk"],
  ["OpenTelemetry JS", "node-sdk"],
  ["golang", "go"],
  ["Python 3.13", "python"],
  ["OpenTelemetry SDK for Python", "python"],
  ["OTLP", "other-languages"],
])("%s has the page %s", (name, page) => {
  expect(guideFor(name, pages)).toMatchObject({ page, exact: true });
});

test.each([
  ["django", "python"],
  ["Django REST framework", "python"],
  ["FastAPI", "python"],
  ["flask", "python"],
  ["llamaindex", "python"],
  ["LlamaIndex", "python"],
  ["google-adk", "python"],
  ["pydantic_ai", "python"],
  ["opentelemetry-instrumentation-fastapi", "python"],
  ["openai-agents-python", "python"],
  ["LangChain with FastAPI", "python"],
  ["langchain python", "python"],
  ["OpenInference in Python", "python"],
  ["Python with Django", "python"],
  ["llama-index", "python"],
  ["CrewAI", "python"],
  ["pydantic-ai", "python"],
  ["Java, Spring Boot", "java"],
  ["spring", "java"],
  ["LlamaIndex in TypeScript", "node-sdk"],
  ["@llamaindex/openai in Python", "python"],
  ["@llamaindex/core", "node-sdk"],
  ["@anthropic-ai/sdk", "node-sdk"],
  ["ASP.NET Core", "other-languages"],
  ["Microsoft Agent Framework", "other-languages"],
  ["LangChain4j", "java"],
  ["spring-ai", "java"],
  ["Kotlin", "java"],
  ["gin", "go"],
  ["NestJS", "node-sdk"],
  ["Ruby on Rails", "other-languages"],
  ["Rust", "other-languages"],
  ["C#", "other-languages"],
  ["C++", "other-languages"],
  [".NET", "other-languages"],
  ["Fortran", "other-languages"],
])("%s has no page, and %s is the nearest", (name, page) => {
  expect(guideFor(name, pages)).toMatchObject({ page, exact: false });
});

test("a page whose name is a part of a word, or a common word of another name, is not found", () => {
  for (const name of ["mongo", "MongoDB", "hugo", "cargo", "ergo", "Vertex AI", "Bedrock agents"]) {
    expect([name, guideFor(name, pages)]).toEqual([name, undefined]);
  }
  for (const name of ["?", "the", "日本", "phoenix", "anthropic"]) {
    expect([name, guideFor(name, pages)]).toEqual([name, undefined]);
  }
});

test("a name of several pages has one, and names the others", () => {
  expect(guideFor("Express and LangChain", pages)).toEqual({
    page: "express",
    exact: true,
    also: ["langchain"],
  });
  expect(guideFor("LangGraph in Python", pages)).toEqual({
    page: "python",
    exact: false,
    also: ["langgraph"],
  });
});
