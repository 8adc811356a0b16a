import { setTimeout as rest } from 'node:timers/promises'
import type { Asked } from '../../operations/support/every-request.ts'

/** Clients of a market that never rest. A failed request is any that has another answer than that of a good one. */
export interface SteadyLoad {
  /** The times that each kind of work was done. */
  done: Record<string, number>
  failures: string[]
  /** Waits until each client has ended its turn. */
  stop(): Promise<void>
}

/** The reads among requests that answer 200. Live events are none: they are answers without end. */
export async function goodReads(url: string, requests: readonly Asked[]): Promise<Asked[]> {
  const reads: Asked[] = []
  for (const each of requests.filter(({ method, path }) => method === 'GET' && !path.endsWith('/events')))
    if ((await fetch(`${url}${each.path}`, { headers: each.headers })).status === 200) reads.push(each)
  return reads
}

/** Between two reads, and between two turns of other work: processes that start need the machine as well. */
const PAUSE_MILLISECONDS = { reads: 40, work: 200 }

/** Four clients that read, and one for each of `work`; a turn that had nothing to do says `idle`. */
export function startLoad(
  url: string,
  reads: readonly Asked[],
  work: readonly { kind: string; turn(): Promise<unknown> }[],
): SteadyLoad {
  let goesOn = true
  const load: SteadyLoad = { done: { reads: 0 }, failures: [], stop }
  const readers = Array.from({ length: 4 }, async (_, k) => {
    for (let n = k; goesOn; n++) {
      const { path, headers } = reads[n % reads.length]!
      const failure = await read(`${url}${path}`, headers)
      if (failure === null) load.done.reads!++
      else load.failures.push(`${new Date().toISOString()} ${path}: ${failure}`)
      await rest(PAUSE_MILLISECONDS.reads)
    }
  })
  const workers = work.map(async ({ kind, turn }) => {
    load.done[kind] ??= 0
    while (goesOn)
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
    goesOn = false
    await Promise.all([...readers, ...workers])
  }
}

/** Null where it answers 200, else what happened. */
async function read(url: string, headers: Record<string, string>): Promise<string | null> {
  try {
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(30_000) })
    const text = await answer.text()
    return answer.status === 200 ? null : `${answer.status} ${text.slice(0, 200)}`
  } catch (error) {
    return `${error}: ${(error as Error).cause}`
  }
}
