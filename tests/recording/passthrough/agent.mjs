// A small agent without any package: asks a model over HTTP, carries out its tool calls, and uses the episode's memory.
const base = process.env.OPENAI_BASE_URL;
const memory = process.env.MEMUSE_URL;

async function post(url, body) {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${process.env.OPENAI_API_KEY}` },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer;
}

// Streams a chat completion and puts its pieces together.
async function chat(messages, tools) {
  const answer = await post(`${base}/chat/completions`, {
    model: "rule-model", messages, tools, stream: true, stream_options: { include_usage: true },
  });
  const said = { role: "assistant", content: "", tool_calls: [] };
  let rest = "";
  const decoder = new TextDecoder();
  for await (const piece of answer.body) {
    rest += decoder.decode(piece, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (!line.startsWith("data: ") || line === "data: [DONE]") continue;
      const delta = JSON.parse(line.slice(6)).choices?.[0]?.delta ?? {};
      said.content += delta.content ?? "";
      for (const part of delta.tool_calls ?? []) {
        const call = (said.tool_calls[part.index] ??= { id: part.id, type: "function", function: { name: "", arguments: "" } });
        call.function.name += part.function?.name ?? "";
        call.function.arguments += part.function?.arguments ?? "";
      }
    }
  }
  if (said.tool_calls.length === 0) delete said.tool_calls;
  return said;
}

const recalled = (await (await post(`${memory}/recall`, {})).json()).text;
const { tool } = await (await fetch(`${memory}/tool`)).json();
const messages = [
  { role: "system", content: `You are an agent.\n${recalled}` },
  { role: "user", content: process.argv[2] },
];
for (let turn = 0; turn < 10; turn += 1) {
  const said = await chat(messages, [{ type: "function", function: tool }]);
  messages.push(said);
  if (!said.tool_calls) break;
  for (const call of said.tool_calls) {
    const result = await (
      await post(`${memory}/tool`, { arguments: call.function.arguments, tool_call_id: call.id })
    ).json();
    messages.push({ role: "tool", tool_call_id: call.id, content: result.text });
  }
}
