import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { readNodes } from "../openb/read.ts";
import { traceCommand } from "./command.ts";
import { readTable, Table } from "./csv.ts";
import { formats } from "./formats.ts";

const shared = fileURLToPath(new URL("../../../../../shared/traces/", import.meta.url));

async function told(path: string): Promise<Record<string, number | string>> {
  const lines: string[] = [];
  const out = (line: string) => lines.push(line);
  await traceCommand.run([path, "-o", "json"], { out, err: out, paint: (_, text) => text });
  return JSON.parse(lines[0]!);
}

/** What their READMEs say of the files. */
const files = {
  "acme-summary/cluster_summary.csv": { format: "acme summary", clusters: 5 },
  "alibaba-dlrm-2025/dlrm_even_apps.csv.gz": { format: "dlrm instances", instances: 13_624, apps: 78, created: 9098 },
  "alibaba-openb/openb_node_list_all_node.csv": { format: "openb nodes", nodes: 1523, gpus: 6212, cpus: 125_514 },
  "alibaba-openb/openb_pod_list_default.csv": { format: "openb tasks", tasks: 8152, "several GPUs": 75 },
  "alibaba-openb/openb_pod_list_multigpu50.csv": { format: "openb tasks", tasks: 9061 },
  "alibaba-spot-2026/node_info_df.csv": { format: "spot inventory", nodes: 4278, gpus: 10_412 },
  "gavel-throughputs/isolated_throughputs.csv": { format: "gavel throughputs", measured: 492 },
  "gavel-throughputs/pair_throughputs.csv.gz": { format: "gavel pairs", measured: 10_338 },
  "helios-earth-vc/earth_gpu_number_daily.csv": { format: "helios quotas", tenants: 25 },
  "helios-earth-vc/earth_vc_may2020_10min.csv.gz": { format: "helios demand", tenants: 16, "running part": 0.667 },
  "microsoft-itp/cluster10.csv": { format: "itp jobs", jobs: 260, "GPU-hours": 4023 },
  "microsoft-philly/philly_2017_sep_oct.csv.gz": { format: "philly jobs", jobs: 52_849 },
  "muri-philly/trace3.csv": { format: "muri jobs", jobs: 992 },
} as const;

describe("trace files", { skip: !existsSync(shared) && "../shared is not there" }, () => {
  for (const [path, expected] of Object.entries(files)) {
    it(`reads ${path} as its README describes it`, async () => {
      const figures = await told(join(shared, path));
      for (const [name, value] of Object.entries(expected)) assert.equal(figures[name], value, name);
    });
  }
});

/** A good row of each kind, and one column with a value that it cannot have. */
const rows: Record<string, { header: string; row: string; column: string; value: string }> = {
  "openb nodes": { header: "sn,cpu_milli,memory_mib,gpu,model", row: "n,1000,10,8,T4", column: "gpu", value: "some" },
  "openb tasks": {
    ...{ header: "name,cpu_milli,memory_mib,num_gpu,gpu_milli", row: "a,1,1,1,500" },
    ...{ column: "gpu_milli", value: "1001" },
  },
  "spot inventory": {
    ...{ header: "gpu_model,gpu_capacity_num,cpu_num,node_name", row: "A10,1,8,0" },
    ...{ column: "gpu_capacity_num", value: "1.5" },
  },
  "muri jobs": {
    ...{ header: "job_id,num_gpu,submit_time,iterations,iteration_time", row: "0,1,0,10,100" },
    ...{ column: "num_gpu", value: "0" },
  },
  "itp jobs": {
    ...{ header: "job_id,submission_time,duration,num_gpu", row: "a,0,5,1" },
    ...{ column: "duration", value: "-5" },
  },
  "philly jobs": {
    ...{ header: "timestamp,duration,num_gpus,gpu_time,cluster", row: "2017-10-01 00:00:00,5,1,5,a" },
    ...{ column: "timestamp", value: "yesterday" },
  },
  "helios demand": {
    header: "vc,time,total_gpu_num,running_gpu_num,pending_gpu_num,idle_gpu_num",
    ...{ row: "a,2020-05-01 00:00:00,8,4,1,4", column: "idle_gpu_num", value: "" },
  },
  "helios quotas": { header: "date,a,b,total", row: "2020-04-01,8,8,16", column: "total", value: "17" },
  "dlrm instances": {
    header:
      "instance_sn,role,app_name,cpu_request,gpu_request,rdma_request,memory_request,disk_request,max_instance_per_node,creation_time,deletion_time",
    ...{ row: "i,HN,a,12,1,25,120,640,-1,,", column: "max_instance_per_node", value: "0" },
  },
  "gavel throughputs": {
    ...{ header: "gpu_type,job_type,scale_factor,steps_per_s", row: 'k80,"A, B",1,4.5' },
    ...{ column: "steps_per_s", value: "fast" },
  },
  "gavel pairs": {
    header: "gpu_type,job_a,scale_a,job_b,scale_b,steps_per_s_a,steps_per_s_b",
    ...{ row: "k80,a,1,b,1,0,0", column: "scale_b", value: "x" },
  },
  "acme summary": {
    header: "id,gpu_job_num,avg_run_time_gpu,avg_que_time_gpu,avg_gpu_num,med_run_time_gpu,med_que_time_gpu,max_gpu",
    ...{ row: "A,5,1,1,1,1,1,8", column: "max_gpu", value: "many" },
  },
};

describe("a row that cannot be read", () => {
  const folder = mkdtempSync(join(tmpdir(), "trace-"));
  after(() => rmSync(folder, { recursive: true }));
  const fileOf = (...lines: string[]) => {
    const path = join(folder, "trace.csv");
    writeFileSync(path, `${lines.join("\n")}\n`);
    return path;
  };

  for (const { name } of formats) {
    it(`is named with file, line, column and value in ${name}`, async () => {
      const { header, row, column, value } = rows[name]!;
      assert.equal((await told(fileOf(header, row))).format, name);
      const cells = new Table("", `${header}\n${row}`).rows[0]!.map((cell, at) =>
        header.split(",")[at] === column ? value : cell.includes(",") ? `"${cell}"` : cell,
      );
      const path = fileOf(header, row, "", cells.join());
      await assert.rejects(told(path), (error: Error) => {
        assert.ok(error.message.startsWith(`${path}:4: ${column} is "${value}"; write `), error.message);
        return true;
      });
    });
  }

  it("is told by its width, and a file of unknown columns by what is known", async () => {
    assert.throws(() => readTable(fileOf("a,b", "1,2", "3")), /trace\.csv:3: has 1 columns; the header has 2/);
    await assert.rejects(told(fileOf("colour", "red")), /its columns are colour; known are: openb nodes/);
  });

  it("a node list without memory has plenty of it", () => {
    const { header, row } = rows["spot inventory"]!;
    const nodes = readNodes(fileOf(header, row));
    assert.deepEqual([nodes.names, nodes.cpuMilli, nodes.memoryMiB], [["0"], [8000], [Number.POSITIVE_INFINITY]]);
  });
});
