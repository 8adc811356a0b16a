import { findShortages } from '@ordbook/market/market-coins/shortages.ts'
import { type Check, ok, warning } from './finding.ts'

const ABOUT = 'market coins'

/** Checks the market's coins and its allowances. */
export const marketCoinsCheck: Check = {
  about: ABOUT,
  mend: 'Migrate the database to the schema of this release',
  byDatabase: true,
  async examine({ sql, config, identity }) {
    if (!identity) return []
    const clock = () => new Date()
    const shortages = await findShortages({ sql, config, clock }, config.feeRateFallbackSatVb)
    return shortages.length === 0
      ? [ok(ABOUT, 'anchors, tail coins and allowances are left')]
      : shortages.map(({ resource, reason }) => warning(ABOUT, reason, MENDS[resource]))
  },
}

const ALLOWANCE =
  'ordbook market pool names the wallets that cost most. Raise STRANDING_ALLOWANCE_SATS, or wait: it is for the last 24 hours'
const MENDS: Record<Awaited<ReturnType<typeof findShortages>>[number]['resource'], string> = {
  funds: 'Send funds to the address that ordbook market pool shows',
  anchors: 'Wait for a block; raise ANCHOR_POOL if it happens again',
  'fee-coins': 'Wait for a block: after busy hours the market keeps more tail coins ready',
  allowance: ALLOWANCE,
  'new-wallet-allowance': ALLOWANCE,
  'ended-allowance': ALLOWANCE,
}
