import type { Figure, Health, Readiness } from '@ordbook/process/health.ts'
import type { Journal } from '@ordbook/signer/journal.ts'
import type { CertificateEnd, Holder } from '@ordbook/signer/link.ts'
import type { Pair } from './pair.ts'

const DAY_MILLISECONDS = 86_400_000

interface Needs {
  journal: Journal
  pair: Pick<Pair, 'readiness'> | null
  certificates: () => CertificateEnd[]
  /** Throws if another dependency is unavailable. */
  needed?: (() => Promise<void>) | undefined
}

/** Health of a key process, and a counter of its responses. */
export function keyHealth(
  role: Holder,
  { journal, pair, certificates, needed }: Needs,
): Health & { count: (call: string, status: number) => void } {
  const answers = new Map<string, { call: string; status: number; count: number }>()

  async function readiness(): Promise<Readiness> {
    const fault = journal.log.fault()
    if (fault) return { state: 'failed', reason: `cannot write the journal: ${fault}` }
    const state = pair ? pair.readiness() : { state: 'active', reason: null }
    // A standby needs its other dependencies only once it takes over.
    if (state.reason !== null || state.state === 'standby') return state
    const missing = await needed?.().catch((error: Error) => error.message)
    return missing ? { state: 'waiting', reason: missing } : state
  }

  const figures = (): Figure[] => [
    {
      name: 'ordbook_journal_lines',
      help: 'Lines in the journal.',
      values: [[{ role }, journal.mark().lines]],
    },
    {
      name: 'ordbook_journal_term',
      help: 'Term of the pair; 0 without a pair.',
      values: [[{ role }, journal.log.standing().term]],
    },
    {
      name: 'ordbook_key_calls_total',
      help: 'Responses to servers. 403: rejected by the policy; 503: on standby, or journal incomplete.',
      values: [...answers.values()].map(({ call, status, count }) => [
        { role, call, status: String(status) },
        count,
      ]),
    },
    {
      name: 'ordbook_certificate_days_left',
      help: 'Days until a certificate between server and keys expires.',
      values: certificates().map(({ of, endsAt }) => [
        { of },
        (endsAt.getTime() - Date.now()) / DAY_MILLISECONDS,
      ]),
    },
  ]

  return {
    role,
    readiness,
    figures,
    count(call, status) {
      const key = `${call} ${status}`
      const entry = answers.get(key)
      if (entry) entry.count += 1
      else answers.set(key, { call, status, count: 1 })
    },
  }
}
