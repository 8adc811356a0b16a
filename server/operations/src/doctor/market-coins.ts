import { findShortages } from '@ordbook/market/market-coins/shortages.ts'
import { type Check, ok, warning } from './finding.ts'

const ABOUT = 'market coins'

export const marketCoinsCheck: Check = {
  about: ABOUT,
  mend: 'Migrate the database to the schema of this release.',
  byDatabase: true,
  async examine({ sql, config, identity }) {
    if (!identity) return []
    const clock = () => new Date()
    const shortages = await findShortages({ sql, config, clock }, config.feeRateFallbackSatVb)
    return shortages.length === 0
      ? [ok(ABOUT, 'anchors, tail coins and allowances are available')]
      : shortages.map(({ resource, reason }) => warning(ABOUT, reason, MENDS[resource]))
  },
}

const ALLOWANCE =
  'Run ordbook market pool to find the most expensive wallets. Raise STRANDING_ALLOWANCE_SATS, or wait: it covers the last 24 hours.'
const MENDS: Record<Awaited<ReturnType<typeof findShortages>>[number]['resource'], string> = {
  funds: 'Send funds to the address from ordbook market pool.',
  anchors: 'Wait for a block. Raise ANCHOR_POOL if this repeats.',
  'fee-coins': 'Wait for a block. The market prepares more tail coins after busy hours.',
  allowance: ALLOWANCE,
  'new-wallet-allowance': ALLOWANCE,
  'ended-allowance': ALLOWANCE,
}
