import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import type { Sql } from '@ordbook/db/driver/connect.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import { allowanceLeft } from '@ordbook/market/market-coins/budgets.ts'
import { listImbalances } from '@ordbook/market/market-coins/ledger-queries.ts'
import { poolOf } from '@ordbook/market/market-coins/pool.ts'
import { listByState } from '@ordbook/market/market-coins/queries.ts'
import { listCausers, listPurposes } from '@ordbook/market/market-coins/report-queries.ts'
import { DAY } from '@ordbook/market/market-coins/shares.ts'
import { findShortages } from '@ordbook/market/market-coins/shortages.ts'

const said = ({ purpose, sats }: { purpose: string; sats: number }) => `${purpose} ${sats}`

/** Prints the market's coins by state, the ledger of the last day, and whether ledger and coins agree; exits with 1 if not. */
export async function showPool({
  config,
  sql,
  coinScript,
}: {
  config: Config
  sql: Sql
  coinScript: Uint8Array
}): Promise<void> {
  const clock = () => new Date()
  const pool = await poolOf({ sql, config, clock }, config.feeRateFallbackSatVb)
  const shortages = await findShortages({ sql, config, clock }, config.feeRateFallbackSatVb)
  const states = await listByState(sql)
  const since = new Date(Date.now() - DAY)
  const left = await allowanceLeft({ config, clock }, sql)
  const purposes = await listPurposes(sql, since)
  const causers = await listCausers(sql, since, 10)
  const imbalances = await listImbalances(sql)
  const state =
    pool.low && pool.largeSats === 0
      ? 'LOW: send funds to the address below'
      : pool.low
        ? 'filling up'
        : 'good'
  console.log(`
  free anchors   ${pool.freeAnchors} of ${config.anchorPool}   (330 sats; a listing takes two)
  free tails     ${pool.freeTails} of ${pool.wantedTails}   (about ${config.tailSats} sats; a purchase takes one)
  to split       ${pool.largeSats} sats
  by state       ${states.map((each) => `${each.coins} ${each.state}`).join(', ')}
  in all         ${pool.totalSats} sats
  state          ${state}
  address        ${addressOfScript(coinScript, config.addressNetwork)}

  In the last day
  allowance      ${left.allWalletsSats} sats left for purchases that may not settle, ${left.newWalletsSats} of them for new wallets;
                 ${left.endedSats} for the anchors of ended orders (STRANDING_ALLOWANCE_SATS ${config.strandingAllowanceSats})
  used up        ${shortages.map(({ resource }) => resource).join(', ') || 'nothing'}
  ledger         ${purposes.map(said).join(', ') || 'nothing'}
  dearest        ${causers.length === 0 ? 'no wallet caused anything' : ''}`)
  for (const { ordinalsScript, sats, parts } of causers)
    console.log(
      `    ${sats} sats  ${addressOfScript(ordinalsScript, config.addressNetwork)}  (${parts.map(said).join(', ')})`,
    )
  for (const { txid, ledgerSats, coinSats } of imbalances)
    console.log(`  ${txid ?? 'in all'}: the ledger says ${ledgerSats} sats, the coins say ${coinSats}`)
  console.log(
    imbalances.length === 0 ? '\n  the ledger is what the coins say\n' : '\n  the ledger is WRONG\n',
  )
  if (imbalances.length > 0) process.exitCode = 1
}
