import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { landingOf } from '@ordbook/bitcoin/sat-flow.ts'
import { criteriaHash, isEligible } from '@ordbook/bitcoin/trade/criteria.ts'
import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import type { Answer } from './operations.ts'
import { type ChainSource, pathOf } from './receipt.ts'
import { demand } from './verify/demand.ts'

/**
 * Checks with a node that a fill matches the maker's offer: the criteria's hash and the eligible root that the maker stored from the
 * preflight. Returns the path of the sat to the maker, oldest first. Throws CheckFailed.
 */
export async function verifyFill(
  fill: Answer<'getEligibility'>,
  kept: { offerCriteriaHash: string; eligibleRoot: string },
  chain: ChainSource,
): Promise<string[]> {
  demand(
    fill.offerCriteriaHash === kept.offerCriteriaHash &&
      criteriaHash(fill.criteriaCanonicalJson) === kept.offerCriteriaHash,
    'the criteria are not those that were signed for',
  )
  demand(fill.eligibleRoot === kept.eligibleRoot, 'the eligible set is not the one that was signed for')
  demand(
    isEligible(kept.eligibleRoot, fill.inscriptionId, fill.proof),
    `${fill.inscriptionId} was not eligible`,
  )
  const { tx } = await chain.transaction(fill.settlementTxid)
  demand(txidOf(tx) === fill.settlementTxid, 'the node gives another transaction for the settlement')
  demand(
    formatOutpoint(tx.inputs[0]!) === fill.inscriptionCoin,
    "the settlement does not spend the inscription's coin",
  )
  demand(
    tx.inputs.some((input) => input.txid === fill.fundingParentTxid),
    'the settlement does not spend the offer',
  )
  const path = await pathOf(fill.inscriptionId, fill.inscriptionCoin, fill.satOffset, chain)
  const landing = landingOf(fill.satOffset, tx.outputs)
  demand(
    'vout' in landing && bytesToHex(tx.outputs[landing.vout]!.script) === fill.buyerReceiveScriptHex,
    `${fill.inscriptionId} did not land with the maker`,
  )
  return [...path, `${fill.settlementTxid}:${landing.vout}:${landing.offset}`]
}
