import { findTip } from '@ordbook/indexer/inscriptions/queries.ts'
import type { Context } from '@ordbook/market/context.ts'
import { DAY } from '@ordbook/market/market-coins/shares.ts'
import type { CertificateEnd } from '@ordbook/signer/link.ts'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { definitionsOf, type MetricDefinition } from './definitions.ts'
import { freeBytes } from './free-bytes.ts'
import {
  addMarketGauges,
  addOrderGauges,
  addShortages,
  figuresOf,
  type MetricNeeds,
  TIMEOUT_MS,
  type Watch,
  watchAllowance,
  watchPool,
} from './market-metrics.ts'
import { findPreviewStall, findSettlementAge, findTime, listIdle, listTableSizes } from './queries.ts'
import { Source } from './source.ts'
import type { StatusBoard } from './status.ts'

/** Metrics of the server, its orders and its requests. */
export class Metrics {
  private readonly registry = new Registry()
  private readonly requests: Histogram<'method' | 'route' | 'status'>
  private readonly deletions: Counter<'table'>
  readonly deleted = (table: string, rows: number): void => this.deletions.inc({ table }, rows)

  /** Set by the HTTP server. Returns null without Redis. */
  isRedisUp: () => Promise<boolean | null> = async () => null

  constructor(context: MetricNeeds, board: StatusBoard, certificates: () => CertificateEnd[]) {
    const { registry } = this
    collectDefaultMetrics({ register: registry })
    this.requests = new Histogram({
      name: 'ordbook_http_request_seconds',
      help: 'Duration of requests, in seconds.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
      registers: [registry],
    })
    this.deletions = new Counter({
      name: 'ordbook_deleted_rows_total',
      help: 'Expired rows that this process deleted.',
      labelNames: ['table'],
      registers: [registry],
    })
    const watch: Watch = (...figure) => this.watch(...figure)
    watchStatus(watch, board)
    watchKeys(watch, context)
    watchDatabase(watch, context)
    if (context.replica) watchReplica(registry, watch, context.replica)
    watchAllowance(watch, context)
    watchPool(watch, context)
    addShortages(registry, board)
    addUntraded(registry, board)
    addIdleRoles(registry, context)
    addTableGauge(registry, context)
    addOrderGauges(registry, context)
    addMarketGauges(registry, context)
    addCertificateGauge(registry, certificates)
    watch('redis_up', '1 if Redis is reachable, otherwise 0. Absent without REDIS_URL.', async () => {
      const isUp = await this.isRedisUp()
      return isUp === null ? null : Number(isUp)
    })
    watch(
      'preview_stalled_seconds',
      'Seconds since the last thumbnail, if items are waiting; otherwise 0. Absent without PREVIEW_SOCKET.',
      () =>
        context.config.previewSocket === null
          ? null
          : findPreviewStall(context.sql.within(TIMEOUT_MS), context.clock()),
    )
  }

  /** Adds a gauge. Unknown and failed readings are omitted, not reported as 0. */
  watch(name: string, help: string, read: () => Promise<number | null> | number | null): void {
    new Gauge({
      name: `ordbook_${name}`,
      help,
      registers: [this.registry],
      async collect() {
        const value = await Promise.resolve()
          .then(read)
          .catch(() => null)
        if (value === null) this.remove()
        else this.set(value)
      },
    })
  }

  /** `route` must be the route pattern, which limits the number of labels. */
  observe(method: string, route: string, status: number, seconds: number): void {
    this.requests.observe({ method, route, status: String(status) }, seconds)
  }

  /** Lists the market's metrics, without those of Node. */
  definitions(): MetricDefinition[] {
    return definitionsOf(this.registry).filter(({ name }) => name.startsWith('ordbook_'))
  }

  async read(): Promise<{ contentType: string; text: string }> {
    return { contentType: this.registry.contentType, text: await this.registry.metrics() }
  }
}

function watchStatus(watch: Watch, board: StatusBoard): void {
  type Status = Awaited<ReturnType<StatusBoard['read']>>
  const figure = (name: string, help: string, of: (status: Status) => number | null) =>
    watch(name, help, async () => of(await board.read()))
  const isOk = (state: 'ok' | 'unavailable') => (state === 'ok' ? 1 : 0)
  figure('index_height', 'Height of the index.', (status) => status.indexHeight)
  figure('node_height', 'Height of the node.', (status) => status.nodeHeight)
  figure('lag_blocks', 'Blocks by which the index is behind the node.', (status) => status.lagBlocks)
  figure(
    'mempool_age_seconds',
    'Seconds since the mempool was last read.',
    (status) => status.mempoolAgeSeconds,
  )
  figure(
    'mempool_transactions',
    'Transactions in the mempool at the last read.',
    (status) => status.mempoolTransactions,
  )
  figure(
    'index_fault_height',
    'Height of a block that cannot be indexed; otherwise absent.',
    ({ indexFault }) => indexFault?.height ?? null,
  )
  figure('trading_open', '1 if trading is open, 0 if paused.', ({ trading }) => (trading === 'open' ? 1 : 0))
  figure('maintenance', '1 during maintenance, which also pauses trading.', ({ maintenance }) =>
    maintenance ? 1 : 0,
  )
  figure(
    'utxo_height',
    'Height of the table of UTXOs; absent until it is loaded.',
    ({ utxos }) => utxos?.height ?? null,
  )
  figure(
    'utxo_failed',
    '1 if the last load or block of the table of UTXOs failed.',
    ({ utxos }) => utxos && Number(utxos.reason !== null),
  )
  figure('node_up', '1 if the Bitcoin node responds.', ({ node }) => isOk(node))
  figure('ord_up', '1 if the ord server responds; absent without ORD_URL.', ({ ord }) => ord && isOk(ord))
  figure('database_up', '1 if the database responds.', ({ database }) => isOk(database))
}

function watchKeys(watch: Watch, { signer, guardian }: MetricNeeds): void {
  // Empty requests: any response counts.
  const askSigner = new Source(() => signer.floors([]))
  const askGuardian = new Source(() => guardian.revoke([]))
  const isUp = async (source: Source<unknown>) => ((await source.read()).isUp ? 1 : 0)
  watch('signer_up', '1 if the signer responds.', () => isUp(askSigner))
  watch('guardian_up', '1 if the guardian responds.', () => isUp(askGuardian))
  for (const [name, source, keys] of [
    ['signer', askSigner, signer],
    ['guardian', askGuardian, guardian],
  ] as const)
    watch(`${name}_paired`, `1 if the ${name} has a standby; absent without a pair.`, async () => {
      const isPaired = (await source.read()).isUp ? keys.isPaired() : null
      return isPaired === null ? null : Number(isPaired)
    })
}

function watchReplica(registry: Registry, watch: Watch, { state }: NonNullable<Context['replica']>): void {
  watch('replica_up', '1 if the replica responds; absent without a replica.', () => (state.isUp ? 1 : 0))
  watch(
    'replica_lag_seconds',
    'Age of the last change on the replica, in seconds; 0 if it is current.',
    () => state.lagSeconds,
  )
  new Counter({
    name: 'ordbook_read_statements_total',
    help: 'SQL statements of public reads, by database server.',
    labelNames: ['server'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [server, count] of Object.entries(state.answered)) this.inc({ server }, count)
    },
  })
}

function watchDatabase(watch: Watch, { sql, config }: MetricNeeds): void {
  const figure = figuresOf(watch, async () => {
    const startedAt = Date.now()
    const there = await findTime(sql.within(TIMEOUT_MS))
    const seconds = (Date.now() - startedAt) / 1000
    return { seconds, offsetSeconds: (startedAt - there.getTime()) / 1000 + seconds / 2 }
  })
  figure('database_seconds', 'Duration of a query without work, in seconds.', ({ seconds }) => seconds)
  figure(
    'clock_offset_seconds',
    "Seconds by which this host's clock is ahead of the database's.",
    ({ offsetSeconds }) => offsetSeconds,
  )
  watch('tip_age_seconds', 'Age of the newest block of the index, in seconds.', async () => {
    const tip = await findTip(sql.within(TIMEOUT_MS))
    return tip === null ? null : Math.max(0, (Date.now() - tip.minedAt.getTime()) / 1000)
  })
  watch(
    'settlement_age_seconds',
    'Age of the oldest unconfirmed settlement, in seconds; 0 if there is none.',
    () => findSettlementAge(sql.within(TIMEOUT_MS)),
  )
  watch('disk_free_bytes', 'Free bytes at DATA_DIR.', () => freeBytes(config.dataDir))
}

function addUntraded(registry: Registry, board: StatusBoard): void {
  new Gauge({
    name: 'ordbook_trade_disabled',
    help: '1 for each kind of trade that the node does not relay.',
    labelNames: ['trade'],
    registers: [registry],
    async collect() {
      this.reset()
      for (const { trade } of (await board.read()).notTraded) this.set({ trade }, 1)
    },
  })
}

function addIdleRoles(registry: Registry, { sql }: MetricNeeds): void {
  new Gauge({
    name: 'ordbook_role_unassigned',
    help: '1 for each role that no process performs.',
    labelNames: ['role'],
    registers: [registry],
    async collect() {
      this.reset()
      for (const role of await listIdle(sql.within(TIMEOUT_MS)).catch(() => [])) this.set({ role }, 1)
    },
  })
}

function addCertificateGauge(registry: Registry, certificates: () => CertificateEnd[]): void {
  new Gauge({
    name: 'ordbook_certificate_days_left',
    help: 'Days until a certificate between server and keys expires.',
    labelNames: ['of'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { of, endsAt } of certificates()) this.set({ of }, (endsAt.getTime() - Date.now()) / DAY)
    },
  })
}

function addTableGauge(registry: Registry, { sql }: MetricNeeds): void {
  new Gauge({
    name: 'ordbook_table_bytes',
    help: 'Size of a table with its indexes, in bytes.',
    labelNames: ['table'],
    registers: [registry],
    async collect() {
      this.reset()
      for (const { table, bytes } of await listTableSizes(sql.within(TIMEOUT_MS)).catch(() => []))
        this.set({ table }, bytes)
    },
  })
}
