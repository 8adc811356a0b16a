import { createHmac } from 'node:crypto'
import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { sha256, signSchnorr, xOnlyKeyOf } from '@ordbook/bitcoin/keys.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import type { CollectionOfferTerms } from '@ordbook/bitcoin/trade/collection-offer.ts'
import { type BidCriteria, bidText, checkFill, type FillRequest } from '@ordbook/bitcoin/trade/fill-check.ts'
import { type Coin, positionsOf, sighashOf } from '@ordbook/bitcoin/trade/layout.ts'
import { parsing } from '@ordbook/process/parse.ts'
import type { Mark } from '../checkpoint.ts'
import { asRefusal } from '../reject-invalid.ts'
import { guardianCalls, type Release, type Revocation, RevokedRefusal, SignerRefusal } from '../requests.ts'
import type { Revocations } from '../revocations.ts'

type OpenBid = Omit<CollectionOfferTerms, 'secretHash'>

/**
 * The second key of collection offers. It acts for the maker, who is offline when the offer is filled: it derives the secret, and signs
 * only fills that match the maker's terms.
 *
 * The secret is derived from the terms, so changed terms yield a useless secret. The guardian therefore stores no offers and does not
 * depend on the server's copy of them.
 */
export interface Guardian {
  /** The guardian's x-only key G. */
  key: Uint8Array
  mark(): Mark
  /** Whether the standby had the whole journal at the last response; null without a pair. */
  isPaired(): boolean | null
  /** Returns the hash of the secret for a maker's terms. */
  lock(bid: { terms: OpenBid; asked: BidCriteria }): Promise<Uint8Array>
  /** Returns the secret and a signature for a fill. Throws SignerRefusal. */
  release(request: FillRequest): Promise<Release>
  /** Permanently revokes offers, by the hash of their secret in hex. */
  revoke(revocations: readonly Revocation[]): Promise<void>
  /** Returns which of the offers are revoked, by the hash of their secret. */
  revoked(secretHashes: readonly string[]): Promise<string[]>
}

/** Returns whether an inscription is at an offset of an unspent coin, from a source that the guardian trusts. */
export type IsIn = (inscriptionId: string, coin: Coin, satOffset: number) => Promise<boolean>

/** A guardian with its seed in this process. */
export function localGuardian(
  seed: Uint8Array,
  isIn: IsIn,
  revoked: Revocations,
  clock: () => Date = () => new Date(),
): Guardian {
  const derive = (purpose: string) => new Uint8Array(createHmac('sha256', seed).update(purpose).digest())
  const keySecret = derive('ordbook/guardian')
  const key = xOnlyKeyOf(keySecret)
  const secretOf = (terms: OpenBid, asked: BidCriteria) => derive(bidText(terms, asked))
  return parsing(
    guardianCalls,
    {
      key,
      mark: () => revoked.journal.mark(),
      isPaired: () => null,
      lock: async ({ terms, asked }) => sha256(secretOf(terms, asked)),
      async release(request) {
        const { terms, asked, inscriptionId, satOffset } = request
        if (bytesToHex(terms.offer.guardianKey) !== bytesToHex(key))
          throw new SignerRefusal('the offer has a different guardian key')
        if (asked.expiresAt <= clock().getTime()) throw new SignerRefusal('the offer has expired')
        if (revoked.has(bytesToHex(terms.offer.secretHash)))
          throw new RevokedRefusal('the maker cancelled the offer')
        const secret = secretOf(terms.offer, asked)
        const { settlement } = asRefusal(() => checkFill(request, secret))
        if (!(await isIn(inscriptionId, terms.inscriptionCoin, satOffset)))
          throw new SignerRefusal(`${inscriptionId} is not in the coin that the fill spends`)
        const at = positionsOf(settlement.inputs, 'funding')[0]!
        return {
          secret,
          guardianSignature: signSchnorr(sighashOf(settlement, at, SIGHASH.DEFAULT), keySecret),
        }
      },
      revoke: async (revocations) => revoked.add(revocations),
      revoked: async (secretHashes) => secretHashes.filter((hash) => revoked.has(hash)),
    } satisfies Guardian,
    (reason) => new SignerRefusal(reason),
  )
}
