import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { CollectionOfferTerms } from '@ordbook/bitcoin/trade/collection-offer.ts'
import { criteriaHash, proofOf } from '@ordbook/bitcoin/trade/criteria.ts'
import { decodeTransaction } from '@ordbook/bitcoin/transaction.ts'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { getEligibility as operation } from '@ordbook/contract/record.ts'
import { unpack } from '@ordbook/db/driver/pack.ts'
import { missing } from '@ordbook/db/process/errors.ts'
import { findByFill, listEligibleOf } from '../collection-offers/queries.ts'
import { fillKind } from '../collection-offers/settlement-kind.ts'
import type { Context } from '../context.ts'
import { findBySettlementTxid } from '../settlements/queries.ts'

/** Returns the proof that a fill delivered an eligible inscription. */
export async function getEligibility(
  { reads }: Pick<Context, 'reads'>,
  txid: string,
): Promise<AnswerOf<typeof operation>> {
  const settlement = await findBySettlementTxid(reads, fillKind.name, txid.toLowerCase())
  const offer = settlement && (await findByFill(reads, settlement.settlementId))
  if (!offer) throw missing('trade-unknown', `${txid} is not a fill of this market.`)
  const inscriptionId = offer.filledInscriptionId!
  const { hex } = settlement.transactions.find((tx) => tx.txid === settlement.settlementTxid)!
  return {
    settlementTxid: settlement.settlementTxid,
    fundingParentTxid: offer.fundingTxid,
    priceSats: offer.priceSats,
    criteriaCanonicalJson: offer.criteria,
    offerCriteriaHash: criteriaHash(offer.criteria),
    eligibleRoot: offer.eligibleRoot,
    inscriptionId,
    inscriptionCoin: formatOutpoint(decodeTransaction(hex).inputs[0]!),
    satOffset: offer.filledSatOffset!,
    buyerReceiveScriptHex: bytesToHex(unpack<CollectionOfferTerms>(offer.terms).makerScript),
    proof: proofOf(await listEligibleOf(reads, offer.eligibleRoot), inscriptionId)!,
  }
}
