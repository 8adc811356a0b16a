import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { RULES } from './support/prometheus.ts'

const folder = mkdtempSync(join(tmpdir(), 'ordbook-rules-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const SERVER = 'job="ordbook",instance="a:4000"'
const KEYS = 'job="ordbook-roles",instance="b:9400",role="signer"'
const RENDERER = 'job="ordbook-roles",instance="c:9401"'
const WELL: Record<string, string> = {
  [`up{${SERVER}}`]: '1x60',
  [`ordbook_database_up{${SERVER}}`]: '1x60',
  [`ordbook_database_seconds{${SERVER}}`]: '0.002x60',
  [`ordbook_node_up{${SERVER}}`]: '1x60',
  [`ordbook_ord_up{${SERVER}}`]: '1x60',
  [`ordbook_signer_up{${SERVER}}`]: '1x60',
  [`ordbook_signer_paired{${SERVER}}`]: '1x60',
  [`ordbook_guardian_up{${SERVER}}`]: '1x60',
  [`ordbook_guardian_paired{${SERVER}}`]: '1x60',
  [`ordbook_utxo_failed{${SERVER}}`]: '0x60',
  [`ordbook_role_ready{${KEYS}}`]: '1x60',
  [`ordbook_certificate_days_left{${SERVER},of="signer"}`]: '90x60',
  [`ordbook_redis_up{${SERVER}}`]: '1x60',
  [`ordbook_replica_up{${SERVER}}`]: '1x60',
  [`ordbook_replica_lag_seconds{${SERVER}}`]: '0x60',
  [`ordbook_trading_open{${SERVER}}`]: '1x60',
  [`ordbook_lag_blocks{${SERVER}}`]: '1x60',
  [`ordbook_tip_age_seconds{${SERVER}}`]: '600x60',
  [`ordbook_disk_free_bytes{${SERVER}}`]: '50000000000x60',
  [`ordbook_market_pool_low{${SERVER}}`]: '0x60',
  [`ordbook_settlement_age_seconds{${SERVER}}`]: '900x60',
  [`ordbook_renderer_items_total{${RENDERER},kind="raster",result="rendered"}`]: '0+10x60',
  [`ordbook_renderer_items_total{${RENDERER},kind="raster",result="failed"}`]: '0+1x60',
  [`ordbook_mempool_age_seconds{${SERVER}}`]: '2x60',
  [`ordbook_clock_offset_seconds{${SERVER}}`]: '0.1x60',
  [`ordbook_market_ledger_sats{${SERVER},purpose="fees"}`]: '900x60',
  [`ordbook_market_unexplained_transactions{${SERVER}}`]: '0x60',
  [`ordbook_market_allowance_left_sats{${SERVER}}`]: '400000x60',
  [`ordbook_preview_stalled_seconds{${SERVER}}`]: '3x60',
  [`ordbook_http_request_seconds_count{${SERVER},route="/status",status="200"}`]: '0+600x60',
  [`ordbook_http_request_seconds_count{${SERVER},route="/status",status="503"}`]: '0+6x60',
  [`ordbook_http_request_seconds_bucket{${SERVER},route="/status",le="0.1"}`]: '0+600x60',
  [`ordbook_http_request_seconds_bucket{${SERVER},route="/status",le="10"}`]: '0+606x60',
  [`ordbook_http_request_seconds_bucket{${SERVER},route="/status",le="+Inf"}`]: '0+606x60',
  // Event streams last for minutes.
  [`ordbook_http_request_seconds_bucket{${SERVER},route="/events",le="10"}`]: '0x60',
  [`ordbook_http_request_seconds_bucket{${SERVER},route="/events",le="+Inf"}`]: '0+600x60',
}

const ILL: [alert: string, series: string, values: string][] = [
  ['OrdbookServerDown', `up{${SERVER}}`, '0x60'],
  ['OrdbookDatabaseDown', `ordbook_database_up{${SERVER}}`, '0x60'],
  ['OrdbookDatabaseSlow', `ordbook_database_seconds{${SERVER}}`, '0.3x60'],
  ['OrdbookNodeDown', `ordbook_node_up{${SERVER}}`, '0x60'],
  ['OrdbookOrdDown', `ordbook_ord_up{${SERVER}}`, '0x60'],
  ['OrdbookSignerDown', `ordbook_signer_up{${SERVER}}`, '0x60'],
  ['OrdbookSignerAlone', `ordbook_signer_paired{${SERVER}}`, '0x60'],
  ['OrdbookGuardianDown', `ordbook_guardian_up{${SERVER}}`, '0x60'],
  ['OrdbookGuardianAlone', `ordbook_guardian_paired{${SERVER}}`, '0x60'],
  ['OrdbookRoleNotReady', `ordbook_role_ready{${KEYS}}`, '0x60'],
  ['OrdbookCertificateExpires', `ordbook_certificate_days_left{${SERVER},of="signer"}`, '13x60'],
  ['OrdbookRedisDown', `ordbook_redis_up{${SERVER}}`, '0x60'],
  ['OrdbookReplicaDown', `ordbook_replica_up{${SERVER}}`, '0x60'],
  ['OrdbookReplicaBehind', `ordbook_replica_lag_seconds{${SERVER}}`, '0+60x60'],
  ['OrdbookRoleIdle', `ordbook_role_unassigned{${SERVER},role="follower"}`, '1x60'],
  ['OrdbookTradingPaused', `ordbook_trading_open{${SERVER}}`, '0x60'],
  ['OrdbookIndexBehind', `ordbook_lag_blocks{${SERVER}}`, '3x60'],
  ['OrdbookIndexFault', `ordbook_index_fault_height{${SERVER}}`, '840000x60'],
  ['OrdbookChainStale', `ordbook_tip_age_seconds{${SERVER}}`, '7201x60'],
  ['OrdbookMempoolStale', `ordbook_mempool_age_seconds{${SERVER}}`, '0+60x60'],
  ['OrdbookClockOff', `ordbook_clock_offset_seconds{${SERVER}}`, '-3x60'],
  ['OrdbookDiskFull', `ordbook_disk_free_bytes{${SERVER}}`, '999999999x60'],
  ['OrdbookDiskLow', `ordbook_disk_free_bytes{${SERVER}}`, '9999999999x60'],
  ['OrdbookNotTraded', `ordbook_trade_disabled{${SERVER},trade="collection-offer"}`, '1x60'],
  ['OrdbookLedgerUnexplained', `ordbook_market_unexplained_transactions{${SERVER}}`, '1x60'],
  ['OrdbookCoinsEmpty', `ordbook_market_shortage{${SERVER},resource="funds"}`, '1x60'],
  ['OrdbookCoinsFailed', `ordbook_utxo_failed{${SERVER}}`, '1x60'],
  ['OrdbookCoinsLow', `ordbook_market_pool_low{${SERVER}}`, '1x60'],
  ['OrdbookCoinsUsedUp', `ordbook_market_shortage{${SERVER},resource="anchors"}`, '1x60'],
  ['OrdbookAllowanceUsedUp', `ordbook_market_shortage{${SERVER},resource="new-wallet-allowance"}`, '1x60'],
  ['OrdbookSettlementStuck', `ordbook_settlement_age_seconds{${SERVER}}`, '21601x60'],
  ['OrdbookAllowanceLow', `ordbook_market_allowance_left_sats{${SERVER}}`, '49999x60'],
  ['OrdbookPreviewStall', `ordbook_preview_stalled_seconds{${SERVER}}`, '0+60x60'],
  [
    'OrdbookPreviewsFail',
    `ordbook_renderer_items_total{${RENDERER},kind="raster",result="failed"}`,
    '0+20x60',
  ],
  [
    'OrdbookRequestsFail',
    `ordbook_http_request_seconds_count{${SERVER},route="/status",status="503"}`,
    '0+40x60',
  ],
  [
    'OrdbookRequestsSlow',
    `ordbook_http_request_seconds_bucket{${SERVER},route="/status",le="0.1"}`,
    '0+400x60',
  ],
  ['OrdbookMirrorBehind', `ordbook_mirror_lag_seconds{${SERVER}}`, '0+60x60'],
  ['OrdbookMirrorStopped', `ordbook_mirror_stopped{${SERVER}}`, '1x60'],
]

/** Asserts which alerts fire after half an hour of these series. */
function check(ill: Record<string, string>, expected: readonly string[]): void {
  const file = join(folder, 'test.json')
  const series = Object.entries({ ...WELL, ...ill })
  const test = {
    rule_files: [RULES],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: series.map(([name, values]) => ({ series: name, values })),
        promql_expr_test: [
          {
            expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
            eval_time: '30m',
            exp_samples: expected.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
          },
        ],
      },
    ],
  }
  writeFileSync(file, JSON.stringify(test))
  try {
    execFileSync('promtool', ['test', 'rules', file], { stdio: 'pipe' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new Error('promtool not found: install the package prometheus', { cause: error })
    throw new Error(String((error as { stdout: Buffer }).stdout), { cause: error })
  }
}

it('fires no alert on a healthy market', () => check({}, []))

it.each(ILL)('fires %s', (alert, series, values) => check({ [series]: values }, [alert]))

it('has a test for every alert', () => {
  const alerts = [...readFileSync(RULES, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name]) => name)
  expect(ILL.map(([name]) => name).sort()).toEqual(alerts.sort())
})
