import { setTimeout as rest } from 'node:timers/promises'
import type { Asked } from '../../operations/support/every-request.ts'

/** Clients that call a market continuously. Every unexpected response is a failure. */
export interface SteadyLoad {
  done: Record<string, number>
  failures: string[]
  /** Waits until each client has completed its iteration. */
  stop(): Promise<void>
}

/** Selects GET requests that return 200, except live events. */
export async function goodReads(url: string, requests: readonly Asked[]): Promise<Asked[]> {
  const reads: Asked[] = []
  for (const each of requests.filter(({ method, path }) => method === 'GET' && !path.endsWith('/events')))
    if ((await fetch(`${url}${each.path}`, { headers: each.headers })).status === 200) reads.push(each)
  return reads
}

/** Pauses in milliseconds between reads and between iterations, to leave CPU time for starting processes. */
const PAUSE_MILLISECONDS = { reads: 40, work: 200 }

/** Starts four readers, and one client per entry of `work`. An iteration that returns `idle` is not counted. */
export function startLoad(
  url: string,
  reads: readonly Asked[],
  work: readonly { kind: string; turn(): Promise<unknown> }[],
): SteadyLoad {
  let isRunning = true
  const load: SteadyLoad = { done: { reads: 0 }, failures: [], stop }
  const readers = Array.from({ length: 4 }, async (_, k) => {
    for (let n = k; isRunning; n++) {
      const { path, headers } = reads[n % reads.length]!
      const failure = await read(`${url}${path}`, headers)
      if (failure === null) load.done.reads!++
      else load.failures.push(`${new Date().toISOString()} ${path}: ${failure}`)
      await rest(PAUSE_MILLISECONDS.reads)
    }
  })
  const workers = work.map(async ({ kind, turn }) => {
    load.done[kind] ??= 0
    while (isRunning)
      try {
        if ((await turn()) !== 'idle') load.done[kind]!++
      } catch (error) {
        load.failures.push(`${new Date().toISOString()} ${kind}: ${error}: ${(error as Error).cause}`)
      } finally {
        await rest(PAUSE_MILLISECONDS.work)
      }
  })
  return load

  async function stop() {
    isRunning = false
    await Promise.all([...readers, ...workers])
  }
}

/** Returns null for a 200, otherwise a description of the failure. */
async function read(url: string, headers: Record<string, string>): Promise<string | null> {
  try {
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(30_000) })
    const text = await answer.text()
    return answer.status === 200 ? null : `${answer.status} ${text.slice(0, 200)}`
  } catch (error) {
    return `${error}: ${(error as Error).cause}`
  }
}
