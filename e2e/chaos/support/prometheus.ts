import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@ordbook/db/process/free-port.ts'

/** Scrape interval and timeout in seconds. Components may hang. */
export const SCRAPE_SECONDS = 3

export const RULES = join(import.meta.dirname, '../../../deploy/prometheus/alerts.yaml')

/** The shipped alert rules without `for` durations and rate-based rules. */
const rulesWithoutDelays = () =>
  readFileSync(RULES, 'utf8')
    .replace(/^ +for: .*\n/gm, '')
    .split(/^(?= +- alert:)/m)
    .filter((rule) => !rule.includes('rate('))
    .join('')

export async function startPrometheus(targets: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'ordbook-prometheus-'))
  const rules = join(folder, 'alerts.yaml')
  writeFileSync(rules, rulesWithoutDelays())
  writeFileSync(
    join(folder, 'prometheus.yaml'),
    JSON.stringify({
      global: {
        scrape_interval: `${SCRAPE_SECONDS}s`,
        scrape_timeout: `${SCRAPE_SECONDS}s`,
        evaluation_interval: '1s',
      },
      rule_files: [rules],
      scrape_configs: [{ job_name: 'ordbook', static_configs: [{ targets }] }],
    }),
  )
  const port = await freePort()
  const child: ChildProcess = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const failed = once(child, 'error').then(([error]) => {
    throw new Error('prometheus not found: install the package', { cause: error })
  })
  await Promise.race([sleep(500), failed])
  const query = async (path: string): Promise<any> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`)
    return response.ok ? response.json() : null
  }
  return {
    async firing(): Promise<string[]> {
      const answer = await query('/api/v1/alerts').catch(() => null)
      const alerts: { state: string; labels: { alertname: string } }[] = answer?.data.alerts ?? []
      return alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname)
    },
    async up(): Promise<number> {
      const answer = await query('/api/v1/query?query=sum(up)').catch(() => null)
      return Number(answer?.data.result[0]?.value[1] ?? 0)
    },
    async stop() {
      if (child.exitCode === null) {
        const exited = once(child, 'exit')
        child.kill('SIGKILL')
        await exited
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
