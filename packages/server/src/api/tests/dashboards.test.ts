import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { TelemetryRow } from "@tessera/telemetry";
import { parse } from "yaml";
import type { Reconciled } from "../../flow/activity/reconcile.ts";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { type Family, parseExposition } from "../../testing/exposition.ts";
import { telemetryOf } from "../../testing/telemetry.ts";
import { serveApi, Tenancy, type TestServer } from "../../testing/tenancy.ts";

const deploy = fileURLToPath(new URL("../../../../../deploy/", import.meta.url));

interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
    readonly gridPos: { readonly x: number; readonly w: number };
  }[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly query?: unknown }[] };
}
interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly expr: string; readonly alert?: string; readonly annotations?: object }[];
  }[];
}

const reconciled: Reconciled = {
  ...{ fromAt: 0, toAt: 3_600_000, leasedUnitMs: 21_000n, measuredUnitMs: 21_000n, busyUnitMs: 1n },
  ...{ unmeasuredUnitMs: 0n, leasedNotBusy: [], busyNotLeased: [] },
};

describe("dashboards and rules", () => {
  let server: TestServer;
  /** What each of the two addresses gives when everything is measured. */
  const families = new Map<string, Family>();

  before(async () => {
    const control = await TestControl.start(undefined, fleetOf(1, 8));
    const tenancy = new Tenancy(control);
    const terms = { kind: "simulated", lostAfterMs: 0, settings: {} } as const;
    await control.must({ kind: "engine.create", name: "far", terms });
    await tenancy.account("acme");
    const owner = await tenancy.user("owner", "platform-owner");
    const ana = await tenancy.user("ana", "member", "acme");
    const job = await tenancy.job("acme", ana.id, { name: 'odd "name"\\ of\na job'.replace("\n", " "), gpus: 2 });
    await control.run(job);
    const metrics = {
      ...{ smActive: 100, memoryUsedMiB: 1, powerMilliwatts: 1, temperatureCelsius: 1, throttleReasons: 8 },
    };
    const [lease] = [...control.state.leases.values()];
    const rows: TelemetryRow[] = [0, 1].map((n) => ({
      ...{ at: control.now(), spanMs: 0, node: "test/n1", gpu: `GPU-1-${n}`, model: "H100", share: 21_000 },
      ...{ source: "nvml", lease: lease!.id, metrics },
    }));
    server = await serveApi(control, {}, undefined, undefined, undefined, telemetryOf({ rows }), () => reconciled);
    for (const [user, address] of [
      [ana, "/metrics/tenant"],
      [owner, "/metrics"], // last: it counts the requests before it
    ] as const) {
      const { text } = await server.call(user.token, "GET", address);
      for (const [name, family] of parseExposition(text)) families.set(name, family);
    }
  });
  after(() => server.close());

  /** Series that a query names, without those that the rules record themselves. */
  const unknownIn = (expr: string): string[] => {
    const names = expr.replaceAll(/"[^"]*"/g, "").match(/\b(tessera|process)_\w+/g) ?? [];
    return names.filter((name) => {
      const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ""));
      return family === undefined || family.samples.length === 0;
    });
  };

  for (const name of ["fleet", "team", "job", "health"]) {
    it(`${name}: each panel asks only for metrics that exist and have values`, () => {
      const dashboard: Dashboard = JSON.parse(readFileSync(`${deploy}grafana/${name}.json`, "utf8"));
      assert.ok(dashboard.panels.length > 5);
      const ids = new Set(dashboard.panels.map(({ id }) => id));
      assert.equal(ids.size, dashboard.panels.length);
      const variables = new Set(dashboard.templating.list.map((variable) => variable.name));
      for (const { title, targets, gridPos } of dashboard.panels) {
        assert.ok(targets.length > 0 && gridPos.x + gridPos.w <= 24, title);
        for (const { expr } of targets) {
          assert.deepEqual(unknownIn(expr), [], `${title}: ${expr}`);
          for (const [, used] of expr.matchAll(/\$(\w+)/g))
            assert.ok(used === "__rate_interval" || variables.has(used!), `${title}: $${used}`);
        }
      }
      for (const { query } of dashboard.templating.list)
        assert.deepEqual(unknownIn(JSON.stringify(query ?? "").replaceAll('"', "")), []);
    });
  }

  it("has no other dashboards, and none has the id of another", () => {
    const files = readdirSync(`${deploy}grafana`).filter((file) => file.endsWith(".json"));
    assert.deepEqual(files.sort(), ["fleet.json", "health.json", "job.json", "team.json"]);
    const uids = files.map((file) => JSON.parse(readFileSync(`${deploy}grafana/${file}`, "utf8")).uid);
    assert.equal(new Set(uids).size, files.length);
  });

  it("rules ask only for metrics that exist, and each alert says what to do", () => {
    const { groups }: Rules = parse(readFileSync(`${deploy}prometheus/rules.yaml`, "utf8"));
    for (const { expr, alert, annotations } of groups.flatMap(({ rules }) => rules)) {
      assert.deepEqual(unknownIn(expr.replaceAll(/tessera:\w+(:\w+)?/g, "")), [], expr);
      if (alert !== undefined)
        assert.deepEqual(Object.keys(annotations ?? {}).sort(), ["description", "summary"], alert);
    }
  });
});
