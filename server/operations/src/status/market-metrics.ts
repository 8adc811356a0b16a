import type { Context } from '@ordbook/market/context.ts'
import { type AllowanceLeft, allowanceLeft } from '@ordbook/market/market-coins/budgets.ts'
import { poolOf } from '@ordbook/market/market-coins/pool.ts'
import { listByState, type StateRow } from '@ordbook/market/market-coins/queries.ts'
import { listCausers, listPurposes, listUnexplained } from '@ordbook/market/market-coins/report-queries.ts'
import { DAY } from '@ordbook/market/market-coins/shares.ts'
import { Gauge, type Registry } from 'prom-client'
import { countLive } from './queries.ts'
import { Source } from './source.ts'
import type { StatusBoard } from './status.ts'

/** Database timeout of a scrape, in milliseconds. Prometheus waits for 10 seconds. */
export const TIMEOUT_MS = 2000
/** Maximum wallets reported by one metric. */
const MAX_CAUSERS = 10

export type MetricNeeds = Pick<Context, 'sql' | 'config' | 'clock' | 'signer' | 'guardian' | 'replica'>
/** Adds a gauge (`Metrics.watch`). */
export type Watch = (name: string, help: string, read: () => Promise<number | null> | number | null) => void

/** Returns a function that adds gauges of a value that is read once per scrape. */
export function figuresOf<T>(watch: Watch, read: () => Promise<T>) {
  const source = new Source(read)
  return (name: string, help: string, of: (value: T) => number): void =>
    watch(name, help, async () => {
      const { isUp, value } = await source.read()
      return isUp ? of(value!) : null
    })
}

export function watchAllowance(watch: Watch, context: MetricNeeds): void {
  const add = figuresOf(watch, () => allowanceLeft(context, context.sql.within(TIMEOUT_MS)))
  const figure = (name: string, help: string, share: keyof AllowanceLeft) =>
    add(`market_allowance_left${name}_sats`, help, (left) => left[share])
  figure(
    '',
    'Rest of STRANDING_ALLOWANCE_SATS for failed trades. At 0, only wallets whose fees cover the risk can make purchases that need a transfer.',
    'allWalletsSats',
  )
  figure(
    '_new_wallets',
    'Rest of STRANDING_ALLOWANCE_SATS for wallets that paid too few fees in the last 30 days.',
    'newWalletsSats',
  )
  figure(
    '_ended',
    'Rest of STRANDING_ALLOWANCE_SATS for spending anchors of ended orders. At 0, they wait.',
    'endedSats',
  )
}

export function addShortages(registry: Registry, board: StatusBoard): void {
  new Gauge({
    name: 'ordbook_market_shortage',
    help: '1 for each kind of coin or allowance that is used up.',
    labelNames: ['resource'],
    registers: [registry],
    async collect() {
      this.reset()
      for (const { resource } of (await board.readShortages()) ?? []) this.set({ resource }, 1)
    },
  })
}

export function watchPool(watch: Watch, { sql, config, clock }: MetricNeeds): void {
  watch(
    'market_pool_low',
    '1 if fewer than half of the target number of anchors or tail coins are free.',
    async () => {
      const { low } = await poolOf(
        { sql: sql.within(TIMEOUT_MS), config, clock },
        config.feeRateFallbackSatVb,
      )
      return Number(low)
    },
  )
  watch(
    'market_unexplained_transactions',
    "Transactions that spent the market's coins without a reason in the ledger. Their gains and losses may cancel out.",
    async () => (await listUnexplained(sql.within(TIMEOUT_MS)))[0]?.count ?? 0,
  )
}

export function addOrderGauges(registry: Registry, context: MetricNeeds): void {
  new Gauge({
    name: 'ordbook_active_orders',
    help: 'Open orders and settlements.',
    labelNames: ['kind', 'state'],
    registers: [registry],
    async collect() {
      this.reset()
      // Without a database, the other metrics are still served.
      const rows = await countLive(context.sql.within(TIMEOUT_MS)).catch(() => [])
      for (const { kind, state, count } of rows) this.set({ kind, state }, count)
    },
  })
}

export function addMarketGauges(registry: Registry, context: MetricNeeds): void {
  for (const [name, help, of] of [
    ['market_coins', "The market's coins.", (row: StateRow) => row.coins],
    ['market_coin_sats', "Value of the market's coins, in sats.", (row: StateRow) => row.sats],
  ] as const)
    new Gauge({
      name: `ordbook_${name}`,
      help,
      labelNames: ['state'],
      registers: [registry],
      async collect() {
        this.reset()
        for (const row of await listByState(context.sql.within(TIMEOUT_MS)).catch(() => []))
          this.set({ state: row.state }, of(row))
      },
    })
  new Gauge({
    name: 'ordbook_market_ledger_sats',
    help: "Gains and losses of the market's coins in total, in sats.",
    labelNames: ['purpose'],
    registers: [registry],
    async collect() {
      this.reset()
      const rows = await listPurposes(context.sql.within(TIMEOUT_MS), new Date(0)).catch(() => [])
      for (const { purpose, sats } of rows) this.set({ purpose }, sats)
    },
  })
  new Gauge({
    name: 'ordbook_wallet_cost_sats',
    help: 'Earnings from the ten most expensive wallets of the last day, in sats; negative: costs.',
    labelNames: ['wallet', 'purpose'],
    registers: [registry],
    async collect() {
      this.reset()
      const since = new Date(context.clock().getTime() - DAY)
      const rows = await listCausers(context.sql.within(TIMEOUT_MS), since, MAX_CAUSERS).catch(() => [])
      for (const { walletBindingId, parts } of rows)
        for (const { purpose, sats } of parts) this.set({ wallet: walletBindingId, purpose }, sats)
    },
  })
}
