import { describe, expect, it } from 'vitest'
import { keySpendOf, p2trScript, scriptOfPublicKey } from '../address.ts'
import { equalBytes } from '../bytes.ts'
import type { BitcoinError } from '../errors.ts'
import { publicKeyOf, sha256, signSchnorr, taprootOutputKey, tweakPrivateKey, xOnlyKeyOf } from '../keys.ts'
import { SIGHASH, tapBranchHash } from '../sighash.ts'
import { checkSettlement, escrowInputsOf } from './check.ts'
import { generationOf, LAST_GENERATION, sequenceOfGeneration } from './generation.ts'
import { type Coin, feeOfLayout, signedVsizeOf, transactionOf } from './layout.ts'
import {
  buildMove,
  buildReclaim,
  buildRecovery,
  buildSaleLeg,
  buildTransfer,
  escrowCoinOf,
  type ListingTerms,
  movedCoinOf,
  TRANSFER_VSIZE,
} from './listing.ts'
import { buildPassthrough, type EscrowForm } from './passthrough.ts'

const keyOf = (name: string) => sha256(new TextEncoder().encode(name))
const SELLER = scriptOfPublicKey(publicKeyOf(keyOf('seller')), 'p2tr')
const MARKET = scriptOfPublicKey(publicKeyOf(keyOf('market')), 'p2tr')
const cosign = xOnlyKeyOf(keyOf('cosign'))
const FORMS: EscrowForm[] = ['published', 'wallet']
const coin = (n: number, valueSats: number, script: Uint8Array): Coin => ({
  txid: n.toString(16).padStart(64, '0'),
  vout: n % 3,
  valueSats,
  script,
})
const termsOf = (escrowForm: EscrowForm, n = 0): ListingTerms => ({
  inscriptionCoin: coin(100 + n, 10_000 + n, SELLER),
  seller: keySpendOf(SELLER, publicKeyOf(keyOf('seller'))),
  marketKey: cosign,
  escrowForm,
  movedTo: null,
  generation: 0,
  anchor: coin(200 + n, 330, MARKET),
  recoveryCoin: coin(300 + n, 330, MARKET),
  market: keySpendOf(MARKET, publicKeyOf(keyOf('market'))),
  payoutSats: 60_000,
  payoutScript: SELLER,
})
const anchors = (count: number) => Array.from({ length: count }, (_, n) => coin(400 + n, 330, MARKET))
const codeOf = (build: () => unknown) => {
  try {
    build()
    return null
  } catch (error) {
    return (error as BitcoinError).code
  }
}

describe('buildPassthrough', () => {
  const Q = SELLER.slice(2)
  const K = xOnlyKeyOf(keyOf('seller'))

  it('builds the published form with one leaf', () => {
    const escrow = buildPassthrough(termsOf('published').seller, cosign, 'published')
    expect(escrow.leaf).toEqual(Uint8Array.of(0x20, ...Q, 0xac, 0x20, ...cosign, 0xba, 0x52, 0x9c))
    expect(escrow.script).toEqual(p2trScript(taprootOutputKey(Q, escrow.leafHash).outputKey))
    expect(escrow.controlBlock).toHaveLength(33)
    expect(escrow.exit).toBeNull()
  })

  it('adds a leaf for the seller in the wallet form', () => {
    const escrow = buildPassthrough(termsOf('wallet').seller, cosign, 'wallet')
    const exit = escrow.exit!
    expect(escrow.sellerKey).toEqual(K)
    expect(escrow.leaf).toEqual(Uint8Array.of(0x20, ...K, 0xac, 0x20, ...cosign, 0xba, 0x52, 0x9c))
    expect(exit.leaf).toEqual(Uint8Array.of(0x20, ...K, 0xac))
    const branch = tapBranchHash(exit.leafHash, escrow.leafHash)
    expect(branch).toEqual(tapBranchHash(escrow.leafHash, exit.leafHash))
    const { outputKey, odd } = taprootOutputKey(Q, branch)
    expect(escrow.script).toEqual(p2trScript(outputKey))
    const first = odd ? 0xc1 : 0xc0
    expect(escrow.controlBlock).toEqual(Uint8Array.of(first, ...Q, ...exit.leafHash))
    expect(exit.controlBlock).toEqual(Uint8Array.of(first, ...Q, ...escrow.leafHash))
    // The seller can spend the key path with the tweaked private key.
    const secret = tweakPrivateKey(tweakPrivateKey(keyOf('seller')), branch)
    expect(p2trScript(xOnlyKeyOf(secret))).toEqual(escrow.script)
    expect(signSchnorr(branch, secret)).toHaveLength(64)
  })

  it('requires a taproot seller', () => {
    const seller = keySpendOf(SELLER, Q)
    for (const internalKey of [null, Q, cosign])
      expect(codeOf(() => buildPassthrough({ ...seller, internalKey }, cosign, 'wallet'))).toBe(
        'key-mismatch',
      )
    expect(codeOf(() => buildPassthrough({ ...seller, kind: 'p2wpkh' }, cosign, 'published'))).toBe(
      'address-invalid',
    )
  })

  it('requires the postage of the inscription', () => {
    const terms = termsOf('published')
    const inscriptionCoin = { ...terms.inscriptionCoin, script: MARKET }
    expect(codeOf(() => buildTransfer({ ...terms, inscriptionCoin }))).toBe('key-mismatch')
    expect(codeOf(() => escrowCoinOf({ ...terms, movedTo: coin(1, 10_000, MARKET) }))).toBe('key-mismatch')
    const { script } = escrowCoinOf(terms)
    expect(codeOf(() => escrowCoinOf({ ...terms, movedTo: coin(1, 9_999, script) }))).toBe('amounts-differ')
  })
})

describe('generations', () => {
  it('encodes generations without relative locktimes', () => {
    for (const generation of [0, 1, 2, 1000, 65_535, LAST_GENERATION])
      expect(generationOf(sequenceOfGeneration(generation))).toBe(generation)
    expect(sequenceOfGeneration(0)).toBe(0xfffffffd)
    expect(sequenceOfGeneration(LAST_GENERATION)).toBe(0x80000000)
    for (const sequence of [0xffffffff, 0xfffffffe, 0x7fffffff, 0xffff, 1, 0, -3, 0.5])
      expect(
        codeOf(() => generationOf(sequence)),
        `${sequence}`,
      ).toBe('generation-invalid')
    for (const generation of [-1, 0.5, LAST_GENERATION + 1, Number.NaN])
      expect(
        codeOf(() => sequenceOfGeneration(generation)),
        `${generation}`,
      ).toBe('generation-invalid')
  })

  it('encodes the generation in the sequence of a leg', () => {
    const terms = { ...termsOf('wallet'), generation: 1000 }
    const sequences = (layout: Parameters<typeof transactionOf>[0]) =>
      transactionOf(layout).inputs.map((input) => input.sequence)
    expect(sequences(buildSaleLeg(terms))).toEqual([0xfffffffd - 1000])
    expect(sequences(buildRecovery([terms]))).toEqual([0xfffffffd, 0xfffffffd])
    expect(sequences(buildTransfer(terms))).toEqual([0xfffffffd, 0xfffffffd])
    expect(SIGHASH.SINGLE_ANYONECANPAY).toBe(131)
  })
})

describe('escrow transactions', () => {
  it('builds escrow transactions of the measured size', () => {
    const sizes = FORMS.map((form) => {
      const [one, two] = [termsOf(form), termsOf(form, 1)]
      const twenty = Array.from({ length: 20 }, (_, n) => termsOf(form, n))
      return {
        transfer: signedVsizeOf(buildTransfer(one)),
        reclaim: signedVsizeOf(buildReclaim([one], anchors(1))),
        'reclaim of two': signedVsizeOf(buildReclaim([one, two], anchors(2))),
        'recovery of twenty': signedVsizeOf(buildRecovery(twenty)),
        move: signedVsizeOf(buildMove([one], form, anchors(1))),
      }
    })
    expect(sizes).toEqual([
      {
        transfer: TRANSFER_VSIZE,
        reclaim: 212,
        'reclaim of two': 412,
        'recovery of twenty': 4026,
        move: 212,
      },
      {
        transfer: TRANSFER_VSIZE,
        reclaim: 220,
        'reclaim of two': 428,
        'recovery of twenty': 4186,
        move: 220,
      },
    ])
  })

  it('reclaims coins of both forms', () => {
    const escrows = [termsOf('wallet', 4), termsOf('published', 1), termsOf('wallet', 2)]
    const layout = buildReclaim(escrows, anchors(2))
    checkSettlement(layout, { inscriptionInputs: escrowInputsOf(layout), ownerScript: SELLER, feeSats: 660 })
    expect(layout.outputs.map(({ role, valueSats }) => [role, valueSats])).toEqual([
      ['recovery', 10_004],
      ['recovery', 10_001],
      ['recovery', 10_002],
    ])
    expect(buildRecovery(escrows)).toEqual(
      buildReclaim(
        escrows,
        escrows.map((terms) => terms.recoveryCoin),
      ),
    )
  })

  it('moves a coin to either form', () => {
    for (const from of FORMS)
      for (const to of FORMS) {
        const terms = termsOf(from)
        const move = buildMove([termsOf(from, 7), terms], to, anchors(1))
        const escrow = buildPassthrough(terms.seller, cosign, to)
        checkSettlement(move, {
          inscriptionInputs: escrowInputsOf(move),
          ownerScript: escrow.script,
          feeSats: feeOfLayout(move),
        })
        const moved: ListingTerms = { ...terms, escrowForm: to, movedTo: movedCoinOf(move, 1) }
        expect(escrowCoinOf(moved)).toEqual(moved.movedTo)
        for (const layout of [buildSaleLeg(moved), buildReclaim([moved], anchors(1))]) {
          const [input] = layout.inputs
          expect(input!.coin).toEqual(moved.movedTo)
          expect(input!.spend.by === 'escrow' && equalBytes(input!.spend.script, escrow.script)).toBe(true)
        }
        expect(buildMove([moved], from, anchors(1)).outputs[0]!.valueSats).toBe(10_000)
      }
  })
})
