/** 3g, 2g and 1g leased to three tenants at once: each sees one instance and gets its memory, none opens another's. */
export const threeTenants = {
  name: "three tenants on 3g + 2g + 1g",
  async prove(lab) {
    const asks = [
      ["ada", "H200:3g.71gb", 66_000],
      ["ben", "H200:2g.35gb", 30_000],
      ["cyd", "H200:1g.18gb", 14_500],
    ];
    const ids = [];
    try {
      for (const [tenant, gpus] of asks) ids.push(await lab.submit(tenant, gpus, ["seat", "120"]));
      const seats = [];
      for (const id of ids) seats.push(await lab.said(id, "its seat", (line) => line.devices !== undefined && line));
      const devices = [];
      for (const id of ids) devices.push((await lab.job(id)).members[0].devices?.[0]);
      const tried = [];
      for (const [index, id] of ids.entries()) {
        const others = devices.filter((_, other) => other !== index);
        tried.push(...(await lab.inside(id, "try", ...others)));
      }
      const members = await Promise.all(ids.map(async (id) => (await lab.job(id)).members[0]));
      const own = seats.every(
        ({ devices, listed, openable }) => devices === 1 && listed === 1 && openable.length === 2,
      );
      const memory = seats.every(({ gotMiB }, index) => gotMiB >= asks[index][2]);
      const closed = tried.length === 6 && tried.every(({ devices }) => devices === 0);
      const uuids = new Set(devices).size === 3 && devices.every((uuid) => /^MIG-/.test(uuid ?? ""));
      return {
        passed: own && memory && closed && uuids,
        seen: {
          seats: seats.map(({ totalMiB, gotMiB, listed, openable }) => ({ totalMiB, gotMiB, listed, openable })),
          othersOpened: tried.filter(({ devices }) => devices > 0).length,
          othersTried: tried.length,
          devices,
          enforcement: members[0].enforcement,
        },
      };
    } finally {
      await lab.end(...ids);
    }
  },
};
