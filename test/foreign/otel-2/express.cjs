/** @module Express in CommonJS, with our `register` and OpenTelemetry's own HTTP instrumentation. */
//#region telemetry
const { ExpressInstrumentation } = require("@opentelemetry/instrumentation-express");
const { HttpInstrumentation } = require("@opentelemetry/instrumentation-http");
const { register } = require("@turnproof/exporter/register");
const { withTurn } = require("@turnproof/instrumentation");
const turnproof = register({ serviceName: "express" });
for (const one of [new HttpInstrumentation(), new ExpressInstrumentation()]) one.enable();
//#endregion
const express = require("express");

const { answer } = require("./desk-app.cjs");

const app = express();
app.post("/ask/:thread", async (request, response) => {
  const turn = { agentId: "desk", threadId: request.params.thread, userId: "user-ex" };
  response.json(await withTurn(turn, () => answer(request.query.prompt)));
});
app.use((_error, _request, response, _next) => response.status(502).end());
const server = app.listen(0, "127.0.0.1", async () => {
  const at = `http://127.0.0.1:${server.address().port}/ask`;
  await fetch(`${at}/thread-ex?prompt=CANARY`, { method: "POST" });
  await fetch(`${at}/thread-ex-2?prompt=CANARY+FAIL`, { method: "POST" });
  server.close();
  await turnproof.shutdown();
});
