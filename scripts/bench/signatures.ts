import { keySpendOf, scriptOfPublicKey } from '@ordbook/bitcoin/address.ts'
import { signMessage, verifyMessage, virtualTransactions } from '@ordbook/bitcoin/bip322.ts'
import { base64OfBytes, bytesOfBase64 } from '@ordbook/bitcoin/bytes.ts'
import {
  publicKeyOf,
  signSchnorr,
  tweakPrivateKey,
  verifySchnorr,
  xOnlyKeyOf,
} from '@ordbook/bitcoin/keys.ts'
import { psbtOf, signaturesFrom } from '@ordbook/bitcoin/psbt.ts'
import { SIGHASH, taprootSighash } from '@ordbook/bitcoin/sighash.ts'
import { type Coin, type Layout, type LayoutInput, sighashOf } from '@ordbook/bitcoin/trade/layout.ts'
import { buildPassthrough } from '@ordbook/bitcoin/trade/passthrough.ts'
import { RawPSBTV0 } from '@scure/btc-signer/psbt.js'
import { readCommand } from '../command.ts'

readCommand('usage: npm run bench:signatures', {})

/**
 * `npm run bench:signatures`: the check of a sign-in (BIP-322) and of a settlement of twenty listings and two payments, as a PSBT,
 * beside the bare checks of the same signatures on the curve. Rounds are interleaved; times are medians of the CPU.
 */
const ROUNDS = 31
const LISTINGS = 20
const KEY = new Uint8Array(32).fill(1)
const MARKET_KEY = new Uint8Array(32).fill(8)
const TWEAKED = tweakPrivateKey(KEY)
const script = scriptOfPublicKey(publicKeyOf(KEY), 'p2tr')
const owner = keySpendOf(script, publicKeyOf(KEY))

const coin = (n: number, of: Uint8Array): Coin => ({
  txid: n.toString(16).padStart(64, '0'),
  vout: n,
  valueSats: 10_000,
  script: of,
})
const escrow = buildPassthrough(owner, xOnlyKeyOf(MARKET_KEY), 'published')
const inputs = Array.from({ length: LISTINGS + 2 }, (_, n): LayoutInput => {
  if (n < 2)
    return { role: 'payment', coin: coin(n, script), signer: 'buyer', spend: { by: 'key', ...owner } }
  return {
    role: 'escrow',
    coin: coin(n, escrow.script),
    signer: 'seller',
    spend: { by: 'escrow', ...escrow },
  }
})
const settlement: Layout = {
  version: 2,
  inputs,
  outputs: inputs.map(() => ({ role: 'payout', valueSats: 7000, script })),
}
const indexes = [...inputs.keys()]
const hashes = indexes.map((index) => sighashOf(settlement, index, SIGHASH.DEFAULT))
const signatures = hashes.map((hash) => new Uint8Array(signSchnorr(hash, TWEAKED)))
const signed = (() => {
  const psbt = RawPSBTV0.decode(bytesOfBase64(psbtOf(settlement, { indexes }))!)
  for (const index of indexes) {
    const { spend } = inputs[index]!
    const input = psbt.inputs[index]!
    if (spend.by === 'escrow')
      input.tapScriptSig = [
        [
          { pubKey: new Uint8Array(spend.sellerKey), leafHash: new Uint8Array(spend.leafHash) },
          signatures[index]!,
        ],
      ]
    else input.tapKeySig = signatures[index]!
  }
  return base64OfBytes(RawPSBTV0.encode(psbt))
})()
const outputKey = script.slice(2)
const MESSAGE = 'market.example wants you to sign in with your Bitcoin address'
const proof = signMessage(script, MESSAGE, KEY)
const messageHash = taprootSighash(
  virtualTransactions(MESSAGE, script).toSign,
  0,
  [{ valueSats: 0, script }],
  SIGHASH.DEFAULT,
)
const messageSignature = signSchnorr(messageHash, TWEAKED)

function hold(isValid: boolean): void {
  if (!isValid) throw new Error('a signature of the bench does not verify')
}
const works: Record<string, () => void> = {
  bareMessage: () => hold(verifySchnorr(messageSignature, messageHash, outputKey)),
  message: () => hold(verifyMessage(script, MESSAGE, proof)),
  /** The part of a server that takes the buyer's signatures; those of sellers were checked when they listed. */
  purchase: () =>
    hold(signaturesFrom(signed, settlement, { indexes: [0, 1], sighash: SIGHASH.DEFAULT }).size === 2),
  bareSettlement: () =>
    hold(hashes.every((hash, index) => verifySchnorr(signatures[index]!, hash, outputKey))),
  settlement: () =>
    hold(signaturesFrom(signed, settlement, { indexes, sighash: SIGHASH.DEFAULT }).size === inputs.length),
}

const TIMES: Record<string, number> = {
  bareMessage: 20,
  message: 20,
  bareSettlement: 1,
  settlement: 1,
  purchase: 1,
}
const found = new Map<string, number[]>(Object.keys(works).map((name) => [name, []]))
for (let round = -3; round < ROUNDS; round++)
  for (const [name, work] of Object.entries(works)) {
    const times = TIMES[name]!
    const before = process.cpuUsage()
    for (let time = 0; time < times; time++) work()
    const { user, system } = process.cpuUsage(before)
    if (round >= 0) found.get(name)!.push((user + system) / 1000 / times)
  }
const of = (name: string) => found.get(name)!.toSorted((a, b) => a - b)[ROUNDS >> 1]!
const ms = (name: string) => of(name).toFixed(2)
console.log(
  `BIP-322: ${ms('message')} ms, its curve check alone ${ms('bareMessage')} ms: ${(of('bareMessage') / of('message')).toFixed(2)} of it`,
)
console.log(
  `a settlement of ${LISTINGS} listings and 2 payments: ${ms('settlement')} ms, its ${inputs.length} curve checks alone ${ms('bareSettlement')} ms: ` +
    `${(of('settlement') / of('bareSettlement')).toFixed(2)} times as much`,
)
console.log(`the buyer's two signatures in it: ${ms('purchase')} ms`)
