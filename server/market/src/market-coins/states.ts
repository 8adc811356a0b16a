/**
 * States of the market's coins and their moves. The database derives the state from columns of market_coins, and a trigger rejects other
 * moves. Keep the tables in docs/reference/market-coins.md in sync.
 */
export const COIN_STATES = {
  immature: 'A coinbase output with less than 100 confirmations.',
  free: 'Confirmed and available.',
  held: 'A live listing or counter (anchor, recovery coin) or a stored settlement (tail coin, pads) needs it.',
  retired:
    'The order ended, but signatures over the coin exist. The same order can use it again, or it is spent.',
  spending: 'A stored transaction of the market spends it and is not confirmed.',
  spent: 'A confirmed transaction spends it.',
  absent: 'The block that created it was undone, and an order or transaction still needs it.',
} as const
export type CoinState = keyof typeof COIN_STATES

export interface CoinMove {
  name: string
  from: readonly (CoinState | 'new')[]
  to: readonly CoinState[]
  when: string
}

export const COIN_MOVES: readonly CoinMove[] = [
  {
    name: 'make',
    from: ['new'],
    to: ['free', 'immature'],
    when: "A block pays the market's script; immature from a coinbase.",
  },
  { name: 'mature', from: ['immature'], to: ['free'], when: 'Its block has 100 confirmations.' },
  {
    name: 'undo',
    from: ['free'],
    to: ['immature'],
    when: 'A reorg leaves it with less than 100 confirmations.',
  },
  { name: 'hold', from: ['free'], to: ['held'], when: 'A submit uses the coin that its preflight named.' },
  { name: 'take', from: ['free'], to: ['spending'], when: 'A split, void, bump or reclaim uses it.' },
  {
    name: 'release',
    from: ['held'],
    to: ['free'],
    when: 'The order ended, and no transaction that could still confirm needs the coin.',
  },
  {
    name: 'retire',
    from: ['held'],
    to: ['retired'],
    when: 'A listing or counter ended without a sale; its transfer is signed.',
  },
  {
    name: 'revive',
    from: ['retired'],
    to: ['held'],
    when: 'The same coin is listed or countered again, or a reorg reopens the order.',
  },
  {
    name: 'spend',
    from: ['held', 'retired'],
    to: ['spending'],
    when: 'A recovery or reclaim of its order, or a void of a retired anchor.',
  },
  {
    name: 'give up',
    from: ['spending'],
    to: ['free', 'held', 'retired'],
    when: 'The network rejected the transaction. The coin returns to its former state.',
  },
  {
    name: 'confirm',
    from: ['free', 'held', 'retired', 'spending'],
    to: ['spent'],
    when: 'A block spends it.',
  },
  {
    name: 'undo',
    from: ['spent'],
    to: ['free', 'held', 'retired', 'spending'],
    when: 'That block is undone.',
  },
  {
    name: 'lose',
    from: ['held', 'retired', 'spending'],
    to: ['absent'],
    when: 'The block that created it is undone. A free coin is deleted.',
  },
  {
    name: 'return',
    from: ['absent'],
    to: ['held', 'retired', 'spending'],
    when: 'Its transaction is in a block again.',
  },
]
