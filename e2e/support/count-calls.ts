/** Counts the calls of a node by method while `run` runs. A batch is one call. */
export function countCalls(run: () => Promise<unknown>): Promise<Record<string, number>> {
  const calls: Record<string, number> = {}
  const { fetch } = globalThis
  globalThis.fetch = (url, init) => {
    const body = JSON.parse(String(init?.body)) as { method: string } | { method: string }[]
    const { method } = Array.isArray(body) ? body[0]! : body
    calls[method] = (calls[method] ?? 0) + 1
    return fetch(url, init)
  }
  return run()
    .then(() => calls)
    .finally(() => {
      globalThis.fetch = fetch
    })
}
