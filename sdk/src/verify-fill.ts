import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { landingOf } from '@ordbook/bitcoin/sat-flow.ts'
import { criteriaHash, isEligible } from '@ordbook/bitcoin/trade/criteria.ts'
import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import type { Answer } from './operations.ts'
import { type ChainSource, pathOf } from './receipt.ts'
import { assert } from './verify/assert.ts'

/**
 * Verifies with a node that a fill matches the maker's offer. The hash and root of `offer` come from the preflight. Returns the path of the
 * sat to the maker, oldest first. Throws CheckFailed.
 */
export async function verifyFill(
  fill: Answer<'getEligibility'>,
  offer: { offerCriteriaHash: string; eligibleRoot: string },
  chain: ChainSource,
): Promise<string[]> {
  assert(
    fill.offerCriteriaHash === offer.offerCriteriaHash &&
      criteriaHash(fill.criteriaCanonicalJson) === offer.offerCriteriaHash,
    'the criteria differ from the signed offer',
  )
  assert(fill.eligibleRoot === offer.eligibleRoot, 'the eligible set differs from the signed offer')
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
    tx.inputs.some((input) => input.txid === fill.fundingParentTxid),
    'the settlement does not spend the offer',
  )
  const path = await pathOf(fill.inscriptionId, fill.inscriptionCoin, fill.satOffset, chain)
  const landing = landingOf(fill.satOffset, tx.outputs)
  assert(
    'vout' in landing && bytesToHex(tx.outputs[landing.vout]!.script) === fill.buyerReceiveScriptHex,
    `${fill.inscriptionId} did not arrive at the maker's address`,
  )
  return [...path, `${fill.settlementTxid}:${landing.vout}:${landing.offset}`]
}
