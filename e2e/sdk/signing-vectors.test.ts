import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { verifyMessage } from '@ordbook/bitcoin/bip322.ts'
import { bytesToHex, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { verifyEcdsa, verifySchnorr } from '@ordbook/bitcoin/keys.ts'
import { unsignedTransactionOf } from '@ordbook/bitcoin/psbt.ts'
import { p2wpkhScriptCode, segwitSighash, taprootSighash } from '@ordbook/bitcoin/sighash.ts'
import { eligibleRoot } from '@ordbook/bitcoin/trade/criteria.ts'
import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import { listInscriptionsIn } from '@ordbook/indexer/inscriptions/queries.ts'
import { acceptOffer, CheckFailed, type LocalWallet, list, offer } from '@ordbook/sdk/index.ts'
import { keysOf } from '@ordbook/sdk/keys.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Step, stepsOf, valuesOf } from '../lying-market/exchange.ts'
import { decodePsbt, idOf } from '../lying-market/psbt.ts'
import { escrowFlowsOf } from '../lying-market/support/escrow-flows.ts'
import { BY_NODE, type Flow, flowsOf } from '../lying-market/support/flows.ts'
import { freshWallet, setUpMarket, type TestTrader } from '../support/market.ts'
import { offering, selling } from '../support/offers.ts'
import {
  rejectedOf,
  type SignedStep,
  VERIFIED,
  type Vector,
  type Vectors,
  verifyVector,
} from './support/vectors.ts'

/**
 * The test vectors at /docs/signing-vectors.json. ORDBOOK_RECORD=1 records them again: the preflights of all trades on a market, signed by
 * wallets with published keys.
 */
const FILE = join(import.meta.dirname, '../../docs/reference/signing-vectors.json')

const market = setUpMarket({ ANCHOR_POOL: '160' })
const live: Vectors = {
  network: 'regtest',
  market: { cosignKey: '', guardianKey: '', marketAddress: '' },
  wallets: {},
  messages: [],
  trades: [],
  rejected: [],
}
let recorded: Vectors

beforeAll(async () => {
  const owner = await market.trader()
  live.market = await keysOf(owner)
  const { slug, ids } = await market.collection(owner.wallet, 1)
  const agreement = {
    inscriptionId: ids[0]!,
    priceSats: 50_000,
    coin: await market.coinOf(ids[0]!),
    maxFeeBps: 100,
  }
  await record({
    name: 'list in the published form',
    trader: { ...owner, escrowForm: 'published' } as TestTrader,
    attempt: (trader) => list(trader, slug, [agreement]),
  })
  for await (const flow of flowsOf(market, 'p2wpkh')) await record(flow)
  for await (const flow of escrowFlowsOf(market, 'p2wpkh')) await record(flow)
  for await (const flow of nestedFlows()) await record(flow)
  for (const kind of ['p2wpkh', 'p2sh-p2wpkh', 'p2tr'] as const) await signText(freshWallet(kind))
  live.rejected = rejectedOf(live)
  if (process.env.ORDBOOK_RECORD) writeFileSync(FILE, `${JSON.stringify(live, null, 1)}\n`)
  recorded = JSON.parse(readFileSync(FILE, 'utf8'))
}, 300_000)

/** Runs a trade and records its preflight. The wallet signs the market's PSBTs. */
async function record(flow: Flow): Promise<void> {
  Object.assign(market.server.context.config, { feeRateMinSatVb: 1 }, flow.while)
  if (flow.name === 'buy from dust') return
  if (flow.name === BY_NODE) return void (await flow.attempt(flow.trader))
  const { client, wallet } = flow.trader
  const call = client.call.bind(client)
  client.call = async (id: any, input?: any) => {
    const response: any = await call(id, input)
    if (id.startsWith('preflight'))
      await add(flow.name, id, wallet, { params: input.params ?? {}, request: input.body ?? {}, response })
    return response
  }
  await flow.attempt(flow.trader)
  client.call = call
}

async function add(
  trade: string,
  operation: string,
  wallet: LocalWallet,
  exchange: Pick<Vector, 'params' | 'request' | 'response'>,
): Promise<void> {
  const { response } = exchange
  const coins: Vector['coins'] = {}
  for (const id of await inscriptionsOf(exchange)) {
    const { txid, vout, valueSats, offset, script } = await market.coinOf(id)
    coins[id] = { txid, vout, valueSats, offset, scriptHex: bytesToHex(script) }
  }
  const signed: SignedStep[] = []
  for (const { step } of stepsOf(response)) {
    const psbtBase64 = await wallet.signPsbt(step.psbtBase64, step.inputsToSign)
    signed.push({
      txid: idOf(step.psbtBase64),
      psbtBase64,
      signatures: signaturesIn(psbtBase64),
    })
  }
  const eligibleIds = response.eligibleRoot ? await idsOf(exchange.params.slug) : undefined
  live.trades.push({
    trade,
    operation,
    wallet: nameOf(wallet),
    coins,
    ...(eligibleIds ? { eligibleIds } : {}),
    ...exchange,
    signed,
  })
}

/** Returns the inscriptions of a small collection. */
async function idsOf(slug: string): Promise<string[]> {
  const { client } = await market.trader()
  const { items } = await client.call('listCollectionInscriptions', { params: { slug } })
  return items.map(({ inscriptionId }) => inscriptionId)
}

/** Returns the inscriptions that a request and its response name, or whose coins their transactions or transfers spend. */
async function inscriptionsOf(exchange: object): Promise<Set<string>> {
  const texts = [...valuesOf(exchange)].map(({ value }) => String(value))
  const spent = stepsOf(exchange).flatMap(({ step }) => {
    const { global, inputs } = decodePsbt(step.psbtBase64)
    return [global.unsignedTx, ...inputs.flatMap(({ nonWitnessUtxo }) => nonWitnessUtxo ?? [])].flatMap(
      (tx) => tx.inputs.map(({ txid, index }) => ({ txid: bytesToHex(txid), vout: index })),
    )
  })
  const found = await listInscriptionsIn(market.sql, spent, 100)
  return new Set([
    ...texts.filter((text) => /^[0-9a-f]{64}i\d+$/.test(text)),
    ...found.map(({ inscriptionId }) => inscriptionId),
  ])
}

/** An offer that is paid from P2SH-P2WPKH, and its acceptance by a seller with other keys. */
async function* nestedFlows(): AsyncGenerator<Flow> {
  const seller = await market.trader('p2wpkh')
  const buyer = await market.trader('p2sh-p2wpkh')
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const offered = await offering(market, buyer, ids, 40_000)
  const offers: { items: { offerId: string }[] }[] = []
  yield {
    name: 'offer from P2SH-P2WPKH',
    trader: buyer,
    attempt: async (trader) => offers.push(await offer(trader, slug, offered, 24)),
  }
  const sale = await selling(market, ids[0]!, 40_000)
  yield {
    name: 'accept from P2SH-P2WPKH',
    trader: seller,
    attempt: (trader) => acceptOffer(trader, offers[0]!.items[0]!.offerId, sale),
  }
}

/** Returns the name of a wallet in the file, and adds the wallet. */
function nameOf(wallet: LocalWallet): string {
  const known = Object.entries(live.wallets).find(
    ([, { ordinalsAddress }]) => ordinalsAddress === wallet.ordinalsAddress,
  )
  if (known) return known[0]
  const name = String.fromCharCode(97 + Object.keys(live.wallets).length)
  // biome-ignore lint/complexity/useLiteralKeys: private keys of a test wallet
  const { ordinals, payment } = wallet['keys']
  const { ordinalsAddress, paymentAddress, ordinalsPublicKey, paymentPublicKey } = wallet
  live.wallets[name] = {
    ordinalsPrivateKey: bytesToHex(ordinals),
    ordinalsPublicKey,
    ordinalsOutputKey: bytesToHex(wallet.ordinalsScript.slice(2)),
    ordinalsAddress,
    paymentPrivateKey: bytesToHex(payment),
    paymentPublicKey,
    paymentAddress,
  }
  return name
}

async function signText(wallet: LocalWallet): Promise<void> {
  nameOf(wallet)
  for (const address of [wallet.ordinalsAddress, wallet.paymentAddress]) {
    const message = `market.example wants you to sign in with your Bitcoin wallet.\n\nAddress: ${address}`
    live.messages.push({ address, message, signature: await wallet.signMessage(address, message) })
  }
}

/** Returns each signature of a PSBT with the hash that it signs. */
function signaturesIn(psbtBase64: string): SignedStep['signatures'] {
  const { inputs } = decodePsbt(psbtBase64)
  const tx = unsignedTransactionOf(psbtBase64)
  const prevouts = inputs.map(({ witnessUtxo }) => ({
    valueSats: Number(witnessUtxo!.amount),
    script: witnessUtxo!.script,
  }))
  return inputs.flatMap(({ partialSig, tapKeySig, tapScriptSig, witnessUtxo }, input) => {
    const row = (publicKey: Uint8Array, signature: Uint8Array, sigHash: number, sighash: Uint8Array) => ({
      input,
      publicKey: bytesToHex(publicKey),
      sigHash,
      sighash: bytesToHex(sighash),
      signature: bytesToHex(signature),
    })
    const typeOf = (signature: Uint8Array) => (signature.length === 64 ? 0 : signature[64]!)
    if (partialSig) {
      const [[key, signature]] = partialSig as [[Uint8Array, Uint8Array]]
      const type = signature.at(-1)!
      return row(
        key,
        signature,
        type,
        segwitSighash(tx, input, p2wpkhScriptCode(key), prevouts[input]!.valueSats, type),
      )
    }
    if (tapKeySig) {
      const type = typeOf(tapKeySig)
      return row(witnessUtxo!.script.slice(2), tapKeySig, type, taprootSighash(tx, input, prevouts, type))
    }
    return (tapScriptSig ?? []).map(([{ pubKey, leafHash }, signature]) => {
      const type = typeOf(signature)
      return row(pubKey, signature, type, taprootSighash(tx, input, prevouts, type, { leafHash }))
    })
  })
}

const pathsOf = ({ trades }: Vectors) =>
  trades.map(({ trade, operation, response }) => ({
    trade,
    operation,
    steps: stepsOf(response).map(({ step }) => requestOf(step)),
  }))
const requestOf = ({ stepIndex, inputsToSign }: Step) => ({
  stepIndex,
  inputsToSign: inputsToSign.map(({ signingIndexes, sigHash, disableTweakSigner, publicKey }) => ({
    signingIndexes,
    sigHash,
    disableTweakSigner,
    publicKeyLength: publicKey?.length,
  })),
})

describe('signing vectors', () => {
  it('match the steps of the market', () => {
    expect(pathsOf(live)).toEqual(pathsOf(recorded))
    expect(recorded.trades.map(({ trade }) => trade)).toHaveLength(17)
  })

  it('have the inscriptions of every eligible set', () => {
    const bids = recorded.trades.filter(({ response }) => response.eligibleRoot)
    expect(bids.map(({ trade }) => trade)).toEqual(['bid'])
    for (const { eligibleIds, response } of bids)
      expect([eligibleRoot(eligibleIds!), eligibleIds!.length]).toEqual([
        response.eligibleRoot,
        response.eligibleCount,
      ])
  })

  it('have valid signatures of the stated hashes', () => {
    for (const { trade, response, signed, wallet } of recorded.trades) {
      const { ordinalsOutputKey, ordinalsPublicKey, paymentPublicKey } = recorded.wallets[wallet]!
      const ownKeys = [ordinalsOutputKey!, ordinalsPublicKey!.slice(2), paymentPublicKey!]
      for (const [n, { step }] of stepsOf(response).entries()) {
        const { psbtBase64, signatures, txid } = signed[n]!
        expect(signaturesIn(psbtBase64), trade).toEqual(signatures)
        expect(idOf(psbtBase64)).toBe(txid)
        expect(signatures.map(({ input }) => input)).toEqual(
          step.inputsToSign.flatMap(({ signingIndexes }) => signingIndexes).toSorted((a, b) => a - b),
        )
        for (const { publicKey, sighash, signature, input, sigHash } of signatures) {
          expect(ownKeys).toContain(publicKey)
          const bytes = hexToBytes(signature)
          const isTaproot = publicKey.length === 64
          const [key, hash] = [hexToBytes(publicKey), hexToBytes(sighash)]
          expect(
            isTaproot
              ? verifySchnorr(bytes.slice(0, 64), hash, key)
              : verifyEcdsa(bytes.slice(0, -1), hash, key),
          ).toBe(true)
          const request = step.inputsToSign.find(({ signingIndexes }) => signingIndexes.includes(input))!
          expect(request.sigHash ?? (isTaproot ? 0 : 1)).toBe(sigHash)
        }
      }
    }
    for (const { address, message, signature } of recorded.messages)
      expect(verifyMessage(scriptOfAddress(address, 'regtest'), message, signature)).toBe(true)
  })

  it('are accepted by the SDK, and rejected if changed', () => {
    const verified = recorded.trades.filter(({ trade }) => VERIFIED.test(trade))
    for (const vector of verified) verifyVector(recorded, vector, vector.response)
    const rejected = Map.groupBy(recorded.rejected, ({ trade }) => trade)
    expect([...rejected.keys()].toSorted()).toEqual(['accept', 'bid', 'buy', 'fill', 'list', 'offer'])
    for (const { trade, reason, response } of recorded.rejected) {
      const vector = recorded.trades.find((each) => each.trade === trade)!
      expect(() => verifyVector(recorded, vector, response), reason).toThrow(CheckFailed)
    }
  })

  it('state the coin and script of every inscription', () => {
    for (const { trade, coins, response } of recorded.trades) {
      const spent = stepsOf(response).flatMap(({ step }) => {
        const { global, inputs } = decodePsbt(step.psbtBase64)
        return global.unsignedTx.inputs.map(({ txid, index }, i) => ({
          outpoint: `${bytesToHex(txid)}:${index}`,
          scriptHex: bytesToHex(inputs[i]!.witnessUtxo!.script),
        }))
      })
      if (trade !== 'bid') expect(Object.keys(coins), trade).not.toEqual([])
      for (const { txid, vout, scriptHex } of Object.values(coins))
        for (const coin of spent.filter(({ outpoint }) => outpoint === `${txid}:${vout}`))
          expect(coin.scriptHex, trade).toBe(scriptHex)
    }
  })

  it.each([
    ['list', 'leg', 1, 0, () => 50_000 - 500 + 10_000],
    ['accept', 'settlement', 0, 1, () => 40_000 - 400 + 10_000],
    ['counter', 'settlement', 1, 1, ({ sellerReceiveSats }: any) => sellerReceiveSats + 10_000],
    [
      'fill',
      'settlement',
      0,
      1,
      ({ sellerReceiveSats, estimatedNetworkFeeSats }: any) => sellerReceiveSats - estimatedNetworkFeeSats,
    ],
  ] as const)('%s: the payout of the %s is as documented', (trade, _, step, output, payoutSats) => {
    const { response } = recorded.trades.find((each) => each.trade === trade)!
    const { outputs } = decodePsbt(stepsOf(response)[step]!.step.psbtBase64).global.unsignedTx
    expect(Number(outputs[output]!.amount)).toBe(payoutSats(response))
  })

  it('begin with generation 0 on a new escrow coin', () => {
    const generations = recorded.trades
      .filter(({ trade }) => trade.startsWith('list'))
      .flatMap(({ response }) => response.listings.map((item: any) => item.generation))
    expect(generations).toEqual([0, 0, 0])
  })

  it('state ids with scriptSigs', () => {
    const [offered, accepted] = recorded.trades.filter(({ trade }) => /P2SH/.test(trade))
    const { psbtBase64, txid } = accepted!.signed[0]!
    expect(accepted!.response.expectedSettlementTxid).toBe(txid)
    expect(offered!.response.items[0].expectedSettlementTxid).toBe(txid)
    expect(txidOf(unsignedTransactionOf(psbtBase64))).not.toBe(txid)
  })
})
