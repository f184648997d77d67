/** @module The OpenAI client in an ES module that knows nothing of telemetry. */
import { play } from "./openai-app.mjs";

await play((work) => work());
