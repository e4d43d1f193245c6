import assert from "node:assert/strict";
import { it } from "node:test";
import { planGroups } from "./groups.ts";
import { type Hierarchy, parseMounts } from "./hierarchies.ts";

const limits = { cpusMilli: 1_500, memoryMiB: 256, processesMax: 40, runMsMax: 0 };
const version2: Hierarchy = {
  version: 2,
  mount: "/sys/fs/cgroup",
  top: "/groups/tessera",
  folder: "/groups/tessera",
  controllers: ["cpu", "memory", "pids"],
  killFile: true,
};
const version1 = (...controllers: string[]): Hierarchy => ({
  version: 1,
  mount: "/sys/fs/cgroup",
  top: `/groups/${controllers.join(",")}/tessera`,
  folder: `/groups/${controllers.join(",")}/tessera`,
  controllers,
  killFile: false,
});

it("sets all limits in one group where version 2 carries them", () => {
  assert.deepEqual(planGroups([version2], "x", limits, []), [
    {
      folder: "/groups/tessera/x",
      settings: [
        { file: "memory.max", value: "268435456" },
        { file: "memory.swap.max", value: "0", optional: true },
        { file: "memory.oom.group", value: "1", optional: true },
        { file: "cpu.max", value: "150000 100000" },
        { file: "pids.max", value: "40" },
      ],
      limits: ["memory", "cpu", "processes"],
      ends: "kill-file",
      oomFile: "memory.events",
    },
  ]);
});

it("takes a group of version 1 for each controller that carries a limit or a share of all jobs", () => {
  const old = [
    version1("memory"),
    version1("cpu", "cpuacct"),
    version1("pids"),
    version1("devices"),
    version1("freezer"),
  ];
  const groups = planGroups(old, "x", { ...limits, processesMax: 0 }, [{ major: 195, minor: 1 }]);
  assert.deepEqual(
    groups.map(({ limits: held, settings, ends }) => ({
      held,
      ends,
      settings: settings.map(({ file, value }) => `${file}=${value}`),
    })),
    [
      { held: ["memory"], ends: "no", settings: ["memory.limit_in_bytes=268435456"] },
      { held: ["cpu"], ends: "no", settings: ["cpu.cfs_period_us=100000", "cpu.cfs_quota_us=150000"] },
      { held: [], ends: "no", settings: [] },
      { held: ["gpu"], ends: "no", settings: ["devices.deny=c 195:1 rwm"] },
      { held: [], ends: "freezer", settings: [] },
    ],
  );
});

it("still ends a tree at once where a hierarchy without controllers is all there is", () => {
  const [only, ...others] = planGroups([{ ...version2, controllers: [] }], "x", limits, []);
  assert.deepEqual([only?.limits, only?.ends, others], [[], "kill-file", []]);
});

it("finds control groups among the mounts", () => {
  const table = [
    "30 23 0:26 / /sys/fs/cgroup/unified rw,relatime shared:5 - cgroup2 cgroup2 rw",
    "31 23 0:27 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:6 - cgroup cgroup rw,cpu,cpuacct",
    "32 23 0:28 / /proc rw - proc proc rw",
    "",
  ].join("\n");
  assert.deepEqual(parseMounts(table), [
    { version: 2, path: "/sys/fs/cgroup/unified", options: ["rw"] },
    { version: 1, path: "/sys/fs/cgroup/cpu,cpuacct", options: ["rw", "cpu", "cpuacct"] },
  ]);
});
