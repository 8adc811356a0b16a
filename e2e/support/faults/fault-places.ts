import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getStatus } from '@ordbook/contract/record.ts'
import type { Finding } from '@ordbook/operations/doctor/finding.ts'
import { type FaultId, faultOf, runbookOf } from '@ordbook/operations/faults/faults.ts'
import { expect } from 'vitest'

/**
 * Each function asserts that a place of docs/reference/faults.md reports these faults. `scripts/faults/faults.test.ts` requires a call with
 * each fault for each of its places, and reads the ids from the source: pass them as an array of string literals.
 */

const ROOT = join(import.meta.dirname, '../../..')
const RULES = join(ROOT, 'deploy/prometheus/alerts.yaml')
const hasPromtool = spawnSync('promtool', ['--version']).status === 0

/** Expects findings of the doctor, each with the fix and the section of the guide. */
export function expectInDoctor(ids: readonly FaultId[], findings: Iterable<Finding>): void {
  const found = [...findings]
  for (const id of ids) {
    const finding = found.find(({ fault }) => fault === id)
    expect(finding, `${id} in ${JSON.stringify(found)}`).toMatchObject({
      about: faultOf(id).doctor,
      state: expect.not.stringMatching('ok'),
      mend: expect.stringMatching(/./),
      runbook: runbookOf(id),
    })
    expectRunbook(id)
  }
}

/** Expects that `/status` reports the faults. `url` is the address of the server. */
export async function expectInStatus(ids: readonly FaultId[], url: string): Promise<void> {
  for (const id of ids) {
    const { status } = faultOf(id)
    if ('none' in status) throw new Error(`the list names no place in the status for ${id}`)
    await expect
      .poll(() => readStatus(url), { message: id })
      .toMatchObject(
        'reason' in status
          ? { trading: 'paused', reason: expect.stringMatching(patternOf(status.reason)) }
          : 'shortage' in status
            ? { shortages: expect.arrayContaining([expect.objectContaining({ resource: status.shortage })]) }
            : {
                notTraded: expect.arrayContaining(
                  status.notTraded.map((trade) => expect.objectContaining({ trade })),
                ),
              },
      )
  }
}

const readStatus = async (url: string) => (await fetch(`${url}${getStatus.path}`)).json()
const patternOf = (reason: string) => new RegExp(`^${reason.replace(/\{\w+\}/g, '.+')}$`)

/**
 * Expects that `/metrics` has the metrics of the faults, and that their alerts fire if its values stay for two hours. `read` returns the
 * text of `/metrics`. With `act`, counters grow in each minute as they do during `act`.
 */
export async function expectInMetrics(
  ids: readonly FaultId[],
  read: () => Promise<string>,
  act?: () => Promise<unknown>,
): Promise<void> {
  const before = act ? samplesOf(await read()) : new Map<string, number>()
  await act?.()
  for (const id of ids)
    await expect
      .poll(async () => alertsOf(id, samplesOf(await read()), before), { message: id, interval: 500 })
      .toBe('')
}

/** Returns the text of `/metrics`. `address` has the form `http://host:port`. */
export const metricsAt = (address: string) => async (): Promise<string> =>
  (await fetch(`${address}/metrics`)).text()

type Samples = ReadonlyMap<string, number>

/** Returns the samples of the market's metrics by series, with the labels that Prometheus adds. */
function samplesOf(text: string): Samples {
  const samples = new Map<string, number>()
  for (const [, name, labels = '', value] of text.matchAll(/^(ordbook_\w+)(?:\{(.*)\})? (\S+)$/gm))
    samples.set(
      `${name}{${['job="ordbook",instance="a:4000"', labels].filter(Boolean).join(',')}}`,
      Number(value),
    )
  return samples
}

/** Returns an empty text if the metric exists and the alert fires; otherwise what is missing. */
function alertsOf(id: FaultId, samples: Samples, before: Samples): string {
  const { metric, alert } = faultOf(id)
  if (typeof metric !== 'string') throw new Error(`the list names no metric for ${id}`)
  if (![...samples.keys()].some((series) => series.startsWith(metric))) return `no ${metric}`
  if (typeof alert !== 'string' || !hasPromtool) return ''
  expectRunbook(id)
  const folder = mkdtempSync(join(tmpdir(), 'ordbook-alert-'))
  try {
    const test = {
      rule_files: [RULES],
      evaluation_interval: '1m',
      tests: [
        {
          interval: '1m',
          input_series: [...samples].map(([series, value]) => {
            const growth = before.has(series) ? value - before.get(series)! : 0
            const isCounter = /_(total|count|bucket)\{/.test(series)
            return { series, values: `${value}+${isCounter ? growth : 0}x120` }
          }),
          promql_expr_test: [
            {
              expr: `max(ALERTS{alertstate="firing",alertname="${alert}"})`,
              eval_time: '2h',
              exp_samples: [{ labels: '{}', value: 1 }],
            },
          ],
        },
      ],
    }
    const file = join(folder, 'test.json')
    writeFileSync(file, JSON.stringify(test))
    execFileSync('promtool', ['test', 'rules', file], { stdio: 'pipe' })
    return ''
  } catch (error) {
    const values = [...samples].filter(([series]) => series.startsWith(metric))
    return `${alert} does not fire: ${JSON.stringify(values)}\n${(error as { stdout?: Buffer }).stdout}`
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Expects that the section of the guide exists, and names the alert of the fault. */
function expectRunbook(id: FaultId): void {
  const runbook = runbookOf(id)
  if (runbook === null) return
  const [path, anchor] = runbook.split('#') as [string, string]
  expect(existsSync(join(ROOT, path))).toBe(true)
  expect(readFileSync(join(ROOT, path), 'utf8').toLowerCase()).toContain(`### ${anchor}\n`)
}
