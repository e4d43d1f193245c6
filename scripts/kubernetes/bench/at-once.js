/** Does `act` for all items, so many at once. */
export async function atOnce(count, items, act) {
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const no = next++;
      await act(items[no], no);
    }
  };
  await Promise.all(Array.from({ length: count }, worker));
}
