import assert from "node:assert/strict";
import { it } from "node:test";
import { deviceName } from "./device-name.ts";

it("names a browser as its user would", () => {
  const names = [
    ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"],
    [
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/142.0 Safari/537.36 Edg/142.0",
      "Edge on Windows",
    ],
    [
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15",
      "Safari on macOS",
    ],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 CriOS/142.0 Mobile Safari/604.1",
      "Chrome on iOS",
    ],
    ["Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/142.0 Mobile Safari/537.36", "Chrome on Android"],
    ["curl/8.0", "A browser"],
  ] as const;
  for (const [agent, name] of names) assert.equal(deviceName(agent), name);
  assert.equal(deviceName(undefined), "A browser");
});
