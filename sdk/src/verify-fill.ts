import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { landingOf } from '@ordbook/bitcoin/sat-flow.ts'
import { criteriaHash, isEligible } from '@ordbook/bitcoin/trade/criteria.ts'
import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import type { Answer } from './operations.ts'
import { type ChainSource, pathOf } from './receipt.ts'
import type { KeptOffer } from './results.ts'
import { assert } from './verify/assert.ts'

/** Output of the funding parent that pays for the inscription. */
const OFFER_VOUT = 0

/**
 * Verifies with a node that a fill matches the maker's offer, an element of `kept` of `bid`. Returns the path of the sat to the maker,
 * oldest first. Throws CheckFailed.
 */
export async function verifyFill(
  fill: Answer<'getEligibility'>,
  offer: KeptOffer,
  chain: ChainSource,
): Promise<string[]> {
  assert(
    fill.offerCriteriaHash === offer.offerCriteriaHash &&
      criteriaHash(fill.criteriaCanonicalJson) === offer.offerCriteriaHash,
    'the criteria differ from the signed offer',
  )
  assert(fill.eligibleRoot === offer.eligibleRoot, 'the eligible set differs from the signed offer')
  assert(
    fill.fundingParentTxid === offer.fundingParentTxid && fill.priceSats === offer.priceSats,
    'the fill is of another offer or price',
  )
  assert(
    fill.buyerReceiveScriptHex === offer.buyerReceiveScriptHex,
    "the fill names another script than the maker's",
  )
  assert(
    isEligible(offer.eligibleRoot, fill.inscriptionId, fill.proof),
    `${fill.inscriptionId} was not eligible`,
  )
  const { tx } = await chain.transaction(fill.settlementTxid)
  assert(txidOf(tx) === fill.settlementTxid, 'the node returned a different transaction for the settlement')
  assert(
    formatOutpoint(tx.inputs[0]!) === fill.inscriptionCoin,
    "the settlement does not spend the inscription's coin",
  )
  assert(
    tx.inputs.some((input) => input.txid === offer.fundingParentTxid && input.vout === OFFER_VOUT),
    'the settlement does not spend the offer',
  )
  const path = await pathOf(fill.inscriptionId, fill.inscriptionCoin, fill.satOffset, chain)
  const landing = landingOf(fill.satOffset, tx.outputs)
  assert(
    'vout' in landing && bytesToHex(tx.outputs[landing.vout]!.script) === offer.buyerReceiveScriptHex,
    `${fill.inscriptionId} did not arrive at the maker's address`,
  )
  return [...path, `${fill.settlementTxid}:${landing.vout}:${landing.offset}`]
}
