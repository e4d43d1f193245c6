import { basename } from "node:path";
import { quoted } from "@tessera/engine";
import type { RunSheet } from "./sheet.ts";

/** What a look from inside the job found out, before anything of the user's runs. */
export interface Looked {
  /** Why the job cannot run. */
  readonly refusal?: string;
  /** What the log should say. */
  readonly notes: readonly string[];
  /** What the environment of the job gets besides its own. */
  readonly environment: { readonly [name: string]: string };
}

export const seesAll: Looked = { notes: [], environment: {} };

/** Whether there is something of the node that only the job itself can say whether it reaches it. */
export function needsLook({ order }: RunSheet): boolean {
  return order.workdir !== undefined || order.venv !== undefined;
}

/**
 * Says what the job reaches of what it asks for. It runs as the job, with its user, its namespaces and nothing of its
 * environment, so its answer holds for the job however the machine closes jobs in.
 */
export function lookScript({ order }: RunSheet): string {
  return [
    lookFunctions,
    'echo "user $(id -u)"',
    ...(order.workdir === undefined ? [] : [`look_workdir ${quoted(order.workdir)}`]),
    ...(order.venv === undefined ? [] : [`look_venv ${quoted(order.venv.path)}`]),
  ].join("\n");
}

/** `blocked` prints the first part of a path that is not there, or that this user may not pass; links are followed. */
const lookFunctions = `blocked() {
  at= left=$1
  while [ -n "$left" ]; do
    left=\${left#/}
    name=\${left%%/*}
    case $left in */*) left=/\${left#*/} ;; *) left= ;; esac
    [ -n "$name" ] || continue
    at=$at/$name
    if [ -L "$at" ] && [ ! -e "$at" ] && [ "\${hops:=0}" -lt 20 ]; then
      hops=$((hops + 1))
      to=$(readlink "$at")
      case $to in /*) ;; *) to=\${at%/*}/$to ;; esac
      blocked "$to"
      return
    fi
    [ -e "$at" ] || { echo "missing $at"; return; }
    [ ! -d "$at" ] || [ -x "$at" ] || { echo "closed $at"; return; }
  done
}
look_workdir() {
  why=$(blocked "$1")
  if [ -n "$why" ]; then echo "workdir $why"
  elif [ ! -d "$1" ]; then echo "workdir missing $1"
  elif [ ! -w "$1" ]; then echo "workdir unwritable $1"
  fi
}
look_venv() {
  hops=0
  why=$(blocked "$1/bin/python")
  if [ -n "$why" ]; then echo "venv $why"
  elif [ ! -x "$1/bin/python" ] || [ ! -r "$1/bin/python" ]; then echo "venv unreadable $1/bin/python"
  elif [ ! -r "$1/lib" ] || [ ! -x "$1/lib" ]; then echo "venv closed $1/lib"
  elif [ -r "$1/pyvenv.cfg" ]; then echo "venv plain"
  else echo "venv conda"
  fi
}`;

/** The answer of the script as what follows from it. */
export function readLook({ order, contained, temporaryPath }: RunSheet, lines: readonly string[]): Looked {
  const said = new Map(lines.map((line) => [line.split(" ")[0]!, line.split(" ").slice(1)]));
  const user = `user ${said.get("user")?.[0] ?? "?"}`;
  const [what = "", ...words] = said.get("workdir") ?? [];
  const place = words.join(" ");
  const { workdir, inPlace, venv } = order;
  const send = inPlace
    ? "run it without --in-place: then the folder is sent"
    : "run it from the folder: then it is sent";
  const ownTmp =
    contained && temporaryPath === "/tmp" && /^\/(var\/)?tmp(\/|$)/.test(place)
      ? " (a job has temporary folders of its own)"
      : "";
  const refusals: { readonly [what: string]: string } = {
    missing: `workdir ${workdir} is not there for this job: there is no ${place}${ownTmp}; ${send}`,
    closed: `workdir ${workdir} cannot be entered by ${user}: ${place} is closed to it; chmod o+x ${place}, or ${send}`,
    ...(inPlace && {
      unwritable: `workdir ${workdir} cannot be written by ${user}, as which this job runs; setfacl -R -m u:${user.slice(5)}:rwX ${place}, or ${send}`,
    }),
  };
  const refusal = refusals[what];
  if (refusal !== undefined) return { refusal, notes: [], environment: {} };
  return venv === undefined ? seesAll : venvFound(venv, said.get("venv") ?? [], user, order.env.PATH !== undefined);
}

function venvFound(
  { path, optional }: { readonly path: string; readonly optional?: boolean },
  [what = "", ...words]: readonly string[],
  user: string,
  ownPath: boolean,
): Looked {
  if (what === "plain" || what === "conda") {
    const marks: Looked["environment"] =
      what === "plain" ? { VIRTUAL_ENV: path } : { CONDA_PREFIX: path, CONDA_DEFAULT_ENV: basename(path) };
    return { notes: [], environment: { ...marks, ...(ownPath ? {} : { PATH: `${path}/bin` }) } };
  }
  const place = words.join(" ");
  const build = "build one in setup, such as: pip install -r requirements.txt";
  const reasons: { readonly [what: string]: string } = {
    missing: `environment ${path} is not on this node (there is no ${place}); ${build}`,
    closed: `environment ${path} cannot be used by ${user}, as which this job runs: ${place} is closed to it; chmod o+x ${place}, or ${build}`,
    unreadable: `environment ${path} cannot be used by ${user}, as which this job runs: ${place} may not be read and run; chmod -R o+rX ${path}, or ${build}`,
  };
  const reason = reasons[what] ?? `environment ${path} cannot be used`;
  if (!optional) return { refusal: reason, notes: [], environment: {} };
  return { notes: [`${reason}. The job runs without it.`], environment: {} };
}
