import { routes } from "../../../packages/wire/dist/index.js";

/** Actions that need no role: whoever is signed in may do them. */
const forEveryone = new Set(["node.read", "policy.read", "price.read", "self.read", "session.write"]);

/**
 * Asks every route once. Answers the routes that did not refuse: a caller whose token, user or session is gone is
 * unauthenticated everywhere; one without roles may still see what everyone sees, and what is their own.
 */
export async function askEveryRoute({ url, headers, job, user }, { lostRole }) {
  const answered = [];
  let asked = 0;
  for (const [id, route] of Object.entries(routes)) {
    if (id === "signIn" || id === "beginSignIn" || id === "beginLogin" || id === "takeLogin" || id === "readSession")
      continue; // for people who are not signed in
    if (lostRole && (forEveryone.has(route.action) || route.resource === "self" || route.resource === "user")) continue;
    const path = route.path.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(params(name, { job, user })));
    const answer = await fetch(`${url}${path}${id === "readFile" ? "?path=large" : ""}`, {
      method: route.method,
      headers: { ...headers, ...(route.body !== undefined && { "content-type": "application/json" }) },
      ...(route.body !== undefined && { body: "{}" }),
    });
    await answer.body?.cancel();
    asked++;
    const refused = lostRole ? [400, 403, 404, 422] : [401];
    if (!refused.includes(answer.status)) answered.push(`${id} ${answer.status}`);
  }
  return { asked, answered };
}

function params(name, { job, user }) {
  return { job, account: "local", user, node: "virtual-0", binding: `${user}:member:local` }[name] ?? "none";
}
