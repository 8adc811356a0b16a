import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Context } from '../context.ts'
import { allowanceLeft, DAY } from '../market-coins/budgets.ts'
import { listByState, type StateRow } from '../market-coins/queries.ts'
import { listCausers, listPurposes } from '../market-coins/report-queries.ts'
import { countLive, findPreviewStall } from './queries.ts'
import type { StatusBoard } from './status.ts'

/** Milliseconds that a scrape waits for the database: Prometheus itself waits ten seconds. */
const PATIENCE = 2000
/** Wallets that one figure names at most. */
const MOST_CAUSERS = 10

type Needs = Pick<Context, 'sql' | 'config' | 'clock'>

/**
 * The figures that a Prometheus server scrapes from `/metrics`: the state of the server, the trades under way, and the times of
 * requests.
 */
export class Metrics {
  private readonly registry = new Registry()
  private readonly requests: Histogram<'method' | 'route' | 'status'>

  constructor(context: Needs, board: StatusBoard) {
    const { registry } = this
    collectDefaultMetrics({ register: registry })
    this.requests = new Histogram({
      name: 'ordbook_http_request_seconds',
      help: 'Time from a request to its answer, by operation and status.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
      registers: [registry],
    })
    addStatusGauges(registry, board)
    addOrderGauges(registry, context)
    addMarketGauges(registry, context)
    if (context.config.previewSocket) addPreviewGauge(registry, context)
  }

  /** A request that was answered; `route` as it is registered, so that there are as many labels as operations. */
  observe(method: string, route: string, status: number, seconds: number): void {
    this.requests.observe({ method, route, status: String(status) }, seconds)
  }

  /** The text that Prometheus reads, and its media type. */
  async read(): Promise<{ contentType: string; text: string }> {
    return { contentType: this.registry.contentType, text: await this.registry.metrics() }
  }
}

/** The figures of `GET /status`. */
function addStatusGauges(registry: Registry, board: StatusBoard): void {
  type Status = Awaited<ReturnType<StatusBoard['read']>>
  const gauge = (name: string, help: string, of: (status: Status) => number | null) =>
    new Gauge({
      name: `ordbook_${name}`,
      help,
      registers: [registry],
      async collect() {
        const value = of(await board.read())
        // An unknown figure is left out, rather than 0.
        if (value === null) this.remove()
        else this.set(value)
      },
    })
  gauge('index_height', 'Last block of the index.', (status) => status.indexHeight)
  gauge('node_height', 'Last block of the node.', (status) => status.nodeHeight)
  gauge('lag_blocks', 'Blocks that the index is behind the node.', (status) => status.lagBlocks)
  gauge('mempool_age_seconds', 'Since the mempool was last looked at.', (status) => status.mempoolAgeSeconds)
  gauge('mempool_transactions', 'Transactions in the mempool then.', (status) => status.mempoolTransactions)
  gauge(
    'index_fault_height',
    'The block that cannot be indexed; absent while there is none.',
    ({ indexFault }) => indexFault?.height ?? null,
  )
  gauge('trading_open', '1 while trades are taken, 0 while they are paused.', ({ trading }) =>
    trading === 'open' ? 1 : 0,
  )
  gauge('node_up', '1 while the Bitcoin node answers.', ({ node }) => (node === 'ok' ? 1 : 0))
  gauge('database_up', '1 while the database answers.', ({ database }) => (database === 'ok' ? 1 : 0))
  new Gauge({
    name: 'ordbook_not_traded',
    help: 'Trades that the node does not relay.',
    labelNames: ['trade'],
    registers: [registry],
    async collect() {
      this.reset()
      for (const { trade } of (await board.read()).notTraded) this.set({ trade }, 1)
    },
  })
}

/** Orders and settlements under way. */
function addOrderGauges(registry: Registry, context: Needs): void {
  new Gauge({
    name: 'ordbook_live',
    help: 'Orders and settlements that are not over, by kind and state.',
    labelNames: ['kind', 'state'],
    registers: [registry],
    async collect() {
      this.reset()
      // The other figures are answered without a database too.
      const rows = await countLive(context.sql.within(PATIENCE)).catch(() => [])
      for (const { kind, state, count } of rows) this.set({ kind, state }, count)
    },
  })
}

/** Whether stills are made. */
function addPreviewGauge(registry: Registry, { sql, clock }: Needs): void {
  new Gauge({
    name: 'ordbook_preview_stall_seconds',
    help: 'Since the last still while a piece waits for a renderer; 0 while none waits.',
    registers: [registry],
    async collect() {
      const seconds = await findPreviewStall(sql.within(PATIENCE), clock()).catch(() => null)
      if (seconds === null) this.remove()
      else this.set(seconds)
    },
  })
}

/** The market's coins and what they cost. */
function addMarketGauges(registry: Registry, context: Needs): void {
  for (const [name, help, of] of [
    ['market_coins', "The market's coins by state.", (row: StateRow) => row.coins],
    ['market_coin_sats', 'Their value, in sats.', (row: StateRow) => row.sats],
  ] as const)
    new Gauge({
      name: `ordbook_${name}`,
      help,
      labelNames: ['state'],
      registers: [registry],
      async collect() {
        this.reset()
        for (const row of await listByState(context.sql.within(PATIENCE)).catch(() => []))
          this.set({ state: row.state }, of(row))
      },
    })
  new Gauge({
    name: 'ordbook_market_ledger_sats',
    help: "Gains and losses of the market's coins since the ledger began, by purpose.",
    labelNames: ['purpose'],
    registers: [registry],
    async collect() {
      this.reset()
      const rows = await listPurposes(context.sql.within(PATIENCE), new Date(0)).catch(() => [])
      for (const { purpose, sats } of rows) this.set({ purpose }, sats)
    },
  })
  new Gauge({
    name: 'ordbook_market_causer_sats',
    help: 'Earnings (below 0: costs) by the dearest wallets of the last day, by wallet binding and purpose.',
    labelNames: ['wallet', 'purpose'],
    registers: [registry],
    async collect() {
      this.reset()
      const since = new Date(context.clock().getTime() - DAY)
      const rows = await listCausers(context.sql.within(PATIENCE), since, MOST_CAUSERS).catch(() => [])
      for (const { walletBindingId, parts } of rows)
        for (const { purpose, sats } of parts) this.set({ wallet: walletBindingId, purpose }, sats)
    },
  })
  new Gauge({
    name: 'ordbook_market_allowance_left_sats',
    help: 'The rest of STRANDING_ALLOWANCE_SATS; at 0 purchases that need a transfer are refused.',
    registers: [registry],
    async collect() {
      const left = await allowanceLeft(context, context.sql.within(PATIENCE)).catch(() => null)
      if (left === null) this.remove()
      else this.set(left)
    },
  })
}
