import { expect, it } from 'vitest'
import { CoinTrail } from './coin-trail.ts'
import type { CoinMove } from './sat-tree.ts'

const outpoint = (n: number) => ({ txid: n.toString(16).padStart(64, '0'), vout: 0 })
const output = { valueSats: 0, script: new Uint8Array() }
const move = (
  from: number,
  to: number,
  [fromOffset, span, toOffset]: [number, number, number],
): CoinMove => ({
  txid: outpoint(to).txid,
  transactionIndex: to,
  from: outpoint(from),
  fromOutput: output,
  fromOffset,
  span,
  to: outpoint(to),
  toOutput: output,
  toOffset,
  first: from,
})
const all = { later: () => false, part: () => true }
const rangeOf = (n: number) => Array.from({ length: n }, (_, i) => i)

it('follows sats that move together once', () => {
  const moves = rangeOf(2000).map((n) => move(n, n + 1, [0, 999, 0]))
  const trail = new CoinTrail(moves)
  const runs = trail.runsTo(
    rangeOf(1000).map((offset) => ({ outpoint: outpoint(2000), offset })),
    all,
  )
  expect(runs).toHaveLength(1000)
  expect(runs.every((run) => run?.first === moves[0] && run?.last === moves.at(-1))).toBe(true)
  expect(trail.steps).toBeLessThan(3000)
})

it('separates sats of merged outputs, and those that did not move', () => {
  const [left, right] = [move(0, 2, [5, 9, 0]), move(1, 2, [0, 0, 20])]
  const [whole, more] = [move(2, 3, [0, 20, 7]), move(9, 3, [0, 3, 40])]
  const trail = new CoinTrail([left, right, whole, more])
  const places = [0, 7, 16, 18, 27, 28, 41].map((offset) => ({ outpoint: outpoint(3), offset }))
  expect(trail.runsTo(places, all)).toEqual([
    null,
    { first: left, last: whole },
    { first: left, last: whole },
    { first: whole, last: whole },
    { first: right, last: whole },
    null,
    { first: more, last: more },
  ])
})

it('returns the moves that are part, before later ones', () => {
  const moves = rangeOf(6).map((n) => move(n, n + 1, [0, 0, 0]))
  const trail = new CoinTrail(moves)
  const between = {
    later: (each: CoinMove) => each.transactionIndex > 5,
    part: (each: CoinMove) => each.transactionIndex > 2,
  }
  expect(trail.runsTo([{ outpoint: outpoint(6), offset: 0 }], between)).toEqual([
    { first: moves[2], last: moves[4] },
  ])
  const lastOnly = { ...between, part: (_: CoinMove, last: CoinMove | null) => last === null }
  expect(trail.runsTo([{ outpoint: outpoint(6), offset: 0 }], lastOnly)).toEqual([
    { first: moves[4], last: moves[4] },
  ])
})
