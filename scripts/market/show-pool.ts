import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import type { Sql } from '@ordbook/db/driver/connect.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import { settlementFeeRateAt } from '@ordbook/indexer/node/fee-rates.ts'
import { printable } from '@ordbook/market/collections/import-report.ts'
import { allowanceLeft } from '@ordbook/market/market-coins/budgets.ts'
import { listImbalances } from '@ordbook/market/market-coins/ledger-queries.ts'
import { poolOf } from '@ordbook/market/market-coins/pool.ts'
import { listByState } from '@ordbook/market/market-coins/queries.ts'
import {
  listCausers,
  listExplained,
  listPurposes,
  listUnexplained,
} from '@ordbook/market/market-coins/report-queries.ts'
import { DAY } from '@ordbook/market/market-coins/shares.ts'
import { findShortages } from '@ordbook/market/market-coins/shortages.ts'
import { guide } from '@ordbook/process/guide.ts'

function printMore(rows: readonly { count: number }[]): void {
  const more = (rows[0]?.count ?? 0) - rows.length
  if (more > 0) console.log(`  and ${more} more`)
}

const formatEntry = ({ purpose, sats }: { purpose: string; sats: number }) => `${purpose} ${sats}`

/** Prints the market's coins and the ledger of the last day. Exits with 1 if the ledger does not explain every sat. */
export async function showPool({
  config,
  sql,
  rpcUrl,
  coinScript,
}: {
  config: Config
  sql: Sql
  rpcUrl: string | null
  coinScript: Uint8Array
}): Promise<void> {
  const clock = () => new Date()
  const rate = await settlementFeeRateAt(rpcUrl, config)
  const pool = await poolOf({ sql, config, clock }, rate)
  const shortages = await findShortages({ sql, config, clock }, rate)
  const states = await listByState(sql)
  const since = new Date(Date.now() - DAY)
  const allowance = await allowanceLeft({ config, clock }, sql)
  const purposes = await listPurposes(sql, since)
  const causers = await listCausers(sql, since, 10)
  const imbalances = await listImbalances(sql)
  const unexplained = await listUnexplained(sql)
  const explained = await listExplained(sql)
  const funds = shortages.find(({ resource }) => resource === 'funds')
  const state = funds ? `LOW: ${funds.reason}` : pool.low ? 'filling up' : 'good'
  console.log(`
  free anchors   ${pool.freeAnchors} of ${config.anchorPool}   (330 sats; a listing needs two)
  free tails     ${pool.freeTails} of ${pool.wantedTails}   (about ${config.tailSats} sats; a purchase needs one)
  to split       ${pool.largeSats} sats
  by state       ${states.map((state) => `${state.coins} ${state.state}`).join(', ')}
  total          ${pool.totalSats} sats
  state          ${state}
  address        ${addressOfScript(coinScript, config.addressNetwork)}

  In the last day
  allowance      ${allowance.allWalletsSats} sats left for purchases that may not settle, ${allowance.newWalletsSats} of them for new wallets;
                 ${allowance.endedSats} for the anchors of ended orders (STRANDING_ALLOWANCE_SATS ${config.strandingAllowanceSats})
  used up        ${shortages.map(({ resource }) => resource).join(', ') || 'nothing'}
  ledger         ${purposes.map(formatEntry).join(', ') || 'nothing'}
  top wallets    ${causers.length === 0 ? 'none' : ''}`)
  for (const { ordinalsScript, sats, parts } of causers)
    console.log(
      `    ${sats} sats  ${addressOfScript(ordinalsScript, config.addressNetwork)}  (${parts.map(formatEntry).join(', ')})`,
    )
  for (const { txid, ledgerSats, coinSats } of imbalances)
    console.log(`  ${txid ?? 'total'}: ${ledgerSats} sats in the ledger, ${coinSats} sats in coins`)
  for (const { txid, sats, reason } of explained)
    console.log(printable(`  ${txid}: ${sats} sats explained by the operator: ${reason}`))
  printMore(explained)
  for (const { txid, sats } of unexplained)
    console.log(`  ${txid}: ${sats} sats unexplained, this market did not write the transaction`)
  printMore(unexplained)
  const isExplained = imbalances.length === 0 && unexplained.length === 0
  console.log(
    isExplained
      ? '\n  the ledger matches the coins\n'
      : `\n  the ledger does NOT explain all coins (${guide('docs/how-to/monitor.md')}#ordbookledgerunexplained)\n`,
  )
  if (!isExplained) process.exitCode = 1
}
