const at = ({ name }) => name === "root/none" || name === "user/none";

export const checks = [
  { finding: 18, name: "login names of another tenant", at, prove: names },
  { finding: 18, name: "ledger numbers while another tenant pays", at, prove: numbers },
];

async function withTenants({ place, openServer }, act) {
  const server = await openServer({ place });
  try {
    const admins = {};
    for (const tenant of ["lab", "mill"]) {
      await server.tess("account", "create", tenant);
      admins[tenant] = await server.person(`${tenant}-admin`, "tenant-admin", tenant);
    }
    return await act(server, admins);
  } finally {
    await server.close();
  }
}

function names(around) {
  return withTenants(around, async (server, admins) => {
    const make = (tenant, name) =>
      server.api("POST", "/v1/users", { name, role: "member", account: tenant }, admins[tenant]);
    const answers = [await make("lab", "bob"), await make("mill", "bob"), await make("mill", "nobody-has-this")];
    const alike = answers.every(({ status }) => status === 201);
    const told = answers.map(({ status, json }) => `${status} ${json.name ?? json.detail}`);
    return { held: alike, seen: told.join(", ") };
  });
}

function numbers(around) {
  return withTenants(around, async (server, admins) => {
    const pay = (tenant) =>
      server.tess("ledger", "post", tenant, "--kind", "payment", "--amount", "10", "--memo", "paid");
    await pay("mill");
    for (let i = 0; i < 7; i++) await pay("lab");
    await pay("mill");
    const { json } = await server.api("GET", "/v1/ledger", undefined, admins.mill);
    const seen = json.items.map(({ no }) => no);
    return {
      held: seen.join() === "2,1",
      seen: `mill sees entries ${seen.join(" and ")} while lab made 7 between them`,
    };
  });
}
