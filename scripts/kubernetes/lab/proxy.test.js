import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { after, before, describe, it } from "node:test";
import { CuttingProxy } from "./proxy.js";

describe("a cutting proxy", () => {
  let [server, proxy] = [];
  before(async () => {
    server = createServer((socket) => socket.pipe(socket)).listen(0, "127.0.0.1");
    await once(server, "listening");
    proxy = await CuttingProxy.open(server.address().port);
  });
  after(async () => {
    await proxy.close();
    server.close();
  });

  const echo = async (socket, text) => {
    socket.write(text);
    return String((await once(socket, "data"))[0]);
  };

  it("passes on what comes, breaks what there is when it is cut, and goes on when it is mended", async () => {
    const first = connect(proxy.port, "127.0.0.1");
    assert.equal(await echo(first, "hello"), "hello");
    const broken = once(first, "close");
    proxy.cut();
    await broken;
    const refused = connect(proxy.port, "127.0.0.1").on("error", () => {});
    await once(refused, "close");
    proxy.mend();
    const second = connect(proxy.port, "127.0.0.1");
    assert.equal(await echo(second, "again"), "again");
    second.destroy();
  });
});
