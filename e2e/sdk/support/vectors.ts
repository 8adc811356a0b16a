import { scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { criteriaHash } from '@ordbook/bitcoin/trade/criteria.ts'
import {
  verifyAcceptance,
  verifyBids,
  verifyFillPreflight,
  verifyListing,
  verifyOffers,
  verifyPurchase,
} from '@ordbook/sdk/verify.ts'
import { changePsbt, stepsOf } from '../../lying-market/exchange.ts'
import { bring, type Psbt } from '../../lying-market/psbt.ts'
import { freshWallet } from '../../support/market.ts'

interface Signature {
  input: number
  /** x-only for taproot, otherwise compressed. */
  publicKey: string
  sigHash: number
  sighash: string
  signature: string
}
export interface SignedStep {
  txid: string
  psbtBase64: string
  signatures: Signature[]
}
export interface Vector {
  trade: string
  operation: string
  wallet: string
  coins: Record<string, { txid: string; vout: number; valueSats: number; offset: number; scriptHex: string }>
  /** The inscriptions of `eligibleRoot`. */
  eligibleIds?: string[]
  params: any
  request: any
  response: any
  signed: SignedStep[]
}
export interface Vectors {
  network: 'regtest'
  market: { cosignKey: string; guardianKey: string; marketAddress: string }
  wallets: Record<string, Record<string, string>>
  messages: { address: string; message: string; signature: string }[]
  trades: Vector[]
  rejected: { trade: string; reason: string; response: any }[]
}

/** Trades whose preflights `verifyVector` verifies. */
export const VERIFIED = /^(list|buy|offer|bid|fill|accept(?! a\b))/

type Change = [trade: string, reason: string, change: (response: any) => void]

/** Changes the PSBT of a step, and its txid in the whole response. */
const inStep = (n: number, change: (psbt: Psbt) => void) => (response: any) =>
  changePsbt(response, stepsOf(response)[n]!.path, true, change)
const paying = (n: number, output: number, script: Uint8Array) =>
  inStep(n, ({ global }) => {
    global.unsignedTx.outputs.at(output)!.script = script
  })
const less = (n: number, output: number) =>
  inStep(n, ({ global }) => {
    global.unsignedTx.outputs.at(output)!.amount -= 1000n
  })

/** Returns changes of honest responses that a wallet must not sign, with consistent transaction ids. */
export function rejectedOf({ trades, wallets }: Vectors): Vectors['rejected'] {
  const thief = freshWallet().ordinalsScript
  const changes = [...salesOf(thief), ...bidsOf(thief)]
  const seller = trades.find(({ trade }) => trade === 'accept')!.wallet
  const script = scriptOfAddress(wallets[seller]!.paymentAddress!, 'regtest')
  const coin = { txid: 'ab'.repeat(32), vout: 0, valueSats: 90_000, script }
  changes.push([
    'accept',
    'an additional input spends a payment coin of the seller',
    inStep(0, (psbt) => bring(psbt, coin)),
  ])
  return changes.map(([trade, reason, change]) => {
    const response = structuredClone(trades.find((each) => each.trade === trade)!.response)
    change(response)
    return { trade, reason, response }
  })
}

const salesOf = (thief: Uint8Array): Change[] => [
  ['list', 'the transfer pays a script that is not the escrow', paying(0, 0, thief)],
  ['list', 'the leg pays 1,000 sats less than agreed', less(1, 0)],
  [
    'list',
    'the leg spends another leaf',
    inStep(1, ({ inputs }) => {
      const entry = inputs[0]!.tapLeafScript![0]!
      inputs[0]!.tapLeafScript = [[entry[0], Uint8Array.of(...entry[1].slice(0, 33), 0xac, 0xc0)]]
    }),
  ],
  ['list', 'the recovery returns an inscription to another script', paying(4, 0, thief)],
  [
    'list',
    'the recovery requests SINGLE|ANYONECANPAY',
    inStep(4, ({ inputs }) => {
      inputs[0]!.sighashType = 131
    }),
  ],
  ['buy', 'the change goes to another script', paying(0, 0, thief)],
  ['buy', 'an inscription goes to another script', paying(0, -2, thief)],
  [
    'buy',
    'the order of the escrow inputs is changed',
    inStep(0, ({ global, inputs }) => {
      const at = inputs.findIndex(({ tapLeafScript }) => tapLeafScript)
      for (const list of [global.unsignedTx.inputs, inputs] as unknown[][])
        [list[at], list[at + 1]] = [list[at + 1], list[at]]
    }),
  ],
  ['buy', '1,000 sats of the change go to the network fee', less(0, 0)],
  ['accept', 'the payout is 1,000 sats less', less(0, 1)],
  ['accept', 'the payout goes to another script', paying(0, 1, thief)],
  ['accept', "1,000 sats of the inscription's coin go to the network fee", less(0, 0)],
  ['fill', 'the payout is 1,000 sats less than announced', less(0, 1)],
  ['fill', 'the payout goes to another script', paying(0, 1, thief)],
  ['fill', "1,000 sats of the inscription's coin go to the network fee", less(0, 0)],
  [
    'fill',
    'the market takes 1,000 sats more than agreed, and announces it',
    (response) => {
      response.marketplaceFeeSats += 1000
      response.sellerReceiveSats -= 1000
      inStep(0, ({ global }) => {
        global.unsignedTx.outputs[1]!.amount -= 1000n
        global.unsignedTx.outputs[2]!.amount += 1000n
      })(response)
    },
  ],
]

const bidsOf = (thief: Uint8Array): Change[] => [
  ['offer', 'the inscription goes to another script', paying(0, 0, thief)],
  ['offer', 'the change goes to another script', paying(0, -1, thief)],
  ['offer', '1,000 sats of the change go to the network fee', less(0, -1)],
  ['bid', 'output 0 is not X', paying(0, 0, thief)],
  ['bid', '1,000 sats of the change go to the network fee', less(0, 1)],
  [
    'bid',
    'the criteria name another collection',
    (response) => {
      const criteria = JSON.parse(response.criteriaCanonicalJson)
      response.criteriaCanonicalJson = JSON.stringify({ ...criteria, collection: 'other' })
      response.offerCriteriaHash = criteriaHash(response.criteriaCanonicalJson)
    },
  ],
]

/** Verifies a response of a trade with the SDK. `docs/reference/signing.md` has the prices and limits that are not in requests. */
export function verifyVector(vectors: Vectors, vector: Vector, response: any): void {
  const { trade, wallet, coins, eligibleIds, params, request } = vector
  const { ordinalsAddress, paymentAddress, ordinalsPublicKey, paymentPublicKey } = vectors.wallets[wallet]!
  const owner = {
    ordinalsAddress: ordinalsAddress!,
    paymentAddress: paymentAddress!,
    ordinalsPublicKey: ordinalsPublicKey!,
    paymentPublicKey: paymentPublicKey!,
    ordinalsScript: scriptOfAddress(ordinalsAddress!, 'regtest'),
    paymentScript: scriptOfAddress(paymentAddress!, 'regtest'),
  }
  const keys = vectors.market
  const limits = { maxFeeBps: 100, maxNetworkSats: 20_000 }
  const itemsOf = (list: any[]) =>
    list.map((item) => ({ ...item, ...limits, coin: coins[item.inscriptionId]! }))
  const [sold] = Object.keys(coins)
  const sale = { inscriptionId: sold!, coin: coins[sold!]!, ...limits }
  const paying = request.spendableUtxos
  switch (trade.split(' ')[0]) {
    case 'list':
      return void verifyListing(owner, keys, itemsOf(request.items), response, request.escrowForm)
    case 'buy': {
      const items = itemsOf(request.listings).map((item, n) => ({ ...item, priceSats: [50_000, 60_000][n] }))
      return void verifyPurchase(owner, keys, { ...limits, items, coins: paying }, response)
    }
    case 'offer': {
      const items = request.inscriptionIds.map((inscriptionId: string) => ({
        inscriptionId,
        coin: coins[inscriptionId],
      }))
      const { priceSats } = request
      return void verifyOffers(owner, keys, { ...limits, items, priceSats, coins: paying }, response)
    }
    case 'accept':
      return void verifyAcceptance(owner, { ...sale, priceSats: 40_000 }, response)
    case 'bid':
      return void verifyBids(owner, keys, params.slug, { ...request, coins: paying, eligibleIds }, response)
    default:
      return void verifyFillPreflight(owner, keys, { ...sale, priceSats: 50_000, maxFeeBps: 250 }, response)
  }
}
