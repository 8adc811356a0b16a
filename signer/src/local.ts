import { createHmac } from 'node:crypto'
import { keySpendOf, scriptOfPublicKey } from '@ordbook/bitcoin/address.ts'
import { signKeyInput } from '@ordbook/bitcoin/inscribe.ts'
import { publicKeyOf, signSchnorr, xOnlyKeyOf } from '@ordbook/bitcoin/keys.ts'
import { signLogHead } from '@ordbook/bitcoin/log-head.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import type { Steps } from '@ordbook/bitcoin/steps.ts'
import { keyWitness, type LayoutInput, sighashOf, transactionOf } from '@ordbook/bitcoin/trade/layout.ts'
import { hexOfTransaction, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { parsing } from '@ordbook/process/parse.ts'
import {
  checkedCoins,
  checkedCounter,
  checkedFill,
  checkedMove,
  checkedReclaim,
  checkedSettlement,
  type Policy,
  type ToSign,
} from './policy.ts'
import { asRefusalYielding } from './reject-invalid.ts'
import {
  type MarketKeys,
  type Signed,
  type Signer,
  SignerRefusal,
  SpentRefusal,
  signerCalls,
} from './requests.ts'
import type { Memory } from './signer-state.ts'
import { runYielding } from './yield.ts'

/** Seeds of the market's keys, 32 bytes each. */
export interface MarketSeeds {
  cosign: Uint8Array
  coins: Uint8Array
}

/** A signer with the keys in this process. */
export function localSigner(seeds: MarketSeeds, policy: Policy, memory: Memory): Signer {
  const cosignSecret = derived(seeds.cosign, 'cosign')
  const coinSecret = derived(seeds.coins, 'coins')
  const coinScript = scriptOfPublicKey(publicKeyOf(coinSecret), 'p2tr')
  const keys: MarketKeys = {
    cosignKey: xOnlyKeyOf(cosignSecret),
    coins: keySpendOf(coinScript, publicKeyOf(coinSecret)),
    coinScript,
  }

  /** Builds the signed transaction: signs the market's inputs and inserts the other signatures. */
  const signed = function* ({ layout, seller, buyer, release }: ToSign): Steps<Signed> {
    const signatures: Partial<Record<LayoutInput['signer'], Iterator<Uint8Array>>> = {
      seller: (seller ?? []).values(),
      buyer: (buyer ?? []).values(),
    }
    const tx = transactionOf(layout)
    for (const [i, { spend, signer }] of layout.inputs.entries()) {
      const input = tx.inputs[i]!
      const cosigned = () => signSchnorr(sighashOf(layout, i, SIGHASH.DEFAULT), cosignSecret)
      if (spend.by === 'bid') {
        const { guardianSignature, secret } = release!
        input.witness = [cosigned(), guardianSignature, secret, spend.leaf, spend.controlBlock]
      } else if (spend.by === 'escrow') {
        input.witness = [cosigned(), signatures.seller!.next().value!, spend.leaf, spend.controlBlock]
      } else {
        if (spend.by !== 'key') throw new TypeError(`the market cannot sign input ${i}`)
        input.witness = keyWitness(
          spend,
          signer === 'market' ? signKeyInput(layout, i, coinSecret) : signatures[signer]!.next().value!,
        )
      }
      yield
    }
    return { txid: txidOf(tx), hex: hexOfTransaction(tx) }
  }
  const signAll = async (check: () => Steps<ToSign[]>): Promise<Signed[]> => {
    const all = await asRefusalYielding(check)
    const spendings = all.flatMap(({ layout, burnsSats }) =>
      burnsSats ? [{ txid: txidOf(transactionOf(layout)), sats: burnsSats }] : [],
    )
    const callSats = spendings.reduce((sum, { sats }) => sum + sats, 0)
    if (callSats > policy.mostCallSats)
      throw new SpentRefusal(
        `the market would pay ${callSats} sats in fees, above SIGNER_MAX_FEE_PER_CALL_SATS (${policy.mostCallSats})`,
      )
    await memory.claim(
      all.flatMap(({ legs }) => legs ?? []),
      spendings,
    )
    const results: Signed[] = []
    for (const toSign of all) results.push(await runYielding(signed(toSign)))
    return results
  }

  return parsing(
    signerCalls,
    {
      keys,
      mark: () => memory.journal.mark(),
      isPaired: () => null,
      signSettlement: async (request) => signAll(() => checkedSettlement(request, keys, policy)),
      signCounter: async (request) => signAll(() => checkedCounter(request, keys, policy)),
      signFill: async (request) => signAll(() => checkedFill(request, keys, policy)),
      signReclaim: async (request) => (await signAll(() => checkedReclaim(request, keys, policy)))[0]!,
      signMove: async (request) => (await signAll(() => checkedMove(request, keys, policy)))[0]!,
      signCoins: async (request) => (await signAll(() => checkedCoins(request, keys, policy)))[0]!,
      raiseFloors: async (floors) => memory.raise(floors),
      floors: async (outpoints) => outpoints.map((outpoint) => ({ outpoint, ...memory.floorOf(outpoint) })),
      revoke: async (revocations) => memory.revoke(revocations),
      revoked: async (ids) => ids.filter((id) => memory.isRevoked(id)),
      signLogHead: async (head) => signLogHead(head, cosignSecret),
    } satisfies Signer,
    (reason) => new SignerRefusal(reason),
  )
}

const derived = (seed: Uint8Array, purpose: string) =>
  new Uint8Array(createHmac('sha256', seed).update(`ordbook/${purpose}`).digest())
