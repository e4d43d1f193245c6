import { type Command, day, hour, type Instant, meaningOf, minute, type ReadonlyState, second } from "@tessera/core";
import { addressOf, type SimulatedClock, type SimulatedEngine, type SimulatedFleet } from "@tessera/engine-simulated";
import { Findings } from "@tessera/server";
import { endsProgram } from "../health/replay.ts";

export interface FaultParts {
  readonly clock: SimulatedClock;
  readonly state: ReadonlyState;
  readonly fleet: SimulatedFleet;
  readonly engine: SimulatedEngine;
  readonly ask: (command: Command) => ReturnType<ConstructorParameters<typeof Findings>[0]["control"]["ask"]>;
  readonly warn: (text: string) => void;
  readonly random: () => number;
}

interface Span {
  readonly from: Instant;
  /** By then everything is mended, as far as it is mended on this day. */
  readonly to: Instant;
}

/** Of a thousand nodes, how many are lost on a day, and how many lines about a GPU their kernels write. */
const lostOfThousand = 4;
const linesOfThousand = 10;
/** What becomes of a broken GPU is decided within a day for this part of them. */
const mended = 0.6;
const crashCode = 134;

/** What drivers say, the usual first: programs that went wrong, warnings, and GPUs that break. */
const lines: readonly (readonly [code: number, text: string])[] = [
  [31, "MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_0 faulted @ 0x7f12_00000000"],
  [13, "Graphics SM Warp Exception on (GPC 1, TPC 0, SM 0): Out Of Range Address"],
  [43, "Ch 00000010"],
  [79, "GPU has fallen off the bus."],
  [31, "MMU Fault: ENGINE CE2 HUBCLIENT_CE0 faulted @ 0x7f3e_00000000"],
  [63, "Row Remapper: New row marked for remapping, reset gpu to activate."],
  [94, "Contained: SM (0x1). RST: No, D-RST: No"],
  [45, "Ch 00000011"],
  [
    48,
    "An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 6, subpartition 0.",
  ],
  [119, "Timeout after 6s of waiting for RPC response from GPU0 GSP! Expected function 76"],
];

/** The faults of a day, in the driver's own words, through what the server does with them. */
export class Faults {
  readonly #parts: FaultParts;
  readonly #findings: Findings;
  readonly counts = { nodesLost: 0, findings: 0 };

  constructor(parts: FaultParts) {
    this.#parts = parts;
    const { clock, engine, ask, warn } = parts;
    const after = (ms: number, act: () => void) => clock.at(clock.now() + ms, act);
    this.#findings = new Findings({ control: { ask }, warn, after });
    engine.onHealth((finding) => this.#findings.take(engine.name, finding));
  }

  /** Puts them on the clock. */
  arrange({ from, to }: Span): void {
    const { fleet, random } = this.#parts;
    const names = fleet.nodes().map(({ name }) => name);
    const draw = () => names.splice(Math.floor(random() * names.length), 1)[0]!;
    const some = (ofThousand: number) => Math.max(1, Math.round((fleet.nodes().length * ofThousand) / 1_000));
    const when = () => wholeSecond(from + (0.05 + 0.7 * random()) * day);
    const [lost, told] = [some(lostOfThousand), some(linesOfThousand)];
    for (let i = 0; i < lost; i++) this.#loses(draw(), when(), to);
    for (let i = 0; i < told && names.length > 0; i++) this.#says(draw(), lines[i % lines.length]!, when(), to);
  }

  /** A node that is lost under its jobs, and comes back after some hours. */
  #loses(name: string, at: Instant, to: Instant): void {
    const { clock, fleet, engine, ask, random } = this.#parts;
    const node = `${engine.name}/${name}`;
    clock.at(at, () => {
      fleet.loseNode(name);
      this.counts.nodesLost++;
      void ask({ kind: "node.down", node, reason: "the machine does not answer" });
    });
    clock.at(Math.min(wholeSecond(at + (1 + 5 * random()) * hour), to), () => {
      fleet.returnNode(name);
      void ask({ kind: "node.register", engine: engine.name, nodes: fleet.nodes() });
      void ask({ kind: "node.up", node });
    });
  }

  /** A line of the kernel about a GPU of the node; where a repair follows, some are mended and accepted within the day. */
  #says(name: string, [code, text]: readonly [number, string], at: Instant, to: Instant): void {
    const { clock, state, fleet, engine, ask, random } = this.#parts;
    const first = fleet.nodes().findIndex((node) => node.name === name) * fleet.nodes()[0]!.gpus.length;
    const line = `NVRM: Xid (PCI:${addressOf(first + Math.floor(random() * 8))}): ${code}, pid=4101, name=python3, ${text}`;
    clock.at(at, () => {
      const finding = fleet.kernelSays(line);
      if (finding?.gpuUuid === undefined) throw new Error(`${line}: is about no GPU of the day`);
      this.counts.findings++;
      const { gpuUuid } = finding;
      if (endsProgram(meaningOf(finding).action)) clock.at(at + second, () => fleet.endPrograms(gpuUuid, crashCode));
    });
    if (random() >= mended) return;
    clock.at(Math.min(wholeSecond(at + (2 + 4 * random()) * hour), to - minute), () => {
      for (const repair of state.repairs.values())
        if (repair.node === `${engine.name}/${name}` && repair.closedAt === undefined)
          void ask({
            kind: "repair.close",
            repair: repair.no,
            reason: "GPU replaced; memory and compute checks passed",
          });
    });
  }
}

function wholeSecond(at: number): Instant {
  return Math.ceil(at / second) * second;
}
