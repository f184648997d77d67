/** @module Named rows: agents, workflows, prompts and skills of the GenAI conventions. */

/** Names and versions of agents, workflows, prompts and skills. */
export const namedRows = {
  agent_version: {
    span: "gen_ai.agent.version",
    type: "string",
    holds: "label",
    shape: "version",
    kinds: "all",
    brief: "Version of the agent.",
    examples: ["1.4.0"],
    stability: "development",
    source:
      "https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/registry/attributes/gen-ai.md",
  },
  main_agent_id: {
    span: "gen_ai.main_agent.id",
    type: "string",
    holds: "identity",
    shape: "id",
    kinds: "all",
    brief: "Agent that began the work in which this agent takes part.",
    examples: ["agt_root"],
    stability: "development",
    source:
      "https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/registry/attributes/gen-ai.md",
  },
  main_agent_name: {
    span: "gen_ai.main_agent.name",
    type: "string",
    holds: "label",
    shape: "name",
    kinds: "all",
    brief: "Display name of the agent that began the work.",
    examples: ["Order Desk"],
    stability: "development",
    source:
      "https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/registry/attributes/gen-ai.md",
  },
  workflow_name: {
    span: "gen_ai.workflow.name",
    type: "string",
    holds: "label",
    shape: "name",
    kinds: "all",
    brief: "Name of the workflow that the span belongs to.",
    examples: ["Order Intake"],
    stability: "development",
    source:
      "https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/registry/attributes/gen-ai.md",
  },
  prompt_name: {
    span: "gen_ai.prompt.name",
    type: "string",
    holds: "label",
    shape: "name",
    kinds: "all",
    brief: "Name of the prompt template; its text is never recorded.",
    examples: ["Triage"],
    stability: "development",
    source:
      "https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/registry/attributes/gen-ai.md",
  },
  prompt_version: {
    span: "gen_ai.prompt.version",
    type: "string",
    holds: "label",
    shape: "version",
    kinds: "all",
    brief: "Version of the prompt template.",
    examples: ["12"],
    stability: "development",
    source:
      "https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/registry/attributes/gen-ai.md",
  },
  skill_name: {
    span: "gen_ai.skill.name",
    type: "string",
    holds: "label",
    shape: "name",
    kinds: "tool",
    brief: "Name of the skill that the agent used.",
    examples: ["Invoice Reader"],
    stability: "development",
    source:
      "https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/registry/attributes/gen-ai.md",
  },
  retrieval_top_k: {
    span: "gen_ai.retrieval.top_k",
    type: "int",
    holds: "count",
    shape: "none",
    kinds: "memory",
    brief: "Most results that a retrieval requests.",
    examples: [10],
    stability: "development",
    source:
      "https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/registry/attributes/gen-ai.md",
  },
  deployment_environment: {
    span: "deployment.environment.name",
    type: "string",
    holds: "label",
    shape: "label",
    kinds: "all",
    brief: "Environment in which the service runs.",
    examples: ["production"],
    stability: "stable",
    source: "https://opentelemetry.io/docs/specs/semconv/registry/attributes/deployment/",
  },
} as const;
