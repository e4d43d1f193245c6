import { setTimeout } from "node:timers/promises";
import type { EngineShape } from "@tessera/wire";
import { engineState } from "@tessera/wire/engine-state";
import type { Command } from "commander";
import { readKubeconfig } from "../../engine/read-kubeconfig.ts";
import { createFlags, type EngineFlags, editFlags, lostAfterOf, settingsOf } from "../../engine/terms.ts";
import { Failure, usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import type { Api } from "../../http.ts";
import { engine, engineStyle } from "../../nouns/engine.ts";
import { emitList, emitObject } from "../../output/emit.ts";
import { numberText } from "../../output/gpus.ts";
import { confirm } from "../../prompt.ts";
import type { Session } from "../../session.ts";
import { printable } from "../../terminal.ts";
import { eachOf } from "../../verbs/each.ts";
import { addNounVerbs } from "../../verbs/noun-command.ts";

export function define(command: Command, session: Session): void {
  examples(
    command.description(
      "Shows and changes engines: what runs jobs. One fleet can have this machine and any number of clusters.",
    ),
    ["tess engine get", "tess engine create east --kubeconfig ~/.kube/config --context east"],
  );
  addNounVerbs(command, engine, session);
  addCreate(command, session);
  addEdit(command, session);
  addCordon(command, session);
  addDelete(command, session);
}

function addCreate(command: Command, session: Session): void {
  const create = command
    .command("create")
    .summary("run jobs in a cluster too")
    .description(
      "Adds a cluster to the fleet. The server tries it first; where that fails, nothing changes.\n" +
        "Only the chosen context of the kubeconfig is sent, with the files that it refers to. The server seals it.",
    )
    .argument("<name>", "as its nodes will be called: NAME/node");
  createFlags(create);
  examples(create, [
    "tess engine create east --kind kubernetes --kubeconfig east.yaml",
    "tess engine create west --kubeconfig ~/.kube/config --context west --lost-after 10m",
    "tess engine create lab --kubeconfig lab.yaml --set rackLabel=topology.example.com/rack",
  ]);
  create.action(async (name: string, flags: EngineFlags) => {
    const kind = flags.kind ?? "kubernetes";
    const { context } = create.optsWithGlobals<{ context?: string }>();
    const given = kind === "kubernetes" ? await clusterOf(session, { ...flags, context }, "needed") : {};
    const settings = { ...given.settings, ...settingsOf(flags.set, "given") };
    const api = await session.api();
    const first = await api.call("createEngine", {
      body: {
        name,
        kind,
        ...(given.kubeconfig !== undefined && { kubeconfig: given.kubeconfig }),
        ...(Object.keys(settings).length > 0 && { settings }),
        ...(flags.lostAfter !== undefined && { lostAfter: lostAfterOf(flags.lostAfter) }),
      },
    });
    const made = await settled(api, first);
    await show(session, [made], (each) => `created: ${foundText(each)}`);
    if (made.reach === "unreachable")
      await session.note(`${made.name} cannot be reached yet: ${made.error ?? "no answer"}\n  see: tess engine get`);
    else if (made.gpus === 0 && made.nodes > 0)
      await session.note(
        `${made.name} shows no GPUs: jobs that ask for GPUs do not start there.\n` +
          "  A cluster shows them by the NVIDIA device plugin or a DRA driver: docs/kubernetes.md",
      );
  });
}

function addEdit(command: Command, session: Session): void {
  const edit = command
    .command("edit")
    .summary("change settings, credentials or the deadline of an engine")
    .description("Changes what is given only. Jobs that run there are not touched.")
    .argument("<engine>", "name");
  editFlags(edit);
  examples(edit, [
    "tess engine edit east --kubeconfig renewed.yaml",
    "tess engine edit east --lost-after 30m",
    "tess engine edit east --set rackLabel=",
  ]);
  edit.action(async (name: string, flags: EngineFlags) => {
    const { context } = edit.optsWithGlobals<{ context?: string }>();
    const given = await clusterOf(session, { ...flags, context }, "optional");
    const settings = { ...given.settings, ...settingsOf(flags.set, "changed") };
    const body = {
      ...(given.kubeconfig !== undefined && { kubeconfig: given.kubeconfig }),
      ...(Object.keys(settings).length > 0 && { settings }),
      ...(flags.lostAfter !== undefined && { lostAfter: lostAfterOf(flags.lostAfter) }),
    };
    if (Object.keys(body).length === 0)
      throw usageFailure("nothing to change", "such as --lost-after 30m; see tess engine edit --help");
    await show(
      session,
      [await (await session.api()).call("editEngine", { at: { engine: name }, body })],
      () => "changed",
    );
  });
}

function addCordon(command: Command, session: Session): void {
  const cordon = command
    .command("cordon")
    .summary("start nothing new on engines; running jobs continue")
    .description("Starts nothing new on engines. Running jobs continue.")
    .argument("<engine...>", "names")
    .option("--reason <text>", "why, shown to everyone");
  examples(cordon, ["tess engine cordon east --reason 'cluster upgrade'"]);
  cordon.action((names: string[], { reason }: { reason?: string }) => {
    const body = reason === undefined ? {} : { reason };
    return each(session, names, (api, at) => api.call("cordonEngine", { at, body }));
  });

  const up = command
    .command("up")
    .summary("let engines take work again")
    .description("Lets engines take work again.")
    .argument("<engine...>", "names");
  examples(up, ["tess engine up east"]);
  up.action((names: string[]) => each(session, names, (api, at) => api.call("upEngine", { at, body: {} })));
}

function addDelete(command: Command, session: Session): void {
  const remove = command
    .command("delete")
    .summary("drain engines, and delete them when they are empty")
    .description(
      "Drains engines: nothing new starts there, and each is deleted when what runs there has ended. To end that sooner:\n" +
        "tess requeue JOB, or tess node drain ENGINE/NODE --within 1h. Until then tess engine up takes the deletion back.",
    )
    .argument("<engine...>", "names");
  examples(remove, ["tess engine delete east", "tess engine delete east --yes"]);
  remove.action(async (names: string[]) => {
    await confirm(session, `Drain ${names.join(", ")}, and delete ${names.length === 1 ? "it" : "them"} when empty?`);
    const api = await session.api();
    await eachOf(
      session,
      names,
      async (name) => {
        await api.call("deleteEngine", { at: { engine: name } });
        return { name, left: await leftOf(api, name) };
      },
      async (done) => {
        if (!session.readable) return;
        for (const { name, left } of done)
          await session.print(
            `${session.paint("bold", name)} ${left === undefined ? "deleted" : "is being drained, and is deleted when it is empty"}\n`,
          );
      },
    );
  });
}

const settleMsMax = 10_000;
const lookMs = 250;

/** The engine once its nodes are known, or after some seconds as it is then. */
async function settled(api: Api, first: EngineShape): Promise<EngineShape> {
  let last = first;
  for (let waitedMs = 0; last.reach === "connecting" && waitedMs < settleMsMax; waitedMs += lookMs) {
    await setTimeout(lookMs);
    last = await api.call("getEngine", { at: { engine: first.name } });
  }
  return last;
}

/** What is still there of an engine that is deleted. */
async function leftOf(api: Api, name: string): Promise<EngineShape | undefined> {
  try {
    return await api.call("getEngine", { at: { engine: name } });
  } catch (error) {
    if (error instanceof Failure && error.code === "not-found") return undefined;
    throw error;
  }
}

/** The credentials that the flags name, and the context that was chosen. */
async function clusterOf(
  session: Session,
  { kubeconfig, context }: EngineFlags & { readonly context?: string | undefined },
  how: "needed" | "optional",
): Promise<{ readonly kubeconfig?: string; readonly settings?: Readonly<Record<string, string>> }> {
  if (kubeconfig === undefined) {
    if (how === "needed")
      throw usageFailure("--kubeconfig is missing", "name the file that kubectl uses, such as ~/.kube/config");
    if (context !== undefined)
      throw usageFailure("--context needs --kubeconfig", "the server has no other context: give the file again");
    return {};
  }
  const flat = await readKubeconfig(session, kubeconfig, context);
  return { kubeconfig: flat.text, settings: { context: flat.context } };
}

type Act = (api: Api, at: { engine: string }) => Promise<EngineShape>;

async function each(session: Session, names: readonly string[], act: Act): Promise<void> {
  const api = await session.api();
  await eachOf(
    session,
    names,
    (name) => act(api, { engine: name }),
    (engines) =>
      show(session, engines, (one) => `is ${session.paint(engineStyle(one), engineState(one))}${reasonText(one)}`),
  );
}

function reasonText({ cordoned }: EngineShape): string {
  return cordoned === undefined || cordoned === "" ? "" : ` (${printable(cordoned)})`;
}

/** `Kubernetes v1.37.1, 2 nodes, 16 GPUs, 12 free` */
function foundText({ version, nodes, gpus, gpusFree }: EngineShape): string {
  const count = (many: number, noun: string) => `${numberText(many)} ${noun}${many === 1 ? "" : "s"}`;
  const found = [
    version,
    count(nodes, "node"),
    `${count(gpus, "GPU")}${gpus === 0 ? "" : `, ${numberText(gpusFree)} free`}`,
  ];
  return printable(found.filter((part) => part !== undefined).join(", "));
}

async function show(
  session: Session,
  engines: readonly EngineShape[],
  done: (one: EngineShape) => string,
): Promise<void> {
  const text = (one: EngineShape) => `${session.paint("bold", printable(one.name))} ${done(one)}\n`;
  if (session.readable) for (const one of engines) await session.print(text(one));
  else if (engines.length === 1) await emitObject(session, engines[0]!, engines[0]!.name, text);
  else await emitList(session, { items: engines }, engine);
}
