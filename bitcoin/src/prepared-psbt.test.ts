import { Transaction } from '@scure/btc-signer'
import { RawPSBTV0 } from '@scure/btc-signer/psbt.js'
import { describe, expect, it } from 'vitest'
import { type KeySpend, keySpendOf, scriptOfPublicKey } from './address.ts'
import { base64OfBytes, bytesOfBase64, varBytes } from './bytes.ts'
import { signKeyInput } from './inscribe.ts'
import { publicKeyOf, signSchnorr, tweakPrivateKey, xOnlyKeyOf } from './keys.ts'
import { assertPreparedPsbt, readPreparedPsbt, signedPsbtOf } from './prepared-psbt.ts'
import { psbtOf, signaturesFrom } from './psbt.ts'
import { Reader } from './reader.ts'
import { SIGHASH } from './sighash.ts'
import { type Coin, type Layout, sighashOf } from './trade/layout.ts'
import { buildSaleLeg, buildTransfer, type ListingTerms } from './trade/listing.ts'
import { type Tx, txidOf } from './transaction.ts'

const key = (byte: number) => new Uint8Array(32).fill(byte)
const kinds = ['p2wpkh', 'p2sh-p2wpkh', 'p2tr'] as const
const spendOf = (byte: number, kind: KeySpend['kind']) => {
  const script = scriptOfPublicKey(publicKeyOf(key(byte)), kind)
  return { script, spend: keySpendOf(script, publicKeyOf(key(byte))) }
}
const coinOf = (byte: number, kind: KeySpend['kind'], valueSats: number): Coin => ({
  txid: byte.toString(16).padStart(2, '0').repeat(32),
  vout: 0,
  valueSats,
  script: spendOf(byte, kind).script,
})

const payment = (kind: KeySpend['kind']): Layout => ({
  version: 2,
  inputs: [
    {
      role: 'payment',
      coin: coinOf(1, kind, 10_000),
      signer: 'buyer',
      spend: { by: 'key', ...spendOf(1, kind).spend },
    },
    {
      role: 'tail',
      coin: coinOf(2, 'p2tr', 20_000),
      signer: 'market',
      spend: { by: 'key', ...spendOf(2, 'p2tr').spend },
    },
  ],
  outputs: [{ role: 'change', valueSats: 29_000, script: spendOf(1, kind).script }],
})
const terms: ListingTerms = {
  inscriptionCoin: coinOf(1, 'p2tr', 10_000),
  seller: spendOf(1, 'p2tr').spend,
  marketKey: xOnlyKeyOf(key(9)),
  escrowForm: 'wallet',
  movedTo: null,
  anchor: coinOf(2, 'p2tr', 330),
  market: spendOf(2, 'p2tr').spend,
  generation: 0,
  recoveryCoin: coinOf(2, 'p2tr', 330),
  payoutSats: 60_000,
  payoutScript: spendOf(3, 'p2wpkh').script,
}

type Maps = ReturnType<typeof RawPSBTV0.decode>
function changed(base64: string, change: (maps: Maps) => void): string {
  const maps = RawPSBTV0.decode(bytesOfBase64(base64)!)
  change(maps)
  return base64OfBytes(RawPSBTV0.encode(maps))
}

describe('assertPreparedPsbt', () => {
  const request = { indexes: [0] }

  it.each(kinds)('accepts an unchanged PSBT with a %s coin', (kind) => {
    const layout = payment(kind)
    const { inputs } = assertPreparedPsbt(psbtOf(layout, request), layout, request)
    expect(inputs.map(({ spent }) => spent.valueSats)).toEqual([10_000, 20_000])
  })

  it.each<[string, RegExp, (maps: Maps) => void]>([
    [
      'an output',
      /differs from the agreed one/,
      ({ global }) => (global.unsignedTx!.outputs[0]!.amount -= 1n),
    ],
    ['its version', /differs from the agreed one/, ({ global }) => (global.unsignedTx!.version = 1)],
    ['its locktime', /differs from the agreed one/, ({ global }) => (global.unsignedTx!.lockTime = 9)],
    [
      'a sequence',
      /differs from the agreed one/,
      ({ global }) => (global.unsignedTx!.inputs[1]!.sequence -= 1),
    ],
    [
      'the value of a coin',
      /states a different coin/,
      ({ inputs }) => (inputs[1]!.witnessUtxo!.amount += 1n),
    ],
    [
      'the sighash of a requested input',
      /sighash/,
      ({ inputs }) => (inputs[0]!.sighashType = SIGHASH.SINGLE_ANYONECANPAY),
    ],
    ['the sighash of another input', /sighash/, ({ inputs }) => (inputs[1]!.sighashType = SIGHASH.NONE)],
    [
      'a signature',
      /unsupported field tapKeySig/,
      ({ inputs }) => (inputs[1]!.tapKeySig = new Uint8Array(64) as never),
    ],
    [
      'a final witness',
      /unsupported field finalScriptWitness/,
      ({ inputs }) => (inputs[1]!.finalScriptWitness = [new Uint8Array(64)] as never),
    ],
    [
      'a merkle root',
      /unsupported field tapMerkleRoot/,
      ({ inputs }) => (inputs[0]!.tapMerkleRoot = new Uint8Array(32) as never),
    ],
    [
      'an internal key of another coin',
      /internal key/,
      ({ inputs }) => (inputs[1]!.tapInternalKey = xOnlyKeyOf(key(7)) as never),
    ],
    [
      'a previous transaction of another coin',
      /did not create the coin/,
      ({ inputs, global }) =>
        (inputs[0]!.nonWitnessUtxo = { ...global.unsignedTx!, segwitFlag: false, witnesses: [] } as never),
    ],
  ])('rejects a changed PSBT: %s', (_, reason, change) => {
    const layout = payment('p2wpkh')
    const altered = changed(psbtOf(layout, request), change)
    expect(() => assertPreparedPsbt(altered, layout, request)).toThrow(reason)
  })

  it('rejects trailing bytes and duplicate entries', () => {
    const layout = payment('p2wpkh')
    const bytes = bytesOfBase64(psbtOf(layout, request))!
    expect(() => readPreparedPsbt(base64OfBytes(Uint8Array.of(...bytes, 0)))).toThrow(/psbt|PSBT/)
    // Duplicate the sighash entry of input 0.
    const entry = Uint8Array.of(1, 3, 4, 1, 0, 0, 0)
    const at = bytes.findIndex((_, i) => entry.every((byte, n) => bytes[i + n] === byte))
    expect(at).toBeGreaterThan(0)
    const withDuplicate = Uint8Array.of(...bytes.slice(0, at), ...entry, ...bytes.slice(at))
    expect(() => readPreparedPsbt(base64OfBytes(withDuplicate))).toThrow(/PSBT/)
  })

  it('accepts previous transactions without witnesses', () => {
    const layout = payment('p2wpkh')
    const parent: Tx = {
      version: 2,
      locktime: 0,
      inputs: [
        {
          txid: 'cc'.repeat(32),
          vout: 1,
          sequence: 0,
          scriptSig: new Uint8Array(),
          witness: [new Uint8Array(5000)],
        },
      ],
      outputs: [{ valueSats: 10_000, script: layout.inputs[0]!.coin.script }],
    }
    layout.inputs[0]!.coin.txid = txidOf(parent)
    const psbt = psbtOf(layout, request, new Map([[txidOf(parent), parent]]))
    expect(bytesOfBase64(psbt)!.length).toBeLessThan(1000)
    const [input] = assertPreparedPsbt(psbt, layout, request).inputs
    expect(txidOf(input!.previous!)).toBe(txidOf(parent))
  })
})

describe('assertPreparedPsbt for an escrow leg', () => {
  const request = { indexes: [0], sighash: SIGHASH.SINGLE_ANYONECANPAY }
  const leg = buildSaleLeg(terms)

  it('accepts a PSBT with its leaf', () => {
    const { inputs } = assertPreparedPsbt(psbtOf(leg, request), leg, request)
    expect(inputs[0]!.leaf?.script.length).toBe(70)
  })

  it.each<[string, RegExp, (maps: Maps) => void]>([
    ['without a leaf', /leaf/, ({ inputs }) => (inputs[0]!.tapLeafScript = [] as never)],
    [
      'with two leaves',
      /leaf/,
      ({ inputs }) => {
        const [[block, script]] = inputs[0]!.tapLeafScript as never as [[object, Uint8Array]]
        inputs[0]!.tapLeafScript = [
          [block, script],
          [{ ...block, merklePath: [] }, script],
        ] as never
      },
    ],
    [
      'with a derivation of two leaves',
      /different key or leaf/,
      ({ inputs }) => {
        const { sellerKey, leafHash } = leg.inputs[0]!.spend as never as Record<string, Uint8Array>
        inputs[0]!.tapBip32Derivation = [
          [sellerKey, { hashes: [leafHash, new Uint8Array(32)], der: { fingerprint: 0, path: [] } }],
        ] as never
      },
    ],
    [
      'without the requested sighash',
      /sighash/,
      ({ inputs }) => (inputs[0]!.sighashType = undefined as never),
    ],
  ])('rejects a PSBT %s', (_, reason, change) => {
    expect(() => assertPreparedPsbt(changed(psbtOf(leg, request), change), leg, request)).toThrow(reason)
  })
})

it('signedPsbtOf keeps only requested signatures', () => {
  for (const kind of kinds) {
    const layout = payment(kind)
    const request = { indexes: [0] }
    const signature = signKeyInput(layout, 0, key(1))
    const psbt = Transaction.fromPSBT(
      bytesOfBase64(signedPsbtOf(layout, request, new Map([[0, signature]])))!,
      {
        allowUnknownInputs: true,
      },
    )
    // The wallet signs more inputs than requested.
    psbt.updateInput(1, { tapKeySig: signKeyInput(layout, 1, key(2)) }, true)
    const returned = base64OfBytes(psbt.toPSBT(0))
    const kept = signedPsbtOf(layout, request, signaturesFrom(returned, layout, request))
    const maps = RawPSBTV0.decode(bytesOfBase64(kept)!)
    expect(maps.inputs[1]!.tapKeySig).toBeUndefined()
    expect([...signaturesFrom(kept, layout, request).values()]).toEqual([signature])
  }
  const transfer = buildTransfer(terms)
  const leg = buildSaleLeg(terms)
  const request = { indexes: [0], sighash: SIGHASH.SINGLE_ANYONECANPAY }
  const hash = sighashOf(leg, 0, SIGHASH.SINGLE_ANYONECANPAY)
  const signature = Uint8Array.of(...signSchnorr(hash, key(1)), SIGHASH.SINGLE_ANYONECANPAY)
  const kept = signedPsbtOf(leg, request, new Map([[0, signature]]))
  expect(signaturesFrom(kept, leg, request).get(0)).toEqual(signature)
  // The wallet signs the key path of the escrow coin.
  const leaked = changed(kept, ({ inputs }) => {
    inputs[0]!.tapKeySig = signSchnorr(hash, tweakPrivateKey(key(1))) as never
  })
  expect(() => signaturesFrom(leaked, leg, request)).toThrow(/key path/)
  expect(transfer.outputs).toHaveLength(1)
})

describe('readPreparedPsbt', () => {
  const layout = payment('p2wpkh')
  const [, tail] = layout.inputs
  const withParts = (inputs: number, outputs: number) =>
    psbtOf(
      {
        ...layout,
        inputs: Array.from({ length: inputs }, (_, vout) => ({ ...tail!, coin: { ...tail!.coin, vout } })),
        outputs: Array.from({ length: outputs }, () => layout.outputs[0]!),
      },
      { indexes: [] },
    )

  it('accepts 1,500 inputs and outputs', () => {
    expect(readPreparedPsbt(withParts(20, 1480)).inputs).toHaveLength(20)
  })

  it.each([
    [1500, 1],
    [1, 1500],
  ])('rejects %i inputs and %i outputs before it decodes them', (inputs, outputs) => {
    const bytes = bytesOfBase64(withParts(inputs, outputs))!
    // The decoder would report the missing end.
    for (const base64 of [bytes, bytes.slice(0, -1)].map(base64OfBytes))
      expect(() => readPreparedPsbt(base64)).toThrow('more inputs and outputs than any trade')
  })
})

describe('unknown and proprietary fields', () => {
  const MARK = new TextEncoder().encode('left by a wallet')
  /** An undefined type, and the proprietary type (BIP-174). */
  const TYPES = [0x77, 0xfc]
  const layout = payment('p2wpkh')
  const request = { indexes: [0] }
  const prepared = psbtOf(layout, request)

  /** Adds an entry to map `n`. 0 is the global map, followed by inputs and outputs. */
  function withEntry(base64: string, n: number, type: number): string {
    const bytes = bytesOfBase64(base64)!
    const reader = new Reader(bytes)
    reader.at = 5
    for (let map = 0; map <= n; map++)
      for (let key = reader.varBytes(); key.length > 0; key = reader.varBytes()) reader.varBytes()
    const at = reader.at - 1
    const entry = [...varBytes(Uint8Array.of(type, 3, 0x61, 0x62, 0x63, 0)), ...varBytes(MARK)]
    return base64OfBytes(Uint8Array.of(...bytes.slice(0, at), ...entry, ...bytes.slice(at)))
  }
  const maps = 1 + layout.inputs.length + layout.outputs.length
  const places = TYPES.flatMap((type) => Array.from({ length: maps }, (_, n) => [type, n] as const))

  it.each(places)('rejects field type %i in map %i of a prepared PSBT', (type, n) => {
    const altered = withEntry(prepared, n, type)
    expect(() => RawPSBTV0.decode(bytesOfBase64(altered)!)).not.toThrow()
    expect(() => assertPreparedPsbt(altered, layout, request)).toThrow(
      /global fields other than|has the unsupported field|output fields other than/,
    )
  })

  it.each(places)('drops field type %i in map %i of a signed PSBT', (type, n) => {
    const signature = signKeyInput(layout, 0, key(1))
    const signed = signedPsbtOf(layout, request, new Map([[0, signature]]))
    const returned = withEntry(signed, n, type)
    const signatures = signaturesFrom(returned, layout, request)
    expect([...signatures.values()]).toEqual([signature])
    expect(signedPsbtOf(layout, request, signatures)).toBe(signed)
  })
})
