import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import type { Exchange, Liar, Lie } from '../exchange.ts'

const KEYS = 'GET /keys'
export const ROWS = 'GET /escrows'
/** Reads that affect what a wallet signs. */
export const READS: readonly string[] = [KEYS, ROWS]

/** Lies about the market's keys, and about escrows that a wallet withdraws without the market. */
export function* liesAboutReads({ operation, answer }: Exchange, liar: Liar): Generator<Lie> {
  if (operation === KEYS) yield* liesAboutKeys(answer, liar)
  if (operation === ROWS) yield* liesAboutRows(answer, liar)
}

const lie = (name: string, tell: (answer: any) => void): Lie => ({
  name,
  family: 'reads',
  tell: (told) => void tell(told),
})

function* liesAboutKeys(answer: any, liar: Liar): Generator<Lie> {
  const liars = bytesToHex(liar.key)
  const { cosignKey } = answer
  const keys: [string, string][] = [
    ["is the liar's", liars],
    // Opcodes in a key would become part of the leaf. Appending DROP 1 would let anyone spend it.
    ['brings opcodes', `${cosignKey}7551`],
    ["brings the liar's key and opcodes", `${liars}ba529c757575`],
    ['is short', cosignKey.slice(2)],
    ['has a prefix', `02${cosignKey}`],
    ['is on no curve', 'ff'.repeat(32)],
  ]
  for (const [what, key] of keys)
    yield lie(`cosignKey ${what}`, (told) => {
      told.cosignKey = key
    })
  yield lie("guardianKey is the liar's", (told) => {
    told.guardianKey = liars
  })
  yield lie("marketAddress is the liar's", (told) => {
    told.marketAddress = liar.address
  })
  const { ordinals, payment } = liar.victim
  for (const { address } of ordinals.address === payment.address ? [ordinals] : [ordinals, payment])
    yield lie(`marketAddress is the wallet's ${address}`, (told) => {
      told.marketAddress = address
    })
}

function* liesAboutRows(answer: any, liar: Liar): Generator<Lie> {
  for (const [i, row] of answer.escrows.entries()) {
    const change = (name: string, tell: (row: any) => void): Lie =>
      lie(`escrows.${i} ${name}`, (told) => tell(told.escrows[i]))
    for (const [how, valueSats] of [
      ['a sat more', row.valueSats + 1],
      ['a sat less', row.valueSats - 1],
      ['half', Math.floor(row.valueSats / 2)],
      ['a million times more', row.valueSats * 1_000_000],
    ] as const)
      yield change(`holds ${how}`, (told) => {
        told.valueSats = valueSats
      })
    yield change('is of the other form', (told) => {
      told.escrowForm = row.escrowForm === 'wallet' ? 'published' : 'wallet'
    })
    yield change('is another output', (told) => {
      told.vout += 1
    })
    yield change("is the liar's coin", (told) => {
      Object.assign(told, { txid: liar.coin.txid, vout: liar.coin.vout })
    })
    const [coin] = liar.victim.spareInscriptions
    if (coin)
      yield change('is a coin of the wallet that is in no escrow', (told) => {
        Object.assign(told, { txid: coin.txid, vout: coin.vout, valueSats: coin.valueSats })
      })
    yield lie(`escrows.${i} is duplicated`, (told) => void told.escrows.push(structuredClone(row)))
    yield lie(`escrows.${i} is missing`, (told) => void told.escrows.splice(i, 1))
  }
}
