import { bytesToHex } from '../bytes.ts'
import { BitcoinError } from '../errors.ts'
import { sha256 } from '../keys.ts'
import { verifySignature } from '../psbt.ts'
import { SIGHASH } from '../sighash.ts'
import { checkSettlement } from './check.ts'
import { buildFill, type CollectionOfferTerms, type Fill, type FillTerms } from './collection-offer.ts'
import { criteriaHash, type EligibleProof, isEligible } from './criteria.ts'
import { feeOfLayout, positionsOf } from './layout.ts'

/** Conditions of an offer besides the price. */
export interface BidCriteria {
  /** Canonical text. */
  criteria: string
  /** Hex. */
  eligibleRoot: string
  /** Unix milliseconds. */
  expiresAt: number
}

/** A fill without the signatures of guardian and market. */
export interface FillRequest {
  terms: FillTerms
  asked: BidCriteria
  inscriptionId: string
  /** Offset of the sat in its coin. */
  satOffset: number
  proof: EligibleProof
  /** Signatures for the funding parent, in payment order. */
  makerSignatures: readonly Uint8Array[]
  sellerSignature: Uint8Array
}

/** Returns the text that an offer's secret commits to. Other terms yield another secret. */
export function bidText(terms: Omit<CollectionOfferTerms, 'secretHash'>, asked: BidCriteria): string {
  return JSON.stringify([
    'ordbook/bid/v1',
    asked.criteria,
    criteriaHash(asked.criteria),
    asked.eligibleRoot,
    asked.expiresAt,
    terms.priceSats,
    bytesToHex(terms.makerScript),
    bytesToHex(terms.changeScript),
    terms.payer.kind,
    bytesToHex(terms.payer.publicKey),
    terms.payments.map(({ txid, vout, valueSats, script }) => [txid, vout, valueSats, bytesToHex(script)]),
    bytesToHex(terms.guardianKey),
    bytesToHex(terms.marketKey),
  ])
}

/**
 * Checks a fill and returns the layouts to sign. Verifies the signatures of maker and seller, the eligibility of the inscription, the
 * secret, and that the coin goes to the maker. Throws BitcoinError.
 */
export function checkFill(request: FillRequest, secret: Uint8Array): Fill {
  const { terms, asked, inscriptionId, satOffset, proof, makerSignatures, sellerSignature } = request
  const fill = buildFill(terms)
  const { fundingParent, settlement } = fill
  const payments = positionsOf(fundingParent.inputs, 'payment')
  if (makerSignatures.length !== payments.length)
    throw new BitcoinError('input-unsigned', 'each payment must be signed by the maker')
  for (const [n, index] of payments.entries())
    verifySignature(makerSignatures[n]!, fundingParent, index, null)
  verifySignature(sellerSignature, settlement, 0, SIGHASH.DEFAULT)
  if (bytesToHex(sha256(secret)) !== bytesToHex(terms.offer.secretHash))
    throw new BitcoinError('criteria-unmet', 'the secret does not match this offer')
  if (!isEligible(asked.eligibleRoot, inscriptionId, proof))
    throw new BitcoinError('criteria-unmet', `${inscriptionId} is not eligible for this offer`)
  if (satOffset < 0 || satOffset >= terms.inscriptionCoin.valueSats)
    throw new BitcoinError('inscription-misplaced', 'the offset of the inscription is outside its coin')
  checkSettlement(settlement, {
    inscriptionInputs: positionsOf(settlement.inputs, 'inscription'),
    ownerScript: terms.offer.makerScript,
    feeSats: feeOfLayout(settlement),
  })
  return fill
}
