import { createHmac } from 'node:crypto'
import { keySpendOf, scriptOfPublicKey } from '@ordbook/bitcoin/address.ts'
import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import { signKeyInput } from '@ordbook/bitcoin/inscribe.ts'
import { publicKeyOf, signSchnorr, xOnlyKeyOf } from '@ordbook/bitcoin/keys.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import {
  keyWitness,
  type Layout,
  type LayoutInput,
  sighashOf,
  transactionOf,
} from '@ordbook/bitcoin/trade/layout.ts'
import { escrowCoinOf } from '@ordbook/bitcoin/trade/listing.ts'
import { hexOfTransaction, txidOf } from '@ordbook/bitcoin/transaction.ts'
import {
  checkedCoins,
  checkedCounter,
  checkedFill,
  checkedRecovery,
  checkedSettlement,
  type Policy,
  transfersOf,
} from './policy.ts'
import { type MarketKeys, type Release, type Signed, type Signer, SignerRefusal } from './requests.ts'
import type { Revocations } from './revocations.ts'

/** For signers whose signatures are never taken back, as in tests. */
const NOTHING_REVOKED: Revocations = { has: () => false, add: () => {} }

/** A signer that holds the keys in this process. Both are derived from one 32-byte seed. */
export function localSigner(
  seed: Uint8Array,
  policy: Policy,
  revoked: Revocations = NOTHING_REVOKED,
): Signer {
  const derive = (purpose: string) =>
    new Uint8Array(createHmac('sha256', seed).update(`ordbook/${purpose}`).digest())
  const cosignSecret = derive('cosign')
  const coinSecret = derive('coins')
  const coinScript = scriptOfPublicKey(publicKeyOf(coinSecret), 'p2tr')
  const keys: MarketKeys = {
    cosignKey: xOnlyKeyOf(cosignSecret),
    coins: keySpendOf(coinScript, publicKeyOf(coinSecret)),
    coinScript,
  }

  /** Fills the witnesses: ours by key, everybody else's as given, each side's in input order. */
  const assemble = (
    layout: Layout,
    others: { seller?: readonly Uint8Array[]; buyer?: readonly Uint8Array[]; release?: Release } = {},
  ): Signed => {
    const given: Partial<Record<LayoutInput['signer'], Iterator<Uint8Array>>> = {
      seller: (others.seller ?? []).values(),
      buyer: (others.buyer ?? []).values(),
    }
    const tx = transactionOf(layout)
    for (const [i, { spend, signer }] of layout.inputs.entries()) {
      const input = tx.inputs[i]!
      const cosigned = () => signSchnorr(sighashOf(layout, i, SIGHASH.DEFAULT), cosignSecret)
      if (spend.by === 'bid') {
        const { guardianSignature, secret } = others.release!
        input.witness = [cosigned(), guardianSignature, secret, spend.leaf, spend.controlBlock]
      } else if (spend.by === 'escrow') {
        input.witness = [cosigned(), given.seller!.next().value!, spend.leaf, spend.controlBlock]
      } else {
        if (spend.by !== 'key') throw new TypeError(`nobody asks the market for input ${i}`)
        input.witness = keyWitness(
          spend,
          signer === 'market' ? signKeyInput(layout, i, coinSecret) : given[signer]!.next().value!,
        )
      }
    }
    return { txid: txidOf(tx), hex: hexOfTransaction(tx) }
  }

  return {
    keys,
    signSettlement: async (request) =>
      refusing(() => {
        const gone = transfersOf(request).find((txid) => revoked.has(txid))
        if (gone) throw new SignerRefusal(`the listing of transfer ${gone} was revoked`)
        const { built, transfers } = checkedSettlement(request, keys, policy)
        const signed = transfers.flatMap((transfer, n) =>
          transfer ? [assemble(transfer, { seller: [request.sellers[n]!.transferSignature] })] : [],
        )
        const seller = request.sellers.map((each) => each.legSignature)
        return [...signed, assemble(built.settlement, { seller, buyer: request.buyerSignatures })]
      }),
    signCounter: async (request) =>
      refusing(() => {
        const gone = escrowCoinOf(request.terms).txid
        if (revoked.has(gone)) throw new SignerRefusal(`the counter of transfer ${gone} was revoked`)
        const [transfer, funding, settlement] = checkedCounter(request, keys, policy)
        return [
          assemble(transfer!, { seller: [request.transferSignature] }),
          assemble(funding!, { buyer: request.fundingSignatures }),
          assemble(settlement!, { seller: [request.legSignature], buyer: [request.buyerSignature] }),
        ]
      }),
    signFill: async (request) =>
      refusing(() => {
        const { fundingParent, settlement } = checkedFill(request, keys, policy)
        return [
          assemble(fundingParent, { buyer: request.makerSignatures }),
          assemble(settlement, { seller: [request.sellerSignature], release: request }),
        ]
      }),
    signRecovery: async (request) =>
      refusing(() => assemble(checkedRecovery(request, keys), { seller: request.signatures })),
    signCoins: async (request) => refusing(() => assemble(checkedCoins(request, keys, policy))),
    revoke: async (transferTxids) => revoked.add(transferTxids),
    revoked: async (transferTxids) => transferTxids.filter((txid) => revoked.has(txid)),
  }
}

function refusing<T>(check: () => T): T {
  try {
    return check()
  } catch (error) {
    if (error instanceof BitcoinError) throw new SignerRefusal(error.message, { cause: error })
    throw error
  }
}
