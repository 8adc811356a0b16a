import { keySpendOf } from '@ordbook/bitcoin/address.ts'
import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { sha256, xOnlyKeyOf } from '@ordbook/bitcoin/keys.ts'
import { signedPsbtOf } from '@ordbook/bitcoin/prepared-psbt.ts'
import { psbtOf, signaturesFrom } from '@ordbook/bitcoin/psbt.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import { type Coin, type Layout, sighashOf, transactionOf } from '@ordbook/bitcoin/trade/layout.ts'
import {
  buildRecovery,
  buildSaleLeg,
  buildTransfer,
  type ListingTerms,
} from '@ordbook/bitcoin/trade/listing.ts'
import type { EscrowForm } from '@ordbook/bitcoin/trade/passthrough.ts'
import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { demoWallets } from '../demo-wallets.ts'
import { BadSignature } from '../errors.ts'
import { signPlan } from '../signing.ts'
import type { SigningRequest, Wallet } from '../wallet.ts'
import type { Plan, PlannedStep } from './plan.ts'
import { promptsOf } from './prompts.ts'

const { first: wallet, second: market } = demoWallets('regtest')
const marketKey = xOnlyKeyOf(sha256(new TextEncoder().encode('cosign')))
const coin = (n: number, valueSats: number, script: Uint8Array): Coin => ({
  txid: n.toString(16).padStart(64, '0'),
  vout: n % 3,
  valueSats,
  script,
})

interface Sale {
  escrowForm: EscrowForm
  valueSats: number
  payoutSats: number
  generation: number
}

const termsOf = ({ escrowForm, valueSats, payoutSats, generation }: Sale, n: number): ListingTerms => ({
  inscriptionCoin: coin(100 + n, valueSats, wallet.ordinalsScript),
  seller: keySpendOf(wallet.ordinalsScript, hexToBytes(wallet.ordinalsPublicKey)),
  marketKey,
  escrowForm,
  movedTo: null,
  generation,
  anchor: coin(200 + n, 330, market.ordinalsScript),
  recoveryCoin: coin(300 + n, 330, market.ordinalsScript),
  market: keySpendOf(market.ordinalsScript, hexToBytes(market.ordinalsPublicKey)),
  payoutSats,
  payoutScript: wallet.paymentScript,
})

function stepOf(
  name: string,
  layout: Layout,
  { indexes = [0], sighash, form }: { indexes?: number[]; sighash: number; form?: EscrowForm },
): PlannedStep {
  const request = { indexes, sighash }
  return {
    name,
    layout,
    txid: txidOf(transactionOf(layout)),
    request,
    psbtBase64: psbtOf(layout, request),
    inputsToSign: [
      {
        address: wallet.ordinalsAddress,
        ...(form ? { disableTweakSigner: form === 'wallet' } : {}),
        signingIndexes: indexes,
        sigHash: sighash,
      },
    ],
    previous: new Map(),
  }
}

function planOf(sales: readonly Sale[]): Plan {
  const batch = sales.map(termsOf)
  const steps = batch.flatMap((terms, n) => [
    stepOf(`the transfer of ${n}`, buildTransfer(terms), { sighash: SIGHASH.DEFAULT }),
    stepOf(`the sale of ${n}`, buildSaleLeg(terms), {
      sighash: SIGHASH.SINGLE_ANYONECANPAY,
      form: terms.escrowForm,
    }),
  ])
  const indexes = batch.map((_, n) => n)
  return {
    steps: [...steps, stepOf('the recovery', buildRecovery(batch), { indexes, sighash: SIGHASH.ALL })],
  }
}

const SALE: Sale = { escrowForm: 'wallet', valueSats: 10_000, payoutSats: 60_000, generation: 0 }
const sale = fc.record({
  escrowForm: fc.constantFrom<EscrowForm>('wallet', 'published'),
  valueSats: fc.integer({ min: 330, max: 100_000 }),
  payoutSats: fc.integer({ min: 330, max: 10_000_000 }),
  generation: fc.integer({ min: 0, max: 100 }),
})
const mergedOf = (legs: readonly Layout[]): Layout => ({
  version: 2,
  inputs: legs.flatMap(({ inputs }) => inputs),
  outputs: legs.flatMap(({ outputs }) => outputs),
})

describe('promptsOf', () => {
  it('combines only SINGLE|ANYONECANPAY legs', () => {
    fc.assert(
      fc.property(fc.array(sale, { minLength: 2, maxLength: 20 }), (sales) => {
        const legs = sales.map((terms, n) => buildSaleLeg(termsOf(terms, n)))
        const merged = mergedOf(legs)
        const { SINGLE_ANYONECANPAY, ...others } = SIGHASH
        for (const [n, leg] of legs.entries()) {
          expect(sighashOf(merged, n, SINGLE_ANYONECANPAY)).toEqual(sighashOf(leg, 0, SINGLE_ANYONECANPAY))
          for (const type of [others.DEFAULT, others.ALL, others.ALL_ANYONECANPAY])
            expect(sighashOf(merged, n, type)).not.toEqual(sighashOf(leg, 0, type))
        }
      }),
      { numRuns: 30 },
    )
  })

  it('combines legs into one PSBT', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(sale, { minLength: 1, maxLength: 4 }), async (sales) => {
        const plan = planOf(sales)
        const shown: SigningRequest[] = []
        const signed = await signPlan(recording(shown), plan)
        expect(shown).toHaveLength(sales.length + 2)
        expect(signed).toHaveLength(2 * sales.length + 1)
        for (const [n, { layout, request }] of plan.steps.entries())
          expect([...signaturesFrom(signed[n]!, layout, request).keys()]).toEqual(request.indexes)
      }),
      { numRuns: 10 },
    )
  })

  it('does not combine legs of the same coin', () => {
    const plan = planOf([SALE, SALE])
    const [, leg] = plan.steps as [PlannedStep, PlannedStep]
    expect(promptsOf({ steps: [leg, leg] }).map(({ places }) => places)).toEqual([[0], [1]])
    const counter = { ...leg, request: { indexes: [0], sighash: SIGHASH.ALL_ANYONECANPAY } }
    expect(promptsOf({ steps: [counter, plan.steps[3]!] }).map(({ places }) => places)).toEqual([[0], [1]])
    expect(promptsOf(plan).map(({ places }) => places)).toEqual([[0], [1, 3], [2], [4]])
  })
})

/** The demo wallet, which records its requests. `answer` changes its responses. */
function recording(shown: SigningRequest[], answer = (psbtBase64: string, _n: number) => psbtBase64): Wallet {
  const sign: Wallet['signPsbt'] = async (psbtBase64, inputsToSign) => {
    shown.push({ psbtBase64, inputsToSign })
    return answer(await wallet.signPsbt(psbtBase64, inputsToSign), shown.length - 1)
  }
  return Object.assign(Object.create(wallet) as Wallet, { name: 'Lamp', signPsbt: sign })
}

describe('signPlan', () => {
  const plan = planOf([SALE, SALE])
  const { psbtBase64: legs, inputsToSign } = promptsOf(plan)[1]!
  const firstLegAlone = wallet.signPsbt(legs, [{ ...inputsToSign[0]!, signingIndexes: [0] }])

  it.each([
    ['missing', firstLegAlone, /input 1 is not signed/],
    ['unreadable', 'bm8gUFNCVA==', /the bytes are not a PSBT/],
    ['altered', plan.steps[0]!.psbtBase64, /differs from the prepared one/],
  ] as const)('stops at a signature that is %s', async (fault, given, text) => {
    const shown: SigningRequest[] = []
    const answer = await given
    const at = recording(shown, (psbt, n) => (n === 1 ? answer : psbt))
    const error = await signPlan(at, plan).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(BadSignature)
    expect(error).toMatchObject({ fault, wallet: 'Lamp', step: 'the sale of 0 and 1 more', sighash: 131 })
    expect((error as Error).message).toMatch(text)
    expect((error as Error).message).toMatch(/^Lamp, the sale of 0 and 1 more: /)
    expect(shown).toHaveLength(2)
  })

  it('reports a signature with another sighash', async () => {
    const [transfer, leg] = planOf([SALE]).steps as [PlannedStep, PlannedStep]
    const faultOf = async (step: PlannedStep, signed: string) => {
      const one = recording([], () => signed)
      return (await signPlan(one, { steps: [step] }).catch((thrown: unknown) => thrown)) as BadSignature
    }
    const all = psbtOf(leg.layout, { indexes: [0], sighash: SIGHASH.ALL_ANYONECANPAY })
    const wrong = await wallet.signPsbt(all, [{ ...leg.inputsToSign[0]!, sigHash: SIGHASH.ALL_ANYONECANPAY }])
    expect(await faultOf(leg, wrong)).toMatchObject({ fault: 'wrong-sighash', step: 'the sale of 0' })
    // A wallet with another account selected signs the same leaf with another key.
    const foreign = planOf([SALE]).steps[1]!.layout.inputs[0]!
    const { spend } = foreign
    if (spend.by !== 'escrow') throw new TypeError('a leg spends an escrow coin')
    const other = {
      ...leg.layout,
      inputs: [{ ...foreign, spend: { ...spend, sellerKey: xOnlyKeyOf(OTHER) } }],
    }
    const byOther = signedPsbtOf(other, leg.request, new Map([[0, new Uint8Array(65).fill(131)]]))
    expect(await faultOf(leg, byOther)).toMatchObject({ fault: 'other-key' })
    expect(await faultOf(transfer, transfer.psbtBase64)).toMatchObject({
      fault: 'missing',
      step: 'the transfer of 0',
    })
  })
})
const OTHER = sha256(new TextEncoder().encode('another account'))
