/**
 * The states of the market's coins, and every move between them. A state follows from the columns of market_coins (a
 * generated column), a trigger refuses every move that is not here, and docs/reference/market-coins.md prints this table.
 */
export const COIN_STATES = {
  immature: 'An output of a coinbase with less than 100 confirmations: no transaction can spend it yet.',
  free: 'In a block, and for any use. A preflight names free coins and holds none of them.',
  held: 'An order rests on it: a live listing or counter (anchor, recovery coin), a written settlement (tail, pads).',
  retired:
    'The order ended, but signatures over the coin exist: it serves that order again, or the market spends it.',
  spending: "A transaction among the market's own coins spends it, and is written but not in a block.",
  spent: 'A block holds the transaction that spends it.',
  absent: 'The block that held it was undone, and something rests on it: it waits for its transaction.',
} as const
export type CoinState = keyof typeof COIN_STATES

/** `new`: the coin appears in a block. */
export interface CoinMove {
  name: string
  from: readonly (CoinState | 'new')[]
  to: CoinState
  when: string
}

export const COIN_MOVES: readonly CoinMove[] = [
  { name: 'make', from: ['new'], to: 'free', when: "A block pays the market's script." },
  { name: 'make', from: ['new'], to: 'immature', when: "The coinbase of a block pays the market's script." },
  { name: 'mature', from: ['immature'], to: 'free', when: 'Its block has 100 confirmations.' },
  { name: 'undo', from: ['free'], to: 'immature', when: 'Blocks are undone until it has less.' },
  { name: 'hold', from: ['free'], to: 'held', when: 'A submit takes the coin that its preflight named.' },
  { name: 'take', from: ['free'], to: 'spending', when: 'A split, void, bump or reclaim needs a coin.' },
  {
    name: 'release',
    from: ['held'],
    to: 'free',
    when: 'The order is over, and nothing that could still confirm spends the coin or needs it.',
  },
  {
    name: 'retire',
    from: ['held'],
    to: 'retired',
    when: 'A listing or counter ends without a sale: its transfer is signed over the coin.',
  },
  {
    name: 'revive',
    from: ['retired'],
    to: 'held',
    when: 'The chain makes the order possible again, or the inscription is listed or countered again at the same coin.',
  },
  {
    name: 'spend',
    from: ['held', 'retired'],
    to: 'spending',
    when: 'A recovery or reclaim that an order holds the coin for is written; a void spends a retired anchor.',
  },
  {
    name: 'give up',
    from: ['spending'],
    to: 'free',
    when: 'The network refuses the transaction: the coin paid its fee.',
  },
  { name: 'give up', from: ['spending'], to: 'held', when: 'The same: an order holds the coin.' },
  { name: 'give up', from: ['spending'], to: 'retired', when: 'The same: the coin was retired.' },
  {
    name: 'confirm',
    from: ['free', 'held', 'retired', 'spending'],
    to: 'spent',
    when: 'A block spends it. Only this counts as final.',
  },
  { name: 'undo', from: ['spent'], to: 'free', when: 'That block is undone: it is what it was before.' },
  { name: 'undo', from: ['spent'], to: 'held', when: 'The same.' },
  { name: 'undo', from: ['spent'], to: 'retired', when: 'The same.' },
  { name: 'undo', from: ['spent'], to: 'spending', when: 'The same.' },
  {
    name: 'lose',
    from: ['held', 'retired', 'spending'],
    to: 'absent',
    when: 'The block that made it is undone. A free coin is forgotten.',
  },
  { name: 'return', from: ['absent'], to: 'held', when: 'Its transaction is in a block again.' },
  { name: 'return', from: ['absent'], to: 'retired', when: 'The same.' },
  { name: 'return', from: ['absent'], to: 'spending', when: 'The same.' },
]
