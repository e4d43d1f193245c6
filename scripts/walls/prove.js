/** Runs every check at every place that it asks for. A finding is held when all its checks are. */
export async function prove({ places, checks, openServer, say }) {
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
  const numbers = [...new Set(results.map(({ finding }) => finding))];
  const findings = numbers.map((finding) => {
    const own = results.filter((result) => result.finding === finding);
    return { finding, held: own.every((result) => result.held), checks: own.length };
  });
  return { findings, results };
}

/** An attack that broke down proves nothing, so it counts as broken. */
async function tried(check, around) {
  try {
    return await check.prove(around);
  } catch (error) {
    return { held: false, seen: `the check itself failed: ${error.message.split("\n")[0]}` };
  }
}
