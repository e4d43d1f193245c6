import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BadCall, parseConfig } from "./config.ts";

describe("labels of this machine", () => {
  const labelsOf = (...labels: string[]) => {
    const config = parseConfig(
      labels.flatMap((label) => ["--label", label]),
      {},
    );
    assert.ok(config !== "help");
    return config.labels;
  };

  it("are keys and values, and a value may hold any sign", () => {
    assert.deepEqual(labelsOf(), {});
    assert.deepEqual(labelsOf("tier=gold", "example.com/rack=a=b"), { tier: "gold", "example.com/rack": "a=b" });
  });

  it("are refused with the text as it was given", () => {
    for (const label of ["tier", "=gold", "ti er=gold", `tier=${"x".repeat(300)}`])
      assert.throws(
        () => labelsOf(label),
        (error: Error) => error instanceof BadCall && error.message.startsWith("--label"),
      );
  });
});

describe("settings of telemetry", () => {
  const settingsOf = (...args: string[]) => {
    const config = parseConfig(args, {});
    assert.ok(config !== "help");
    return config.telemetry;
  };
  const hour = 3_600_000;

  it("are a size, ages and an interval", () => {
    const { everyMs, bytesMax, rawMs, minuteMs, hourMs } = settingsOf();
    assert.deepEqual([everyMs, bytesMax, rawMs], [10_000, 4 * 2 ** 30, 6 * hour]);
    assert.deepEqual([minuteMs, hourMs], [14 * 24 * hour, 400 * 24 * hour]);
    const other = settingsOf("--telemetry-size", "64", "--telemetry-keep", "1h,2d,30d", "--telemetry-every", "5");
    assert.deepEqual([other.bytesMax, other.rawMs, other.everyMs], [64 * 2 ** 20, hour, 5_000]);
  });

  it("are refused with the text as it was given", () => {
    for (const [flag, text] of [
      ["--telemetry-size", "1"],
      ["--telemetry-size", "much"],
      ["--telemetry-keep", "6h"],
      ["--telemetry-keep", "6h,14d,for ever"],
      ["--telemetry-every", "0"],
    ] as const)
      assert.throws(
        () => settingsOf(flag, text),
        (error: Error) => error instanceof BadCall && error.message.startsWith(`${flag} ${text}`),
      );
  });
});

describe("remote write", () => {
  const settingsOf = (url: string, header?: string) => {
    const env = header === undefined ? {} : { TESSERA_REMOTE_WRITE_HEADER: header };
    const config = parseConfig(["--remote-write", url], env);
    assert.ok(config !== "help");
    return config.remoteWrite;
  };

  it("has an address, and a header from the environment", () => {
    const url = "https://prometheus.example/api/v1/write";
    assert.deepEqual(settingsOf(url), { url });
    const header = { name: "Authorization", value: "Bearer s3cret" };
    assert.deepEqual(settingsOf(url, "Authorization: Bearer s3cret"), { url, header });
  });

  it("shows no secret in what it refuses", () => {
    for (const [url, header] of [
      ["https://me:s3cret@prometheus.example/", undefined],
      ["https://prometheus.example/", "s3cret"],
      ["https://prometheus.example/", "Authorization: s3cret\nHost: elsewhere"],
    ] as const)
      assert.throws(
        () => settingsOf(url, header),
        (error: Error) => error instanceof BadCall && !error.message.includes("s3cret"),
      );
    assert.throws(() => settingsOf("prometheus:9090"), /--remote-write prometheus:9090: give an address/);
  });
});
