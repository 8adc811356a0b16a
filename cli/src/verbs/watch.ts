import { events } from '@ordbook/sdk'
import { money } from '../amounts.ts'
import type { Verb } from '../verb.ts'

export const watch: Verb = {
  usage: '[SLUG...] [--count N] [--since ID]',
  summary: 'Print events of the market until interrupted',
  details: `  --count N            Stop after N events
  --since ID           Resume after the event with this id`,
  options: { count: { type: 'string' }, since: { type: 'string' } },
  async run(desk, args) {
    const maxEvents = args.count('count', 1, 1_000_000)
    const since = args.text('since')
    const abort = new AbortController()
    const stop = () => abort.abort()
    process.once('SIGINT', stop)
    process.once('SIGTERM', stop)
    let printed = 0
    for await (const event of events(desk.config.market, {
      collections: args.words,
      signal: abort.signal,
      ...(since === undefined ? {} : { since }),
    })) {
      const { priceSats, inscriptionId, state, collections } = event.data
      const fields = [
        typeof inscriptionId === 'string' ? inscriptionId : '',
        typeof state === 'string' ? state : '',
        typeof priceSats === 'number' ? money(priceSats) : '',
        Array.isArray(collections) ? collections.join(', ') : '',
      ].filter(Boolean)
      desk.out.result(event, `${event.kind} ${fields.join(' ')}`.trim())
      printed++
      if (printed === maxEvents) break
    }
    return null
  },
}
