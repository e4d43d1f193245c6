import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** An HTTP anchor as small as one can be: keeps each line that is posted, and answers 204. Fails while `broken`. */
export async function openHeadEndpoint() {
  const kept: string[] = [];
  const endpoint = { kept, broken: false, url: "", close: () => {} };
  const server = createServer(async (request, answer) => {
    const body = await text(request);
    if (request.method !== "POST" || endpoint.broken) answer.writeHead(503).end("not now");
    else {
      kept.push(body.trim());
      answer.writeHead(204).end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  endpoint.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/heads`;
  endpoint.close = () => server.close();
  return endpoint;
}
