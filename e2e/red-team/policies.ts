export interface Policy {
  name: string
  flags: readonly string[]
  /** Kinds of trades that `/status` must report as unavailable. */
  notTraded: readonly string[]
}

/** Node policies under which every attack must fail. */
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
