import { events } from '@ordbook/sdk'
import { money } from '../amounts.ts'
import type { Verb } from '../verb.ts'

export const watch: Verb = {
  usage: '[SLUG...] [--count N] [--since ID]',
  summary: 'prints what happens at the market, as it happens, until it is interrupted',
  details: `  --count N            ends after so many events
  --since ID           Resume after the event with this id`,
  options: { count: { type: 'string' }, since: { type: 'string' } },
  async run(desk, given) {
    const most = given.count('count', 1, 1_000_000)
    const since = given.text('since')
    const stopping = new AbortController()
    const stop = () => stopping.abort()
    process.once('SIGINT', stop)
    process.once('SIGTERM', stop)
    let printed = 0
    for await (const event of events(desk.config.market, {
      collections: given.words,
      signal: stopping.signal,
      ...(since === undefined ? {} : { since }),
    })) {
      const { priceSats, inscriptionId, state, collections } = event.data
      const told = [
        typeof inscriptionId === 'string' ? inscriptionId : '',
        typeof state === 'string' ? state : '',
        typeof priceSats === 'number' ? money(priceSats) : '',
        Array.isArray(collections) ? collections.join(', ') : '',
      ].filter(Boolean)
      desk.out.result(event, `${event.kind} ${told.join(' ')}`.trim())
      printed++
      if (printed === most) break
    }
    return null
  },
}
