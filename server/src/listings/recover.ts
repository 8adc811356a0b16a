import { randomUUID } from 'node:crypto'
import { keyWitness } from '@ordbook/bitcoin/psbt.ts'
import { transactionOf } from '@ordbook/bitcoin/trade/layout.ts'
import { buildRecovery, type ListingTerms } from '@ordbook/bitcoin/trade/listing.ts'
import { hexOfTransaction, txidOf } from '@ordbook/bitcoin/transaction.ts'
import type { Context } from '../context.ts'
import { inTransaction } from '../db/connect.ts'
import { unpack } from '../db/pack.ts'
import { insertMarketTransaction } from '../engine/queries.ts'
import { listBatch } from './queries.ts'

/**
 * Brings inscriptions whose transfer confirmed without its sale back to their sellers, by the recovery that they signed
 * when listing. Written down before it is sent; the jobs send it again until it confirms.
 */
export async function sendRecovery(
  { sql, node, market, log }: Context,
  recoveryBatch: string,
): Promise<string> {
  const batch = await listBatch(sql, recoveryBatch)
  const layout = buildRecovery(batch.map((listing) => unpack<ListingTerms>(listing.terms)))
  const signed = transactionOf(layout)
  for (const [i, input] of layout.inputs.entries()) {
    if (input.spend.by === 'escrow') {
      const { leaf, controlBlock } = input.spend
      signed.inputs[i]!.witness = [market.cosign(layout, i), batch[i]!.recoverySignature, leaf, controlBlock]
    } else signed.inputs[i]!.witness = keyWitness(input.spend, market.signCoin(layout, i))
  }
  const txid = txidOf(signed)
  const rawHex = hexOfTransaction(signed)
  await inTransaction(sql, (tx) => insertMarketTransaction(tx, { txid, handle: randomUUID(), rawHex }))
  const verdict = await node.submitPackage([rawHex])
  if (!verdict.ok) log.warn({ txid, reasons: [...verdict.reasons.values()] }, 'a recovery is refused')
  return txid
}
