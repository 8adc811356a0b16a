import { keySpendOf } from '@ordbook/bitcoin/address.ts'
import { base64OfBytes, bytesOfBase64, bytesToHex, concatBytes } from '@ordbook/bitcoin/bytes.ts'
import type { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import { signKeyInput } from '@ordbook/bitcoin/inscribe.ts'
import { publicKeyOf, signSchnorr } from '@ordbook/bitcoin/keys.ts'
import { psbtOf, signaturesFrom } from '@ordbook/bitcoin/psbt.ts'
import { SIGHASH, taprootSighash } from '@ordbook/bitcoin/sighash.ts'
import { generationOf, LAST_GENERATION } from '@ordbook/bitcoin/trade/generation.ts'
import { type Coin, type Layout, signedVsizeOf, transactionOf } from '@ordbook/bitcoin/trade/layout.ts'
import {
  buildMove,
  buildReclaim,
  buildSaleLeg,
  escrowCoinOf,
  type ListingTerms,
  movedCoinOf,
} from '@ordbook/bitcoin/trade/listing.ts'
import { buildPassthrough, type EscrowForm } from '@ordbook/bitcoin/trade/passthrough.ts'
import { type Tx, vsizeOf } from '@ordbook/bitcoin/transaction.ts'
import { exitEscrow, finishExit, planExit } from '@ordbook/sdk/exit-escrow.ts'
import { Transaction } from '@scure/btc-signer'
import { TaprootControlBlock } from '@scure/btc-signer/psbt.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  completed,
  cosignKey,
  type EscrowOwner,
  type Kit,
  LEG,
  ownerOf,
  settlementOf,
  signedBy,
  startKit,
  transferOf,
} from './support/escrow-kit.ts'

const FORMS: EscrowForm[] = ['published', 'wallet']
const ALL = (count: number) => ({ indexes: [...Array(count).keys()], sighash: SIGHASH.ALL })

let kit: Kit
const seller = ownerOf('seller')
const buyer = ownerOf('buyer')
beforeAll(async () => {
  kit = await startKit()
})
afterAll(() => kit?.node.stop())

const legOf = async (terms: ListingTerms, owner: EscrowOwner = seller) =>
  (await signedBy(owner, buildSaleLeg(terms), LEG)).get(0)!

const codeOf = (take: () => unknown) => {
  try {
    take()
    return null
  } catch (error) {
    return (error as BitcoinError).code
  }
}

/** Builds a sale from a leg without the market. */
function paidFor(leg: Layout, payment: Coin): Layout {
  const spend = keySpendOf(payment.script, publicKeyOf(buyer.keys.payment))
  return {
    ...leg,
    inputs: [
      ...leg.inputs,
      { role: 'payment', coin: payment, signer: 'buyer', spend: { by: 'key', ...spend } },
    ],
    outputs: [
      ...leg.outputs,
      { role: 'inscription', valueSats: 90_000, script: buyer.wallet.ordinalsScript },
    ],
  }
}

describe.each(FORMS)('%s form', (form) => {
  it('settles with an unconfirmed or confirmed transfer', async () => {
    const [terms, other] = await kit.terms(seller, [form, form])
    const transfer = await transferOf(seller, terms!)
    const pending = { terms: terms!, leg: await legOf(terms!), confirmed: false }
    const packaged = await settlementOf(kit, buyer, [pending])
    expect(await kit.says(transfer, packaged)).toBe('allowed')
    await kit.send(transfer)
    expect(await kit.says(packaged)).toBe('allowed')
    await kit.regtest.mine()
    expect(await kit.says(packaged)).toBe('allowed')
    const second = await transferOf(seller, other!)
    const settlement = await settlementOf(kit, buyer, [
      { ...pending, confirmed: true },
      { terms: other!, leg: await legOf(other!), confirmed: false },
    ])
    await kit.regtest.mineExactly([second, settlement])
    expect(await kit.isUnspent(escrowCoinOf(terms!))).toBe(false)
  })

  it('binds each generation to its sequence', async () => {
    const [first] = await kit.escrowed(seller, [form])
    const generations = [0, 1, 1000, LAST_GENERATION]
    const legs = new Map<number, Uint8Array>()
    for (const generation of generations) legs.set(generation, await legOf({ ...first!, generation }))
    for (const generation of generations)
      for (const signed of generations) {
        const terms = { ...first!, generation }
        const settlement = await settlementOf(kit, buyer, [
          { terms, leg: legs.get(signed)!, confirmed: true },
        ])
        const says = await kit.says(settlement)
        if (signed === generation) expect(says).toBe('allowed')
        else expect(says).toMatch(/Schnorr signature/i)
      }
    // Only the signer rejects older legs. The chain still accepts the old price.
    const old = await settlementOf(kit, buyer, [{ terms: first!, leg: legs.get(0)!, confirmed: true }])
    expect(await kit.says(old)).toBe('allowed')
  })

  it('reclaims any subset of items', async () => {
    const [one, two, three] = await kit.escrowed(seller, [form, form, form])
    const layout = buildReclaim([one!, three!], await kit.anchors(2))
    const reclaim = completed(layout, await signedBy(seller, layout, ALL(2)))
    expect(vsizeOf(reclaim)).toBeLessThanOrEqual(signedVsizeOf(layout))
    const robbed: Tx = structuredClone(reclaim)
    robbed.outputs[0]!.script = buyer.wallet.ordinalsScript
    expect(await kit.says(robbed)).toMatch(/Schnorr signature/i)
    await kit.send(reclaim)
    await kit.regtest.mine()
    for (const terms of [one!, three!]) expect(await kit.isUnspent(escrowCoinOf(terms))).toBe(false)
    expect(reclaim.outputs.map((output) => output.script)).toEqual(
      Array(2).fill(seller.wallet.ordinalsScript),
    )
    const secondSale = await settlementOf(kit, buyer, [
      { terms: two!, leg: await legOf(two!), confirmed: true },
    ])
    expect(await kit.says(secondSale)).toBe('allowed')
  })

  it.each(FORMS)('invalidates all old legs by a move to the %s form', async (to) => {
    const [terms] = await kit.escrowed(seller, [form])
    const old = await settlementOf(kit, buyer, [{ terms: terms!, leg: await legOf(terms!), confirmed: true }])
    const layout = buildMove([terms!], to, await kit.anchors(1))
    await kit.send(completed(layout, await signedBy(seller, layout, ALL(1))))
    await kit.regtest.mine()
    expect(await kit.says(old)).toMatch(/missing-?inputs|missingorspent/i)
    const moved: ListingTerms = {
      ...terms!,
      escrowForm: to,
      movedTo: movedCoinOf(layout, 0),
      payoutSats: 90_000,
    }
    const settlement = await settlementOf(kit, buyer, [
      { terms: moved, leg: await legOf(moved), confirmed: true },
    ])
    await kit.send(settlement)
    await kit.regtest.mine()
    expect(await kit.isUnspent(moved.movedTo!)).toBe(false)
  })
})

describe('exit without the market', () => {
  const wishFor = (terms: ListingTerms) => {
    const { txid, vout, valueSats } = escrowCoinOf(terms)
    return { txid, vout, valueSats, form: terms.escrowForm, cosignKey: bytesToHex(cosignKey) }
  }

  it.each(['p2wpkh', 'p2tr', 'p2sh-p2wpkh'] as const)(
    'exits through the exit leaf with a fee paid from %s',
    async (kind) => {
      const owner = ownerOf(`leaves ${kind}`, kind)
      const escrows = await kit.escrowed(owner, ['wallet', 'wallet'])
      const coins = await kit.coins(owner.wallet.paymentScript, [20_000])
      const { tx, feeSats } = await exitEscrow(owner.wallet, {
        escrows: escrows.map(wishFor),
        coins,
        feeRateSatVb: 3,
      })
      expect(tx.inputs.map(({ witness }) => witness.map((each) => each.length))).toEqual([
        [64, 34, 65],
        [64, 34, 65],
        kind === 'p2tr' ? [64] : [expect.any(Number), 33],
      ])
      expect(tx.outputs.map((output) => output.valueSats)).toEqual([10_000, 10_000, 20_000 - feeSats])
      await kit.send(tx)
      await kit.regtest.mine()
      for (const terms of escrows) expect(await kit.isUnspent(escrowCoinOf(terms))).toBe(false)
    },
  )

  it('exits with a fee paid from the escrow coin', async () => {
    const [terms] = await kit.escrowed(seller, ['wallet'])
    const { tx, feeSats } = await exitEscrow(seller.wallet, {
      escrows: [wishFor(terms!)],
      coins: [],
      feeRateSatVb: 2,
    })
    expect(tx.outputs).toEqual([{ valueSats: 10_000 - feeSats, script: seller.wallet.ordinalsScript }])
    expect(await kit.says(tx)).toBe('allowed')
  })

  it('replaces a pending settlement with an exit', async () => {
    const [terms] = await kit.escrowed(seller, ['wallet'])
    const coins = await kit.coins(seller.wallet.paymentScript, [50_000])
    const settlement = await settlementOf(kit, buyer, [
      { terms: terms!, leg: await legOf(terms!), confirmed: true },
    ])
    await kit.send(settlement)
    const escrows = [wishFor(terms!)]
    const cheap = await exitEscrow(seller.wallet, { escrows, coins, feeRateSatVb: 2 })
    expect(await kit.says(cheap.tx)).toMatch(/insufficient fee/)
    const { tx } = await exitEscrow(seller.wallet, { escrows, coins, feeRateSatVb: 40 })
    await kit.send(tx)
    expect(await kit.says(settlement)).not.toBe('allowed')
    await kit.regtest.mine()
  })

  it('exits through the key path of the published form', async () => {
    const [terms] = await kit.escrowed(seller, ['published'])
    const exitInput = {
      escrows: [wishFor(terms!)],
      coins: await kit.coins(seller.wallet.paymentScript, [20_000]),
      feeRateSatVb: 3,
    }
    const plan = planExit(seller.wallet, exitInput)
    const signed = await seller.wallet.signPsbt(plan.psbtBase64, plan.inputsToSign)
    expect(() => finishExit(plan, signed)).toThrow(/private key of the ordinals address/)
    expect(() => finishExit(plan, signed, buyer.keys.ordinals)).toThrow(/is not valid/)
    await kit.send(finishExit(plan, signed, seller.keys.ordinals))
    await kit.regtest.mine()
    expect(await kit.isUnspent(escrowCoinOf(terms!))).toBe(false)
  })
})

describe('generation', () => {
  it('rejects sequences outside its range', async () => {
    const [terms] = await kit.escrowed(seller, ['wallet'])
    const layout = buildSaleLeg(terms!)
    const [payment] = await kit.coins(buyer.wallet.paymentScript, [200_000])
    const { says } = kit
    const sold = async (sequence: number) => {
      const leg = { ...layout, inputs: [{ ...layout.inputs[0]!, sequence }] }
      const signature = (await signedBy(seller, leg, LEG)).get(0)!
      const sale = paidFor(leg, payment!)
      return says(
        completed(
          sale,
          new Map([
            [0, signature],
            [1, signKeyInput(sale, 1, buyer.keys.payment)],
          ]),
        ),
      )
    }
    for (const sequence of [0xfffffffd, 0x80000000]) {
      expect(await sold(sequence)).toBe('allowed')
      expect(generationOf(sequence)).toBe(0xfffffffd - sequence)
    }
    // Valid sequences that are not generations. Each would exceed every minimum generation.
    for (const sequence of [0xffffffff, 0xfffffffe, 0]) {
      expect(await sold(sequence)).toBe('allowed')
      expect(codeOf(() => generationOf(sequence))).toBe('generation-invalid')
    }
    for (const sequence of [0xffff, 0x00400001]) {
      expect(await sold(sequence)).toMatch(/BIP68|lock/i)
      expect(codeOf(() => generationOf(sequence))).toBe('generation-invalid')
    }
  })
})

describe('signatures that must not leave a wallet', () => {
  /** Returns a signed leg with one addition. */
  async function returned(
    terms: ListingTerms,
    add: (psbt: Transaction, hashes: { key: Uint8Array; leaf: Uint8Array }) => void,
  ) {
    const layout = buildSaleLeg(terms)
    const base64 = await seller.wallet.signPsbt(psbtOf(layout, LEG), [
      { address: seller.wallet.ordinalsAddress, signingIndexes: [0], sigHash: LEG.sighash },
    ])
    const psbt = Transaction.fromPSBT(bytesOfBase64(base64)!, {
      allowUnknownInputs: true,
      allowUnknownOutputs: true,
      disableScriptCheck: true,
    })
    const tx = transactionOf(layout)
    const prevouts = [layout.inputs[0]!.coin]
    const { exit } = buildPassthrough(terms.seller, cosignKey, terms.escrowForm)
    add(psbt, {
      key: taprootSighash(tx, 0, prevouts, LEG.sighash),
      leaf: taprootSighash(tx, 0, prevouts, LEG.sighash, exit ? { leafHash: exit.leafHash } : {}),
    })
    const bytes = base64OfBytes(psbt.toPSBT(0))
    return { layout, take: () => signaturesFrom(bytes, layout, LEG) }
  }
  const signed131 = (hash: Uint8Array, key: Uint8Array) =>
    concatBytes(signSchnorr(hash, key), Uint8Array.of(131))

  it.each(FORMS)('rejects a key-path signature of the %s form', async (form) => {
    const [terms] = await kit.escrowed(seller, [form])
    const clean = await returned(terms!, () => {})
    expect(clean.take().get(0)).toHaveLength(65)
    const { take } = await returned(terms!, (psbt, { key }) =>
      psbt.updateInput(0, { tapKeySig: signed131(key, seller.keys.ordinals) }, true),
    )
    expect(codeOf(take)).toBe('escrow-key-path-signed')
  })

  it('rejects an exit-leaf signature with open outputs', async () => {
    const [terms] = await kit.escrowed(seller, ['wallet'])
    const exit = buildPassthrough(terms!.seller, cosignKey, 'wallet').exit!
    let leaked: Uint8Array | undefined
    const { layout, take } = await returned(terms!, (psbt, { leaf }) => {
      leaked = signed131(leaf, seller.keys.ordinals)
      const { sellerKey } = buildPassthrough(terms!.seller, cosignKey, 'wallet')
      psbt.updateInput(0, { tapScriptSig: [[{ pubKey: sellerKey, leafHash: exit.leafHash }, leaked]] }, true)
    })
    expect(codeOf(take)).toBe('escrow-other-leaf-signed')

    // With that signature anyone can pay the price and receive the inscription.
    const [payment] = await kit.coins(buyer.wallet.paymentScript, [200_000])
    const theft = paidFor(layout, payment!)
    const tx = completed(
      theft,
      new Map([
        [0, leaked!],
        [1, signKeyInput(theft, 1, buyer.keys.payment)],
      ]),
    )
    tx.inputs[0]!.witness = [leaked!, exit.leaf, exit.controlBlock]
    expect(await kit.says(tx)).toBe('allowed')
  })

  it('rejects a finalized input', async () => {
    const [terms] = await kit.escrowed(seller, ['wallet'])
    const { take } = await returned(terms!, (psbt, { leaf }) => {
      const exit = buildPassthrough(terms!.seller, cosignKey, 'wallet').exit!
      psbt.updateInput(
        0,
        { finalScriptWitness: [signed131(leaf, seller.keys.ordinals), exit.leaf, exit.controlBlock] },
        true,
      )
    })
    expect(codeOf(take)).toBe('escrow-finalised')
  })

  it('includes only one leaf in PSBTs for wallets', async () => {
    const [terms] = await kit.terms(seller, ['wallet'])
    const psbt = Transaction.fromPSBT(bytesOfBase64(psbtOf(buildSaleLeg(terms!), LEG))!, {
      allowUnknownInputs: true,
      allowUnknownOutputs: true,
      disableScriptCheck: true,
    })
    const { tapLeafScript, tapBip32Derivation, tapInternalKey, tapMerkleRoot, sighashType } = psbt.getInput(0)
    expect(tapLeafScript).toHaveLength(1)
    expect(tapBip32Derivation).toMatchObject([
      [
        terms!.seller.internalKey,
        { hashes: [buildPassthrough(terms!.seller, cosignKey, 'wallet').leafHash] },
      ],
    ])
    expect(TaprootControlBlock.encode(tapLeafScript![0]![0])).toHaveLength(65)
    expect({ tapInternalKey, tapMerkleRoot, sighashType }).toEqual({
      tapInternalKey: undefined,
      tapMerkleRoot: undefined,
      sighashType: 131,
    })
  })
})
