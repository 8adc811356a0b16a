/** Maps entries with up to `most` calls at a time. Returns the results in order. */
export async function mapParallel<T, R>(
  all: readonly T[],
  most: number,
  work: (one: T, n: number) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(all.length)
  let next = 0
  const run = async () => {
    for (let n = next++; n < all.length; n = next++) results[n] = await work(all[n]!, n)
  }
  await Promise.all(Array.from({ length: Math.min(most, all.length) }, run))
  return results
}
