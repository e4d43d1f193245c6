/** A pod of one job of Tessera, which the other ways are made like. It also makes the tenant's namespace and its walls. */
export async function firstPod(api, jobs, { gpus }) {
  await jobs.submit([{ name: `sample-${gpus}`, members: 1, gpus }], () => {});
  for (;;) {
    const { items } = await api.get("/api/v1/pods?labelSelector=tessera.dev/job");
    const running = items.find(({ status }) => status.phase === "Running");
    if (running !== undefined) {
      await jobs.clear();
      return running;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
