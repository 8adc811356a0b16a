import { signaturesFrom } from '@ordbook/bitcoin/psbt.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import {
  buildRecovery,
  buildSaleLeg,
  buildTransfer,
  type ListingTerms,
} from '@ordbook/bitcoin/trade/listing.ts'
import type { submitListing as submitOperation } from '@ordbook/contract/listings.ts'
import type { BodyOf } from '@ordbook/contract/operation.ts'
import type { BindingRow } from '../auth/queries.ts'
import type { CollectionRow } from '../collections/queries.ts'
import { conflict, invalid } from '../errors.ts'
import { refuseDuplicates } from '../preflight/duplicates.ts'
import { refuseBitcoin } from '../preflight/refuse.ts'
import type { DraftRow } from './queries.ts'

/** What is asked of a submitted listing: that it is what the preflight prepared, signed by its seller. */
type Submitted = BodyOf<typeof submitOperation>

export const TRANSFER_REQUEST = { indexes: [0], sighash: SIGHASH.DEFAULT }
export const LEG_REQUEST = { indexes: [0], sighash: SIGHASH.SINGLE_ANYONECANPAY }
export const recoveryRequest = (count: number) => ({
  indexes: [...Array(count).keys()],
  sighash: SIGHASH.ALL,
})

/** Handles and signed steps are one for each item, in order. Throws invalid. */
export function checkHandles({ items, anchors, signed }: Submitted): void {
  const handles = anchors.map((each) => each.anchorUtxoId.toLowerCase())
  refuseDuplicates(handles, 'anchorUtxoId', 'anchors')
  if (anchors.length !== items.length || signed.length !== items.length)
    throw invalid(
      'entries-mismatched',
      'anchors and signed must have one entry for each item, in the order of the items',
    )
  for (const [i, { inscriptionId }] of items.entries()) {
    if (anchors[i]!.inscriptionId !== inscriptionId || signed[i]!.inscriptionId !== inscriptionId)
      throw invalid('entries-mismatched', 'anchors and signed must be in the order of the items')
    const { psbts } = signed[i]!
    if (psbts.some((step) => step.inscriptionId !== undefined && step.inscriptionId !== inscriptionId))
      throw invalid('entries-mismatched', `signed[${i}]: a step names another inscription`)
    if (
      psbts
        .map((step) => step.stepIndex)
        .toSorted()
        .join() !== '0,1'
    )
      throw invalid('entries-mismatched', `signed[${i}]: psbts must be the steps 0 and 1`)
  }
}

/** The drafts are this wallet's, and of these items and prices. Throws conflict or invalid. */
export function checkDrafts(
  drafts: readonly DraftRow[],
  { items }: Pick<Submitted, 'items'>,
  binding: BindingRow,
  collection: CollectionRow,
): void {
  const own =
    drafts.length === items.length && drafts.every((each) => each.walletBindingId === binding.walletBindingId)
  if (!own)
    throw conflict('preflight-expired', 'An anchorUtxoId is unknown or expired: prepare the listing again')
  for (const [i, draft] of drafts.entries()) {
    if (draft.inscriptionId !== items[i]!.inscriptionId || draft.collectionId !== collection.collectionId)
      throw invalid('echo-mismatched', `anchors[${i}]: this anchorUtxoId was given for another inscription`)
    if (draft.priceSats !== items[i]!.priceSats)
      throw invalid(
        'echo-mismatched',
        `items[${i}]: priceSats differs from what the preflight was asked with`,
      )
  }
}

/** The signatures of a batch, each verified against what was prepared. Throws invalid. */
export function checkSignatures({ signed, signedRecoveryPsbt }: Submitted, batch: readonly ListingTerms[]) {
  const recovery = refuseBitcoin(
    () => signaturesFrom(signedRecoveryPsbt.psbtBase64, buildRecovery(batch), recoveryRequest(batch.length)),
    'signedRecoveryPsbt',
  )
  return batch.map((terms, i) => {
    const stepOf = (index: number) => signed[i]!.psbts.find((step) => step.stepIndex === index)!.psbtBase64
    const transfer = refuseBitcoin(
      () => signaturesFrom(stepOf(0), buildTransfer(terms), TRANSFER_REQUEST),
      `signed[${i}] step 0`,
    )
    const leg = refuseBitcoin(
      () => signaturesFrom(stepOf(1), buildSaleLeg(terms), LEG_REQUEST),
      `signed[${i}] step 1`,
    )
    return {
      transferSignature: transfer.get(0)!,
      legSignature: leg.get(0)!,
      recoverySignature: recovery.get(i)!,
    }
  })
}
