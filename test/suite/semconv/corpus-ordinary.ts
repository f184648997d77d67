/**
 * @module Corpus of ordinary values: ids of every common form, names of models, tools, agents,
 * hosts, providers and errors. None of them may ever be refused by a row of its shape.
 */
import type { Draw } from "./corpus-random.ts";

/** Texts that a shape must let through. */
export interface OrdinaryTexts {
  readonly shape: "id" | "name" | "model" | "label" | "version" | "host" | "time";
  readonly texts: readonly string[];
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

export const ordinaryTexts: readonly OrdinaryTexts[] = [
  {
    shape: "id",
    texts: words(`
      0 7 42 user-1 user_42 u:7 tenant/acme acme|42 auth0|5f7c8ec7c33c6c004bbafe82
      google-oauth2|103547991597142817347 thread_abc123 conv_5j66UpCpwteGg4YSxUnt7lPY
      asst_5j66UpCpwteGg4YSxUnt7lPY session-2026-11-21 sess_001 order-2024-00017 job-7
      task_17 doc#4 page:product:991 kb/faq/returns file-BK7bzQj3FfZFXr7DbL6xJwfo
      550e8400-e29b-41d4-a716-446655440000 550E8400-E29B-41D4-A716-446655440000
      01ARZ3NDEKTSV4RRFFQ69G5FAV 4bf92f3577b34da6a3ce929d0e0e4736 00f067aa0ba902b7
      00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 1799410738128465920
      175928847299117063 1700000000 1700000000123 1700000000123456 1700000000123456789
      V1StGXR8_Z5jdHi6B-myT cjld2cjxh0000qzrmn831i7rn tz4a98xxat96iws9zmbrgj3a
      0ujtsYcgvSTl8PAuAdqWYSMnLOv 65f1c0ffee0123456789abcd toolu_01A09q90qw90lq917835lq9
      toolu_bdrk_01PyBkEpBnzBbJAXnNVHSSgt msg_01XFDUDYJgAACzvnptvVoYEL
      msg_bdrk_01KsZtzCoNhHt8SkBZFq5Bwu call_mszuSIzqtI65i1wAUOE8w5H4
      fc_67ca09c6bedc8190a7abfec07b1a1332096610f474011cc0
      chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT cmpl-7R1nGnsXO8n4oi9UPz2f3UHdgAYMn
      resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b run_abc123DEF456ghi789JKL012
      req_011CSHoEeqs5C35K2UUqR7Fy req_8b6a7f2e5d8c4b1a9e3f0d2c1b4a5968
      gen-1759998724-UkBTXyQmW9ZVsdEfGhIj vs_abc123 batch_abc123 ft:gpt-4o:acme::7qTVM5AR
      1f8f1d62-9f0c-4a61-8f3b-7e0b1d6f2c11:9f3a 2c1b-4a59#chunk-3 arn-less/profile-7
      s3-object-991 pod/web-5d9c7b8f6d-x2x9k web-5d9c7b8f6d-x2x9k
      kube-system/coredns-5dd5756b68-7zvwq ip-10-0-12-7 i-0abcd1234ef567890 sha-9fceb02
      9fceb02d0ae598e95dc970b74767f19372d61af8 1.0.0 2026-11-21 2026-11-21T12:00:00Z
      run:2026-11-21:001 a.b.c x=1 deadbeef projects/p-1/locations/eu/agents/7 ws_2c9d-11
      cus_NffrFeUfNV2Hib pi_3MtwBwLkdIwHu7ix28a3tqPa ch_3MmlLrLkdIwHu7ix0snN0B15
      sub_1MowQVLkdIwHu7ixeRlqHVzs U012AB3CD C0123456789 T024BE7LD 1503435956.000247
      urn-less:7 root-7 turn.3 span~9 ABC-1234 PROJ-77 @handle
      k1_mfzwizltoq4dsnbrgezdgnbvgy
      sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
      claude.ai-less Z2VtaW5pLXJlcXVlc3Q aGVsbG8td29ybGQ= MDEyMzQ1Njc4OWFiY2RlZg==
      d2VhdGhlci10b29sLTc4
    `),
  },
  {
    shape: "model",
    texts: [
      "gpt-4.1 (preview)",
      ...words(`
      gpt-4 gpt-4o gpt-4o-2024-08-06 gpt-4.1-mini gpt-5 o3-mini o1 chatgpt-4o-latest
      text-embedding-3-large claude-3-5-sonnet-20241022 claude-sonnet-4@20250514
      claude-opus-4-1-20250805 claude-3-5-sonnet-v2@20241022
      us.anthropic.claude-3-5-sonnet-20241022-v2:0 anthropic.claude-3-haiku-20240307-v1:0
      eu.amazon.nova-lite-v1:0 amazon.titan-embed-text-v2:0
      meta.llama3-1-70b-instruct-v1:0 meta-llama/Llama-3.1-70B-Instruct
      meta-llama/Meta-Llama-3-8B-Instruct-Turbo mistralai/Mixtral-8x7B-Instruct-v0.1
      mistral-large-2407 Qwen/Qwen2.5-72B-Instruct deepseek-ai/DeepSeek-R1 deepseek-chat
      accounts/fireworks/models/llama-v3p1-70b-instruct accounts/fireworks/models/x
      gemini-1.5-pro gemini-2.5-flash-preview-05-20 models/gemini-pro
      publishers/google/models/gemini-2.0-flash command-r-plus-08-2024 jamba-1.5-large
      grok-2-1212 sonar-pro nomic-embed-text:latest llama3.1:70b llama3:8b-instruct-q4_K_M
      @cf/meta/llama-3-8b-instruct @hf/thebloke/llama-2-13b-chat-awq
      openai/gpt-4o:extended openrouter/auto ft:gpt-3.5-turbo-0613:acme::7qTVM5AR
      ft:gpt-4o-mini-2024-07-18:acme:support:9XyZabcd azure/gpt-4o my-deployment-7
      Meta-Llama-3-8B-Instruct.Q4_0.gguf bge-large-en-v1.5 all-MiniLM-L6-v2 whisper-1
      dall-e-3 tts-1-hd scripted-model-1 google/gemma-2-27b-it
      nvidia/llama-3.1-nemotron-70b-instruct microsoft/Phi-3-mini-4k-instruct
      ibm/granite-13b-chat-v2 replicate/meta/meta-llama-3-70b-instruct
      /models/llama.gguf C:\\models\\llama.gguf lora:base=llama,adapter=1
      /mnt/models/Meta-Llama-3-8B-Instruct.Q4_0.gguf
      databricks-dbrx-instruct 01-ai/Yi-1.5-34B-Chat THUDM/glm-4-9b-chat
    `),
    ],
  },
  {
    shape: "name",
    texts: [
      ..."Helper|Café Helper 2|Support desk|Math Tutor|Fiction Writer|Ассистент|研究助手|Köhler & Söhne Bot|Agent (beta)".split(
        "|",
      ),
      ..."Dr. Watson|O'Brien's helper|R2-D2|planner/critic|Order Agent v2.1|Basic Conversation|Bearer of News".split(
        "|",
      ),
      ..."Token counter|Secret Santa planner|Password reset helper|API key rotation agent|agent:triage|Data + AI".split(
        "|",
      ),
      ...words(`
        search get_weather getWeather GetWeather get-weather functions.search
        mcp__server__tool mcp__github__create_issue lookup_weather web.search
        code_interpreter file_search db:query kb/search tools/search@v2 @acme/search
        SQLDatabaseToolkit sql_db_query wikipedia-api duckduckgo_results_json token_usage
        read_secret_metadata send_email email.send list_urls resolve-url ip_lookup
        validate_iban check_card_status reset_password computer_20250124
        text_editor_20250728 bash_20250124 str_replace_based_edit_tool
      `),
    ],
  },
  {
    shape: "label",
    texts: words(`
      stop length tool_calls tool-calls content_filter end_turn max_tokens stop_sequence
      STOP MAX_TOKENS SAFETY openai anthropic aws.bedrock gcp.vertex_ai gcp.gemini
      azure.ai.openai azure.ai.inference x_ai mistral_ai scripted.chat openai.responses
      amazon-bedrock google.vertex.chat ibm.watsonx.ai perplexity groq deepseek
      moonshot_ai java.lang.IllegalStateException java.net.SocketTimeoutException
      System.Net.Http.HttpRequestException APIConnectionError AI_APICallError ECONNREFUSED
      ETIMEDOUT ERR_INVALID_ARG_TYPE 429 500 503 _OTHER timeout
      urllib3.exceptions.ReadTimeoutError openai.RateLimitError
      botocore.errorfactory.ThrottlingException std::io::Error *url.Error
      context.deadlineExceededError Outer$Inner UnknownError rate_limit_exceeded chat
      generate_content text_completion embeddings invoke_agent execute_tool search_memory
      agent_step matched ready stored_text product_page order support/article faq:returns
      authoritative_current_source insufficient_similarity ttl_expired non_deterministic
      policy:no-cache password_missing token:expired auth:failed secret:missing
      api_key_missing password:expired token_limit token_budget_exceeded_2024
      invalid_api_key chat_response content_ingestion resolved unresolved helpful
      thumbs_up not-helpful tone language home_city clicks conversion_rate latency_p95
      sk-learn sk_mode rk4-solver pub-sub key-value secret-santa SG-1 AC-DC dapi
    `),
  },
  {
    shape: "version",
    texts: words(`
      1 2 v1 v1.2 1.2.3 0.1.0-alpha.1 1.0.0-beta+exp.sha.5114f85 2026-11-21 20241022 rev-7
      r7 7.0.173 5.11.1 9fceb02d0ae598e95dc970b74767f19372d61af8 9fceb02 W-7
      2026-11-21T12:00:00Z 2026.11.21 ^1.2.0 ~1.2 1.x 8.0.0.0 4.0.30319.0 10.0.0.0
      etag-9f3a 550e8400-e29b-41d4-a716-446655440000 latest main release/1.2 k8s-1.30.2
    `),
  },
  {
    shape: "host",
    texts: words(`
      api.openai.com api.anthropic.com localhost my-svc.ns.svc.cluster.local
      bedrock-runtime.us-east-1.amazonaws.com acme.openai.azure.com
      generativelanguage.googleapis.com ollama host.docker.internal db_1 node-7 x.ai
    `),
  },
  {
    shape: "time",
    texts: words(`2026-11-21T12:00:00Z 2026-11-21T12:00:00.123456789Z 2026-11-21T12:00:00.5+00:00`),
  },
];

/** Random ids of the common forms, drawn anew for each call. */
export const randomIds: { readonly [form: string]: (draw: Draw) => string } = {
  uuid: (draw) =>
    [
      draw("hex", 8),
      draw("hex", 4),
      `4${draw("hex", 3)}`,
      `a${draw("hex", 3)}`,
      draw("hex", 12),
    ].join("-"),
  ulid: (draw) => `01${draw("crockford", 24)}`,
  nanoid: (draw) => draw("url", 21).replace(/^-/, "n"),
  cuid: (draw) => `c${draw("lowerAlnum", 24)}`,
  cuid2: (draw) => draw("lower", 1) + draw("lowerAlnum", 23),
  ksuid: (draw) => `2${draw("alnum", 26)}`,
  snowflake: (draw) => `1${draw("digits", 18)}`,
  discordSnowflake: (draw) => `17${draw("digits", 16)}`,
  microseconds: (draw) => `17${draw("digits", 14)}`,
  nanoseconds: (draw) => `17${draw("digits", 17)}`,
  objectId: (draw) => `6${draw("hex", 23)}`,
  traceId: (draw) => draw("hex", 32),
  spanId: (draw) => draw("hex", 16),
  commit: (draw) => draw("hex", 40),
  sha256: (draw) => draw("hex", 64),
  base62: (draw) => draw("alnum", 22),
  base64url: (draw) => `r${draw("url", 31)}`,
  sequence: (draw) => draw("digits", 9),
  thread: (draw) => `thread_${draw("alnum", 24)}`,
  assistant: (draw) => `asst_${draw("alnum", 24)}`,
  run: (draw) => `run_${draw("alnum", 24)}`,
  message: (draw) => `msg_01${draw("alnum", 22)}`,
  toolUse: (draw) => `toolu_01${draw("alnum", 22)}`,
  toolCall: (draw) => `call_${draw("alnum", 24)}`,
  completion: (draw) => `chatcmpl-${draw("alnum", 29)}`,
  response: (draw) => `resp_${draw("hex", 48)}`,
  request: (draw) => `req_011C${draw("alnum", 20)}`,
  file: (draw) => `file-${draw("alnum", 24)}`,
  generation: (draw) => `gen-17${draw("digits", 8)}-${draw("alnum", 20)}`,
  stripeObject: (draw) => `pi_3${draw("alnum", 23)}`,
  pod: (draw) => `web-${draw("lowerAlnum", 10)}-${draw("lowerAlnum", 5)}`,
  instance: (draw) => `i-0${draw("hex", 16)}`,
  compound: (draw) => `acme:${draw("lowerAlnum", 8)}:${draw("hex", 12)}`,
  path: (draw) => `kb/${draw("lower", 7)}/${draw("digits", 6)}`,
  fingerprint: (draw) => `k1_${draw("lower", 26)}`,
};
