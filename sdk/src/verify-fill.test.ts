import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { buildRevealScript } from '@ordbook/bitcoin/envelope.ts'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { criteriaHash, criteriaText, eligibleRoot, proofOf } from '@ordbook/bitcoin/trade/criteria.ts'
import { type Tx, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { expect, it } from 'vitest'
import { CheckFailed } from './errors.ts'
import type { KeptOffer } from './results.ts'
import { verifyFill } from './verify-fill.ts'

const [MAKER, OTHER, SELLER] = [0x51, 0x52, 0x53].map((opcode) => Uint8Array.of(opcode)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
]
const root = 'ee'.repeat(32)
const PRICE_SATS = 30_000
const COIN_SATS = 10_000

interface Changes {
  receiver?: Uint8Array
  /** Outputs of the seller's transaction before the fill. The fill spends the second. */
  values?: number[]
  satOffset?: number
  /** Output of the funding parent that the fill spends. */
  vout?: number
}

/** An offer, and a fill that the market proves. The coin of the inscription follows a plain coin of 5,000 sats. */
function filled({ receiver = MAKER, values = [5000, COIN_SATS], satOffset = 0, vout = 0 }: Changes = {}) {
  const transactions = new Map<string, Tx>()
  const add = (
    inputs: readonly Outpoint[],
    outputs: readonly (readonly [number, Uint8Array])[],
    witness: Uint8Array[] = [],
  ): string => {
    const tx: Tx = {
      version: 3,
      locktime: 0,
      inputs: inputs.map((input) => ({ ...input, sequence: 0, scriptSig: new Uint8Array(), witness })),
      outputs: outputs.map(([valueSats, script]) => ({ valueSats, script })),
    }
    transactions.set(txidOf(tx), tx)
    return txidOf(tx)
  }
  const coins = Array.from({ length: 3 }, () => ({ valueSats: 100_000, script: SELLER }))
  transactions.set(root, { version: 2, locktime: 0, inputs: [], outputs: coins })
  const envelope = buildRevealScript(new Uint8Array(32).fill(7), [
    { contentType: 'text/plain', body: Uint8Array.of(65) },
  ])
  const witness = [new Uint8Array(64), envelope, new Uint8Array(33).fill(0xc0)]
  const plain = add([{ txid: root, vout: 0 }], [[5000, SELLER]])
  const reveal = add([{ txid: root, vout: 1 }], [[20_000, SELLER]], witness)
  const both = [plain, reveal].map((txid) => ({ txid, vout: 0 }))
  const moved = add(
    both,
    values.map((valueSats) => [valueSats, SELLER]),
  )
  const coin = { txid: moved, vout: 1 }
  const funding = add(
    [{ txid: root, vout: 2 }],
    [PRICE_SATS, 50_000].map((sats) => [sats, MAKER] as const),
  )
  const settlementTxid = add(
    [coin, { txid: funding, vout }],
    [
      [COIN_SATS, receiver],
      [29_000, SELLER],
    ],
  )
  const inscriptionId = `${reveal}i0`
  const ids = [inscriptionId, `${'ab'.repeat(32)}i0`]
  const criteria = criteriaText('lamps', { kind: 'all' })
  const offer: KeptOffer = {
    offerCriteriaHash: criteriaHash(criteria),
    eligibleRoot: eligibleRoot(ids),
    buyerReceiveScriptHex: bytesToHex(MAKER),
    fundingParentTxid: funding,
    priceSats: PRICE_SATS,
  }
  const fill = {
    ...offer,
    settlementTxid,
    buyerReceiveScriptHex: bytesToHex(receiver),
    criteriaCanonicalJson: criteria,
    inscriptionId,
    inscriptionCoin: formatOutpoint(coin),
    satOffset,
    proof: proofOf(ids, inscriptionId)!,
  }
  const transaction = async (txid: string) => ({ tx: transactions.get(txid)!, confirmations: 1 })
  const verify = (kept: Partial<KeptOffer> = {}) => verifyFill(fill, { ...offer, ...kept }, { transaction })
  return { verify, settlementTxid }
}

it('returns the path of the sat to the maker', async () => {
  const { verify, settlementTxid } = filled()
  const path = await verify()
  expect(path).toHaveLength(3)
  expect(path.at(-1)).toBe(`${settlementTxid}:0:0`)
})

it.each<[string, Changes, Partial<KeptOffer>]>([
  ['of another offer', {}, { fundingParentTxid: root }],
  ['at another price', {}, { priceSats: PRICE_SATS - 1 }],
  ['that delivers to another script', { receiver: OTHER }, {}],
  ['that spends the change of the offer', { vout: 1 }, {}],
  ['of a coin before the inscription', { values: [2000, 3000, 20_000], satOffset: 3000 }, {}],
])('rejects a fill %s', async (_, changes, kept) => {
  await expect(filled(changes).verify(kept)).rejects.toThrow(CheckFailed)
})
