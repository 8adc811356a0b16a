/** A node as operators run it: its relay policy decides what an attack can do with it. */
export interface Policy {
  name: string
  /** Of bitcoind, besides those of every test. */
  flags: readonly string[]
  /** Trades that `/status` must name as not traded on it. */
  notTraded: readonly string[]
}

/** The node policies under which every attack must fail. */
export const POLICIES: readonly Policy[] = [
  { name: 'the policy that the guide asks of operators', flags: [], notTraded: [] },
  { name: 'stock Knots', flags: ['-corepolicy=0'], notTraded: ['collection-offers'] },
  { name: 'a relay floor of 1.5 sat/vB', flags: ['-minrelaytxfee=0.000015'], notTraded: [] },
  {
    name: 'a mempool of 5 MB without replacements by the signal alone',
    flags: ['-maxmempool=5', '-mempoolfullrbf=0'],
    notTraded: [],
  },
]
