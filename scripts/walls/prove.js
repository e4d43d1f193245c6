/** Runs every check at every place that it asks for. A finding is held when it has checks and all of them are. */
export async function prove({ places, numbers, checks, openServer, say }) {
  const results = [];
  for (const check of checks) {
    for (const place of places.filter((candidate) => check.at(candidate))) {
      const startedAt = performance.now();
      const { held, seen } = await tried(check, { place, openServer, say });
      results.push({ finding: check.finding, name: check.name, place: place.name, held, seen });
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      const verdict = held ? "held  " : "BROKEN";
      say(
        `${verdict} ${String(check.finding).padStart(2)} ${place.name.padEnd(12)} ${check.name}: ${seen} (${seconds} s)`,
      );
    }
  }
  const findings = numbers.map((finding) => {
    const own = results.filter((result) => result.finding === finding);
    return { finding, held: own.length > 0 && own.every((result) => result.held), checks: own.length };
  });
  return { findings, results };
}

/** Runs each proof once, at the first place that has what it needs. */
export async function proveOnce({ places, proofs, names, openServer, say }) {
  const proven = {};
  for (const name of names) {
    const place = places.find(proofs[name].needs);
    if (place === undefined) {
      proven[name] = { held: false, seen: "no place here has what it needs" };
      continue;
    }
    say(`proof ${name} at ${place.name}`);
    proven[name] = await tried(proofs[name], { place, openServer, say });
    say(`${proven[name].held ? "held  " : "BROKEN"} ${name}`);
  }
  return proven;
}

/** An attack that broke down proves nothing, so it counts as broken. */
async function tried(check, around) {
  try {
    return await check.prove(around);
  } catch (error) {
    return { held: false, seen: `the check itself failed: ${error.message.split("\n")[0]}` };
  }
}
