import type { KeySpend } from '@ordbook/bitcoin/address.ts'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { signaturesInSteps } from '@ordbook/bitcoin/psbt.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import {
  buildRecovery,
  buildSaleLeg,
  buildTransfer,
  type ListingTerms,
} from '@ordbook/bitcoin/trade/listing.ts'
import type { submitListing as submitOperation } from '@ordbook/contract/listings.ts'
import type { BodyOf } from '@ordbook/contract/operation.ts'
import { invalid } from '@ordbook/db/process/errors.ts'
import { assertUnique } from '../preflight/duplicates.ts'
import { toFaultInSteps } from '../preflight/refuse.ts'
import type { Prepared } from './write.ts'

type Submitted = BodyOf<typeof submitOperation>

export const TRANSFER_REQUEST = { indexes: [0], sighash: SIGHASH.DEFAULT }
export const LEG_REQUEST = { indexes: [0], sighash: SIGHASH.SINGLE_ANYONECANPAY }
export const recoveryRequest = (count: number) => ({
  indexes: [...Array(count).keys()],
  sighash: SIGHASH.ALL,
})

/** Throws `invalid` unless each item has one anchor and one signed entry, in order. */
export function checkHandles({ items, anchors, signed }: Submitted): void {
  const handles = anchors.map((each) => each.anchorUtxoId.toLowerCase())
  assertUnique(handles, 'anchorUtxoId', 'anchors')
  if (anchors.length !== items.length || signed.length !== items.length)
    throw invalid(
      'entries-mismatched',
      'anchors and signed must have one entry for each item, in the order of items.',
    )
  for (const [i, { inscriptionId }] of items.entries()) {
    if (anchors[i]!.inscriptionId !== inscriptionId || signed[i]!.inscriptionId !== inscriptionId)
      throw invalid('entries-mismatched', 'anchors and signed must be in the order of items.')
    const { psbts } = signed[i]!
    if (psbts.some((step) => step.inscriptionId !== undefined && step.inscriptionId !== inscriptionId))
      throw invalid('entries-mismatched', `signed[${i}]: a step is for another inscription`)
    if (
      psbts
        .map((step) => step.stepIndex)
        .toSorted()
        .join() !== '0,1'
    )
      throw invalid('entries-mismatched', `signed[${i}]: psbts must contain steps 0 and 1`)
  }
}

/** Throws `invalid` unless the preflights match the items, prices and key. */
export function checkPrepared(
  preflights: readonly { prepared: Prepared }[],
  { items }: Pick<Submitted, 'items'>,
  seller: KeySpend,
): void {
  const keyOf = ({ internalKey, publicKey }: KeySpend) => internalKey ?? publicKey
  for (const [i, { prepared }] of preflights.entries()) {
    if (prepared.inscriptionId !== items[i]!.inscriptionId)
      throw invalid('echo-mismatched', `anchors[${i}]: this anchorUtxoId was issued for another inscription`)
    if (prepared.priceSats !== items[i]!.priceSats)
      throw invalid('echo-mismatched', `items[${i}]: priceSats differs from the preflight`)
    if (!equalBytes(keyOf(prepared.terms.seller), keyOf(seller)))
      throw invalid('echo-mismatched', 'ordinalsPublicKey differs from the preflight.')
  }
}

/** Returns the signatures of a batch. Throws `invalid` unless all are valid. */
export async function checkSignatures(
  { signed, signedRecoveryPsbt }: Submitted,
  batch: readonly ListingTerms[],
) {
  const recovery = await toFaultInSteps(
    () =>
      signaturesInSteps(signedRecoveryPsbt.psbtBase64, buildRecovery(batch), recoveryRequest(batch.length)),
    'signedRecoveryPsbt',
  )
  const signatures = []
  for (const [i, terms] of batch.entries()) {
    const stepOf = (index: number) => signed[i]!.psbts.find((step) => step.stepIndex === index)!.psbtBase64
    const transfer = await toFaultInSteps(
      () => signaturesInSteps(stepOf(0), buildTransfer(terms), TRANSFER_REQUEST),
      `signed[${i}] step 0`,
    )
    const leg = await toFaultInSteps(
      () => signaturesInSteps(stepOf(1), buildSaleLeg(terms), LEG_REQUEST),
      `signed[${i}] step 1`,
    )
    signatures.push({
      transferSignature: transfer.get(0)!,
      legSignature: leg.get(0)!,
      recoverySignature: recovery.get(i)!,
    })
  }
  return signatures
}
