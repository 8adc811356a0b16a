import { ANCHOR_SATS } from '@ordbook/bitcoin/trade/listing.ts'
import type { Queryable, Transaction } from '@ordbook/db/driver/connect.ts'
import { conflict } from '@ordbook/db/process/errors.ts'
import { settlementFeeRate } from '@ordbook/indexer/node/fee-rates.ts'
import type { Context } from '../context.ts'
import { findStranding, listChurn, lockStranding, type Stranding } from './budget-queries.ts'

/**
 * The bounds of what others can cost the market. Two things cost it: purchases whose buyer replaces the settlement after the transfers are
 * out, and listings that are taken down again. Both are read from the ledger of the last day. Wallets are free, so
 * there is a bound for the whole market too; inscriptions are not, so each has one of its own.
 */
export const DAY = 86_400_000
/**
 * The most that a transfer without its settlement costs: its anchor, and two that pay for bringing the inscription back. It
 * counts whole until a buyer gives the anchor back, whether the inscription comes home or not.
 */
const STRANDED_SATS = 3 * ANCHOR_SATS
/** Size of an anchor's making and of its spending, in vB: the market pays its fee for a listing that comes to nothing. */
const CHURN_VSIZE = 43 + 57.5

/** The rest of the allowance of all wallets for purchases that may not settle, in sats. */
export async function allowanceLeft(
  { config, clock }: Pick<Context, 'config' | 'clock'>,
  sql: Queryable,
): Promise<number> {
  const since = new Date(clock().getTime() - DAY)
  return leftOf(config, await findStranding(sql, { walletBindingId: null, since }))
}

const leftOf = (
  { strandingAllowanceSats }: Pick<Context['config'], 'strandingAllowanceSats'>,
  { earnedSats, stranded, underWay }: Stranding,
) => strandingAllowanceSats + earnedSats - (stranded + underWay) * STRANDED_SATS

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
  await lockStranding(tx)
  const since = new Date(clock().getTime() - DAY)
  const booked = await findStranding(tx, { walletBindingId, since })
  const riskSats = transfers * STRANDED_SATS
  const ownRiskSats = riskSats + (booked.ownStranded + booked.ownUnderWay) * STRANDED_SATS
  const later = 'Buy what is in escrow already, make an offer, or try again later'
  if (ownRiskSats > config.walletAllowanceSats + booked.ownEarnedSats)
    throw conflict(
      'wallet-allowance-spent',
      `This wallet has bought more than the market can risk for one wallet until the transfers are in a block. ${later}`,
    )
  if (riskSats > leftOf(config, booked))
    throw conflict(
      'market-allowance-spent',
      `The market has used up what it risks in a day for purchases that may not settle. ${later}`,
    )
}

/** Refuses to list an inscription that was listed and taken down too often. Throws conflict. */
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
      'listing-allowance-spent',
      `${what} that came to nothing cost the market ${Math.round(spentSats)} sats in network fees in the last day: try again later`,
    )
  }
}
