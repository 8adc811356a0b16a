import { ANCHOR_SATS } from '@ordbook/bitcoin/trade/listing.ts'
import type { Context } from '../context.ts'
import type { Queryable, Transaction } from '../db/connect.ts'
import { settlementFeeRate } from '../engine/fee-rates.ts'
import { conflict } from '../errors.ts'
import { findStranding, listChurn } from './budget-queries.ts'

/**
 * What the market lets others cost it. Two things do: purchases whose buyer replaces the settlement after the transfers are
 * out, and listings that are taken down again. Both are read from the ledger of the last day. Wallets are free, so
 * there is a bound for the whole market too; inscriptions are not, so each has one of its own.
 */
const DAY = 86_400_000
/** What a transfer without its settlement costs: its anchor, and the coin that pays for bringing the inscription back. */
const STRANDED_SATS = 2 * ANCHOR_SATS
/** Size of an anchor's making and of its spending, in vB: what a listing that comes to nothing costs in fees. */
const CHURN_VSIZE = 43 + 57.5

/**
 * Refuses a purchase whose transfers, were they stranded, would cost more than the allowance leaves. Call it before they
 * are signed. Throws conflict.
 */
export async function assertMayStrand(
  { config, clock }: Pick<Context, 'config' | 'clock'>,
  tx: Transaction,
  { walletBindingId, transfers }: { walletBindingId: string; transfers: number },
): Promise<void> {
  if (transfers === 0) return
  const since = new Date(clock().getTime() - DAY)
  const found = await findStranding(tx, { walletBindingId, since })
  const riskSats = (under: number) => (under + transfers) * STRANDED_SATS
  const later = 'Buy what is in escrow already, make an offer, or try again later'
  if (Math.max(found.ownLossSats, 0) + riskSats(found.ownTransfers) > config.walletAllowanceSats)
    throw conflict(
      `This wallet has bought more than the market can risk for one wallet until the transfers are in a block. ${later}`,
    )
  if (found.lossSats + riskSats(found.transfers) > config.strandingAllowanceSats)
    throw conflict(
      `The market has used up what it risks in a day for purchases that may not settle. ${later}`,
    )
}

/** Refuses to list again what was listed and taken down too often. Throws conflict. */
export async function assertMayList(
  context: Pick<Context, 'config' | 'clock' | 'node'>,
  tx: Queryable,
  of: { walletBindingId: string; inscriptionIds: readonly string[] },
): Promise<void> {
  const { config, clock } = context
  const eachSats = CHURN_VSIZE * (await settlementFeeRate(context))
  const since = new Date(clock().getTime() - DAY)
  for (const { inscriptionId, lossSats, pending } of await listChurn(tx, { ...of, since })) {
    const spentSats = lossSats + pending * eachSats
    const mostSats = inscriptionId === null ? config.walletAllowanceSats : config.inscriptionAllowanceSats
    if (spentSats < mostSats || spentSats === 0) continue
    const what = inscriptionId === null ? 'The listings of this wallet' : `The listings of ${inscriptionId}`
    throw conflict(
      `${what} that came to nothing cost the market ${Math.round(spentSats)} sats in network fees in the last day: try again later`,
    )
  }
}
