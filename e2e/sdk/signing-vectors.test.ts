import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { verifyMessage } from '@ordbook/bitcoin/bip322.ts'
import { bytesToHex, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { verifyEcdsa, verifySchnorr } from '@ordbook/bitcoin/keys.ts'
import { unsignedTransactionOf } from '@ordbook/bitcoin/psbt.ts'
import { p2wpkhScriptCode, segwitSighash, taprootSighash } from '@ordbook/bitcoin/sighash.ts'
import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import { CheckFailed, type LocalWallet, list } from '@ordbook/sdk/index.ts'
import { keysOf } from '@ordbook/sdk/keys.ts'
import { verifyListing, verifyPurchase } from '@ordbook/sdk/verify.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Step, stepsOf, valuesOf } from '../lying-market/exchange.ts'
import { decodePsbt, edited, type Psbt } from '../lying-market/psbt.ts'
import { escrowFlowsOf } from '../lying-market/support/escrow-flows.ts'
import { BY_NODE, type Flow, flowsOf } from '../lying-market/support/flows.ts'
import { freshWallet, setUpMarket, type TestTrader } from '../support/market.ts'

/**
 * The test vectors at /docs/signing-vectors.json. ORDBOOK_RECORD=1 records them again: the preflights of all trades on a market, signed by
 * wallets with published keys.
 */
const FILE = join(import.meta.dirname, '../../docs/reference/signing-vectors.json')

interface Signature {
  input: number
  /** x-only for taproot, otherwise compressed. */
  publicKey: string
  sigHash: number
  sighash: string
  signature: string
}
interface SignedStep {
  txid: string
  psbtBase64: string
  signatures: Signature[]
}
interface Vector {
  trade: string
  operation: string
  wallet: string
  coins: Record<string, { txid: string; vout: number; valueSats: number; offset: number }>
  request: any
  response: any
  signed: SignedStep[]
}
interface Vectors {
  network: 'regtest'
  market: { cosignKey: string; guardianKey: string; marketAddress: string }
  wallets: Record<string, Record<string, string>>
  messages: { address: string; message: string; signature: string }[]
  trades: Vector[]
  rejected: { trade: string; reason: string; response: any }[]
}

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
    if (id.startsWith('preflight')) await add(flow.name, id, wallet, { request: input.body, response })
    return response
  }
  await flow.attempt(flow.trader)
  client.call = call
}

async function add(
  trade: string,
  operation: string,
  wallet: LocalWallet,
  { request, response }: Pick<Vector, 'request' | 'response'>,
): Promise<void> {
  const texts = [...valuesOf({ request, response })].map(({ value }) => String(value))
  const ids = [...new Set(texts.filter((text) => /^[0-9a-f]{64}i\d+$/.test(text)))]
  const coins: Vector['coins'] = {}
  for (const id of ids) {
    const { txid, vout, valueSats, offset } = await market.coinOf(id)
    coins[id] = { txid, vout, valueSats, offset }
  }
  const signed: SignedStep[] = []
  for (const { step } of stepsOf(response)) {
    const psbtBase64 = await wallet.signPsbt(step.psbtBase64, step.inputsToSign)
    signed.push({
      txid: txidOf(unsignedTransactionOf(step.psbtBase64)),
      psbtBase64,
      signatures: signaturesIn(psbtBase64),
    })
  }
  live.trades.push({ trade, operation, wallet: nameOf(wallet), coins, request, response, signed })
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
function signaturesIn(psbtBase64: string): Signature[] {
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

/** Changes of honest responses that a wallet must not sign. */
function rejectedOf({ trades }: Vectors): Vectors['rejected'] {
  const thief = freshWallet().ordinalsScript
  const changes: [trade: string, step: number, reason: string, change: (psbt: Psbt) => void][] = [
    [
      'list',
      0,
      'the transfer pays a script that is not the escrow',
      ({ global }) => {
        global.unsignedTx.outputs[0]!.script = thief
      },
    ],
    [
      'list',
      1,
      'the leg pays 1,000 sats less than agreed',
      ({ global }) => {
        global.unsignedTx.outputs[0]!.amount -= 1000n
      },
    ],
    [
      'list',
      1,
      'the leg spends another leaf',
      ({ inputs }) => {
        const entry = inputs[0]!.tapLeafScript![0]!
        inputs[0]!.tapLeafScript = [[entry[0], Uint8Array.of(...entry[1].slice(0, 33), 0xac, 0xc0)]]
      },
    ],
    [
      'list',
      4,
      'the recovery returns an inscription to another script',
      ({ global }) => {
        global.unsignedTx.outputs[0]!.script = thief
      },
    ],
    [
      'list',
      4,
      'the recovery requests SINGLE|ANYONECANPAY',
      ({ inputs }) => {
        inputs[0]!.sighashType = 131
      },
    ],
    [
      'buy',
      0,
      'the change goes to another script',
      ({ global }) => {
        global.unsignedTx.outputs[0]!.script = thief
      },
    ],
    [
      'buy',
      0,
      'an inscription goes to another script',
      ({ global }) => {
        global.unsignedTx.outputs.at(-2)!.script = thief
      },
    ],
    [
      'buy',
      0,
      'the order of the escrow inputs is changed',
      ({ global, inputs }) => {
        const at = inputs.findIndex(({ tapLeafScript }) => tapLeafScript)
        for (const list of [global.unsignedTx.inputs, inputs] as unknown[][])
          [list[at], list[at + 1]] = [list[at + 1], list[at]]
      },
    ],
    [
      'buy',
      0,
      '1,000 sats of the change go to the network fee',
      ({ global }) => {
        global.unsignedTx.outputs[0]!.amount -= 1000n
      },
    ],
  ]
  return changes.map(([trade, n, reason, change]) => {
    const response = structuredClone(trades.find((each) => each.trade === trade)!.response)
    const { step } = stepsOf(response)[n]!
    step.psbtBase64 = edited(step.psbtBase64, change)
    return { trade, reason, response }
  })
}

/** Verifies the response of `list` or `buy` with the SDK. */
function verify(vectors: Vectors, { trade, wallet, coins, request }: Vector, response: any): void {
  const { ordinalsAddress, paymentAddress, ordinalsPublicKey, paymentPublicKey } = vectors.wallets[wallet]!
  const owner = {
    ordinalsAddress: ordinalsAddress!,
    paymentAddress: paymentAddress!,
    ordinalsPublicKey: ordinalsPublicKey!,
    paymentPublicKey: paymentPublicKey!,
    ordinalsScript: scriptOfAddress(ordinalsAddress!, 'regtest'),
    paymentScript: scriptOfAddress(paymentAddress!, 'regtest'),
  }
  const limits = { maxFeeBps: 100, maxNetworkSats: 20_000 }
  if (trade.startsWith('list')) {
    const items = request.items.map((item: any) => ({ ...item, ...limits, coin: coins[item.inscriptionId] }))
    verifyListing(owner, vectors.market, items, response, request.escrowForm)
  } else {
    const items = request.listings.map((listing: any, n: number) => ({
      ...listing,
      priceSats: [50_000, 60_000][n],
      coin: coins[listing.inscriptionId],
    }))
    verifyPurchase(owner, vectors.market, { ...limits, items, coins: request.spendableUtxos }, response)
  }
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
    expect(recorded.trades.map(({ trade }) => trade)).toHaveLength(15)
  })

  it('have valid signatures of the stated hashes', () => {
    for (const { trade, response, signed, wallet } of recorded.trades) {
      const { ordinalsOutputKey, ordinalsPublicKey, paymentPublicKey } = recorded.wallets[wallet]!
      const ownKeys = [ordinalsOutputKey!, ordinalsPublicKey!.slice(2), paymentPublicKey!]
      for (const [n, { step }] of stepsOf(response).entries()) {
        const { psbtBase64, signatures, txid } = signed[n]!
        expect(signaturesIn(psbtBase64), trade).toEqual(signatures)
        expect(txidOf(unsignedTransactionOf(psbtBase64))).toBe(txid)
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
    const checked = recorded.trades.filter(({ trade }) => /^(list|buy)/.test(trade))
    expect(checked).toHaveLength(3)
    for (const vector of checked) verify(recorded, vector, vector.response)
    for (const { trade, reason, response } of recorded.rejected) {
      const vector = recorded.trades.find((each) => each.trade === trade)!
      expect(() => verify(recorded, vector, response), reason).toThrow(CheckFailed)
    }
  })
})
