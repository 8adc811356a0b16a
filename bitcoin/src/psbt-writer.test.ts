import { Transaction } from '@scure/btc-signer'
import { TaprootControlBlock } from '@scure/btc-signer/psbt.js'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type KeySpend, keySpendOf, scriptOfPublicKey } from './address.ts'
import { base64OfBytes, concatBytes } from './bytes.ts'
import { publicKeyOf, xOnlyKeyOf } from './keys.ts'
import { psbtOf, type SigningRequest } from './psbt.ts'
import { SIGHASH } from './sighash.ts'
import type { Coin, Layout, LayoutInput } from './trade/layout.ts'
import { buildPassthrough } from './trade/passthrough.ts'
import { encodeTransaction, type Tx, txidOf } from './transaction.ts'

const key = (byte: number) => new Uint8Array(32).fill(byte)
const scriptFor = (byte: number, kind: KeySpend['kind']) => scriptOfPublicKey(publicKeyOf(key(byte)), kind)
const spendFor = (byte: number, kind: KeySpend['kind']) =>
  keySpendOf(scriptFor(byte, kind), publicKeyOf(key(byte)))
const MARKET = xOnlyKeyOf(key(9))
const HALF = { hashes: [] as Uint8Array[], der: { fingerprint: 0, path: [] as number[] } }

/** Builds the same PSBT (BIP-174, BIP-371) with scure's encoder. */
function byScure(layout: Layout, request: SigningRequest, previous?: ReadonlyMap<string, Tx>): string {
  const psbt = new Transaction({
    version: layout.version,
    allowUnknownOutputs: true,
    allowUnknownInputs: true,
    allowUnknownVersion: true,
    disableScriptCheck: true,
  })
  for (const [index, { coin, spend, sequence }] of layout.inputs.entries()) {
    const whole = previous?.get(coin.txid)
    const isVersion0 = spend.by === 'key' && spend.kind !== 'p2tr'
    const requested = request.indexes.includes(index) ? request.sighash : undefined
    const sighashType = requested ?? (isVersion0 ? SIGHASH.ALL : undefined)
    const hasLeaf = spend.by === 'escrow' || spend.by === 'exit'
    psbt.addInput({
      txid: coin.txid,
      index: coin.vout,
      sequence: sequence ?? 0xfffffffd,
      witnessUtxo: { amount: BigInt(coin.valueSats), script: coin.script },
      ...(whole ? { nonWitnessUtxo: encodeTransaction(whole, 'without-witness') } : {}),
      ...(sighashType === undefined ? {} : { sighashType }),
      ...(hasLeaf
        ? {
            tapLeafScript: [
              [TaprootControlBlock.decode(spend.controlBlock), concatBytes(spend.leaf, Uint8Array.of(0xc0))],
            ],
          }
        : {}),
      ...(spend.by === 'exit' || (spend.by === 'escrow' && spend.form === 'wallet')
        ? { tapBip32Derivation: [[spend.sellerKey, { ...HALF, hashes: [spend.leafHash] }]] }
        : {}),
      ...(spend.by === 'key' && spend.redeemScript ? { redeemScript: spend.redeemScript } : {}),
      ...(spend.by === 'key' && spend.kind === 'p2tr' && spend.internalKey
        ? { tapInternalKey: spend.internalKey }
        : {}),
    })
  }
  for (const { valueSats, script } of layout.outputs) psbt.addOutput({ amount: BigInt(valueSats), script })
  return base64OfBytes(psbt.toPSBT(0))
}

/** Returns a transaction that creates the coin. */
function makerOf({ vout, valueSats, script }: Omit<Coin, 'txid'>): Tx {
  const input = { txid: 'ab'.repeat(32), vout: 7, scriptSig: new Uint8Array(), sequence: 1 }
  return {
    version: 2,
    locktime: 0,
    inputs: [{ ...input, witness: [new Uint8Array(300)] }],
    outputs: [...Array<null>(vout).fill(null), null].map(() => ({ valueSats, script })),
  }
}

const sats = fc.integer({ min: 330, max: 2_100_000_000_000_000 })
const vout = fc.integer({ min: 0, max: 3 })
const kind = fc.constantFrom('p2tr' as const, 'p2wpkh' as const, 'p2sh-p2wpkh' as const)
const byte = fc.integer({ min: 1, max: 4 })
const sequence = fc.constantFrom(undefined, 0, 5, 0xfffffffe)

/** Inputs of every spend kind. */
const input = fc
  .record({
    what: fc.constantFrom('key', 'published', 'wallet', 'exit'),
    kind,
    byte,
    sats,
    vout,
    sequence,
    hasPrevious: fc.boolean(),
  })
  .map(({ what, kind, byte, sats: valueSats, vout, sequence, hasPrevious }) => {
    const isKey = what === 'key'
    const spendByKey = spendFor(byte, isKey ? kind : 'p2tr')
    const escrow = isKey ? null : buildPassthrough(spendByKey, MARKET, what === 'published' ? what : 'wallet')
    const script = escrow?.script ?? scriptFor(byte, kind)
    const maker = makerOf({ vout, valueSats, script })
    const spend: LayoutInput['spend'] = !escrow
      ? { by: 'key', ...spendByKey }
      : what === 'exit'
        ? { by: 'exit', sellerKey: escrow.sellerKey, ...escrow.exit! }
        : { by: 'escrow', ...escrow }
    const layoutInput: LayoutInput = {
      role: isKey ? 'payment' : 'escrow',
      signer: 'seller',
      coin: { txid: txidOf(maker), vout, valueSats, script },
      spend,
      ...(sequence === undefined ? {} : { sequence }),
    }
    return { layoutInput, maker, hasPrevious }
  })
const output = fc.record({ sats, kind, byte }).map(({ sats: valueSats, kind, byte }) => ({
  role: 'payout' as const,
  valueSats,
  script: scriptFor(byte, kind),
}))
const psbt = fc.record({
  version: fc.constantFrom(2 as const, 3 as const),
  inputs: fc.array(input, { minLength: 1, maxLength: 5 }),
  outputs: fc.array(output, { minLength: 1, maxLength: 4 }),
  sighash: fc.constantFrom(undefined, ...Object.values(SIGHASH)),
  isRequested: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
})

it('psbtOf matches scure for every input type', () => {
  fc.assert(
    fc.property(psbt, ({ version, inputs, outputs, sighash, isRequested }) => {
      const layout: Layout = { version, inputs: inputs.map(({ layoutInput }) => layoutInput), outputs }
      const request = {
        indexes: inputs.flatMap((_, index) => (isRequested[index] ? [index] : [])),
        ...(sighash === undefined ? {} : { sighash }),
      }
      const previous = new Map(
        inputs.flatMap(({ maker, hasPrevious }) => (hasPrevious ? [[txidOf(maker), maker]] : [])),
      )
      expect(psbtOf(layout, request, previous)).toBe(byScure(layout, request, previous))
    }),
    { numRuns: 60 },
  )
})

it('psbtOf matches scure for many inputs', () => {
  const script = scriptFor(1, 'p2wpkh')
  const many: Layout = {
    version: 2,
    inputs: Array.from({ length: 300 }, (_, n) => ({
      role: 'payment' as const,
      signer: 'buyer' as const,
      coin: { txid: n.toString(16).padStart(64, '0'), vout: 70_000, valueSats: 5_000_000_000, script },
      spend: { by: 'key' as const, ...spendFor(1, 'p2wpkh') },
    })),
    outputs: Array.from({ length: 260 }, () => ({ role: 'change' as const, valueSats: 330, script })),
  }
  expect(psbtOf(many, { indexes: [0] })).toBe(byScure(many, { indexes: [0] }))
})

it('psbtOf rejects an unrelated previous transaction', () => {
  const script = scriptFor(1, 'p2wpkh')
  const maker = makerOf({ vout: 0, valueSats: 1000, script })
  const layoutOf = (coin: Coin): Layout => ({
    version: 2,
    inputs: [{ role: 'payment', signer: 'buyer', coin, spend: { by: 'key', ...spendFor(1, 'p2wpkh') } }],
    outputs: [{ role: 'change', valueSats: 500, script }],
  })
  const coin = { txid: txidOf(maker), vout: 0, valueSats: 1000, script }
  const write = (wrong: Partial<Coin>, whole = maker) => {
    const layout = layoutOf({ ...coin, ...wrong })
    return psbtOf(layout, { indexes: [0] }, new Map([[layout.inputs[0]!.coin.txid, whole]]))
  }
  expect(write({})).toBe(byScure(layoutOf(coin), { indexes: [0] }, new Map([[coin.txid, maker]])))
  for (const wrong of [
    { txid: '22'.repeat(32) },
    { vout: 1 },
    { valueSats: 999 },
    { script: scriptFor(2, 'p2wpkh') },
  ])
    expect(() => write(wrong)).toThrow('did not create the coin')
})
