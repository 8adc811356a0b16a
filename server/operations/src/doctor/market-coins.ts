import { settlementFeeRateAt } from '@ordbook/indexer/node/fee-rates.ts'
import { listImbalances } from '@ordbook/market/market-coins/ledger-queries.ts'
import { poolOf } from '@ordbook/market/market-coins/pool.ts'
import { listUnexplained } from '@ordbook/market/market-coins/report-queries.ts'
import { findShortages, type Shortage } from '@ordbook/market/market-coins/shortages.ts'
import type { DoctorFault } from '../faults/faults.ts'
import { findSettlementAge } from '../status/queries.ts'
import { type Check, type Finding, fault, OLD_SCHEMA, ok, warning } from './finding.ts'

const ABOUT = 'market coins'
/** As in the alert OrdbookSettlementStuck. */
const STUCK_HOURS = 6

/** Checks the market's coins and allowances. */
export const marketCoinsCheck: Check = {
  ...OLD_SCHEMA,
  async examine({ sql, config, identity }) {
    if (!identity) return []
    const clock = () => new Date()
    const rate = await settlementFeeRateAt(config.bitcoinRpcUrl, config)
    const all = await findShortages({ sql, config, clock }, rate)
    // Without funds, no block brings new coins: the remedies of these shortages do not help.
    const isEmpty = all.some(({ resource }) => resource === 'funds')
    const shortages = all.filter(({ resource }) => !isEmpty || !OF_BLOCKS.includes(resource))
    if (shortages.length > 0)
      return shortages.map(({ resource, reason }) => {
        const { id, judge, mend } = SHORTAGES[resource]
        return judge(id, reason, mend)
      })
    const { low, freeAnchors, freeTails, wantedTails } = await poolOf({ sql, config, clock }, rate)
    return [
      low
        ? warning(
            'coins-low',
            `${freeAnchors} of ${config.anchorPool} anchors and ${freeTails} of ${wantedTails} tail coins are free`,
            'Wait for a block, which confirms the next coins. If this repeats, send funds to the address from ordbook market pool.',
          )
        : ok(ABOUT, 'anchors, tail coins and allowances are available'),
    ]
  },
}

/** Checks that the ledger explains every sat of the market's coins. */
export const ledgerCheck: Check = {
  ...OLD_SCHEMA,
  async examine({ sql, identity }) {
    if (!identity) return []
    const findings: Finding[] = (await listUnexplained(sql)).map(({ txid, sats }) =>
      fault(
        'ledger-unexplained',
        `${txid} moved ${sats} sats of the market, and this market did not write it`,
        'If the database was restored, and this is a trade since the backup, run ordbook market pool explain TXID --reason TEXT. Otherwise find out who else has coins.key: a second market with the same keys, or a thief. Stop the signer until then.',
      ),
    )
    for (const { txid, ledgerSats, coinSats } of await listImbalances(sql))
      findings.push(
        fault(
          'ledger-unexplained',
          `${txid ?? 'total'}: ${ledgerSats} sats in the ledger, ${coinSats} sats in coins`,
          'Please report this.',
        ),
      )
    return findings
  },
}

/** Checks that settlements confirm. */
export const settlementsCheck: Check = {
  ...OLD_SCHEMA,
  async examine({ sql, identity }) {
    const hours = identity ? (await findSettlementAge(sql)) / 3600 : 0
    if (hours <= STUCK_HOURS) return []
    return [
      warning(
        'settlement-stuck',
        `the oldest settlement has waited ${hours.toFixed(1)} hours for a block`,
        'Search the log of the jobs for "settlement is not in the mempool". Raise BUMP_MAX_SATS if the fee is too low.',
      ),
    ]
  },
}

const ALLOWANCE =
  'Run ordbook market pool to find the most expensive wallets. Raise STRANDING_ALLOWANCE_SATS, or wait: it covers the last 24 hours.'
/** Shortages that end with a block. */
const OF_BLOCKS: readonly Shortage['resource'][] = ['anchors', 'fee-coins']
const SHORTAGES: Record<
  Shortage['resource'],
  {
    id: Extract<DoctorFault, `${string}-used-up` | 'coins-empty'>
    judge: typeof warning | typeof fault
    mend: string
  }
> = {
  // The others end with the next block or the next day.
  funds: { id: 'coins-empty', judge: fault, mend: 'Send them to the address from ordbook market pool.' },
  anchors: {
    id: 'anchors-used-up',
    judge: warning,
    mend: 'Wait for a block. Raise ANCHOR_POOL if this repeats.',
  },
  'fee-coins': {
    id: 'fee-coins-used-up',
    judge: warning,
    mend: 'Wait for a block. The market prepares more tail coins after busy hours.',
  },
  allowance: { id: 'allowance-used-up', judge: warning, mend: ALLOWANCE },
  'new-wallet-allowance': { id: 'new-wallet-allowance-used-up', judge: warning, mend: ALLOWANCE },
  'ended-allowance': { id: 'ended-allowance-used-up', judge: warning, mend: ALLOWANCE },
}
