// In the place of a model: a server on this machine that answers with given calls in turn, in the protocol that it is asked in.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Call {
  readonly name: string;
  readonly input: unknown;
}

interface Asked {
  readonly tools?: readonly unknown[];
  readonly messages?: readonly { readonly role: string; readonly content: unknown }[];
  readonly input?: readonly { readonly type: string; readonly output?: unknown }[];
}

interface Protocol {
  /** What the calls so far have come to. */
  results(asked: Asked): unknown[];
  /** The events that make the nth call, or end the turn. */
  events(call: Call | undefined, nth: number): object[];
}

const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };

const protocols: { readonly [path: string]: Protocol } = {
  "/v1/messages": {
    results: ({ messages = [] }) =>
      messages
        .flatMap(({ content }) => (Array.isArray(content) ? content : []))
        .filter(({ type }) => type === "tool_result")
        .map(({ content }) => content),
    events: (call, nth) => [
      { type: "message_start", message: { id: "m", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, usage } },
      { type: "content_block_start", index: 0, content_block: call ? { type: "tool_use", id: `t${nth}`, name: call.name, input: {} } : { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: call ? { type: "input_json_delta", partial_json: JSON.stringify(call.input) } : { type: "text_delta", text: "Done." } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: call ? "tool_use" : "end_turn" }, usage },
      { type: "message_stop" },
    ],
  },
  "/v1/responses": {
    results: ({ input = [] }) => input.filter(({ type }) => type === "custom_tool_call_output").map(({ output }) => output),
    events: (call, nth) => [
      { type: "response.created", response: { id: "r" } },
      {
        type: "response.output_item.done",
        output_index: 0,
        item: call
          ? { type: "custom_tool_call", id: `i${nth}`, call_id: `c${nth}`, ...call }
          : { type: "message", id: "i", role: "assistant", content: [{ type: "output_text", text: "Done." }] },
      },
      { type: "response.completed", response: { id: "r", usage } },
    ],
  },
  "/v1/chat/completions": {
    results: ({ messages = [] }) => messages.filter(({ role }) => role === "tool").map(({ content }) => content),
    events: (call, nth) =>
      [
        call ? { tool_calls: [{ index: 0, id: `c${nth}`, type: "function", function: { name: call.name, arguments: JSON.stringify(call.input) } }] } : { content: "Done." },
        undefined,
      ].map((delta) => ({
        id: "c", object: "chat.completion.chunk", created: 1, model: "m",
        choices: [{ index: 0, delta: delta ?? {}, finish_reason: delta ? null : call ? "tool_calls" : "stop" }],
      })),
  },
};

/** Serves while something is done, and returns what the calls have come to. */
export async function model(calls: readonly Call[], during: (url: string) => Promise<unknown>): Promise<string[]> {
  let results: unknown[] = [];
  const server = createServer(async (request, response) => {
    const protocol = protocols[new URL(request.url ?? "", "http://localhost").pathname];
    let body = "";
    for await (const piece of request) body += piece;
    if (!protocol) return void response.writeHead(404).end();
    const asked: Asked = JSON.parse(body);
    const told = protocol.results(asked);
    if (told.length > results.length) results = told;
    // Some hosts ask for a title, too, without tools; Codex says at another place which there are.
    const events = protocol.events(asked.tools?.length || asked.input ? calls[told.length] : undefined, told.length);
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of events) response.write(`${"type" in event ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  await during(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  server.close();
  return results.map((result) => (typeof result === "string" ? result : JSON.stringify(result)));
}
